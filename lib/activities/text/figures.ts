import { numberOf } from './number-words.ts';
import { type Quantity, quantityOf, unitAfterNumber } from './quantities.ts';
import { monthNames, monthNumber, weekdayNames } from './relative-dates.ts';

/** A checkable value in a text: a number, date, time, amount, address, account or reference. */
export interface Figure {
  readonly excerpt: string;
  /** The value in canonical form. */
  readonly value: string;
  /** Other values that the text may state when this one is given. */
  readonly vouches: readonly string[];
  /**
   * The kind of a reference that German letters contain without being given one (`§ 13b UStG`, `DIN 18531`, `1. OG`,
   * `Anlage 2`). Such a reference counts as invented only when the data have another of the same kind.
   */
  readonly kind?: string;
  /** With the letters before it: `G 37` is also written `G37` and `G-37`. */
  readonly code?: string;
  /** What it measures; a text may state it in another unit. */
  readonly quantity?: Quantity;
  /** A number in words, which may also be an article or part of an idiom. */
  readonly isWord?: boolean;
}

type Value = Omit<Figure, 'excerpt'>;
type Reading = (match: RegExpExecArray, before: string) => Value | null;

const currencies: readonly (readonly [pattern: string, code: string])[] = [
  ['TEUR|T€', 'EUR*1000'],
  ['EUR|€|Euro', 'EUR'],
  ['Cent|ct', 'EUR*0.01'],
  ['USD|US-Dollar|US\\$|Dollars?|\\$', 'USD'],
  ['CHF|Franken|SFr\\.', 'CHF'],
  ['GBP|£|Pfund', 'GBP'],
  ['PLN|zł|Zloty', 'PLN'],
  ['DKK|SEK|NOK|Kronen', 'Kronen'],
  ['CZK', 'CZK'],
  ['JPY|¥|Yen', 'JPY'],
  ['TRY|Lira', 'TRY'],
];
const currency = currencies.map(([pattern]) => pattern).join('|');
const amount = String.raw`\d{1,3}(?:[.,'\u00a0\u202f ]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,12}(?:[.,]\d{1,2})?(?!\d)`;
const scale = String.raw`Mio\.?|Millionen|Million|Mrd\.?|Milliarden?|Tsd\.?|Tausend`;

// "USt Okt 18.340", "Miete Mai 18 €": a number after a month that is no day or year of it.
const notAmount = String.raw`(?![\p{L}\d]|[.,:]\d|\s?(?:%|Prozent|Uhr|${currency}|${unitAfterNumber}))`;
const fourDigitYear = String.raw`((?:19|20)\d\d)${notAmount}`;
const betweenDays = String.raw`(?:bis|und|oder|od|u|o|sowie|bzw|beziehungsweise|auf|zum?|einschließlich|d[er][nmr]|am|vom|${weekdayNames})(?!\p{L})\.?`;

const scaleBefore = new RegExp(`(${scale})\\s(?:statt|auf|bis|nach|und|oder)\\s$`, 'iu');

const tax = '(?:MwSt|Mehrwertsteuer|USt|Umsatzsteuer|VAT)';

const topLevelDomains =
  'de|at|ch|li|eu|com|org|net|info|biz|io|app|dev|online|shop|digital|cloud|gmbh|bayern|berlin|hamburg|koeln|nrw|ruhr|saarland|tirol|wien|swiss|example|fr|nl|dk|pl|uk|it|be|lu|cz';

// Half past nine is in the morning or in the evening.
const clockWords = /(?<!\p{L})(halb|dreiviertel|viertel\s(?:vor|nach))\s(\p{L}{3,6}|\d{1,2})(?![\p{L}\d])/giu;
const minutesFrom: Readonly<Record<string, number>> = {
  halb: -30,
  dreiviertel: -15,
  'viertel vor': -15,
  'viertel nach': 15,
};

/** A figure that does not have to be given. */
const common: Value = { value: '', vouches: [] };

