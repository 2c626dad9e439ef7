import { monthNames, monthNumber, weekdayNames, weekdayNumber } from './calendar.ts';

export type Kind =
  | 'address'
  | 'reference'
  | 'date'
  | 'month'
  | 'time'
  | 'period'
  | 'rate'
  | 'number'
  | 'weekday';

/** A place of a text that a reader compares with the order. */
export interface Place {
  readonly kind: Kind;
  readonly start: number;
  readonly excerpt: string;
  /** What all spellings share: `n1250`, `d3.12`, `d3.12.2026`, `t480`, `w4`, `m12`, `p20160` in minutes, `p3M`, `%19`. */
  readonly form: string;
  /** Of a number or a rate; of a period, as it is written: 2 for `zwei Wochen`. */
  readonly value?: number;
}

type Read = Pick<Place, 'form' | 'value'>;
type Groups = Readonly<Record<string, string | undefined>>;

// --- numbers ---------------------------------------------------------------------------------------------------------

/** From two on. */
const german = 'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'.split(' ');
const english = 'two three four five six seven eight nine ten eleven twelve'.split(' ');
const words = [...german, ...english].join('|');
const countOf = (text: string): number => {
  const word = text.toLowerCase();
  if (/^(?:ne|eine?[rsm]?|one|an?)$/.test(word)) return 1;
  const index = Math.max(german.indexOf(word), english.indexOf(word));
  return index === -1 ? Number(word) : index + 2;
};

const decimal = /^(\d+|\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+)(?:[.,](\d{1,2}))?$/u;
/** 1.250,00 = 1,250.00 = 1 250 = 1250; `null` for anything else with digits, such as 2026-014. */
export function valueOf(digits: string): number | null {
  const [, whole, decimals = '0'] = decimal.exec(digits) ?? [];
  return whole === undefined ? null : Number(`${whole.replace(/\D/g, '')}.${decimals}`);
}

const thousands = String.raw`\d{1,3}(?<mark>[.,'’ \u00a0\u202f])\d{3}(?:\k<mark>\d{3})*(?:(?!\k<mark>)[.,]\d{1,2})?(?!\d)`;
/** What is shown of a number besides its digits. */
const units = '€|m²|m³|(?:EUR|Euro|CHF|USD|GBP|mm|cm|km|m|qm|m2|m3|kg|t)(?![\\p{L}\\d])';

// --- times -----------------------------------------------------------------------------------------------------------

/** In minutes, or in months where the last letter is an M. */
const timeUnits: readonly (readonly [pattern: string, length: number, form?: 'M'])[] = [
  [String.raw`min\.?|minuten?|minütig\p{Ll}{0,2}|minutes?`, 1],
  [String.raw`h|std\.?|stunden?|stündig\p{Ll}{0,2}|hours?`, 60],
  [String.raw`(?:kalender|werk|arbeits)?(?:tage?[ns]?|tägig\p{Ll}{0,2})|(?:working )?days?`, 1440],
  [String.raw`wochen?|wöchig\p{Ll}{0,2}|weeks?`, 10_080],
  [String.raw`monate?[ns]?|monatig\p{Ll}{0,2}|months?`, 1, 'M'],
  [String.raw`jahre?[ns]?|jährig\p{Ll}{0,2}|years?`, 12, 'M'],
];
const exactUnits = timeUnits.map(
  ([unit, length, months = '']) => [new RegExp(`^(?:${unit})$`, 'iu'), length, months] as const,
);
const timeUnit = String.raw`[ \u00a0-]?(?<unit>${timeUnits.map(([unit]) => unit).join('|')})`;

const year = String.raw`(?:,?\s(?<year>(?:19|20)\d\d)(?![\d.,]*\d))?`;
const shortYear = String.raw`(?:\s?(?<year>(?:19|20)\d\d)|(?<short>\d{2}))?`;
const englishMonths = 'january february march april may june july august september october november december';
const beforeMonth = 'ab|seit|bis|im|zum|anfang|mitte|ende|in|from|since|until';
const clock = String.raw`(?<![\d:.,])(?<hour>\d{1,2})(?:[:.](?<minutes>\d{2}))?`;
const until = String.raw`(?=\s?(?:-|–|bis|und|oder)\s?\d{1,2}(?:[:.]\d{2})?\s?Uhr)`;

