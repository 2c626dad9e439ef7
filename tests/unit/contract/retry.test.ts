import { describe, expect, test } from 'vitest';
import { backoffMs, retryAfterMs } from '../../../lib/contract/retry.ts';

const almostOne = 1 - Number.EPSILON;

describe('the delay after failures', () => {
  const delays = (random: number): number[] =>
    [1, 2, 3, 4, 5].map((failures) => Math.round(backoffMs(failures, 100, random)));

  test('is at least half of a ceiling that doubles', () => {
    expect(delays(0)).toEqual([50, 100, 200, 400, 800]);
    expect(delays(almostOne)).toEqual([100, 200, 400, 800, 1600]);
  });
});

describe('Retry-After', () => {
  const receivedAtMs = Date.parse('2026-11-20T10:00:00Z');

  test.each([
    ['120', 120_000],
    [' 7 ', 7000],
    ['0', 0],
    ['0.5', 500],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
    ['Friday, 20-Nov-26 10:00:30 GMT', 30_000],
    ['Fri Nov 20 10:00:30 2026', 30_000],
    ['Sun Nov  6 08:49:37 1994', 0],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['2026-11-20T10:00:30Z', undefined],
    ['Fri, 99 Nov 2026 10:00:30 GMT', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is %s ms', (header, ms) => {
    expect(retryAfterMs(header, { date: undefined, receivedAtMs })).toBe(ms);
  });

  test('a date is relative to the Date of the response, so a clock difference does not matter', () => {
    const until = 'Fri, 20 Nov 2026 10:00:30 GMT';
    const response = { date: 'Fri, 20 Nov 2026 10:00:10 GMT', receivedAtMs: receivedAtMs - 3_600_000 };
    expect(retryAfterMs(until, response)).toBe(20_000);
    expect(retryAfterMs(until, { ...response, date: 'yesterday', receivedAtMs })).toBe(30_000);
  });
});