// The order matters: text that one pattern matches is hidden from later ones. Every repetition is bounded or ends at a
// character it may not contain, because a prompt injection can make a model write 20,000 of anything.
const readings: readonly (readonly [RegExp, Reading])[] = [
  [
    /(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}\.\w{2,24}/gu,
    ([address]) => ({ value: address.toLowerCase(), vouches: [] }),
  ],
  [
    new RegExp(
      String.raw`(?:https?://|(?<![\p{L}\d.])www\.)[^\s<>"')]*[^\s<>"').,;:!?]|(?<![\p{L}\d@.-])[\p{Ll}\d][\p{Ll}\d-]{0,62}(?:\.[\p{Ll}\d-]{1,63}){0,3}\.(?:${topLevelDomains})(?![\p{L}\d-])(?:\/[^\s<>"').,;:!?]{0,200})?`,
      'gu',
    ),
    ([address]) => webAddress(address),
  ],
  [
    /(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,4})?(?![\p{L}\d])/gu,
    ([account]) => ({ value: account.replaceAll(' ', ''), vouches: [] }),
  ],
  [/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/gu, ([, year, month, day]) => dateValue(day, month, year)],
  [
    // The days of a list or a range share its month and year: "vom 18. bis zum 29. Januar 2027", "Di 8. oder Do 10.12.".
    new RegExp(
      String.raw`(?<![\d.])(\d{1,2})\.(?=(?:(?=\s?[\p{L},–/+&-])(?:[\s,–/+&-]{0,3}${betweenDays}){0,5}[\s,–/+&-]{0,3}\d{1,2}\.){1,4}\s?(?:(${monthNames})(?!\p{L})|(\d{1,2})\.)(?:\s?(\d{4}|\d{2}(?!\d)))?)`,
      'giu',
    ),
    ([, day, name = '', number, year]) => dateValue(day, number ?? String(monthNumber(name)), year),
  ],
  [
    // Two digits are a year only directly after the dot: "am 3.12. 11 Uhr".
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4})|(\d{2}))?(?!\d)/gu,
    ([, day, month, year, shortYear]) => dateValue(day, month, year ?? shortYear),
  ],
  [
    new RegExp(
      `(?<!\\d)(\\d{1,2})(?:\\.|st|nd|rd|th)?\\s(?:of\\s)?(${monthNames})\\.?(?:\\s${fourDigitYear})?(?![\\p{L}\\d])`,
      'giu',
    ),
    ([, day, month = '', year]) => dateValue(day, String(monthNumber(month)), year),
  ],
  [
    new RegExp(
      `(?<!\\p{L})(${monthNames})\\.?\\s(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s${fourDigitYear}|${notAmount})`,
      'giu',
    ),
    ([, month = '', day, year]) => dateValue(day, String(monthNumber(month)), year),
  ],
  [
    new RegExp(`(?<!\\p{L})(${monthNames})\\.?\\s${fourDigitYear}`, 'giu'),
    ([, month = '', year = '']) => ({ value: `y${monthNumber(month)}-${year}`, vouches: [`n${year}`] }),
  ],
  // "2026/27", "26/27"
  [
    /(?<![\d/])(?:20)?(\d\d)\/(?:20)?(\d\d)(?![\d/])/gu,
    ([, year, next]) => (Number(next) === Number(year) + 1 ? { value: `n20${year}`, vouches: [] } : null),
  ],
  // Idioms, and tax rates beside the name of the tax.
  [
    new RegExp(
      String.raw`(?<![\d/])(?:24/7|1:1|08/15)(?![\d/])|(?<![\d,.])(?:19|7)(?:,0)?\s?%(?:(?=[^.\n\d]{0,40}${tax})|(?<=${tax}\.?[^.\n\d]{0,40}(?:19|7)(?:,0)?\s?%))`,
      'gu',
    ),
    () => common,
  ],
  [
    /(?<!\p{L})(?:KW|Kalenderwochen?)\s?(\d{1,2})(?=(?:\s?(?:[-–/,]|bis|und|oder)\s?(\d{1,2}))?)(?!\d)/giu,
    ([, week, other = week]) => ({
      value: `w${Number(week)}`,
      vouches: [`n${Number(week)}`, `w${Number(other)}`],
    }),
  ],
  [
    /(?<![\d:.,])(\d{1,2})\s?(?:h|Std\.?|Stunden?)\s?(?:und\s)?(\d{1,2})(?:\s?min\p{Ll}{0,5})?(?![\p{L}\d.,:])/giu,
    ([, hours, minutes]) => {
      const quantity = quantityOf(Number(hours) * 60 + Number(minutes), 'min');
      return { value: `n${quantity.value}`, vouches: [], quantity };
    },
  ],
  // "von 9 bis 12:30", "8-10 Uhr", "um 2".
  [
    new RegExp(
      String.raw`(?<![\d:.,])(\d{1,2})(?=\s?(?:[-–]|bis|und|oder)\s?(?:\d{1,2}(?:[:.]\d{2})?\s?(?:Uhr|h(?!\p{L}))|\d{1,2}:\d{2}|(?:halb|viertel)\s))|(?<=(?<!\p{L})(?:um|gegen)\s)(\d{1,2})(?![\d.,:]|\s?(?:%|auf|${currency}|Prozent|Uhr|h(?!\p{L})|${unitAfterNumber}))`,
      'giu',
    ),
    ([, from, at]) => ({
      ...timeValue(from ?? at),
      ...(at !== undefined && { quantity: quantityOf(Number(at)) }),
    }),
  ],
  [
    clockWords,
    ([, part = '', hour = '']) => {
      const number = numberOf(hour);
      return number === null || number > 24 || number < 1
        ? null
        : clockTime(number * 60 + (minutesFrom[part.toLowerCase()] ?? 0));
    },
  ],
  // "12:30 am 3.12." is German, and its date is hidden by now.
  [
    /(?<![\d:.])(\d{1,2})(?:[:.](\d{2}))?\s?(p\.?m|a\.m|am(?!\s(?:\s|\d|\p{L}{2,8}tag|Mittwoch)))(?![\p{L}\d])/giu,
    ([, hour, minutes, half = '']) =>
      timeValue(String((Number(hour) % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0)), minutes),
  ],
  [
    /(?<![\d:.,])(\d{1,2})(?:[:.](\d{2}))?\s?(Uhr|h(?![\p{L}\d]))/giu,
    ([, hour, minutes, unit = '']) => {
      const time = timeValue(hour, minutes);
      return unit === 'h' && minutes === undefined
        ? { ...time, quantity: quantityOf(Number(hour), unit) }
        : time;
    },
  ],
  [/(?<![\d:.,])(\d{1,2}):(\d{2})(?![\d:])/gu, ([, hour, minutes]) => timeValue(hour, minutes)],
  [
    new RegExp(
      `(?<![\\p{L}\\d])(${currency})\\s?(${amount})(?:,[-–]{1,2})?(?:\\s?(${scale})(?!\\p{L}))?`,
      'gu',
    ),
    ([, unit, number, factor]) => money(number, unit, factor),
  ],
  [
    new RegExp(
      `(?<![\\d.,])(${amount})(?:,[-–]{1,2})?(?:\\s?(${scale}))?\\s?(${currency})(?![\\p{L}\\d])`,
      'gu',
    ),
    ([, number = '', factor, unit], before) => {
      // "Rechnung 980 450 EUR": the number of a document, and an amount.
      const [identifier, rest] = afterIdentifier.test(before) ? number.split(/ (.*)/s) : [];
      return rest === undefined
        ? money(number, unit, factor)
        : { ...money(rest, unit, factor), vouches: [...money(rest, unit, factor).vouches, `n${identifier}`] };
    },
  ],
  [
    /(?<![\p{L}\d.,])(?:\+|0)\d[\d /()–-]{5,24}\d(?!\d|[.,]\d)/gu,
    ([number]) => ({
      value: `p${number.replace(/\D/g, '').replace(/^(?:0049|49)?0?/, '')}`,
      vouches: [],
    }),
  ],
  [
    /§{1,2}\s?(\d{1,4}\p{Ll}?)(?:\s(?:Abs\.|Absatz|Nr\.|Nummer|Satz|S\.|Ziff\.|Ziffer)\s\d{1,3}\p{Ll}?){0,4}/gu,
    ([, paragraph]) => ({ value: `§${paragraph}`, vouches: [], kind: '§' }),
  ],
  [
    /(?<!\p{L})((?:DIN|EN|ISO|VDE|VDI|TRGS|TRBS|DGUV|ASR|ATV|ZTV|VOB)(?:[ /-](?:EN|ISO|VDE|[A-C]|Vorschrift|Regel|Information)){0,3})[ -](\d[\d-]{0,12})(?!\d)/gu,
    ([, norm = '', number]) => ({ value: `${norm} ${number}`, vouches: [], kind: norm.slice(0, 3) }),
  ],
  [
    /(?<!\d)(\d{1,2})\.\s?(OG|UG|BA|Obergescho|Untergescho|Stock|Etage|Bauabschnitt)(?:ss|ß)?(?:e?s|werk|e|en)?(?!\p{L})/gu,
    ([, number, part = '']) => {
      const kind = partNames[part] ?? part;
      return { value: `${kind}${number}`, vouches: [`n${number}`], kind };
    },
  ],
  [
    /(?<!\p{L})(Anlagen?|Seite|Blatt|Ziffer|Punkt|Teil)\s(\d{1,2})(?![\d.,]*\d)/gu,
    ([, kind = '', number]) => ({ value: `${kind} ${number}`, vouches: [`n${number}`], kind }),
  ],
  // S-104, T30-RS, CT-C25-F4, KI-XY 204: letters joined with digits.
  [
    /(?<![\p{L}\d])(\p{L}{1,12}(?:[-_./]\p{L}{1,12}){0,3})([-_]?)(\d[\p{L}\d]{0,20}(?:[-_./][\p{L}\d]{1,20}){0,4})(?![\p{L}\d])/gu,
    ([code, letters = '', , rest = '']) => codeValue(code, letters, rest),
  ],
  [
    /(?<![\d.,])(\d{1,3}(?:[.,]\d{1,3})?)\s?(?:%|Prozent|percent)(?!\p{L})/giu,
    ([, number = '']) => percentage(Number(plainNumber(number))),
  ],
  [
    new RegExp(`(?<![\\p{L}\\d.,])(\\p{L}{3,40})[\\s-]?(?:(Prozent)|${unitAfterNumber})?(?!\\p{L})`, 'giu'),
    ([, word = '', percent, unit], before) => {
      const number = shares[word.toLowerCase()] ?? numberOf(word);
      if (number === null) return null;
      if (percent !== undefined || word.toLowerCase() in shares)
        return { ...percentage(number), isWord: true };
      const quantity = quantityOf(number, unit ?? /(?:tägig|wöchig|monatig|jährig|stündig)/u.exec(word)?.[0]);
      const isOrdinal = /(?<!ach)te[mnrs]?$/iu.test(word);
      return {
        value: `n${number}`,
        vouches: unit === undefined ? hourValues(number, before) : [],
        ...(!isOrdinal && { quantity }),
        isWord: true,
      };
    },
  ],
  [
    new RegExp(
      String.raw`(\d(?:[\d.,:\u00a0\u202f']*\d)?)(?:\s?(${scale})(?!\p{L}))?(?:[\s-]?${unitAfterNumber}|(?=\s?(?:auf|bis|oder|statt|und|[-–/])\s?\d[\d.,]{0,8}\s?${unitAfterNumber})|)(\.(?=\s?\p{L}))?`,
      'giu',
    ),
    ([, number = '', own, unit, unitOfNext, ordinal], before) => {
      // "2,4 Mio statt 1,9"
      const factor = own ?? scaleBefore.exec(before)?.[1];
      if (factor !== undefined) {
        const { value, ...rest } = money(number, 'EUR', factor);
        return { ...rest, value: `n${scaled(number, factor)}`, vouches: [value, ...rest.vouches] };
      }
      const value = plainNumber(number);
      if (value === '0') return common;
      const [day, month] = /^(\d{1,2})\.(\d{1,2})$/.exec(number)?.slice(1) ?? [];
      const asDate = day === undefined ? null : dateValue(day, month);
      const isIdentifier = afterIdentifier.test(before) && !/,\d{2}$|\.\d{3}$/.test(number);
      const isYear = /^(?:19|20)\d\d$/.test(number);
      const [, letters] = lettersBefore.exec(before) ?? [];
      return {
        value: `n${value}`,
        ...(letters !== undefined && { code: codeOf(letters + number) }),
        vouches: [
          ...(isIdentifier ? [] : [`mEUR${value}`]),
          ...(unit === undefined ? hourValues(Number(value), before) : []),
          ...(asDate === null ? [] : [asDate.value]),
          ...timesOf(number),
        ],
        // The number of a document vouches for no money, and neither it nor a year is part of a calculation.
        ...(!isIdentifier &&
          !isYear &&
          !(ordinal !== undefined && unit === undefined && /^\d{1,2}$/.test(number)) && {
            quantity: quantityOf(Number(value), unit ?? unitOfNext),
          }),
      };
    },
  ],
];

