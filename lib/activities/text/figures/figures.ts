import { monthNames, monthNumber } from './calendar.ts';
import { numberOf } from './number-words.ts';
import { currency, type Quantity, quantityOf, unitAfterNumber } from './quantities.ts';

/** A value that a text states, in a canonical form. */
export type Value =
  | {
      readonly kind: 'date';
      readonly date: number | undefined;
      readonly month: number;
      readonly year: number | undefined;
    }
  /** Of half a day: half past nine is in the morning or in the evening. */
  | { readonly kind: 'time'; readonly minutes: number }
  /** An address, an account, a code: letters and digits without what separates them. */
  | {
      readonly kind: 'reference';
      readonly text: string;
      /**
       * Set for what German letters contain without being given it (`§ 13b UStG`, `DIN 18531`, `1. OG`, `T30`): such a
       * reference counts as invented only when the data have another of the same family.
       */
      readonly family?: string;
    }
  | ({ readonly kind: 'quantity'; readonly isWord?: boolean } & Quantity);

export type Figure = Value & {
  readonly excerpt: string;
  /** The place in the text. */
  readonly index: number;
};

type Reading = (match: RegExpExecArray) => Value | null;

// One number has one separator: "KG 300 412.000" is a cost group and an amount.
const number = String.raw`\d{1,3}(?<separator>[.,'’ \u00a0\u202f])\d{3}(?:\k<separator>\d{3}){0,4}(?:(?!\k<separator>)[.,]\d{1,2})?(?![.,'’]?\d)|\d(?:[\d.,:]*\d)?`;
const scales = [
  ['Mio\\.?|Millionen|Million', 1e6],
  ['Mrd\\.?|Milliarden?', 1e9],
  ['Tsd\\.?|Tausend', 1e3],
] as const;
const scale = scales.map(([pattern]) => pattern).join('|');
const year = String.raw`((?:19|20)\d\d)(?![\d.,]*\d|\s?(?:${currency}))`;

/** What a reader takes for granted. */
const common: Value = { kind: 'quantity', ...quantityOf(1) };

