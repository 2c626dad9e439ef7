import { expect, test } from 'vitest';
import { inContext, SmbError } from '../base/smb-error.ts';
import { statusError, statusName } from '../base/status.ts';
import { Entry } from '../index.ts';
import { fileTimeOf } from '../base/entry.ts';

test('a status becomes an error with code, name, number, operation and path', () => {
  const error = statusError(0xc0000043, 'open', 'a\\b');
  expect(error).toMatchObject({
    name: 'SmbError',
    code: 'EBUSY',
    statusName: 'SHARING_VIOLATION',
    status: 0xc0000043,
    operation: 'open',
    path: 'a\\b',
    retryable: true,
    message: 'open a\\b: SHARING_VIOLATION (0xC0000043)',
  });
});

test('a status without a name is reported by its number', () => {
  expect(statusName(0xc0001234)).toBe('0xC0001234');
  expect(statusError(0xc0001234, 'list', '')).toMatchObject({
    code: 'SERVER_ERROR',
    retryable: true,
    message: 'list \\: the server returned 0xC0001234',
  });
});

test.each([
  [0xc000006d, 'LOGON_REJECTED', false],
  [0xc0000234, 'LOGON_REJECTED', false],
  [0xc0000418, 'NTLM_UNAVAILABLE', false],
  [0xc000007f, 'ENOSPC', false],
  [0xc0000044, 'ENOSPC', false],
  [0xc0000203, 'CONNECTION_LOST', true],
  [0xc0000035, 'EEXIST', false],
  [0xc0000034, 'ENOENT', false],
  [0xc000003a, 'ENOENT', false],
  [0xc0000022, 'EACCES', false],
  [0xc00000ba, 'EISDIR', false],
  [0xc0000103, 'ENOTDIR', false],
  [0xc0000101, 'ENOTEMPTY', false],
  [0xc0000017, 'SERVER_BUSY', true],
  [0xc000009a, 'SERVER_BUSY', true],
  [0xc0000192, 'SERVER_BUSY', true],
  [0xc000018d, 'SERVER_BUSY', true],
  [0xc0000039, 'ENOTDIR', false],
  [0xc0000802, 'ENOSPC', false],
  [0xc00000c4, 'SERVER_ERROR', true],
  [0xc0000267, 'SERVER_ERROR', true],
  [0xc0000907, 'EACCES', false],
  [0xc000cf01, 'SERVER_ERROR', true],
  [0xc000cf18, 'EACCES', false],
] as const)('status %i is %s', (status, code, retryable) => {
  expect(statusError(status, 'x')).toMatchObject({ code, retryable });
});

test('an error gets the operation and path of the call that failed, once', () => {
  const lost = new SmbError('CONNECTION_LOST', 'The connection was lost', {
    operation: 'receive',
    retryable: true,
  });
  const failed = inContext(lost, 'publish', 'a\\b');
  expect(failed).toMatchObject({
    code: 'CONNECTION_LOST',
    operation: 'publish',
    path: 'a\\b',
    retryable: true,
  });
  expect(failed.cause).toBe(lost);
  expect(inContext(failed, 'copy', 'c')).toBe(failed);
  expect(inContext(new TypeError('x'), 'list', 'd')).toMatchObject({ code: 'SERVER_ERROR', path: 'd' });
});

test('FILETIME and Date convert both ways', () => {
  const date = new Date('2026-11-20T10:54:26.123Z');
  const at = (writtenAt: bigint) => ({
    size: 0,
    attributes: 0,
    createdAt: 0n,
    accessedAt: 0n,
    writtenAt,
    changedAt: 0n,
  });
  expect(new Entry(at(fileTimeOf(date))).mtime).toEqual(date);
  expect(fileTimeOf(new Date(0))).toBe(116_444_736_000_000_000n);
  for (const impossible of [new Date(NaN), new Date('1600-01-01')])
    expect(() => fileTimeOf(impossible)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});
