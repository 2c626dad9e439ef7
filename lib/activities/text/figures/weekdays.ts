import { dayAt, dayOf, nearestDays, weekdayNames, weekdayNumber, weekdayOf } from './calendar.ts';
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
    const { year, month, date } = figure;
    const days = year === undefined ? nearestDays(month, date, dayOf(today)) : [dayAt(year, month, date)];
    const isRight = days.some((day) => weekdayOf(day) === weekdayNumber(name));
    return isRight ? [] : [`${before}${figure.excerpt}`];
  });
}
