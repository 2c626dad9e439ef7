import {
  type Day,
  dateOf,
  dayAt,
  mondayOf,
  mondayOfWeek,
  monthsAfter,
  nearestDays,
  weekdayOf,
} from './calendar.ts';
import type { Place } from './places.ts';

/** A day that the data name, or that follows from them, and the words from which it follows. */
export interface NamedDay {
  readonly day: Day;
  readonly from: string;
  /** Whether the data have the day itself as a date. */
  readonly isDate: boolean;
}

const offsets: Readonly<Record<string, number>> = {
  vorgestern: -2,
  gestern: -1,
  heute: 0,
  morgen: 1,
  übermorgen: 2,
  today: 0,
  tomorrow: 1,
};
const offsetWords = new RegExp(`(?<!\\p{L})(?:${Object.keys(offsets).join('|')})(?!\\p{L})`, 'giu');
const ends = /(?<!\p{L})(?:ende (?:des|dieses) )?(monat|jahr)(?:e?s)?(ende|letzten?)?(?!\p{L})/giu;
/** "9./10. Januar", "bis zum 15." */
const ordinal = /(?<![\d.,])(\d{1,2})\.(?!\s?\d)/gu;
const week = /(?<!\p{L})(?:KW|Kalenderwoche|week)\s?(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})\. Kalenderwoche/giu;

const mostDates = 12;

/** The days that a date may mean: without a year, those that are near today. */
export function daysOf(form: string, today: Day): Day[] {
  const [date = 1, month = 1, year] = form.slice(1).split('.').map(Number);
  return year === undefined ? nearestDays(month, date, today) : [dayAt(year, month, date)];
}

/** @param places of `data` */
export function namedDays(data: string, places: readonly Place[], today: Day): NamedDay[] {
  const days: NamedDay[] = [];
  const add = (day: Day, from: string, isDate = false): void => void days.push({ day, from, isDate });
  for (const { kind, form, excerpt } of places.slice(0, 500)) {
    if (kind === 'date') for (const day of daysOf(form, today)) if (day !== today) add(day, excerpt, true);
  }
  const dates = days.slice(0, mostDates);
  for (const [word] of data.matchAll(offsetWords)) add(today + (offsets[word.toLowerCase()] ?? 0), word);
  for (const { kind, form, excerpt } of places) {
    if (kind !== 'weekday') continue;
    const mondays = new Set(
      [today, ...dates.map(({ day }) => day)].flatMap((day) => [day, day + 7, day - 7]).map(mondayOf),
    );
    for (const monday of mondays) add(monday + ((Number(form.slice(1)) + 6) % 7), excerpt);
  }
  for (const [from, number, other] of data.matchAll(week)) {
    const monday = mondayOfWeek(Number(number ?? other), today);
    if (monday !== undefined) for (const offset of [0, 4]) add(monday + offset, from);
  }
  for (const [from, date] of data.matchAll(ordinal))
    for (let day = today - 31; day < today + 62; day++) if (dateOf(day).date === Number(date)) add(day, from);
  const { year, month } = dateOf(today);
  for (const [from, unit = '', end] of data.matchAll(ends)) {
    if (end === undefined && !/^ende/i.test(from)) continue;
    add(/^j/i.test(unit) ? dayAt(year, 12, 31) : dayAt(year, month + 1, 0), from);
  }
  for (const { kind, form, excerpt } of places) {
    if (kind !== 'month') continue;
    for (const each of [year, year + 1]) {
      add(dayAt(each, Number(form.slice(1)), 1), excerpt);
      add(dayAt(each, Number(form.slice(1)) + 1, 0), excerpt);
    }
  }
  return [...days, ...laterDays(places, dates, today)];
}

/** Days so many days, weeks, or months after or before today and each date; a period may include its last day or not. */
function laterDays(places: readonly Place[], dates: readonly NamedDay[], today: Day): NamedDay[] {
  const periods = places.filter(({ kind }) => kind === 'period').slice(0, mostDates);
  const bases = [{ day: today, from: '' }, ...dates];
  return periods.flatMap(({ form, excerpt }) => {
    const count = Number.parseInt(form.slice(1), 10);
    return bases.flatMap(({ day, from }) =>
      [1, -1].flatMap((sign) => {
        const end = form.endsWith('M') ? monthsAfter(day, sign * count) : day + (sign * count) / 1440;
        const step = from === '' ? excerpt : `${from} ${sign > 0 ? '+' : '-'} ${excerpt}`;
        return Number.isInteger(end)
          ? [end, end - 1].map((each) => ({ day: each, from: step, isDate: false }))
          : [];
      }),
    );
  });
}

/** The times so long before or after those of the data. */
export function laterTimes(places: readonly Place[]): Map<string, string> {
  const times = places.filter(({ kind }) => kind === 'time').slice(0, mostDates);
  const periods = places.filter(({ kind, form }) => kind === 'period' && !form.endsWith('M'));
  return new Map(
    times.flatMap((time) =>
      periods.slice(0, mostDates).flatMap((length) =>
        [1, -1].map((sign): [string, string] => {
          const minutes = Number(time.form.slice(1)) + sign * Number(length.form.slice(1));
          return [`t${minutes}`, `${time.excerpt} ${sign > 0 ? '+' : '-'} ${length.excerpt}`];
        }),
      ),
    ),
  );
}

/** The time between two dates, and between two times: `p4320`. */
export function periodsBetween(days: readonly NamedDay[], times: readonly Place[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (minutes: number, from: string): void => {
    if (minutes > 0 && !found.has(`p${minutes}`)) found.set(`p${minutes}`, from);
  };
  const dates = days.filter(({ isDate }) => isDate).slice(0, mostDates);
  for (const one of dates)
    for (const other of dates) add((other.day - one.day) * 1440, `${other.from} - ${one.from}`);
  for (const [at, one] of times.entries()) {
    const other = times[at + 1];
    if (other === undefined || at >= mostDates) break;
    const minutes = Number(other.form.slice(1)) - Number(one.form.slice(1));
    add(minutes, `${other.excerpt} - ${one.excerpt}`);
  }
  return found;
}

export const weekdayForm = (day: Day): string => `w${weekdayOf(day)}`;
