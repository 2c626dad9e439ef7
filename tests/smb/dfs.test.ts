import { expect, test } from 'vitest';
import { firstTarget } from '../../agent/smb/dfs.ts';

/** A referral of version 4 with one entry, MS-DFSC 2.2.5. */
function referral(address: string, { version = 4, offset = 34, entries = 1 } = {}): Buffer {
  const text = Buffer.from(`${address}\0`, 'utf16le');
  const result = Buffer.concat([Buffer.alloc(8 + 34), text]);
  result.writeUInt16LE(entries, 2);
  result.writeUInt16LE(version, 8);
  result.writeUInt16LE(34, 10);
  result.writeUInt16LE(offset, 8 + 16);
  return result;
}

test.each([3, 4])('the target of a version %i referral', (version) => {
  expect(firstTarget(referral('\\fileserver2\\projekte', { version }))).toBe('\\fileserver2\\projekte');
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a header alone', Buffer.alloc(8)],
  ['half an entry', referral('\\a\\b').subarray(0, 20)],
  ['no entries', referral('\\a\\b', { entries: 0 })],
  ['an old version', referral('\\a\\b', { version: 1 })],
  ['an address outside', referral('\\a\\b', { offset: 60_000 })],
  ['an address without an end', referral('\\a\\b').subarray(0, -2)],
])('%s gives no target', (_what, bytes) => {
  expect(firstTarget(bytes)).toBeUndefined();
});