/** Shares in words, in percent. */
const shares: Readonly<Record<string, number>> = { hälfte: 50, drittel: 100 / 3, viertel: 25 };

/** "ab 8", "zw. 8 und 10", "Di 10": a number there may be an hour. */
const beforeHour =
  /(?:(?<!\p{L})(?:um|ab|bis|gegen|von|vor|nach|seit|zw|zwischen|u|und|oder|statt|auf|(?:mo|di|mi|do|fr|sa|so)\p{Ll}{0,8})\.?|[-–/,])\s?$/iu;

const hourValues = (hour: number, before: string): string[] =>
  Number.isInteger(hour) && hour <= 24 && beforeHour.test(before)
    ? [`t${hour}:00`, ...afternoon(hour, '00')]
    : [];

const percentage = (number: number): Value => ({
  value: `n${number}`,
  vouches: [],
  quantity: { value: number, unit: '%', written: number },
});

const partNames: Readonly<Record<string, string>> = {
  Obergescho: 'OG',
  Untergescho: 'UG',
  Bauabschnitt: 'BA',
  Etage: 'Stock',
};

// After these words a number identifies a document or a place and vouches for no amount of money.
const afterIdentifier =
  /(?:(?:nr|pos|az)\.|\p{L}{0,20}(?:nummer|rechnung|zeichen)|angebot|auftrag|bestellung|zähler|position|nachtrag|raum|index|plan|vertrag|protokoll|lieferschein|projekt|offer|invoice|order|contract|no\.)(?:e?s|e?n)?[\s:#]{0,3}$/iu;

/** Finds every figure of a text, in no particular order. */
export function figuresIn(text: string): Figure[] {
  let rest = text.normalize('NFC');
  const figures: Figure[] = [];
  for (const [pattern, read] of readings) {
    let unread = '';
    let readTo = 0;
    for (const match of rest.matchAll(pattern)) {
      const value = read(match, rest.slice(Math.max(0, match.index - 30), match.index));
      if (value === null) continue;
      if (value !== common) figures.push({ excerpt: match[0].trim(), ...value });
      unread += `${rest.slice(readTo, match.index)} `;
      readTo = match.index + match[0].length;
    }
    rest = unread + rest.slice(readTo);
  }
  return figures;
}

function webAddress(address: string): Value {
  const bare = address
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '');
  const [host = ''] = bare.split('/');
  return { value: bare, vouches: [host] };
}

