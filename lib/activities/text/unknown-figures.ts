import { dateValue, type Figure, figuresIn, timeAt } from './figures.ts';
import { derivedQuantities, isMoney, keyOf, mayBeMoney, type Quantity, quantityOf } from './quantities.ts';
import {
  calendarWeek,
  type Day,
  daysBetween,
  daysFrom,
  isoDay,
  isWorkday,
  lastOfMonth,
  monthNames,
  namedDays,
  nearestDay,
  otherDaysOfNight,
  plus,
  weekdaysIn,
  yearOf,
} from './relative-dates.ts';
import { phrase } from './spelling.ts';

export interface GivenFacts {
  /** Compared as a whole: the digits of `P-2026-014` do not vouch for `14 Uhr`. */
  readonly identifiers?: readonly string[];
  /** Today, `YYYY-MM-DD`: the day that `morgen` and `am Dienstag` refer to. */
  readonly date: string;
}

/**
 * Finds the numbers, dates, amounts, email addresses, web addresses and account numbers in `text` that neither `given`
 * contains nor follow from it. Compares values, not characters: `05.01.2027` covers `5. Januar` and `1250` covers
 * `1.250,00 EUR`, but an offer number covers no price and an amount no other currency. A value that follows is known to
 * the next step, because a text that shows each step can be checked by its reader.
 */
export function unknownFigures(
  text: string,
  given: string,
  { identifiers = [], date }: GivenFacts,
): string[] {
  const plain = without(identifiers, given);
  const givenFigures = figuresIn(plain);
  const known = new Set(
    givenFigures.flatMap((figure) => [...valuesOf(figure), ...figure.vouches, ...withYears(figure, date)]),
  );
  // "ein Drucker" is "1 Drucker" in a list, and a month is the next or the last of its name.
  const months = Array.from({ length: 25 }, (_each, month) => plus(date, month - 12, 'month'));
  for (const value of ['n1', `n${yearOf(date)}`, ...months.map((month) => monthOf(month))]) known.add(value);
  const dates = givenFigures.flatMap((figure) => dayOf(figure, date)).slice(0, mostMoments);
  for (const day of otherDaysOfNight(plain, [...dates, ...namedDays(plain, date, dates)]))
    for (const value of valuesOfDay(day)) known.add(value);
  const kinds = new Set(givenFigures.map(({ kind }) => kind));
  const isKnown = (figure: Figure): boolean =>
    valuesOf(figure).some((value) => known.has(value)) ||
    (figure.kind !== undefined && !kinds.has(figure.kind));
  const figures = figuresIn(withoutListNumbers(without(identifiers, text)));
  let facts = givenFigures;
  let unknown = figures.filter((figure) => !isKnown(figure));
  for (let step = 0; step < mostSteps && unknown.length > 0; step++) {
    for (const value of consequences(facts, plain, date)) known.add(value);
    for (const total of totalsOf(figures.filter(isKnown)))
      for (const value of amountValues(total)) known.add(value);
    const derived = unknown.filter(isKnown);
    if (derived.length === 0) break;
    facts = facts.concat(derived);
    unknown = unknown.filter((figure) => !isKnown(figure));
  }
  return [...new Set(unknown.filter(isChecked).map(({ excerpt }) => excerpt))];
}

const mostSteps = 3;

const monthOf = (day: Day): string => `y${Number(day.slice(5, 7))}-${yearOf(day)}`;

const valuesOf = ({ value, code = value, quantity }: Figure): string[] =>
  quantity === undefined ? [value, code] : [value, code, keyOf(quantity)];

/** A number in words is checked where it measures time: "zwei" is also a pronoun, and "drei Punkte" counts a list. */
const isChecked = ({ isWord, quantity }: Figure): boolean =>
  isWord !== true ||
  (quantity !== undefined && /minute|day|month/.test(quantity.unit) && quantity.written > 1);

// Beyond these, almost any date or time follows.
const mostMoments = 8;
const mostSpans = 8;
const mostDurations = 16;

