import { numberOf } from './number-words.ts';

/** `YYYY-MM-DD`. */
export type Day = string;
type Unit = 'day' | 'week' | 'month' | 'year';

export const monthsOfYear = [
  'januar|jänner|january|jan',
  'februar|feber|february|feb',
  'märz|march|mar',
  'april|apr',
  'mai|may',
  'juni|june|jun',
  'juli|july|jul',
  'august|aug',
  'september|sept|sep',
  'oktober|october|okt|oct',
  'november|nov',
  'dezember|december|dez|dec',
] as const;
/** From Sunday, as in `Date`. */
export const daysOfWeek = [
  'sonntag|sunday',
  'montag|monday',
  'dienstag|tuesday',
  'mittwoch|wednesday',
  'donnerstag|thursday',
  'freitag|friday',
  'samstag|sonnabend|saturday',
] as const;

const word = (pattern: string): RegExp => new RegExp(`(?<!\\p{L})(?:${pattern})(?!\\p{L})`, 'iu');

const named: readonly (readonly [pattern: RegExp, days: (today: Day) => Day[]])[] = [
  [word('vorgestern'), (today) => [plus(today, -2, 'day')]],
  [word('gestern|yesterday'), (today) => [plus(today, -1, 'day')]],
  [word('heute|today'), (today) => [today]],
  [word('morgen|tomorrow'), (today) => [plus(today, 1, 'day')]],
  [word('übermorgen'), (today) => [plus(today, 2, 'day')]],
  [word('(?:nächste|kommende)[nr]? woche|next week'), (today) => daysOfWeekOf(plus(today, 7, 'day'))],
  [word('(?:ende|bis) (?:der|dieser) woche|wochenende'), (today) => daysOfWeekOf(today)],
  [word('monatsende|ende (?:des|diesen|dieses) monats'), (today) => [lastOfMonth(today)]],
  [word('(?:nächste[nrs]|kommende[nrs]) monats?'), (today) => ends(plus(today, 1, 'month'))],
  [
    word('jahresende|jahreswechsel|ende (?:des|diesen|dieses) jahres'),
    (today) => [`${today.slice(0, 4)}-12-31`],
  ],
  // "so" and "mi" are rarely weekdays, but then their dates are the only ones that they allow.
  ...[...daysOfWeek.entries()].map(
    ([at, names]) =>
      [
        new RegExp(`${names}|${word(['So', 'mo', 'di', 'mi', 'do', 'fr', 'sa'][at] ?? '').source}`, 'iu'),
        (today: Day) =>
          Array.from({ length: 14 }, (_each, days) => plus(today, days, 'day')).filter(
            (day) => weekdayOf(day) === at,
          ),
      ] as const,
  ),
  // "seit Montag": the last one.
  ...[...daysOfWeek.entries()].map(
    ([at, names]) =>
      [
        word(`(?:seit|letzte[nmrs]?|vergangene[nmrs]?|since|last)\\s(?:${names})`),
        (today: Day) =>
          Array.from({ length: 7 }, (_each, days) => plus(today, -days, 'day')).filter(
            (day) => weekdayOf(day) === at,
          ),
      ] as const,
  ),
  // "ab Januar", "Ende März": the next month of this name.
  ...monthsOfYear.map(
    (names, at) =>
      [
        word(`(?:ab|seit|zum|anfang|mitte|ende|from|since)\\s(?:${names})`),
        (today: Day) => {
          const first = nextMonth(at + 1, today);
          return [...ends(first), plus(first, 14, 'day')];
        },
      ] as const,
  ),
];

const spans =
  /(?<![\p{L}\d])(\p{L}{2,20}|\d{1,3})[\s-]?(?:Kalender|Werk|Arbeits)?(tag|woche|monat|jahr|day|week|month|year)/giu;
const unitOf: Readonly<Record<string, Unit>> = { tag: 'day', woche: 'week', monat: 'month', jahr: 'year' };

