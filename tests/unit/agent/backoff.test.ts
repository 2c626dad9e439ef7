import { describe, expect, test } from 'vitest';
import { failureDelayMs, idleDelayMs, longestRetryAfterMs } from '../../../agent/base/backoff.ts';

const almostOne = 1 - Number.EPSILON;

describe('the wait after an empty claim', () => {
  test('is the poll interval plus or minus a fifth of it', () => {
    expect(idleDelayMs(3000, 0)).toBe(2400);
    expect(idleDelayMs(3000, 0.5)).toBe(3000);
    expect(idleDelayMs(3000, almostOne)).toBe(3600);
    expect(idleDelayMs(3000, almostOne, 1000)).toBe(1000);
    expect(idleDelayMs(3000, 0, 30_000)).toBe(2400);
  });
});

describe('the wait after failures', () => {
  const ceilings = (maxMs: number) =>
    [1, 2, 3, 4, 5, 6].map((failures) =>
      Math.round(failureDelayMs({ failures, baseMs: 3000, maxMs }, almostOne)),
    );

  test('has a ceiling that doubles up to the maximum', () => {
    expect(ceilings(30_000)).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000]);
  });

  test('has the maximum as its ceiling from the start when the poll interval is longer', () => {
    expect(ceilings(1000)).toEqual([1000, 1000, 1000, 1000, 1000, 1000]);
  });

  test('remains at the maximum after any number of failures', () => {
    expect(failureDelayMs({ failures: 5000, baseMs: 3000, maxMs: 30_000 }, 0.5)).toBe(15_000);
  });

  test('is drawn from zero up to the ceiling', () => {
    expect(failureDelayMs({ failures: 4, baseMs: 3000, maxMs: 30_000 }, 0)).toBe(0);
  });

  test('is never shorter than Retry-After, and still has jitter', () => {
    const options = { failures: 1, baseMs: 3000, maxMs: 30_000, retryAfterMs: 60_000 };
    expect(failureDelayMs(options, 0)).toBe(60_000);
    expect(failureDelayMs(options, 0.5)).toBe(61_500);
  });

  test('does not honor a Retry-After of more than an hour', () => {
    const options = { failures: 1, baseMs: 3000, maxMs: 30_000, retryAfterMs: 30 * 86_400_000 };
    expect(failureDelayMs(options, 0)).toBe(longestRetryAfterMs);
  });
});
