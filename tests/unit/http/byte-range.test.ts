import { expect, test } from 'vitest';
import { isNoneMatch, requestedRange } from '../../../lib/http/byte-range.ts';

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=10-19', 10, 19],
  ['Bytes= 10-19 ', 10, 19],
  ['bytes=990-', 990, 999],
  ['bytes=-5', 995, 999],
  ['bytes=-5000', 0, 999],
  ['bytes=0-99999', 0, 999],
  ['bytes=0-99999999999999999999', 0, 999],
])('%j of 1,000 bytes is a part', (header, start, end) => {
  expect(requestedRange(header, 1000)).toEqual({ kind: 'part', start, end });
});

test.each([undefined, 'bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=', 'bytes=-', 'bytes=a-b'])(
  '%j is everything',
  (header) => {
    expect(requestedRange(header, 1000)).toEqual({ kind: 'all' });
  },
);

test.each(['bytes=1000-', 'bytes=-0', 'bytes=99999999999999999999-'])('%j is outside the file', (header) => {
  expect(requestedRange(header, 1000)).toEqual({ kind: 'outside' });
});

test.each([
  [undefined, false],
  ['"b"', false],
  ['"a,1"', true],
  ['"x", W/"a,1"', true],
  [' * ', true],
])('If-None-Match %j names the tag: %s', (header, isNamed) => {
  expect(isNoneMatch(header, '"a,1"')).toBe(isNamed);
  expect(isNoneMatch(header, undefined)).toBe(false);
});
