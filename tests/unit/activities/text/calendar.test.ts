import { expect, test } from 'vitest';
import { calendarWeek, dayAt, mondayOfWeek } from '../../../../lib/activities/text/marks/calendar.ts';

// 1 June 2026 is the Monday of week 23.
const monday = dayAt(2026, 6, 1);

test('a calendar week that began up to 90 days ago is the past one, an older one that of the next year', () => {
  expect(calendarWeek(monday)).toBe(23);
  expect(mondayOfWeek(23, monday + 90)).toBe(monday);
  expect(mondayOfWeek(23, monday + 91)).toBe(dayAt(2027, 6, 7));
});

test('in January, the last week of the year is the past one', () => {
  expect(mondayOfWeek(53, dayAt(2027, 1, 11))).toBe(dayAt(2026, 12, 28));
});