/**
 * A date with a year vouches for the day without the year, and for the year; a day without a year vouches for no year.
 */
export function dateValue(day = '', month = '', year = ''): Value | null {
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return null;
  const dayAndMonth = `d${Number(day)}-${Number(month)}`;
  const fullYear = year.length === 2 ? `20${year}` : year;
  const asNumber = `n${plainNumber(`${day}.${month}`)}`;
  return year === ''
    ? { value: dayAndMonth, vouches: [asNumber] }
    : { value: `${dayAndMonth}-${fullYear}`, vouches: [dayAndMonth, `n${fullYear}`] };
}

function timeValue(hour = '', minutes = '00'): Value {
  if (Number(hour) > 24 || Number(minutes) > 59) {
    return { value: `n${plainNumber(`${hour}:${minutes}`)}`, vouches: [] };
  }
  return {
    value: `t${Number(hour)}:${minutes}`,
    vouches: [
      ...(minutes === '00' ? [`n${Number(hour)}`] : [`n${plainNumber(`${hour}.${minutes}`)}`]),
      ...afternoon(Number(hour), minutes),
    ],
  };
}

const clockTime = (minutes: number): Value => ({
  value: timeAt(minutes % (12 * 60)),
  vouches: [timeAt((minutes % (12 * 60)) + 12 * 60)],
  isWord: true,
});

