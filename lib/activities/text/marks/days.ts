import { type Day, dateOf, dayAt, daysOf, monthsAfter, weekdayOf } from './calendar.ts';
import type { Place } from './places.ts';

/** "bis Ende des Monats", "zum Jahresende", "am Monatsletzten" */
const ends = /(?<!\p{L})(?:(monat|jahr)e?s(?:ende|letzten?)|ende (?:des|dieses) (monat|jahr)e?s)(?!\p{L})/giu;

/** Beyond these, almost any day follows from two. */
const mostPoints = 12;

/**
 * The forms of dates, weekdays, and years that follow from the days of the data by one step, and the words from which each
 * follows.
 * @param given the places of `data`
 */
export function stepsInTime(data: string, given: readonly Place[], today: Day): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (form: string, from: string): void => void (found.has(form) || found.set(form, from));
  const addDay = (day: Day, from: string): void => {
    const { year, month, date } = dateOf(day);
    for (const form of [`d${date}.${month}.${year}`, `d${date}.${month}`, `n${year}`]) add(form, from);
  };
  const dates = given
    .filter(({ kind }) => kind === 'date')
    .slice(0, mostPoints)
    .flatMap(({ form, excerpt }) => daysOf(form, today).map((day) => ({ day, excerpt })))
    .filter(({ day }) => day !== today);
  const periods = given.filter(({ kind }) => kind === 'period').slice(0, mostPoints);

  for (const { day, excerpt } of dates) add(`w${weekdayOf(day)}`, excerpt);
  // Each weekday that follows today, last week's or next week's today, or a date.
  const starts = [today - 7, today, today + 7, ...dates.map(({ day }) => day)];
  for (const { form, excerpt } of ofKind('weekday', given))
    for (const day of starts) addDay(day + 1 + ((Number(form.slice(1)) - weekdayOf(day) + 6) % 7), excerpt);
  const { year, month } = dateOf(today);
  for (const { form, excerpt } of ofKind('month', given))
    for (const each of [year, year + 1]) addDay(dayAt(each, Number(form.slice(1)) + 1, 0), excerpt);
  for (const [excerpt, ...units] of data.matchAll(ends))
    addDay(/jahr/i.test(units.join('')) ? dayAt(year, 12, 31) : dayAt(year, month + 1, 0), excerpt);
  for (const { form, excerpt } of periods)
    for (const start of [{ day: today, excerpt: '' }, ...dates])
      for (const sign of [1, -1]) {
        const step = start.excerpt && `${start.excerpt} ${sign > 0 ? '+' : '-'} `;
        const length = sign * Number.parseInt(form.slice(1), 10);
        const day = form.endsWith('M') ? monthsAfter(start.day, length) : start.day + length / 1440;
        // A period may include its last day or not.
        for (const last of Number.isInteger(day) ? [day, day - 1] : []) addDay(last, step + excerpt);
      }
  return found;
}

/** Of each form one, because an order may repeat a word a thousand times. */
const ofKind = (kind: Place['kind'], given: readonly Place[]): Iterable<Place> =>
  new Map(given.filter((each) => each.kind === kind).map((each) => [each.form, each])).values();
