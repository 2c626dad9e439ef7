import { numberOf } from './number-words.ts';

/** `YYYY-MM-DD`. */
export type Day = string;
export type Unit = 'day' | 'week' | 'month' | 'year';

const monthsOfYear = [
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
const months: Readonly<Record<string, number>> = Object.fromEntries(
  monthsOfYear.flatMap((names, index) => names.split('|').map((name) => [name, index + 1])),
);
export const monthNames = Object.keys(months)
  .toSorted((one, other) => other.length - one.length)
  .join('|');
/** 1 to 12, by a name of `monthNames` in any case. */
export const monthNumber = (name: string): number | undefined => months[name.toLowerCase()];

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

export const weekdayNames = `${daysOfWeek.join('|')}|mo|di|mi|do|fr|sa|so`;

const word = (pattern: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${pattern})(?!\\p{L})`, flags);

const next = '(?:nächste|kommende|next)[nrs]?\\s';
const last = '(?:letzte|vorige|vergangene|last)[nrs]?\\s';

const named: readonly (readonly [pattern: RegExp, days: (today: Day) => Day[]])[] = [
  [word('wochenende'), (today) => daysFrom(plus(mondayOf(today), 5, 'day'), 2)],
  [word(`${last}nacht`), (today) => [plus(today, -1, 'day')]],
  [word('vorgestern'), (today) => [plus(today, -2, 'day')]],
  [word('gestern|yesterday'), (today) => [plus(today, -1, 'day')]],
  [word('heute|today'), (today) => [today]],
  [word('morgen|tomorrow'), (today) => [plus(today, 1, 'day')]],
  [word('übermorgen'), (today) => [plus(today, 2, 'day')]],
  [word('monatsende|ende (?:des|diesen|dieses) monats|ultimo'), (today) => [lastOfMonth(today)]],
  [
    word(`${next}(?:monats?|month)|monatsersten?|(?:zum|am) (?:nächsten )?ersten`),
    (today) => ends(plus(today, 1, 'month')),
  ],
  [word(`${last}(?:monats?|month)`), (today) => ends(plus(today, -1, 'month'))],
  [
    word('jahresende|jahreswechsel|ende (?:des|diesen|dieses) jahres|silvester'),
    (today) => [yearEnd(today, 0)],
  ],
  [
    word(`${next}(?:jahr(?:es)?|year)|neujahr`),
    (today) => [yearEnd(today, 1), plus(yearEnd(today, 0), 1, 'day')],
  ],
  [word('quartalsende|ende (?:des|dieses) quartals'), (today) => quarterOf(Number(today.slice(5, 7)), today)],
  [
    word('weihnachten|weihnachtstage?|heiligabend'),
    (today) => [24, 25, 26].map((day) => isoDay(yearOf(today), 12, day)),
  ],
  [word('nikolaus(?:tag)?'), (today) => [isoDay(yearOf(today), 12, 6)]],
  // "ab Januar", "Ende März": the next month of this name.
  ...monthsOfYear.map(
    (names, at) =>
      [
        word(`(?:ab|seit|bis|zum|anfang|mitte|ende|from|since)\\s(?:${names})`),
        (today: Day) => {
          const first = nextMonth(at + 1, today);
          return [...ends(first), plus(first, 14, 'day')];
        },
      ] as const,
  ),
];

const weeks: readonly (readonly [pattern: RegExp, weeks: number])[] = [
  [word(`(?:ende|bis) (?:der|dieser) woche|wochenende|diese woche`), 0],
  [word(`${next}(?:woche|week)|ende der woche|nä\\.? woche`), 1],
  [word('übernächste[nr]? woche'), 2],
  [word(`${last}(?:woche|week)`), -1],
];

const abbreviations = ['So', 'mo', 'di', 'mi', 'do', 'fr', 'sa'];
const weekdays = daysOfWeek.map(
  (names, at) => new RegExp(`${names}|${word(`${abbreviations[at]}`).source}`, 'iu'),
);
// "hat Mittwoch nicht geputzt", "seit Montag", "Nacht auf Mittwoch": the last one.
const past =
  /(?<!\p{L})(?:seit|nacht|\p{L}{2,5}tagnacht|letzte[nmrs]?|vergangene[nmrs]?|since|last|war(?:en)?|wurden?|hatten?|hat|kam(?:en)?|ging(?:en)?|fiel(?:en)?|blieb(?:en)?|sollten?|(?:\p{L}{2,5})?ge\p{Ll}{2,12}(?:t|en))(?!\p{L})/iu;
const beside = /(?<!\p{L})(?:davor|vorher|zuvor|danach|darauf|folgende[nrs]?)(?!\p{L})/iu;

/** The days that `given` names relative to `today` or to `dates`, those that it contains. */
export function namedDays(given: string, today: Day, dates: readonly Day[]): Day[] {
  const mentioned = [
    ...weeks.filter(([pattern]) => pattern.test(given)).map(([, count]) => plus(today, count, 'week')),
    ...[...given.matchAll(/(?:KW|Kalenderwoche)\s?(\d{1,2})(?!\d)/giu)].map(([, week]) =>
      inCalendarWeek(Number(week), today),
    ),
  ];
  const undated = given.replace(dated, '');
  const isNamed = (day: Day): boolean => weekdays[weekdayOf(day)]?.test(undated) ?? false;
  const isPast = past.test(given);
  const around = beside.test(given)
    ? dates.flatMap((day) => daysFrom(plus(day, -7, 'day'), 15).filter((each) => each !== day))
    : [];
  return [
    ...named.flatMap(([pattern, days]) => (pattern.test(given) ? days(today) : [])),
    ...mentioned.flatMap((day) => [0, 4, 6].map((offset) => plus(mondayOf(day), offset, 'day'))),
    ...[
      ...daysFrom(today, 14),
      ...(isPast ? daysFrom(plus(today, -7, 'day'), 7) : []),
      ...around,
      ...[...mentioned, ...dates].flatMap((day) => daysFrom(mondayOf(day), 7)),
    ].filter(isNamed),
    ...[...given.matchAll(inMonth)].flatMap(([, digits, name = '']) => {
      const day = Number(digits ?? numberOf(name) ?? 0);
      return day < 1 || day > 31
        ? []
        : daysFrom(plus(today, -31, 'day'), 62).filter((each) => Number(each.slice(8)) === day);
    }),
    ...[...given.matchAll(/(?<![\d/.])(0?[1-9]|1[0-2])\/(?:20)?(\d\d)(?![\d/.])/g)].flatMap(
      ([, month, year]) => ends(isoDay(2000 + Number(year), Number(month), 1)),
    ),
    ...[...given.matchAll(/(?<!\p{L})(?:Q|Quartal\s)([1-4])(?!\d)|([1-4])\.\s?Quartal/giu)].flatMap(
      ([, one, other]) => quarterOf(Number(one ?? other) * 3, today),
    ),
    // "im Dezember, außer 9. und 16.", "Di 8. od Do 10.12."
    ...[...given.matchAll(dayAlone)].flatMap(([, day, month]) =>
      [...monthsIn(given), ...(month === undefined ? [] : [Number(month)])].map((each) =>
        nearestDay(Number(day), each, today),
      ),
    ),
  ];
}

const night = /nacht(?:\s(auf|zum?)\s|(?!\p{L}))/iu;

/** The other day of "Nacht auf Mittwoch" and "Dienstagnacht", where `days` are those that `given` names. */
export function otherDaysOfNight(given: string, days: readonly Day[]): Day[] {
  const found = night.exec(given);
  return found === null ? [] : days.map((day) => plus(day, found[1] === undefined ? 1 : -1, 'day'));
}

const anyMonth = word(monthNames, 'giu');
const monthsIn = (given: string): Set<number> =>
  new Set([...given.matchAll(anyMonth)].map(([name]) => monthNumber(name) ?? 1));
const aDay = '(?:0?[1-9]|[12]\\d|3[01])';
/** A day without its month, and the month of the date that follows it. */
const dayAlone = new RegExp(
  String.raw`(?<![\d.,])(${aDay})(?:\.(?!\s?\d)|(?=\s?(?:[-–/&+,]|u|und|od|oder|bzw|bis)\.?\s?(?:\p{L}{2}\.?\s)?${aDay}\.))(?:(?=[^\n]{0,40}?(?<!\d)${aDay}\.\s?(0?[1-9]|1[0-2])\.)|)`,
  'giu',
);

// The weekday of a date names no other day.
const dated = new RegExp(
  String.raw`(?<!\p{L})(?:${weekdayNames})\.?,?\s(?:(?:den|dem|der)\s)?(?=\d{1,2}\.\s?(?:\d{1,2}\.|\p{L}))`,
  'giu',
);

// "bis zum 15.", "Freitag den 13."
const inMonth =
  /(?<!\p{L})(?:am|zum|bis|vom|ab|seit|den|und|oder|bis zum)\s(?:(\d{1,2})\.(?!\s?\d)|(\p{Ll}{4,20}ten)(?!\p{L}))/giu;

/** How many weekdays the text names. */
export const weekdaysIn = (given: string): number => weekdays.filter((pattern) => pattern.test(given)).length;

/** 0 is Sunday. */
export const weekdayOf = (day: Day): number => new Date(day).getUTCDay();

/** The date of this day and month that is nearest to today; without a year, people mean that one. */
export function nearestDay(day: number, month: number, today: Day): Day {
  const year = yearOf(today);
  const distance = (each: Day): number => Math.abs(daysBetween(each, today));
  const days = [year - 1, year, year + 1].map((each) => isoDay(each, month, day));
  return days.toSorted((one, other) => distance(one) - distance(other))[0] ?? today;
}

export const isoDay = (year: number, month: number, day: number): Day =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

export const yearOf = (day: Day): number => Number(day.slice(0, 4));

export const daysBetween = (from: Day, to: Day): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;

/** Months and years keep the day where the month has it: 31 December and six months is 30 June. */
export function plus(from: Day, count: number, unit: Unit): Day {
  const [year = 0, month = 0, day = 0] = from.split('-').map(Number);
  if (unit === 'day' || unit === 'week') return isoDay(year, month, day + count * (unit === 'week' ? 7 : 1));
  const first = isoDay(year, month + count * (unit === 'year' ? 12 : 1), 1);
  const latest = lastOfMonth(first);
  return `${first.slice(0, 8)}${String(Math.min(day, Number(latest.slice(8)))).padStart(2, '0')}`;
}

// Those that are on the same day in every German state and every year.
const holidays = /-(?:01-01|05-01|10-03|12-25|12-26)$/;
export const isWorkday = (day: Day): boolean => ![0, 6].includes(weekdayOf(day)) && !holidays.test(day);

export const daysFrom = (first: Day, count: number): Day[] =>
  Array.from({ length: Math.max(0, count) }, (_each, days) => plus(first, days, 'day'));

export function lastOfMonth(day: Day): Day {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return isoDay(year, month + 1, 0);
}

const ends = (day: Day): Day[] => [`${day.slice(0, 8)}01`, lastOfMonth(day)];

const yearEnd = (today: Day, years: number): Day => isoDay(yearOf(today) + years, 12, 31);

/** The first and the last day of the quarter with this month, the next one unless it is this quarter. */
function quarterOf(month: number, today: Day): Day[] {
  const first = Math.ceil(month / 3) * 3 - 2;
  return [yearOf(today), yearOf(today) + 1].flatMap((year) => [
    isoDay(year, first, 1),
    isoDay(year, first + 3, 0),
  ]);
}

function nextMonth(month: number, today: Day): Day {
  const [year = 0, thisMonth = 0] = today.split('-').map(Number);
  return isoDay(month < thisMonth ? year + 1 : year, month, 1);
}

const mondayOf = (day: Day): Day => plus(day, -((weekdayOf(day) + 6) % 7), 'day');

/** A day of the week of this number (ISO 8601) that begins nearest to today. */
function inCalendarWeek(week: number, today: Day): Day {
  const following = plus(isoDay(yearOf(today), 1, 4), week - 1, 'week');
  return following < plus(today, -90, 'day')
    ? plus(isoDay(yearOf(today) + 1, 1, 4), week - 1, 'week')
    : following;
}

/** The ISO 8601 number of the week of this day. */
export const calendarWeek = (day: Day): number => {
  const thursday = plus(mondayOf(day), 3, 'day');
  return Math.floor(daysBetween(isoDay(yearOf(thursday), 1, 1), thursday) / 7) + 1;
};
