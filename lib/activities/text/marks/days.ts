import { type Day, dateOf, dayAt, mondayOf, monthsAfter, nearestDays, weekdayOf } from './calendar.ts';
import type { Place } from './places.ts';

const offsets = new Map(
  'vorgestern gestern heute morgen übermorgen'.split(' ').map((word, at) => [word, at - 2]),
);
const offsetWords = new RegExp(`(?<!\\p{L})(?:${[...offsets.keys()].join('|')})(?!\\p{L})`, 'giu');
const ends = /(?<!\p{L})(?:ende (?:des|dieses) )?(monat|jahr)(?:e?s)?(ende|letzten?)?(?!\p{L})/giu;
/** "9./10. Januar", "bis zum 15." */
const ordinal = /(?<![\d.,])(\d{1,2})\.(?!\s?\d)/gu;

/** Beyond these, almost any day follows from two. */
const mostPoints = 12;
const mostPlaces = 500;

/** The days that a date may mean: without a year, those that are near today. */
export function daysOf(form: string, today: Day): Day[] {
  const [date = 1, month = 1, year] = form.slice(1).split('.').map(Number);
  return year === undefined ? nearestDays(month, date, today) : [dayAt(year, month, date)];
}

/** A day, or a time in minutes, and the words that have it. */
type Point = readonly [at: number, from: string];

/**
 * The forms of dates, weekdays, years, times, and periods that follow from the days and times of the data, and the words
 * from which each follows.
 * @param given the places of `data`
 */
export function stepsInTime(data: string, given: readonly Place[], today: Day): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (form: string, from: string): void => void (found.has(form) || found.set(form, from));
  const dates = given
    .slice(0, mostPlaces)
    .filter(({ kind }) => kind === 'date')
    .flatMap(({ form, excerpt }) => daysOf(form, today).map((day): Point => [day, excerpt]))
    .filter(([day]) => day !== today)
    .slice(0, mostPoints);
  const times = given
    .filter(({ kind }) => kind === 'time')
    .map(({ form, excerpt }): Point => [Number(form.slice(1)), excerpt])
    .slice(0, mostPoints);
  const periods = given.filter(({ kind }) => kind === 'period').slice(0, mostPoints);

  for (const [day, from] of [...dates, ...namedDays(data, given, dates, today)]) addDay(day, from);
  for (const [day, from] of later([[today, ''], ...dates], periods, 1440)) {
    // A period may include its last day or not.
    addDay(day, from);
    addDay(day - 1, from);
  }
  for (const [day, from] of dates) add(`w${weekdayOf(day)}`, from);
  for (const [time, from] of later(times, periods, 1)) add(`t${time}`, from);
  for (const [index, [time, from]] of times.slice(1).entries())
    add(`p${time - times[index]![0]}`, `${from} - ${times[index]![1]}`);
  return found;

  function addDay(day: Day, from: string): void {
    if (!Number.isInteger(day)) return;
    const { year, month, date } = dateOf(day);
    for (const form of [`d${date}.${month}.${year}`, `d${date}.${month}`, `n${year}`]) add(form, from);
  }
}

/** The days of weekdays near today and the dates, of `morgen`, of a day without its month, the ends of months and years. */
function namedDays(data: string, given: readonly Place[], dates: readonly Point[], today: Day): Point[] {
  const days: Point[] = [];
  const { year, month } = dateOf(today);
  for (const [from] of data.matchAll(offsetWords))
    days.push([today + (offsets.get(from.toLowerCase()) ?? 0), from]);
  const near = [today, ...dates.map(([day]) => day)].flatMap((day) => [day, day + 7, day - 7]);
  for (const { kind, form, excerpt } of new Map(given.map((each) => [each.form, each])).values()) {
    const number = Number(form.slice(1));
    if (kind === 'weekday') for (const day of near) days.push([mondayOf(day) + ((number + 6) % 7), excerpt]);
    if (kind === 'month')
      for (const each of [year, year + 1])
        days.push([dayAt(each, number, 1), excerpt], [dayAt(each, number + 1, 0), excerpt]);
  }
  for (const [from, date] of data.matchAll(ordinal))
    for (let day = today - 31; day < today + 62; day++)
      if (dateOf(day).date === Number(date)) days.push([day, from]);
  for (const [from, unit = '', end] of data.matchAll(ends))
    if (end !== undefined || /^ende/i.test(from))
      days.push([/^j/i.test(unit) ? dayAt(year, 12, 31) : dayAt(year, month + 1, 0), from]);
  return days;
}

/** So long after or before each point. */
function later(points: readonly Point[], periods: readonly Place[], minutesOfUnit: 1 | 1440): Point[] {
  return periods.flatMap(({ form, excerpt }) =>
    points.flatMap(([at, from]) =>
      [1, -1].map((sign): Point => {
        const length = sign * Number.parseInt(form.slice(1), 10);
        const step = from === '' ? excerpt : `${from} ${sign > 0 ? '+' : '-'} ${excerpt}`;
        if (!form.endsWith('M')) return [at + length / minutesOfUnit, step];
        return [minutesOfUnit === 1 ? Number.NaN : monthsAfter(at, length), step];
      }),
    ),
  );
}
