import { expect, test } from 'vitest';
import { isNoneMatch, requestedRange } from '../../../lib/http/byte-range.ts';

test.each([
  ['bytes=0-0', 'bytes=0-0'],
  ['Bytes= 10-19 ', 'bytes=10-19'],
  ['bytes=990-', 'bytes=990-'],
  ['bytes=-5', 'bytes=-5'],
  ['bytes=-0', 'bytes=-0'],
  ['bytes=0010-0019', 'bytes=10-19'],
  ['bytes=0-99999999999999999999', 'bytes=0-9007199254740991'],
])('%j requests a part', (header, range) => {
  expect(requestedRange(header)).toBe(range);
});

test.each([undefined, 'bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=', 'bytes=-', 'bytes=a-b'])(
  '%j is everything',
  (header) => {
    expect(requestedRange(header)).toBeUndefined();
  },
);

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