// --- addresses -------------------------------------------------------------------------------------------------------

const host = String.raw`[\p{L}\d][\p{L}\d-]{0,62}(?:\.[\p{L}\d-]{1,63}){0,5}\.\p{L}{2,24}`;
const path = String.raw`(?::\d{1,5})?(?:[/?#][^\s<>"')]{0,2000}[^\s<>"').,;:!?]|/)?`;
const domains =
  'de|com|org|net|eu|info|example|at|ch|io|gmbh|berlin|hamburg|local|app|biz|cloud|dev|nrw|online|shop';
const bareHost = String.raw`(?<![\p{L}\d@.-])[\p{L}\d][\p{L}\d-]{1,62}(?:\.[\p{L}\d-]{2,63}){0,3}\.(?:${domains})(?![\p{L}\d-]|\.\p{L})`;
const link = String.raw`(?:https?://|www\.)${host}`;
const iban = String.raw`(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,4})?(?![\p{L}\d])`;
const phone = String.raw`(?<![\p{L}\d.,])(?:\+|0)\d[\d /()–-]{5,24}\d(?!\d|[.,]\d)`;
/** Addresses differ in every character, so `.`, `-`, and `_` count. */
const addressForm = (address: string): string =>
  `a${address
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:www\.)?/, '')
    .replace(/\/$/, '')}`;

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\d]/gu, '');

// --- what is read, and in what order ---------------------------------------------------------------------------------

const readers: Readonly<Record<Kind, (found: string, groups: Groups) => Read | null>> = {
  address: (found) => ({ form: addressForm(found) }),
  reference: (found) => ({ form: `r${lettersAndDigits(found.replace(/^(?:\+49|0049|0)/, ''))}` }),
  date: (_found, { date = '', month = '', name, year: full, short }) => {
    const [day, number] = [Number(date), name === undefined ? Number(month) : monthNumber(name)];
    const years = full ?? (short && `20${short}`);
    return day < 1 || day > 31 || number < 1 || number > 12
      ? null
      : { form: `d${day}.${number}${years === undefined ? '' : `.${years}`}` };
  },
  month: (_found, { name = '' }) => ({ form: `m${monthNumber(name)}` }),
  time: (_found, { hour = '', minutes = '0', half, before }) => {
    const hours = before === undefined ? Number(hour) : countOf(before.replace('eins', 'eine')) - 1;
    const isAfternoon = half?.toLowerCase() === 'p' && hours < 12;
    const sum = (hours + (isAfternoon ? 12 : 0)) * 60 + (before === undefined ? Number(minutes) : 30);
    return hours > 24 || Number(minutes) > 59 ? null : { form: `t${sum % 1440}` };
  },
  period: (_found, { count = '', unit = '' }) => {
    const value = countOf(count);
    const [, length = 1, months = ''] = exactUnits.find(([pattern]) => pattern.test(unit)) ?? [];
    return { form: `p${value * length}${months}`, value };
  },
  rate: (_found, { digits = '' }) => {
    const value = valueOf(digits);
    return value === null ? null : { form: `%${value}`, value };
  },
  number: (_found, { digits = '', factor = '', word }) => {
    const number = word === undefined ? valueOf(digits) : countOf(word);
    if (number === null) return { form: `n${digits}` };
    const value = number * (factor === '' ? 1 : /^m/i.test(factor) ? 1_000_000 : 1000);
    return { form: `n${value}`, value };
  },
  weekday: (_found, { name = '' }) => ({ form: `w${weekdayNumber(name)}` }),
};

type Reading = readonly [Kind, RegExp];
const word = (kind: Kind, pattern: string): Reading => [
  kind,
  new RegExp(String.raw`(?<![\p{L}\d])(?:${pattern})(?![\p{L}\d])`, 'giu'),
];
const part = (kind: Kind, pattern: string, flags = 'giu'): Reading => [kind, new RegExp(pattern, flags)];

