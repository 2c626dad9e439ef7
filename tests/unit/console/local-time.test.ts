import { expect, test } from 'vitest';
import { inputOf, timeOf } from '../../../console/base/local-time.ts';

test('a local time is the same after the way through the address', () => {
  for (const typed of ['2026-11-26T14:00', '2027-03-28T03:30', '2000-01-01T00:00']) {
    const time = timeOf(typed);
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
    expect(Date.parse(time!)).toBe(new Date(typed).getTime());
    expect(inputOf(time)).toBe(typed);
  }
  expect(inputOf(undefined)).toBe('');
});

test('what somebody is still typing, and anything else, is no time', () => {
  for (const text of [
    null,
    '',
    '0002-11-26T14:00',
    '0202-11-26T14:00',
    '12026-11-26T14:00',
    'gestern',
    '2026-13-01T00:00',
  ])
    expect(timeOf(text)).toBeUndefined();
  expect(timeOf('2026-11-26T13:00:00+01:00')).toBe('2026-11-26T12:00:00Z');
});