/** The values that follow from the facts by one step, of amounts also by two. */
function consequences(facts: readonly Figure[], given: string, today: Day): string[] {
  const dates = [...new Set(facts.flatMap((figure) => dayOf(figure, today)))]
    .filter((day) => day !== today)
    .slice(0, mostMoments);
  const named = namedDays(given, today, dates);
  const quantities = [
    ...new Map(
      facts.flatMap(({ quantity }) => (quantity === undefined ? [] : [[keyOf(quantity), quantity]])),
    ).values(),
  ];
  const times = [...new Set(facts.flatMap(minutesOf))].slice(0, mostMoments);
  const years = facts.flatMap(({ value }) =>
    /^n(?:19|20)\d\d$/.test(value) ? [Number(value.slice(1))] : [],
  );
  const durations = [
    ...pairs(times).map(([from, to]) => quantityOf(Math.abs(to - from), 'min')),
    ...pairs(dates).flatMap(([one, other]) => spansBetween(one, other)),
  ];
  const counts = impliedCounts(given, dates);
  const derived = derivedQuantities(
    quantities,
    [...durations, ...counts].slice(0, mostDurations),
    /brutto|netto|MwSt|Mehrwertsteuer|USt|Umsatzsteuer|VAT/iu.test(given),
  );
  const ages = [
    ...dates.flatMap((day) => spansBetween(day, today)),
    ...pairs([yearOf(today), ...years]).map(([one, other]) => quantityOf(Math.abs(one - other), 'jahre')),
  ];
  const days = [
    ...dates,
    ...named,
    // "ab 1.12.": until then, it is 30 November.
    ...(/(?<!\p{L})(?:ab|from)(?!\p{L})/iu.test(given) ? dates.map((day) => plus(day, -1, 'day')) : []),
    ...daysAfter([today, ...dates, ...named].slice(0, 2 * mostMoments), spansIn(quantities, given), given),
  ];
  return [
    ...days.flatMap((day) => valuesOfDay(day)),
    ...timesAfter(times, quantities),
    ...[...derived, ...durations, ...ages, ...counts].flatMap(amountValues),
    ...timesInWords(given),
  ];
}

/** The end of an appointment, of several in a row, and the time before it. */
function timesAfter(times: readonly number[], quantities: readonly Quantity[]): string[] {
  const durations = quantities.flatMap(({ unit, value }) =>
    unit === 'minute' && value < 24 * 60 ? [value] : [],
  );
  const counts = quantities.flatMap(({ unit, value }) => (unit === '' && value <= 60 ? [value] : []));
  const spans = [
    ...durations.flatMap((duration) => [1, ...counts].map((count) => count * duration)),
    ...pairs(durations).map(([one, other]) => one + other),
  ];
  return [
    ...times.flatMap((time) => spans.map((span) => time + span)),
    ...times.flatMap((time) => durations.map((duration) => time - duration)),
  ].map(timeAt);
}

/** How often something happens that the data name without a number: on each of the dates, each month of a year. */
function impliedCounts(given: string, dates: readonly Day[]): Quantity[] {
  const weekdays = weekdaysIn(given);
  return [
    ...[dates.length, weekdays].filter((count) => count > 1).map((count) => quantityOf(count)),
    ...(/monat|mtl|miete|abschl|beitrag/iu.test(given) ? [quantityOf(12)] : []),
    ...(/quartal|vierteljähr/iu.test(given) ? [quantityOf(4)] : []),
  ];
}

const timesInWords = (given: string): string[] => [
  ...(/mittag(?!s?pause)/iu.test(given) ? ['t12:00'] : []),
  ...(/mitternacht/iu.test(given) ? ['t0:00', 't24:00'] : []),
];

/** A number without a unit may be money; what follows from it vouches for no other unit. */
const amountValues = (each: Quantity): string[] => [
  keyOf(each),
  ...(isMoney(each.unit) ? [keyOf({ ...each, unit: '' })] : []),
  ...(each.unit === '' && mayBeMoney(each) ? [keyOf({ ...each, unit: 'EUR' })] : []),
];

/** The sums of the amounts that the text shows: the total below a list, with or without the prices of single items. */
function totalsOf(figures: readonly Figure[]): Quantity[] {
  const amounts = figures.flatMap(({ quantity }) =>
    quantity !== undefined && isMoney(quantity.unit) ? [quantity] : [],
  );
  const sums = amounts
    .slice(0, mostTotals)
    .reduce<number[]>((all, { value }) => all.concat(all.map((sum) => sum + value)), [0]);
  return sums.map((sum) => quantityOf(Math.round(sum * 100) / 100, amounts[0]?.unit));
}
const mostTotals = 8;

const minutesOf = ({ value, vouches }: Figure): number[] =>
  value.startsWith('t')
    ? [value, ...vouches.filter((each) => each.startsWith('t'))].map((each) => {
        const [hour = 0, minute = 0] = each.slice(1).split(':').map(Number);
        return hour * 60 + minute;
      })
    : [];