// What one pattern reads is hidden from those below it. Every repetition is bounded.
const readings: readonly Reading[] = [
  part('address', String.raw`(?<![\p{L}\d.+-])[\p{L}\d_.+-]{1,64}@${host}`),
  part('address', `(?:${link}|${bareHost})${path}`),
  part('reference', `${iban}|${phone}`, 'gu'),
  part('date', String.raw`(?<!\d)(?<year>\d{4})-(?<month>\d{2})-(?<date>\d{2})(?!\d)`),
  part('date', String.raw`(?<![\d.])(?<date>\d{1,2})\.\s?(?<month>\d{1,2})\.${shortYear}(?!\d)`),
  part(
    'date',
    String.raw`(?<!\d)(?<date>\d{1,2})(?:\.|st|nd|rd|th)?\s?(?:of\s)?(?<name>${monthNames})(?!\p{L})\.?${year}`,
  ),
  part(
    'date',
    String.raw`(?<!\p{L})(?<name>${englishMonths.replaceAll(' ', '|')})\s(?<date>\d{1,2})(?!\d|[.:]\d)${year}`,
  ),
  word('month', String.raw`(?:${beforeMonth})\s(?<name>${monthNames})`),
  part('time', `${clock}${until}`),
  part('time', String.raw`${clock}\s?(?:Uhr(?!\p{L})|(?<half>[ap])\.?m(?!\p{L})\.?)`),
  part('time', String.raw`(?<![\d:.,])(?<hour>\d{1,2}):(?<minutes>\d{2})(?![\d:])`),
  word('time', String.raw`halb\s(?<before>${words}|eins|\d{1,2})`),
  part(
    'number',
    String.raw`(?<![\d.,])(?<digits>\d{1,4}(?:,\d{1,2})?)\s?(?<factor>tsd|tausend|[Tk]€|[Tk]EUR|k|mio|millionen)(?!\p{L})`,
  ),
  part('period', String.raw`(?<![\p{L}\d.,])(?<count>\d{1,4})${timeUnit}(?![\p{L}\d])`),
  word('period', `(?<count>${words})${timeUnit}`),
  word(
    'period',
    String.raw`(?<=(?:innerhalb|binnen|within)\s(?:von\s)?)(?<count>eine[rsm]?|ein|one|an?)${timeUnit}`,
  ),
  part('rate', String.raw`(?<digits>\d+(?:[.,]\d+)?)\s?(?:%|(?:Prozent|percent)(?!\p{L}))`),
  part('number', String.raw`(?:[$£€]\s?)?(?<digits>${thousands}|\d+(?:[.,:/-]\d+)*)(?:\s?(?:${units}))?`),
  part('weekday', String.raw`(?<!\p{L})(?<name>${weekdayNames})`),
];

/** What only the data are read for; what a noun counts in a text is its own (`alle drei Pläne`). */
const readingsOfData: readonly Reading[] = [
  ...readings,
  word('period', `(?<count>eine[rsm]?|ein|ne|one|an?)${timeUnit}`),
  word('number', `(?<word>${words})`),
  // `Jan` may be somebody.
  word('month', String.raw`(?!(?:jan|mar|may|dec)(?!\p{L}))(?<name>${monthNames})`),
];

/** The places of a text, in its order. */
export function placesIn(text: string, isData = false): Place[] {
  let rest = text;
  const places: Place[] = [];
  for (const [kind, pattern] of isData ? readingsOfData : readings) {
    rest = rest.replace(pattern, (found: string, ...match: unknown[]) => {
      const groups = match.at(-1);
      const hasGroups = typeof groups === 'object';
      const read = readers[kind](found, hasGroups ? (groups as Groups) : {});
      if (read === null) return found;
      places.push({ kind, start: Number(match.at(hasGroups ? -3 : -2)), excerpt: found, ...read });
      return '\0'.repeat(found.length);
    });
  }
  return places.toSorted((one, other) => one.start - other.start);
}
