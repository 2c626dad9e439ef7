import { indexIn, monthNames, monthNumber, weekdayNames, weekdayNumber } from './calendar.ts';

/** `number`, `date`, and all others that are read. */
export type Kind = keyof typeof readers;

/** A place of a text that a reader compares with the order. */
export interface Place {
  readonly kind: Kind;
  readonly start: number;
  readonly excerpt: string;
  /** What all spellings share: `n1250`, `d3.12`, `d3.12.2026`, `t480`, `w4`, `m12`, `p20160` in minutes, `p3M`, `%19`. */
  readonly form: string;
  /** Of a number or a rate; of a period, as it is written: 2 for `zwei Wochen`. */
  readonly value?: number;
  /** The currency or measure of a number, with all of its spellings. */
  readonly unit?: string | undefined;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

const counts =
  'zwei|two drei|three vier|four fünf|five sechs|six sieben|seven acht|eight neun|nine zehn|ten elf|eleven zwölf|twelve';
const words = counts.replaceAll(' ', '|');
/** What is no word of `counts` is `ein` or `one`. */
const countOf = (text: string): number =>
  /^\d/.test(text) ? Number(text) : indexIn(counts.split(' '), text) + 2;

const mark = String.raw`[.,'’ \u00a0\u202f]`;
const decimal = new RegExp(String.raw`^(\d+|\d{1,3}(?:${mark}\d{3})+)(?:[.,](\d{1,2}))?$`, 'u');
/** 1.250,00 = 1,250.00 = 1 250 = 1250; `null` for anything else with digits, such as 2026-014. */
export function valueOf(digits: string): number | null {
  const [, whole, decimals = '0'] = decimal.exec(digits) ?? [];
  return whole === undefined ? null : Number(`${whole.replace(/\D/g, '')}.${decimals}`);
}

const thousands = String.raw`\d{1,3}(?<mark>${mark})\d{3}(?:\k<mark>\d{3})*(?:(?!\k<mark>)[.,]\d{1,2})?(?![.,]?\d)`;
const digits = String.raw`(?<digits>${thousands}|\d+(?:[.,:/-]\d+)*)`;
const thousandsAs = String.raw`(?<factor>tsd|tausend|[Tk]€|[Tk]EUR|k|mio|millionen)(?!\p{L})`;
const units = (
  '€|eur|euro chf|franken usd|dollar gbp m²|m2|qm|quadratmeter m³|m3|cbm|kubikmeter m|meter mm|millimeter ' +
  'cm|zentimeter km|kilometer kg|kilo|kilogramm t|tonne l|liter'
).split(' ');
const unit = String.raw`(?<unit>${units.join('|')})n?(?![\p{L}\d-])`;

// --- times -----------------------------------------------------------------------------------------------------------

/** In minutes, or in months where the last letter is an M. */
const timeUnits = [
  [String.raw`min\.?|minuten?|minütig\p{Ll}{0,2}|minutes?`, 1, ''],
  [String.raw`h|std\.?|stunden?|stündig\p{Ll}{0,2}|hours?`, 60, ''],
  [String.raw`(?:kalender|werk|arbeits)?(?:tage?[ns]?|tägig\p{Ll}{0,2})|(?:working )?days?`, 1440, ''],
  [String.raw`wo\.?|wochen?|wöchig\p{Ll}{0,2}|weeks?`, 10_080, ''],
  [String.raw`monate?[ns]?|monatig\p{Ll}{0,2}|months?`, 1, 'M'],
  [String.raw`jahre?[ns]?|jährig\p{Ll}{0,2}|years?`, 12, 'M'],
] as const;
const timeUnit = String.raw`[ \u00a0-]?(?<length>${timeUnits.map(([pattern]) => pattern).join('|')})`;

const date = String.raw`(?<![\d.])(?<date>0?[1-9]|[12]\d|3[01])`;
const month = String.raw`(?<month>0?[1-9]|1[0-2])`;
const monthName = String.raw`(?<name>${monthNames})(?!\p{L})`;
const year = String.raw`(?:\.?,?\s(?<year>(?:19|20)\d\d)(?![\d.,]*\d))?`;
const shortYear = String.raw`(?:\s?(?<year>(?:19|20)\d\d)|(?<short>\d{2}))?`;
const and = String.raw`\s?(?:[-–+/,&]|bis|und|od(?:er)?)\s?(?:\p{L}{2,10}\s)?`;
const clock = String.raw`(?<![\d:.,])(?<hour>[01]?\d|2[0-4])`;
const minutes = '(?<minutes>[0-5]\\d)';
const hour = String.raw`(?:Uhr(?!\p{L})|(?<half>[ap])\.?m(?!\p{L})\.?)`;
const one = 'eine[rmns]?|ein|ne|one';
const dayParts = 's|früh|morgen|vormittag|mittag|nachmittag|abend|nacht';

// --- addresses -------------------------------------------------------------------------------------------------------

const host = String.raw`[\p{L}\d][\p{L}\d-]{0,62}(?:\.[\p{L}\d-]{1,63}){0,5}\.\p{L}{2,24}`;
const path = String.raw`(?::\d{1,5})?(?:[/?#][^\s<>"')]{0,2000}[^\s<>"').,;:!?]|/)?`;
const domains = 'de|com|org|net|eu|info|example|at|ch|io|gmbh|berlin|hamburg|app|biz|cloud|dev|online|shop';
const bareHost = String.raw`(?<![\p{L}\d@.-])[\p{L}\d][\p{L}\d-]{1,62}(?:\.[\p{L}\d-]{2,63}){0,3}\.(?:${domains})(?![\p{L}\d-]|\.\p{L})`;
const link = String.raw`(?:https?://|www\.)${host}`;
const iban = String.raw`(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,4})?(?![\p{L}\d])`;
const phone = String.raw`(?<![\p{L}\d.,])(?:\+|0)\d[\d /()–-]{5,24}\d(?!\d|[.,]\d)`;

// --- what is read, and in what order ---------------------------------------------------------------------------------

type Read = (groups: Readonly<Record<string, string>>) => Pick<Place, 'form' | 'value' | 'unit'>;

const readers = {
  // Addresses differ in every character, so `.`, `-`, and `_` count.
  address: ({ address = '' }) => ({
    form: `a${address.toLowerCase().replace(/^(?:https?:\/\/)?(?:www\.)?|\/$/g, '')}`,
  }),
  reference: ({ digits = '' }) => ({
    form: `r${digits.replace(/^(?:\+49|0049|0)|\(0\)|[^\p{L}\d]/gu, '').toLowerCase()}`,
  }),
  date: ({ date, month, name = '', year, short }) => {
    const years = year ?? (short && `20${short}`);
    const day = `${Number(date)}.${month === undefined ? monthNumber(name) : Number(month)}`;
    return { form: years ? `d${day}.${years}` : `d${day}` };
  },
  month: ({ name = '' }) => ({ form: `m${monthNumber(name)}` }),
  time: ({ before, hour, minutes = '0', half }) => {
    if (before !== undefined) return { form: `t${countOf(before) * 60 - 30}` };
    const isAfternoon = half?.toLowerCase() === 'p' && Number(hour) < 12;
    return { form: `t${((Number(hour) + (isAfternoon ? 12 : 0)) * 60 + Number(minutes)) % 1440}` };
  },
  period: ({ count = '', length: written = '' }) => {
    const value = countOf(count);
    const [, length, months] = timeUnits.find(([unit]) => new RegExp(`^(?:${unit})$`, 'iu').test(written))!;
    return { form: `p${value * length}${months}`, value };
  },
  rate: ({ digits = '' }) => {
    const value = Number(digits.replace(',', '.'));
    return { form: `%${value}`, value };
  },
  number: ({ digits = '', factor = '', word, before, unit = before }) => {
    const number = word === undefined ? valueOf(digits) : countOf(word);
    if (number === null) return { form: `n${digits}` };
    const value = number * (factor === '' ? 1 : /^m/i.test(factor) ? 1_000_000 : 1000);
    return { form: `n${value}`, value, unit: unit && units[indexIn(units, unit)] };
  },
  weekday: ({ name = '' }) => ({ form: `w${weekdayNumber(name)}` }),
} satisfies Record<string, Read>;

type Reading = readonly [Kind, RegExp];
const part = (kind: Kind, pattern: string, flags = 'giu'): Reading => [kind, new RegExp(pattern, flags)];
const word = (kind: Kind, pattern: string): Reading =>
  part(kind, String.raw`(?<![\p{L}\d])(?:${pattern})(?![\p{L}\d])`);

// What one pattern reads is hidden from those below it. Every repetition is bounded.
const readings: readonly Reading[] = [
  part('address', String.raw`(?<address>(?<![\p{L}\d.+-])[\p{L}\d_.+-]{1,64}@${host})`),
  part('address', `(?<address>(?:${link}|${bareHost})${path})`),
  part('reference', `(?<digits>${iban}|${phone})`, 'gu'),
  part('date', String.raw`(?<!\d)(?<year>\d{4})-(?<month>\d{2})-(?<date>\d{2})(?!\d)`),
  // The month stands once: 14.-16.12., 8., 15. und 22. Januar, Di 8. od Do 10.12.
  part('date', String.raw`${date}\.(?=(?:${and}\d{1,2}\.){1,5}\s?(?:${month}\.|${monthName}))`),
  part('date', String.raw`${date}\.\s?${month}\.${shortYear}(?!\d)`),
  part('date', String.raw`${date}(?:\.|st|nd|rd|th)?\s?(?:of\s)?${monthName}${year}`),
  part('time', String.raw`${clock}(?:[:.]${minutes})?\s?${hour}`),
  part('time', String.raw`${clock}:${minutes}(?![\d:])`),
  word('time', String.raw`halb\s(?<before>${words}|eins|\d{1,2})`),
  part('number', String.raw`(?<![\d.,])(?<digits>\d{1,4}(?:,\d{1,2})?)\s?${thousandsAs}`),
  part('period', String.raw`(?<![\p{L}\d.,])(?<count>\d{1,4}|${words}|${one})${timeUnit}(?![\p{L}\d])`),
  part('rate', String.raw`(?<!\d)(?<digits>\d+(?:[.,]\d+)?)\s?(?:%|(?:Prozent|percent)(?!\p{L}))`),
  part('number', String.raw`(?:(?<before>€|EUR|CHF|USD|GBP)\s?)?${digits}(?:\s?${unit})?`),
  // `Jan` may be somebody.
  word('month', `(?!(?:jan|mar|may|dec)(?!\\p{L}))${monthName}`),
  word('weekday', `(?<name>${weekdayNames})(?:${dayParts})?`),
];

/** What a noun counts in a text is its own: `alle drei Pläne`. */
const readingsOfData: readonly Reading[] = [...readings, word('number', `(?<word>${words})`)];

/** The places of a text, in its order. */
export function placesIn(text: string, isData = false): Place[] {
  let rest = text;
  const places: Place[] = [];
  for (const [kind, pattern] of isData ? readingsOfData : readings) {
    rest = rest.replace(pattern, (excerpt: string, ...match: unknown[]) => {
      const [start, , groups] = match.slice(-3) as [number, string, Record<string, string>];
      places.push({ kind, start, excerpt, ...readers[kind](groups) });
      return '\0'.repeat(excerpt.length);
    });
  }
  return places.toSorted((one, other) => one.start - other.start);
}
