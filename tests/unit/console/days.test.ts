import { expect, test } from 'vitest';
import { daysOf } from '../../../console/pages/overview/days.ts';
import { directoryNameOf } from '../../../console/pages/documents/project/directory-name.ts';

test('hours are summed by day, newest first, and each hour belongs to one day', () => {
  const hours = Array.from({ length: 30 }, (_, index) => ({
    start: new Date(Date.UTC(2026, 10, 20, 20 + index)).toISOString(),
    fulfilled: 1,
    failed: index % 2,
  }));
  const days = daysOf(hours, (at) => at.toISOString().slice(0, 10));
  expect(days).toEqual([
    { start: '2026-11-22T00:00:00.000Z', end: '2026-11-22T02:00:00.000Z', fulfilled: 2, failed: 1 },
    { start: '2026-11-21T00:00:00.000Z', end: '2026-11-22T00:00:00.000Z', fulfilled: 24, failed: 12 },
    { start: '2026-11-20T20:00:00.000Z', end: '2026-11-21T00:00:00.000Z', fulfilled: 4, failed: 2 },
  ]);
  expect(daysOf([])).toEqual([]);
});

test.each([
  ['2026-0815', 'Kindertagesstätte Ährenweg', '2026-0815_Kindertagesstätte Ährenweg'],
  ['4711', 'Um:bau / "Nord"  Süd. ', '4711_Um_bau _ _Nord_ Süd'],
  ['1', 'x'.repeat(100), `1_${'x'.repeat(78)}`],
])('the directory proposed for project %s %s is %s', (number, name, directory) => {
  expect(directoryNameOf({ number, name })).toBe(directory);
});
