import { derivedValues } from './derived-amounts.ts';
import { dateValue, type Figure, figuresIn, monthNames, monthNumber } from './figures.ts';
import { numberOf, numbersInWords, timesInWords } from './number-words.ts';
import { impliedDays, isoDay, nearestDay } from './relative-dates.ts';
import { phrase } from './spelling.ts';

export interface GivenFacts {
  /** Compared as a whole: the digits of `P-2026-014` do not vouch for `14 Uhr`. */
  readonly identifiers?: readonly string[];
  /** Today, `YYYY-MM-DD`: the day that `morgen` and `am Dienstag` refer to. */
  readonly date: string;
}

/**
 * Finds the numbers, dates, amounts, email addresses, web addresses and account numbers in `text` that neither `given`
 * contains nor follow from it by one step. Compares values, not characters: `05.01.2027` covers `5. Januar` and `1250`
 * covers `1.250,00 EUR`, but an offer number covers no price and an amount no other currency. A value that follows is
 * known to the next step, because a text that shows each step can be checked by its reader.
 */
export function unknownFigures(
  text: string,
  given: string,
  { identifiers = [], date }: GivenFacts,
): string[] {
  const plain = without(identifiers, given);
  const givenFigures = figuresIn(plain);
  const counts = numbersInWords(plain);
  const known = new Set([
    ...givenFigures.flatMap((figure) => [figure.value, ...figure.vouches, ...withYears(figure, date)]),
    ...impliedValues(plain, date, givenFigures, counts),
  ]);
  const kinds = new Set(givenFigures.map(({ kind }) => kind));
  const isKnown = ({ value, kind }: Figure): boolean =>
    known.has(value) || (kind !== undefined && !kinds.has(kind));
  const figures = figuresIn(withoutListNumbers(without(identifiers, text)));
  const hasTax = /brutto|netto|MwSt|Mehrwertsteuer|USt|Umsatzsteuer|VAT/iu.test(given);
  let unknown = figures.filter((figure) => !isKnown(figure));
  let facts = givenFigures;
  for (let step = 0; step < mostSteps && unknown.length > 0; step++) {
    for (const value of derivedValues(facts, { counts, hasTax })) known.add(value);
    facts = facts.concat(unknown.filter(isKnown));
    unknown = unknown.filter((figure) => !isKnown(figure));
  }
  return [...new Set(unknown.map(({ excerpt }) => excerpt))];
}

const mostSteps = 2;

/** What the data say without figures: numbers, days and times in words, weeks as days. */
function impliedValues(
  given: string,
  date: string,
  figures: readonly Figure[],
  numbers: readonly number[],
): string[] {
  const weeks = [...given.matchAll(/(\d{1,2})\s?Wochen/giu)].map(([, count]) => Number(count));
  const spans = /woche/iu.test(given) ? [...numbers, ...weeks].map((count) => count * 7) : [];
  const days = impliedDays(
    given,
    date,
    figures.flatMap((figure) => dayOf(figure, date)),
  );
  return [
    ...[...numbers, ...spans].flatMap((number) => [`n${number}`, `t${number}:00`]),
    ...timesInWords(given).map((time) => `t${time}`),
    ...endsOfAppointments(given, figures),
    ...[...days].flatMap((day) => {
      const [year, month, inMonth] = day.split('-');
      const value = dateValue(inMonth, month, year);
      return value === null ? [] : [value.value, ...value.vouches];
    }),
    ...daysOfNamedMonths(given),
  ];
}

const durations =
  /(?<![\p{L}\d])(\d{1,3}|\p{L}{3,10})\s?(h|Std|Stunden?|hours?|Min|Minuten?|minutes?)(?!\p{L})/giu;

// "10 Uhr, dauert 1 Std": until 11:00.
function endsOfAppointments(given: string, figures: readonly Figure[]): string[] {
  const minutes = [...given.matchAll(durations)].flatMap(([, count = '', unit = '']) => {
    const number = numberOf(count);
    return number === null ? [] : [/^m/iu.test(unit) ? number : number * 60];
  });
  return figures.flatMap(({ value }) => {
    const [, hour, minute] = /^t(\d+):(\d\d)$/.exec(value) ?? [];
    if (hour === undefined) return [];
    return minutes.map((duration) => {
      const end = Number(hour) * 60 + Number(minute) + duration;
      return `t${Math.floor(end / 60)}:${String(end % 60).padStart(2, '0')}`;
    });
  });
}

// "im Dezember, außer 9. und 16."
function daysOfNamedMonths(given: string): string[] {
  const days = [...given.matchAll(/(?<![\d.])(\d{1,2})\.(?!\s?\d)/gu)].map(([, day]) => Number(day));
  const named = [...given.matchAll(new RegExp(`(?<!\\p{L})(?:${monthNames})(?!\\p{L})`, 'giu'))];
  return named.flatMap(([name]) => days.map((day) => `d${day}-${monthNumber(name)}`));
}

const dayOf = ({ value }: Figure, today: string): string[] => {
  const [, day, month, year] = /^d(\d+)-(\d+)(?:-(\d{4}))?$/.exec(value) ?? [];
  if (day === undefined) return [];
  const [inMonth, ofYear] = [Number(day), Number(month)];
  return [year === undefined ? nearestDay(inMonth, ofYear, today) : isoDay(Number(year), ofYear, inMonth)];
};

// "am 10.11." is a day of this year, or of an adjacent year when it is less than 330 days away.
function withYears({ value }: Figure, date: string): string[] {
  if (!/^d\d+-\d+$/.test(value)) return [];
  const today = Number(date.slice(0, 4));
  return [today - 1, today, today + 1]
    .filter((year) => {
      const [day, month] = value.slice(1).split('-').map(Number);
      const distanceMs = Math.abs(Date.UTC(year, (month ?? 1) - 1, day) - Date.parse(date));
      return distanceMs < 330 * 24 * 60 * 60 * 1000;
    })
    .map((year) => `${value}-${year}`);
}

function withoutListNumbers(text: string): string {
  return text.replace(
    new RegExp(`^[ \\t]*(?:[-•] )?\\d{1,2}[.)][ \\t]+(?!\\d|(?:${monthNames}|[ou]g|ba)(?!\\p{L}))`, 'gimu'),
    '',
  );
}

const without = (identifiers: readonly string[], text: string): string =>
  identifiers.reduce((rest, identifier) => rest.replace(phrase(identifier), ' '), text);
