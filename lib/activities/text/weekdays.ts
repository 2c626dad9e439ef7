import {
  type Day,
  dayAt,
  dayOf,
  dateOf,
  nearestDay,
  weekdayNames,
  weekdayNumber,
  weekdayOf,
} from './calendar.ts';
import { figuresIn } from './figures.ts';

// Not the end of "Montag bis Mittwoch", whose date is that of Monday.
const weekdayBefore = new RegExp(
  String.raw`(?<!\p{L})(?<!tag,? (?:bis|und|oder|sowie) (?:zum )?|woch,? (?:bis|und|oder|sowie) (?:zum )?|tags? ?[-–] ?|(?:Mo|Di|Mi|Do|Fr)\.?(?: bis | und |-|–))(${weekdayNames})\.?,?\s(?:(?:den|dem|der|the)\s)?$`,
  'iu',
);

/** Weekdays directly before a date that falls on another one. */
export function wrongWeekdays(text: string, today: string): string[] {
  return figuresIn(text).flatMap((figure) => {
    if (figure.kind !== 'date' || figure.date === undefined) return [];
    const [before, name = ''] =
      weekdayBefore.exec(text.slice(Math.max(0, figure.index - 40), figure.index)) ?? [];
    if (before === undefined) return [];
    const days = possibleDays(figure.month, figure.date, figure.year, dayOf(today));
    return days.some((day) => weekdayOf(day) === weekdayNumber(name)) ? [] : [`${before}${figure.excerpt}`];
  });
}

/** Without a year, a date is the next of its kind, or one of the last weeks. */
function possibleDays(month: number, date: number, year: number | undefined, today: Day): Day[] {
  if (year !== undefined) return [dayAt(year, month, date)];
  const thisYear = dateOf(today).year;
  const inThisYear = dayAt(thisYear, month, date);
  const next = inThisYear < today ? dayAt(thisYear + 1, month, date) : inThisYear;
  return [next, nearestDay(month, date, today)].filter((day) => day > today - 120);
}
