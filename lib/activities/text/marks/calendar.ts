/** Days since 1 January 1970, so that days are counted by adding and subtracting. */
export type Day = number;

const dayMs = 86_400_000;

/** Months beyond 12 are those of the next year, and day 0 is the last of the month before. */
export const dayAt = (year: number, month: number, date: number): Day =>
  Date.UTC(year, month - 1, date) / dayMs;

/** @param iso `YYYY-MM-DD` */
export const dayOf = (iso: string): Day => Date.parse(iso) / dayMs;

export function dateOf(day: Day): { year: number; month: number; date: number } {
  const at = new Date(day * dayMs);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() };
}

/** 0 is Sunday. */
export const weekdayOf = (day: Day): number => new Date(day * dayMs).getUTCDay();

export const mondayOf = (day: Day): Day => day - ((weekdayOf(day) + 6) % 7);

/** Keeps the day where the month has it: 31 December and six months is 30 June. */
export function monthsAfter(day: Day, months: number): Day {
  const { year, month, date } = dateOf(day);
  return Math.min(dayAt(year, month + months, date), dayAt(year, month + months + 1, 0));
}

/** The nearest dates of this day and month, before and after today; without a year, people mean one of them. */
export function nearestDays(month: number, date: number, today: Day): Day[] {
  const { year } = dateOf(today);
  const days = [year, year - 1, year + 1].map((each) => dayAt(each, month, date));
  return days.filter((day) => Math.abs(day - today) < 270);
}

const months = (
  'januar|jänner|january|jan februar|feber|february|feb märz|march|mar april|apr mai|may juni|june|jun ' +
  'juli|july|jul august|aug september|sept|sep oktober|october|okt|oct november|nov dezember|december|dez|dec'
).split(' ');
export const monthNames = months.join('|');

/** 1 to 12, by a name of `monthNames` in any case. */
export const monthNumber = (name: string): number =>
  months.findIndex((names) => names.split('|').includes(name.toLowerCase())) + 1;

const weekdays = [
  'sonntag|sunday|so(?!\\p{L})',
  'montag(?!e)|monday|mo(?!\\p{L})',
  'dienstag|tuesday|di(?!\\p{L})',
  'mittwoch|wednesday|mi(?!\\p{L})',
  'donnerstag|thursday|do(?!\\p{L})',
  'freitag|friday|fr(?!\\p{L})',
  'samstag|sonnabend|saturday|sa(?!\\p{L})',
];
/** Full names also at the beginning of a word: `montags`, `Dienstagnacht`. */
export const weekdayNames = weekdays.join('|');

/** 0 is Sunday, as in `weekdayOf`. */
export const weekdayNumber = (name: string): number =>
  weekdays.findIndex((names) => new RegExp(`^(?:${names})$`, 'iu').test(name));
