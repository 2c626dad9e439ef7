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

/** Keeps the day where the month has it: 31 December and six months is 30 June. */
export function monthsAfter(day: Day, months: number): Day {
  const { year, month, date } = dateOf(day);
  return Math.min(dayAt(year, month + months, date), dayAt(year, month + months + 1, 0));
}

/** The days that a form of a date may mean: without a year, those of this year and its neighbors that are near today. */
export function daysOf(form: string, today: Day): Day[] {
  const [date = 1, month = 1, year] = form.slice(1).split('.').map(Number);
  if (year !== undefined) return [dayAt(year, month, date)];
  const years = [0, -1, 1].map((more) => dateOf(today).year + more);
  return years.map((each) => dayAt(each, month, date)).filter((day) => Math.abs(day - today) < 270);
}

const months = (
  'januar|jänner|january|jan februar|feber|february|feb märz|march|mar april|apr mai|may juni|june|jun ' +
  'juli|july|jul august|aug september|sept|sep oktober|october|okt|oct november|nov dezember|december|dez|dec'
).split(' ');
const weekdays = (
  'sonntag|sunday|so montag|monday|mo dienstag|tuesday|di mittwoch|wednesday|mi donnerstag|thursday|do ' +
  'freitag|friday|fr samstag|sonnabend|saturday|sa'
).split(' ');
/** Of names, each with its spellings: `feb|februar`. -1 for any other. */
export const indexIn = (names: readonly string[], name: string): number =>
  names.findIndex((each) => each.split('|').includes(name.toLowerCase()));

export const monthNames = months.join('|');
export const weekdayNames = weekdays.join('|');

/** 1 to 12, by a name of `monthNames` in any case. */
export const monthNumber = (name: string): number => indexIn(months, name) + 1;

/** 0 is Sunday, as in `weekdayOf`. */
export const weekdayNumber = (name: string): number => indexIn(weekdays, name);
