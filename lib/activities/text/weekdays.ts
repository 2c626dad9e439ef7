import { figuresIn } from './figures.ts';
import { daysOfWeek, isoDay, monthNames, nearestDay, weekdayNames, weekdayOf } from './relative-dates.ts';

const weekdayBefore = new RegExp(
  String.raw`(?<!\p{L})(?<!tag,? (?:bis|und|oder|sowie) (?:zum )?|woch,? (?:bis|und|oder|sowie) (?:zum )?|tags? ?[-–] ?|(?:Mo|Di|Mi|Do|Fr)\.?(?: bis | und |-|–))(${weekdayNames})\.?,?\s(?:(?:den|dem|der|the)\s)?(?=\d|(?:${monthNames})\s\d)`,
  'giu',
);
const longestDate = 24;

/** Weekdays directly before a date that falls on another one. */
export function wrongWeekdays(text: string, today: string): string[] {
  return [...text.matchAll(weekdayBefore)].flatMap(({ 0: before, 1: weekday = '', index }) => {
    const after = text.slice(index + before.length).slice(0, longestDate);
    const date = figuresIn(after).find(
      ({ excerpt, value }) => value.startsWith('d') && after.startsWith(excerpt),
    );
    if (date === undefined) return [];
    const name = weekday.toLowerCase();
    const said = daysOfWeek.findIndex((names) =>
      names.split('|').some((each) => each === name || each.startsWith(name)),
    );
    const [day = 0, month = 0, year] = date.value.slice(1).split('-').map(Number);
    const isRight = possibleDays(day, month, year, today).some((each) => weekdayOf(each) === said);
    return isRight ? [] : [`${before}${date.excerpt}`];
  });
}

/** Without a year, a date is the next of its kind, or one of the last weeks. */
function possibleDays(day: number, month: number, year: number | undefined, today: string): string[] {
  if (year !== undefined) return [isoDay(year, month, day)];
  const thisYear = Number(today.slice(0, 4));
  const inThisYear = isoDay(thisYear, month, day);
  const next = inThisYear < today ? isoDay(thisYear + 1, month, day) : inThisYear;
  return [next, nearestDay(day, month, today)].filter(
    (each) => each >= today || Date.parse(today) - Date.parse(each) < 120 * 24 * 60 * 60 * 1000,
  );
}
