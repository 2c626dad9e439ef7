import { expect, test } from 'vitest';
import {
  checkContiguous,
  isAligned,
  parseContentRange,
} from '../../../local/stand-ins/drive/base/content-range.ts';

const unit = 327_680;
const limit = 60 * 1024 * 1024;

test.each([
  [undefined, 'bytes 0-9/10', 411, 'invalidRequest'],
  ['10', undefined, 400, 'invalidRequest'],
  ['10', 'bytes 0-9/*', 400, 'invalidRequest'],
  ['10', 'bytes  0-9/10', 400, 'invalidRequest'],
  ['10', 'bytes 0 - 9/10', 400, 'invalidRequest'],
  ['10', 'bytes=0-9/10', 400, 'invalidRequest'],
  ['11', 'bytes 0-9/10', 400, 'invalidRequest'],
  ['9', 'bytes 0-9/10', 400, 'invalidRequest'],
  ['0', 'bytes 0-0/0', 416, 'invalidRange'],
  ['10', 'bytes 0-9/9', 416, 'invalidRange'],
  ['10', 'bytes 9-0/10', 416, 'invalidRange'],
  [`${limit}`, `bytes 0-${limit - 1}/${limit}`, 413, 'invalidRequest'],
  ['1', `bytes 0-0/${250 * 1024 ** 3 + 1}`, 400, 'invalidArgument'],
])('Content-Length %s with Content-Range %s is rejected', (length, range, status, code) => {
  expect(() => parseContentRange(range, length)).toThrow(expect.objectContaining({ status, code }));
});

test('the largest fragment is 191 units', () => {
  const bytes = 191 * unit;
  expect(parseContentRange(`bytes 0-${bytes - 1}/${bytes * 2}`, `${bytes}`)).toEqual({
    start: 0,
    end: bytes - 1,
    total: bytes * 2,
    bytes,
  });
});

test.each([
  [`bytes 0-${unit - 1}/${unit * 2}`, unit, true],
  [`bytes 17-${unit + 16}/${unit * 2}`, unit, true],
  [`bytes 0-${unit}/${unit * 2}`, unit + 1, false],
  [`bytes 0-${unit - 2}/${unit * 2}`, unit - 1, false],
  ['bytes 5-9/10', 5, true],
])('%s: the length must be a multiple of 320 KiB, except for the last fragment', (range, length, aligned) => {
  expect(isAligned(parseContentRange(range, `${length}`))).toBe(aligned);
});

test.each([
  [{ received: 10, total: 30 }, 'bytes 10-19/30', undefined],
  [{ received: 10, total: 30 }, 'bytes 0-9/30', 'fragmentOverlap'],
  [{ received: 10, total: 30 }, 'bytes 11-20/30', 'fragmentOutOfOrder'],
  [{ received: 10, total: 30 }, 'bytes 10-19/31', 'fragmentLengthMismatch'],
  [{ received: 0, total: null }, 'bytes 0-9/31', undefined],
])('session %j, fragment %s: %s', (session, range, code) => {
  const act = () => checkContiguous(parseContentRange(range, '10'), session);
  if (code === undefined) expect(act).not.toThrow();
  else expect(act).toThrow(expect.objectContaining({ status: 416, inner: [code] }));
});