const pairs = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one, at) => all.slice(at + 1).map((other): [T, T] => [one, other]));

const valuesOfDay = (day: Day): string[] => {
  const [year, month, inMonth] = day.split('-');
  const value = dateValue(inMonth, month, year);
  return [...(value === null ? [] : [value.value, ...value.vouches]), `w${calendarWeek(day)}`, monthOf(day)];
};

interface Span {
  readonly count: number;
  readonly unit: 'day' | 'week' | 'month';
}

/** The time spans that are days at least, and counts of what happens each week or month. */
function spansIn(quantities: readonly Quantity[], given: string): Span[] {
  const period = /monatlich|monatsrate|rate|(?:pro|im|je) monat|mtl|monthly/iu.test(given)
    ? 'month'
    : /wöchentlich|(?:pro|je) woche|jede[nrs]?(?!\p{L})|immer|tags(?!\p{L})|weekly/iu.test(given)
      ? 'week'
      : null;
  const all = quantities.flatMap(({ value, unit, written }): Span[] => {
    if (unit === 'month' || unit === 'day') return [{ count: value, unit }];
    if (unit === 'minute') return value % 1440 === 0 ? [{ count: value / 1440, unit: 'day' }] : [];
    return unit === '' && period !== null && written > 1 && written <= 60
      ? [written, written - 1].map((count) => ({ count, unit: period }))
      : [];
  });
  return all.filter(({ count }) => Number.isInteger(count)).slice(0, mostSpans);
}

/** The ends of the spans: the day itself, the one before it, the last working day; and as long before the date. */
function daysAfter(bases: readonly Day[], spans: readonly Span[], given: string): Day[] {
  const inWorkingDays = /werktag|arbeitstag|urlaub/iu.test(given);
  const toEnd = /ende|quartal|ablauf/iu.test(given);
  const isBefore = /(?<!\p{L})(?:vor|seit|alt)|früh|frist/iu.test(given);
  return bases.flatMap((base) =>
    spans.flatMap(({ count, unit }) => {
      const end = plus(base, count, unit);
      const working = inWorkingDays ? daysFrom(base, Math.min(2 * count + 10, 200)).filter(isWorkday) : [];
      return [
        end,
        plus(end, -1, 'day'),
        ...(count % 7 === 0
          ? daysFrom(plus(end, -3, 'day'), 3)
              .filter(isWorkday)
              .slice(-1)
          : []),
        ...(unit === 'month' ? [plus(base, count - 1, 'month')] : []),
        ...(unit === 'month' && toEnd ? [lastOfMonth(end)] : []),
        // Ten working days, with and without the first.
        ...working.slice(count - 1, count + 1),
        ...(isBefore ? [plus(base, -count, unit)] : []),
      ];
    }),
  );
}

/** The time from one day to the other: with and without the last, in working days, begun and whole months and years. */
function spansBetween(one: Day, other: Day): Quantity[] {
  const [from, to] = one < other ? [one, other] : [other, one];
  const days = daysBetween(from, to);
  const months = days / (365.25 / 12);
  const working = days < 100 ? [daysFrom(from, days + 1).filter(isWorkday).length] : [];
  return [
    ...[days, days + 1, ...working].map((count) => quantityOf(count, 'tage')),
    ...[(days + 3) / 7].filter(Number.isInteger).map((count) => quantityOf(count, 'wochen')),
    ...[Math.floor(months), Math.round(months), Math.ceil(months)].map((count) =>
      quantityOf(count, 'monate'),
    ),
  ].filter(({ value }) => value > 0);
}

/** The day of a date, and the first of a month with its year. */
const dayOf = ({ value }: Figure, today: Day): Day[] => {
  const [kind, ...parts] = [value[0], ...value.slice(1).split('-').map(Number)];
  const [day, month, year] = kind === 'y' ? [1, ...parts] : parts;
  if ((kind !== 'd' && kind !== 'y') || day === undefined || month === undefined) return [];
  return [year === undefined ? nearestDay(day, month, today) : isoDay(year, month, day)];
};

// "am 10.11." is a day of this year, or of an adjacent year when it is less than 330 days away.
function withYears({ value }: Figure, date: string): string[] {
  if (!/^d\d+-\d+$/.test(value)) return [];
  const [day = 1, month = 1] = value.slice(1).split('-').map(Number);
  return [-1, 0, 1]
    .map((years) => yearOf(date) + years)
    .filter((year) => Math.abs(daysBetween(isoDay(year, month, day), date)) < 330)
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
