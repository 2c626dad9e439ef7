import { calendarWeek, type Day, dateOf, dayAt, monthsAfter, weekdayOf } from './calendar.ts';
import { type Figure, squeezed } from './figures.ts';
import { dayIn, namedDays } from './named-days.ts';
import { derivedQuantities, isSame, type Quantity, quantityOf } from './quantities.ts';

// Beyond these, almost any date or time follows.
const mostMoments = 12;

/**
 * Decides whether a figure is among the facts or follows from them by one step: by arithmetic, by a span of time, or as
 * a day that `given` names.
 */
export function knowledge(facts: readonly Figure[], given: string, today: Day): (figure: Figure) => boolean {
  const stated = squeezed(given);
  const references = facts.filter((each) => each.kind === 'reference');
  const families = new Set(references.map(({ family }) => family));
  const quantities = facts.filter((each) => each.kind === 'quantity');
  const times = new Set(facts.flatMap((each) => (each.kind === 'time' ? [each.minutes] : [])));
  const dates = [...new Set(facts.flatMap((each) => dayIn(each, today)))]
    .filter((day) => day !== today)
    .slice(0, mostMoments);
  const days = new Set([today, ...daysFollowing(dates, quantities, given, today)]);
  const durations = [
    ...pairs([...times].slice(0, mostMoments))
      // Times are those of half a day.
      .flatMap(([from, to]) => [Math.abs(to - from), 720 - Math.abs(to - from)])
      .map((minutes) => quantityOf(minutes, 'min')),
    ...pairs([today, ...dates])
      .flatMap(([one, other]) => lengthsInDays(Math.min(one, other), Math.max(one, other)))
      .map((count) => quantityOf(count, 'tage')),
  ];
  const hasTax = /brutto|netto|MwSt|Mehrwertsteuer|USt|Umsatzsteuer|VAT/iu.test(given);
  const derived = derivedQuantities(quantities, hasTax);
  const known = [...commonQuantities, ...quantities, ...durations, ...derived];
  const knownTimes = new Set([
    ...times,
    ...timesFollowing([...times].slice(0, mostMoments), [...quantities, ...derived], given),
  ]);
  // What a number without a unit may be a part of.
  const parts = new Set([
    ...references.flatMap(({ excerpt }) => excerpt.match(/\d+(?:\.\d{1,2})?/g)?.map(Number) ?? []),
    ...[...days].flatMap((day) => (day === today ? [] : [dateOf(day).date])),
    ...[...days].map((day) => dateOf(day).year),
    ...dates.map((day) => calendarWeek(day)),
    // "am 2.12" at the end of a line
    ...dates.map((day) => Number(`${dateOf(day).date}.${dateOf(day).month}`)),
  ]);
  return (figure) => {
    switch (figure.kind) {
      case 'reference':
        return stated.includes(figure.text) || (figure.family !== undefined && !families.has(figure.family));
      case 'date':
        return (
          [...days].some((day) => isOn(figure, day)) ||
          (figure.date === undefined && isNear(figure, today)) ||
          given.includes(figure.excerpt.replace(/\.$/, ''))
        );
      case 'time':
        return knownTimes.has(figure.minutes) || quantities.some((each) => isHour(each, figure.minutes));
      case 'quantity':
        return (
          known.some((each) => isSame(each, figure)) ||
          (figure.unit === '' &&
            (parts.has(figure.value) || [...knownTimes].some((minutes) => isHour(figure, minutes))))
        );
    }
  };
}

/** "ein Drucker" is "1 Drucker" in a list; 100 % are all; 19 and 7 % are rates of VAT. */
const commonQuantities = [quantityOf(0), quantityOf(1), ...[7, 19, 100].map((rate) => quantityOf(rate, '%'))];

type DateFigure = Extract<Figure, { kind: 'date' }>;

/** Without a year a date is of any. */
function isOn({ date, month, year }: DateFigure, day: Day): boolean {
  const on = dateOf(day);
  return (
    (date === undefined || on.date === date) && on.month === month && (year === undefined || on.year === year)
  );
}

/** A month within a year from today is the next or the last of its name. */
const isNear = ({ month, year = 0 }: DateFigure, today: Day): boolean =>
  Math.abs(dayAt(year, month, 1) - today) < 366;

/** "16.30", "ab 8". */
const isHour = ({ unit, written }: Quantity, minutes: number): boolean =>
  (unit === '' || unit === 'minute') &&
  written <= 24 &&
  Math.round((Math.floor(written) * 60 + (written % 1) * 100) % 720) === minutes;

/** The end of an appointment, and the time before it. */
function timesFollowing(times: readonly number[], quantities: readonly Quantity[], given: string): number[] {
  const durations = quantities.flatMap(({ unit, value }) =>
    unit === 'minute' && value < 720 ? [value] : [],
  );
  return [
    ...times.flatMap((time) => durations.flatMap((duration) => [time + duration, time + 720 - duration])),
    ...(/mittag|mitternacht/iu.test(given) ? [0] : []),
  ].map((minutes) => minutes % 720);
}

/** The days that the data name, and the ends of their spans: "sechs Monate ab 1.2." ends on 31 July. */
function daysFollowing(
  dates: readonly Day[],
  quantities: readonly Quantity[],
  given: string,
  today: Day,
): Day[] {
  const night = /nacht(?:\s(auf|zum?)\s|(?!\p{L}))/iu.exec(given);
  const stated = [...dates, ...namedDays(given, today, dates)];
  const ends = [today, ...stated].slice(0, 2 * mostMoments).flatMap((base) =>
    quantities.flatMap(({ unit, value }) => {
      if (unit === 'month') return [-value, value - 1, value].map((months) => monthsAfter(base, months));
      const count = unit === 'minute' ? value / 1440 : value;
      if ((unit !== 'day' && unit !== 'minute') || !Number.isInteger(count)) return [];
      // Weeks from a Monday on end on a Friday.
      return [base - count, base + count, ...(count % 7 === 0 ? [base + count - 3] : [])];
    }),
  );
  return [
    ...stated,
    ...ends.flatMap((day) => [day, day - 1]),
    // "ab 1.12.": until then, it is 30 November.
    ...(/(?<!\p{L})(?:ab|from)(?!\p{L})/iu.test(given) ? dates.map((day) => day - 1) : []),
    // "Nacht auf Mittwoch", "Dienstagnacht"
    ...(night === null ? [] : stated.map((day) => day + (night[1] === undefined ? 1 : -1))),
  ];
}

/** With and without the last day; two weeks from a Monday on end on a Friday. */
function lengthsInDays(first: Day, last: Day): number[] {
  const count = last - first;
  const isWorkingWeeks = weekdayOf(first) === 1 && weekdayOf(last) === 5;
  return [count, count + 1, ...(isWorkingWeeks ? [count + 3] : [])];
}

const pairs = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one, at) => all.slice(at + 1).map((other): [T, T] => [one, other]));