// The order matters: text that one pattern matches is hidden from later ones. Every repetition is bounded or ends at a
// character it may not contain, because a prompt injection can make a model write 20,000 of anything.
const readings: readonly (readonly [RegExp, Reading])[] = [
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}\.\w{2,24}/gu, ([address]) => reference(address)],
  [
    /(?:https?:\/\/|(?<![\p{L}\d.])www\.)[^\s<>"')]*[^\s<>"').,;:!?]|(?<![\p{L}\d@.-])\p{Ll}[\p{Ll}\d-]{2,62}(?:\.[\p{Ll}\d-]{2,63}){0,3}\.\p{Ll}{2,12}(?![\p{L}\d-])(?:\/[^\s<>"').,;:!?]{0,200})?/gu,
    ([address]) => reference(address.replace(/^https?:\/\//, '').replace(/^www\./, '')),
  ],
  [
    /(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,4})?(?![\p{L}\d])/gu,
    ([account]) => reference(account),
  ],
  [/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/gu, ([, year, month, date]) => dateValue(date, Number(month), year)],
  [
    // "18.-29.1.": the first day has the month of the second.
    /(?<![\d.])(\d{1,2})\.\s?(?:-|–|bis|und|oder)\s?(?=\d{1,2}\.\s?(\d{1,2})\.)/gu,
    ([, date, month]) => dateValue(date, Number(month)),
  ],
  [
    // Two digits are a year only directly after the dot: "am 3.12. 11 Uhr".
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?((?:19|20)\d\d)|(\d{2}))?(?!\d)/gu,
    ([, date, month, year, shortYear]) => dateValue(date, Number(month), year ?? shortYear),
  ],
  [
    new RegExp(
      String.raw`(?<!\d)(?:(\d{1,2})(?:\.|st|nd|rd|th)?\s(?:of\s)?|(?<!\p{L})(?=\p{L}+\.?\s\d{4}))(${monthNames})(?!\p{L})\.?(?:\s${year})?`,
      'giu',
    ),
    ([, date, month = '', year]) =>
      date === undefined && year === undefined ? null : dateValue(date, monthNumber(month), year),
  ],
  [
    // Of English names only those in full: "USt Okt 18" is an amount.
    new RegExp(
      String.raw`(?<!\p{L})(january|february|march|april|may|june|july|august|september|october|november|december)\s(\d{1,2})(?:st|nd|rd|th)?(?:,?\s${year})?(?![\d.,]*\d|\s?(?:${currency}))`,
      'giu',
    ),
    ([, month = '', date, year]) => dateValue(date, monthNumber(month), year),
  ],
  [/(?<![\d/])(?:24\/7|1:1|08\/15)(?![\d/])/gu, () => common],
  [
    /(?<!\p{L})(halb|dreiviertel|viertel\s(?:vor|nach))\s(\p{L}{3,6}|\d{1,2})(?![\p{L}\d])/giu,
    ([, part = '', hour = '']) => {
      const before = { halb: 30, dreiviertel: 15, 'viertel vor': 15 }[part.toLowerCase()] ?? -15;
      const full = numberOf(hour);
      return full === null || full > 24 ? null : timeValue(full, -before);
    },
  ],
  [
    // Of "7-17 Uhr" also 7.
    /(?<![\d:.])(\d{1,2})(?:[:.](\d{2}))?\s?(?:Uhr|[ap]\.m|[ap]m(?!\s[\0\p{L}]))(?![\p{L}\d])|(?<![\d:.,])(\d{1,2}):(\d{2})(?![\d:])|(?<![\d:.,])(\d{1,2})(?=\s?(?:bis|und|oder|[-–])\s?\d{1,2}(?:[:.]\d{2})?\s?Uhr)/giu,
    ([, hour, minutes, other, otherMinutes, first]) =>
      timeValue(Number(hour ?? other ?? first), Number(minutes ?? otherMinutes ?? 0)),
  ],
  [
    /(?<![\p{L}\d.,])(?:\+|0)\d[\d /()–-]{5,24}\d(?!\d|[.,]\d)/gu,
    ([digits]) => reference(digits.replace(/^(?:\+49|0049|0)/, '')),
  ],
  // § 13b Abs. 1, Art. 6 DSGVO, DIN EN 12056-3, Anlage 1, Teil 1 von 2, Office 365: a label and its number.
  [
    /((§{1,2}|(?<!\p{L})(?:DIN|EN|ISO|VDE|VDI|TRGS|TRBS|DGUV|ASR|ATV|ZTV|VOB|Art\.|Artikel|Anlagen?|Seite|Blatt|Ziffer|Punkt|Teil|Office))(?:[ /-](?:EN|ISO|VDE|[A-C]|Vorschrift|Regel|Information)){0,3}[ -]?\d[\d-]{0,12}(?:\p{Ll}(?!\p{L}))?)(?![\d.,]*\d)(?:\s(?:Abs\.|Absatz|Nr\.|Nummer|Satz|S\.|Ziff\.|Ziffer|von)\s\d{1,3}\p{Ll}?){0,4}(?![\d.,]*\d)/gu,
    ([, text = '', family = '']) => reference(text, family.slice(0, 3)),
  ],
  [
    /(?<!\d)\d{1,2}\.\s?(OG|UG|BA|Obergescho|Untergescho|Stock|Etage|Bauabschnitt)(?:ss|ß)?(?:e?s|werk|e|en)?(?!\p{L})/gu,
    ([part, family = '']) => reference(part, family),
  ],
  // After these words a number identifies a document or a place and vouches for no amount of money.
  [
    /(?:(?:nr|pos|az)\.|\p{L}{0,20}(?:nummer|rechnung|zeichen)|angebot|auftrag|bestellung|zähler|position|nachtrag|raum|index|plan|vertrag|protokoll|lieferschein|projekt|offer|invoice|order|contract|no\.)(?:e?s|e?n)?[\s:#]{0,3}(?!\d{1,3}(?:\.\d{3})+(?!\d)|\d+,\d)(\d+(?:[./-]\d+)*)(?!\d)/giu,
    ([, digits = '']) => reference(digits),
  ],
  // S-104, T30-RS, CT-C25-F4, KI-XY 204: letters joined with digits.
  [
    /(?<![\p{L}\d])(\p{L}{1,12}(?:[-_./]\p{L}{1,12}){0,3})[-_]?\d[\p{L}\d]{0,20}(?:[-_./][\p{L}\d]{1,20}){0,4}(?![\p{L}\d])/gu,
    ([code, letters = '']) => {
      const bare = code.replace(/(?<=\d)-\p{Lu}\p{Ll}{2,20}$/u, '');
      return bare.replace(/\D/g, '').length < 3 ? reference(bare, letters) : reference(bare);
    },
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}\d])(${currency})\s?(${number})(?:,[-–]{1,2})?(?:\s?(${scale})(?!\p{L}))?`,
      'giu',
    ),
    ([, unit, digits = '', , factor]) => quantityValue(digits, factor, unit),
  ],
  [
    new RegExp(
      String.raw`(${number})(?:,[-–]{1,2})?(?:\s?(${scale})(?!\p{L}))?(?:[ \u00a0\u202f-]?${unitAfterNumber}|(?=\s?(?:auf|bis|oder|statt|und|[-–/])\s?\d[\d.,]{0,8}\s?${unitAfterNumber})|)`,
      'giu',
    ),
    ([, digits = '', , factor, unit, unitOfNext]) => quantityValue(digits, factor, unit ?? unitOfNext),
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}\d.,])(\p{L}{3,40})(?:[ \u00a0\u202f-]?${unitAfterNumber})?(?!\p{L})`,
      'giu',
    ),
    ([, word = '', unit]) => {
      const count = numberOf(word);
      if (count === null) return null;
      // "zweite Woche" measures nothing.
      const isOrdinal = /(?<!ach)te[mnrs]?$/iu.test(word);
      const ownUnit = /(?:tägig|wöchig|monatig|jährig|stündig|prozent)/iu.exec(word)?.[0];
      return { kind: 'quantity', isWord: true, ...quantityOf(count, isOrdinal ? '' : (unit ?? ownUnit)) };
    },
  ],
];