/** "um 2" in an office is 14:00. */
const afternoon = (hour: number, minutes: string): string[] =>
  hour >= 1 && hour <= 6 ? [`t${hour + 12}:${minutes}`] : [];

/** `t9:30`, by the minutes since midnight. */
export const timeAt = (minutes: number): string =>
  `t${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;

const timesOf = (number: string): string[] => {
  const [, hour, minutes] = /^(\d{1,2})[.:](\d{2})$/.exec(number) ?? [];
  return hour === undefined ? [] : [`t${Number(hour)}:${minutes}`];
};

function money(number = '', unit = '', factor = ''): Value {
  const [code = '', times = '1'] = (
    currencies.find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'u').test(unit))?.[1] ?? unit
  ).split('*');
  const value = scaled(number, factor, Number(times));
  return {
    value: `m${code}${value}`,
    vouches: [`n${value}`, `n${plainNumber(number)}`],
    quantity: { value: Number(value), unit: code, written: Number(value) },
  };
}

function scaled(number: string, factor: string, times = 1): string {
  const [, power = 1] = powers.find(([pattern]) => pattern.test(factor)) ?? [];
  // Rounds to cents, which floating-point arithmetic does not keep.
  return String(Math.round(Number(plainNumber(number)) * times * power * 100) / 100);
}

const powers = [
  [/^(?:Mio|Million)/i, 1e6],
  [/^(?:Mrd|Milliarde)/i, 1e9],
  [/^T/i, 1e3],
] as const;

const units = /^(?:[cdmk]?m|CO|H|NO|PM|kW|R|Q)$/u;

const lettersBefore = /(?<![\p{L}\d])(\p{L}{1,12}(?:[-_./]\p{L}{1,12}){0,3})\s$/u;

/** One form for `g37`, `G-37` and the code in `G-37-Vorsorge`. */
const codeOf = (code: string): string =>
  `c${code
    .replace(/(?<=\d)-\p{Lu}\p{Ll}{2,20}$/u, '')
    .toUpperCase()
    .replace(/[\s_-]/g, '')}`;

function codeValue(code: string, letters: string, rest: string): Value | null {
  const digits = rest.replace(/\D/g, '');
  if (units.test(letters) && digits.length < 3) return common;
  const numbers = [...rest.matchAll(/\d{3,}/g)].map(([number]) => `n${plainNumber(number)}`);
  const value = { value: codeOf(code), vouches: numbers };
  // One or two digits are types and sizes (F90, T30, C25): invented only when the data have another with the same
  // letters.
  return digits.length >= 3 ? value : { ...value, kind: `c${letters.toUpperCase()}` };
}

/** Removes the separators, which differ by writer and language: 1.250,00 = 1,250.00 = 1250, and 10:00 = 10. */
function plainNumber(number: string): string {
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,:](\d{1,2}))?$/s.exec(number) ?? [];
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  const fraction = decimals.replace(/0+$/, '');
  return fraction === '' ? digits : `${digits}.${fraction}`;
}
