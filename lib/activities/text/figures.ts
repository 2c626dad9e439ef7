import { monthsOfYear } from './relative-dates.ts';

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
}

type Value = Omit<Figure, 'excerpt'>;
type Reading = (match: RegExpExecArray, before: string) => Value | null;

const months: Readonly<Record<string, number>> = Object.fromEntries(
  monthsOfYear.flatMap((names, index) => names.split('|').map((name) => [name, index + 1])),
);
export const monthNames = Object.keys(months)
  .toSorted((one, other) => other.length - one.length)
  .join('|');
/** 1 to 12, by a name of `monthNames` in any case. */
export const monthNumber = (name: string): number | undefined => months[name.toLowerCase()];

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

const topLevelDomains =
  'de|at|ch|li|eu|com|org|net|info|biz|io|app|dev|online|shop|digital|cloud|gmbh|bayern|berlin|hamburg|koeln|nrw|ruhr|saarland|tirol|wien|swiss|example|fr|nl|dk|pl|uk|it|be|lu|cz';

/** A figure that does not have to be given. */
const common: Value = { value: '', vouches: [] };

// The order matters: text that one pattern matches is hidden from later ones. Every repetition is bounded or ends at a
// character it may not contain, because a prompt injection can make a model write 20,000 of anything.
const readings: readonly (readonly [RegExp, Reading])[] = [
  [
    /(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}\.\w{2,24}/gu,
    ([address]) => ({ value: address.toLowerCase(), vouches: [] }),
  ],
  [/(?:https?:\/\/|(?<![\p{L}\d.])www\.)[^\s<>"')]*[^\s<>"').,;:!?]/gu, ([address]) => webAddress(address)],
  [
    new RegExp(
      String.raw`(?<![\p{L}\d@.-])[\p{Ll}\d][\p{Ll}\d-]{0,62}(?:\.[\p{Ll}\d-]{1,63}){0,3}\.(?:${topLevelDomains})(?![\p{L}\d-])(?:\/[^\s<>"').,;:!?]{0,200})?`,
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
    // The days of a list or a range share its month and year: "vom 18. bis zum 29. Januar 2027", "21.-23.12.".
    new RegExp(
      String.raw`(?<![\d.])(\d{1,2})\.(?=(?:\s?(?:bis|und|oder|sowie|[,–/-]){1,2}(?:\s(?:zum|einschließlich|den|dem|der|am)){0,2}\s?\d{1,2}\.){1,4}\s?(?:(${monthNames})(?!\p{L})|(\d{1,2})\.)(?:\s?(\d{4}|\d{2}(?!\d)))?)`,
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
      `(?<!\\d)(\\d{1,2})(?:\\.|st|nd|rd|th)?\\s(?:of\\s)?(${monthNames})\\.?(?:\\s(\\d{4}))?(?![\\p{L}\\d])`,
      'giu',
    ),
    ([, day, month = '', year]) => dateValue(day, String(monthNumber(month)), year),
  ],
  [
    new RegExp(
      `(?<!\\p{L})(${monthNames})\\.?\\s(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s(\\d{4}))?(?![\\p{L}\\d])`,
      'giu',
    ),
    ([, month = '', day, year]) => dateValue(day, String(monthNumber(month)), year),
  ],
  // Idioms, and tax rates beside the name of the tax.
  [/(?<![\d/])(?:24\/7|1:1|08\/15)(?![\d/])/gu, () => common],
  [
    /(?<![\d,.])(?:19|7)(?:,0)?\s?%(?=[^.\n\d]{0,40}(?:MwSt|Mehrwertsteuer|USt|Umsatzsteuer|VAT))/gu,
    () => common,
  ],
  [
    /(?<=(?:MwSt\.?|Mehrwertsteuer|USt\.?|Umsatzsteuer|VAT)[^.\n\d]{0,40})(?<![\d,.])(?:19|7)(?:,0)?\s?%/gu,
    () => common,
  ],
  [
    /(?<![\d:.])(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m(?![\p{L}\d])/giu,
    ([, hour, minutes, half = '']) =>
      timeValue(String((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)), minutes),
  ],
  [
    /(?<![\d:.,])(\d{1,2})(?:[:.](\d{2}))?\s?(?:Uhr|h(?![\p{L}\d]))/gu,
    ([, hour, minutes]) => timeValue(hour, minutes),
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
    /(?<![\d.,])(\d{1,3}(?:[.,]\d{1,3})?)\s?(?:%|Prozent|percent)(?!\p{L})/gu,
    ([, number = '']) => ({ value: `n${plainNumber(number)}`, vouches: [`%${plainNumber(number)}`] }),
  ],
  [
    new RegExp(String.raw`(\d(?:[\d.,:\u00a0\u202f']*\d)?)(?:\s?(${scale})(?!\p{L}))?`, 'gu'),
    ([, number = '', factor], before) => {
      if (factor !== undefined) {
        const { value, vouches } = money(number, 'EUR', factor);
        return { value: `n${scaled(number, factor)}`, vouches: [value, ...vouches] };
      }
      const value = plainNumber(number);
      if (value === '0') return common;
      const [day, month] = /^(\d{1,2})\.(\d{1,2})$/.exec(number)?.slice(1) ?? [];
      const asDate = day === undefined ? null : dateValue(day, month);
      return {
        value: `n${value}`,
        vouches: [
          ...(afterIdentifier.test(before) && !/,\d{2}$/.test(number) ? [] : [`mEUR${value}`]),
          ...(/^\d{1,2}$/.test(value) ? [`t${value}:00`] : []),
          ...(asDate === null ? [] : [asDate.value]),
          ...timesOf(number),
        ],
      };
    },
  ],
];

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

function timeValue(hour = '', minutes = '00'): Value | null {
  if (Number(hour) > 24 || Number(minutes) > 59) {
    return { value: `n${plainNumber(`${hour}:${minutes}`)}`, vouches: [] };
  }
  const value = `t${Number(hour)}:${minutes}`;
  return {
    value,
    vouches: minutes === '00' ? [`n${Number(hour)}`] : [`n${plainNumber(`${hour}.${minutes}`)}`],
  };
}

const timesOf = (number: string): string[] => {
  const [, hour, minutes] = /^(\d{1,2})[.:](\d{2})$/.exec(number) ?? [];
  return hour === undefined ? [] : [`t${Number(hour)}:${minutes}`];
};

function money(number = '', unit = '', factor = ''): Value {
  const [code = '', times = '1'] = (
    currencies.find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'u').test(unit))?.[1] ?? unit
  ).split('*');
  const value = scaled(number, factor, Number(times));
  return { value: `m${code}${value}`, vouches: [`n${value}`, `n${plainNumber(number)}`] };
}

function scaled(number: string, factor: string, times = 1): string {
  const [, power = 1] = powers.find(([pattern]) => pattern.test(factor)) ?? [];
  // Rounds to cents, which floating-point arithmetic does not keep.
  return String(Math.round(Number(plainNumber(number)) * times * power * 100) / 100);
}

const powers = [
  [/^(?:Mio|Million)/, 1e6],
  [/^(?:Mrd|Milliarde)/, 1e9],
  [/^T/, 1e3],
] as const;

const units = /^(?:[cdmk]?m|CO|H|NO|PM|kW|R|Q)$/u;

function codeValue(code: string, letters: string, rest: string): Value | null {
  const digits = rest.replace(/\D/g, '');
  if (units.test(letters) && digits.length < 3) return common;
  const normal = code.toUpperCase().replace(/[\s_-]/g, '');
  const numbers = [...rest.matchAll(/\d{3,}/g)].map(([number]) => `n${plainNumber(number)}`);
  const value = { value: `c${normal}`, vouches: numbers };
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