/** Finds every figure of a text, in no particular order. */
export function figuresIn(text: string): Figure[] {
  let rest = text.normalize('NFC');
  const figures: Figure[] = [];
  for (const [pattern, read] of readings) {
    let unread = '';
    let readTo = 0;
    for (const match of rest.matchAll(pattern)) {
      const value = read(match);
      if (value === null) continue;
      const [excerpt] = match;
      figures.push({ ...value, excerpt: excerpt.trim(), index: match.index });
      unread += rest.slice(readTo, match.index) + '\0'.repeat(excerpt.length);
      readTo = match.index + excerpt.length;
    }
    rest = unread + rest.slice(readTo);
  }
  return figures;
}

const reference = (text: string, family?: string): Value => ({
  kind: 'reference',
  text: squeezed(text),
  ...(family !== undefined && { family: family.toLowerCase() }),
});

/** Letters and digits only: `G 37` is also written `G37` and `g-37`. */
export const squeezed = (text: string): string => text.toLowerCase().replace(/[^\p{L}\d§]/gu, '');

function dateValue(date: string | undefined, month: number, year = ''): Value | null {
  const isDate =
    month >= 1 && month <= 12 && (date === undefined || (Number(date) >= 1 && Number(date) <= 31));
  const fullYear = year.length === 2 ? `20${year}` : year;
  return isDate
    ? {
        kind: 'date',
        date: date === undefined ? undefined : Number(date),
        month,
        year: year === '' ? undefined : Number(fullYear),
      }
    : null;
}

function timeValue(hour: number, minutes: number): Value | null {
  return hour > 24 || minutes > 59 ? null : { kind: 'time', minutes: (hour * 60 + minutes + 720) % 720 };
}

function quantityValue(digits: string, factor = '', unit?: string): Value {
  const [, times = 1] = scales.find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'iu').test(factor)) ?? [];
  return { kind: 'quantity', ...quantityOf(plainNumber(digits) * times, unit) };
}

/** The separators differ by writer and language: 1.250,00 = 1,250.00 = 1250. */
function plainNumber(digits: string): number {
  const [, whole = '', decimals = '0'] = /^(.*?)(?:[.,:](\d{1,2}))?$/s.exec(digits) ?? [];
  return Number(`${whole.replace(/\D/g, '')}.${decimals}`);
}
