import { describe, expect, test } from 'vitest';
import { fragmentEnd, nextExpectedByte } from '../../../console/uploads/fragments.ts';

describe('nextExpectedByte', () => {
  test.each([
    [['0-'], 0],
    [['26-'], 26],
    [['5242880-8255205'], 5_242_880],
    [['300-400', '26-99'], 26],
    [[], null],
  ])('%j -> %j', (ranges, expected) => {
    expect(nextExpectedByte(ranges)).toBe(expected);
  });

  test.each([[['26']], [['-99']], [['a-b']], [['26-', '']]])('%j is rejected', (ranges) => {
    expect(() => nextExpectedByte(ranges)).toThrow('Not a list of byte ranges');
  });
});

describe('fragmentEnd', () => {
  test('a fragment has its full length from any start, and the last one has the remainder', () => {
    expect(fragmentEnd(0, 1_000_000, 327_680)).toBe(327_680);
    expect(fragmentEnd(13, 1_000_000, 655_360)).toBe(655_373);
    expect(fragmentEnd(655_373, 1_000_000, 655_360)).toBe(1_000_000);
  });

  test.each([0, -327_680, 100, 327_681])('%d bytes are rejected', (bytes) => {
    expect(() => fragmentEnd(0, 10, bytes)).toThrow('not a multiple of 327680');
  });
});
