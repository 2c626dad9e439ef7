import { dateValue, type Figure, figuresIn, monthNames } from './figures.ts';
import { numbersInWords } from './number-words.ts';
import { relativeDates } from './relative-dates.ts';

export interface GivenFacts {
  /** Compared as a whole: the digits of `P-2026-014` do not vouch for `14 Uhr`. */
  readonly identifiers?: readonly string[];
  /** Today, `YYYY-MM-DD`: the day that `morgen` and `am Dienstag` refer to. */
  readonly date: string;
}

/**
 * Finds the numbers, dates, amounts, email addresses, web addresses and account numbers in `text` that `given` does not
 * contain. Compares values, not characters: `05.01.2027` covers `5. Januar` and `1250` covers `1.250,00 EUR`, but an
 * offer number covers no price and an amount no other currency.
 */
export function unknownFigures(
  text: string,
  given: string,
  { identifiers = [], date }: GivenFacts,
): string[] {
  const givenFigures = figuresIn(without(identifiers, given));
  const known = new Set([
    ...givenFigures.flatMap((figure) => [figure.value, ...figure.vouches, ...withYears(figure, date)]),
    ...impliedValues(given, date),
  ]);
  const kinds = new Set(givenFigures.map(({ kind }) => kind));
  const isKnown = ({ value, kind }: Figure): boolean =>
    known.has(value) || (kind !== undefined && !kinds.has(kind));
  const unknown = figuresIn(withoutListNumbers(without(identifiers, text))).filter(
    (figure) => !isKnown(figure),
  );
  return [...new Set(unknown.map(({ excerpt }) => excerpt))];
}

// Values that the data contain without figures: numbers in words, days relative to today, weeks as days.
function impliedValues(given: string, date: string): string[] {
  const numbers = numbersInWords(given);
  const weeks = [...given.matchAll(/(\d{1,2})\s?Wochen/giu)].map(([, count]) => Number(count));
  const spans = /woche/iu.test(given) ? [...numbers, ...weeks].map((count) => count * 7) : [];
  return [
    ...[...numbers, ...spans].flatMap((number) => [`n${number}`, `t${number}:00`]),
    ...relativeDates(given, date).flatMap((day) => valuesOfDay(day)),
  ];
}

function valuesOfDay(day: Date): string[] {
  const [month, year] = [String(day.getUTCMonth() + 1), String(day.getUTCFullYear())];
  const value = dateValue(String(day.getUTCDate()), month, year);
  return value === null ? [] : [value.value, ...value.vouches];
}

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

function without(identifiers: readonly string[], text: string): string {
  return identifiers.reduce((rest, identifier) => {
    const literal = identifier.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return rest.replace(new RegExp(`(?<![\\p{L}\\d])${literal}(?![\\p{L}\\d])`, 'giu'), ' ');
  }, text);
}