/**
 * The days that follow from `given` by one step: those that it names relative to `today`, and the ends of the time
 * spans in it (`Frist 14 Tage`, `um 6 Monate`), counted from today and from `dates`, those that it contains. A text may
 * state them as dates.
 */
export function impliedDays(given: string, today: Day, dates: readonly Day[]): Set<Day> {
  const weeks = [...given.matchAll(/(?:KW|Kalenderwoche)\s?(\d{1,2})(?!\d)/giu)];
  return new Set([
    ...named.flatMap(([pattern, days]) => (pattern.test(given) ? days(today) : [])),
    // "ab 1.12.": until then, it is 30 November.
    ...(word('ab|from').test(given) ? dates.map((day) => plus(day, -1, 'day')) : []),
    ...weeks.flatMap(([, week]) => daysOfWeekOf(inCalendarWeek(Number(week), today))),
    ...[...given.matchAll(spans)].flatMap(([, count = '', name = '']) => {
      const isHalf = /^halbe/iu.test(count);
      const number = isHalf ? 6 : numberOf(count);
      const unit = isHalf ? 'month' : (unitOf[name.toLowerCase()] ?? (name.toLowerCase() as Unit));
      if (number === null) return [];
      return [today, ...dates].slice(0, mostDates).flatMap((base) => {
        const end = plus(base, number, unit);
        // Six months from 1 February end on 31 July.
        return [end, plus(end, -1, 'day'), plus(base, -number, unit)];
      });
    }),
  ]);
}

const mostDates = 8;

/** 0 is Sunday. */
export const weekdayOf = (day: Day): number => new Date(day).getUTCDay();

/** The date of this day and month that is nearest to today; without a year, people mean that one. */
export function nearestDay(day: number, month: number, today: Day): Day {
  const year = Number(today.slice(0, 4));
  const distance = (each: Day): number => Math.abs(Date.parse(each) - Date.parse(today));
  const days = [year - 1, year, year + 1].map((each) => isoDay(each, month, day));
  return days.toSorted((one, other) => distance(one) - distance(other))[0] ?? today;
}

export const isoDay = (year: number, month: number, day: number): Day =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

/** Months and years keep the day where the month has it: 31 December and six months is 30 June. */
function plus(from: Day, count: number, unit: Unit): Day {
  const [year = 0, month = 0, day = 0] = from.split('-').map(Number);
  if (unit === 'day' || unit === 'week') return isoDay(year, month, day + count * (unit === 'week' ? 7 : 1));
  const first = isoDay(year, month + count * (unit === 'year' ? 12 : 1), 1);
  const last = lastOfMonth(first);
  return `${first.slice(0, 8)}${String(Math.min(day, Number(last.slice(8)))).padStart(2, '0')}`;
}

function lastOfMonth(day: Day): Day {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return isoDay(year, month + 1, 0);
}

const ends = (day: Day): Day[] => [`${day.slice(0, 8)}01`, lastOfMonth(day)];

function nextMonth(month: number, today: Day): Day {
  const [year = 0, thisMonth = 0] = today.split('-').map(Number);
  return isoDay(month < thisMonth ? year + 1 : year, month, 1);
}

/** Monday, Friday and Sunday of the week: what "in the week of" and "by the end of the week" refer to. */
function daysOfWeekOf(day: Day): Day[] {
  const monday = plus(day, -((weekdayOf(day) + 6) % 7), 'day');
  return [0, 4, 6].map((days) => plus(monday, days, 'day'));
}

/** A day of the week of this number (ISO 8601) that begins nearest to today. */
function inCalendarWeek(week: number, today: Day): Day {
  const year = Number(today.slice(0, 4));
  const next = plus(isoDay(year, 1, 4), week - 1, 'week');
  return next < plus(today, -90, 'day') ? plus(isoDay(year + 1, 1, 4), week - 1, 'week') : next;
}
