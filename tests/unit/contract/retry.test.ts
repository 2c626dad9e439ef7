import { describe, expect, test } from 'vitest';
import { backoffMs, retryAfterMs } from '../../../lib/contract/retry.ts';

const almostOne = 1 - Number.EPSILON;

describe('the delay after failures', () => {
  const delays = (jitter: 'full' | 'equal', random: number): number[] =>
    [1, 2, 3, 4, 5].map((failures) => backoffMs({ failures, baseMs: 100, maxMs: 1000, jitter }, random));

  test('with full jitter is drawn from zero to a ceiling that doubles up to the maximum', () => {
    expect(delays('full', 0)).toEqual([0, 0, 0, 0, 0]);
    expect(delays('full', almostOne).map(Math.round)).toEqual([100, 200, 400, 800, 1000]);
  });

  test('with equal jitter is at least half of the ceiling', () => {
    expect(delays('equal', 0)).toEqual([50, 100, 200, 400, 500]);
    expect(delays('equal', almostOne).map(Math.round)).toEqual([100, 200, 400, 800, 1000]);
  });

  test('remains at the maximum after any number of failures', () => {
    expect(backoffMs({ failures: 5000, baseMs: 100, maxMs: 1000, jitter: 'equal' }, 0)).toBe(500);
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
