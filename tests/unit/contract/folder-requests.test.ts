import { describe, expect, test } from 'vitest';
import {
  claimRouting,
  folderRequestReport,
  newFolderRequest,
} from '../../../lib/contract/folder-requests.ts';

describe('the body of a new folder request', () => {
  test('is parsed to the stored form of the path', () => {
    expect(newFolderRequest.parse({ targetPath: '//files/projects/Auftra\u0308ge' })).toEqual({
      targetPath: '\\\\files\\projects\\Aufträge',
    });
  });

  test('lists every fault of the path', () => {
    const parsed = newFolderRequest.safeParse({ targetPath: 'a:\\..' });
    expect(parsed.success).toBe(false);
    const two = newFolderRequest.safeParse({ targetPath: 'nul\\..' });
    expect(two.error?.issues.map((issue) => [issue.path, issue.message])).toEqual([
      [['targetPath'], 'path_device_name'],
      [['targetPath'], 'path_dots'],
    ]);
  });

  test.each([
    [{}],
    [{ targetPath: 7 }],
    [{ targetPath: null }],
    [{ targetPath: 'a', extra: 1 }],
    [null],
    ['a'],
  ])('rejects %j', (body) => {
    expect(newFolderRequest.safeParse(body).success).toBe(false);
  });
});

describe('the server names of a claim', () => {
  const isAccepted = (name: string): boolean => claimRouting.safeParse({ servers: [name] }).success;

  test.each(['fs1', 'FS_1.firma.example', 'größe', '文件', '"', '😀'])('may be %s', (name) => {
    expect(isAccepted(name)).toBe(true);
  });

  test.each(['\0', '\u001F', '\u007F', '\u0085', '\n', '\u2028', '\u2029', '\uD800', '\uDC00'])(
    'must not contain %j',
    (character) => {
      expect([isAccepted(character), isAccepted(`fs${character}1`)]).toEqual([false, false]);
    },
  );
});

describe('a report', () => {
  test.each([
    [{ status: 'FULFILLED' }],
    [{ status: 'FULFILLED', claimToken: 't' }],
    [{ status: 'FAILED', errorMessage: 'share not reachable' }],
    [{ status: 'FAILED', errorMessage: 'x'.repeat(20_000), claimToken: 't' }],
  ])('may be %j', (body) => {
    expect(folderRequestReport.parse(body)).toEqual(body);
  });

  test.each([
    [{ status: 'FULFILLED', errorMessage: 'but why' }, 'errorMessage'],
    [{ status: 'FAILED' }, 'errorMessage'],
    [{ status: 'FAILED', errorMessage: '' }, 'errorMessage'],
    [{ status: 'PENDING' }, 'status'],
    [{}, 'status'],
    [{ status: 'FULFILLED', claimToken: '' }, 'claimToken'],
    [{ status: 'FULFILLED', extra: 1 }, 'extra'],
  ])('may not be %j', (body, named) => {
    const parsed = folderRequestReport.safeParse(body);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain(named);
  });
});

test('a server name of a claim has at most 255 characters', () => {
  const isAccepted = (length: number) => claimRouting.safeParse({ servers: ['s'.repeat(length)] }).success;
  expect([isAccepted(255), isAccepted(256)]).toEqual([true, false]);
});

test('a claim names at most 50 servers', () => {
  const isAccepted = (length: number) =>
    claimRouting.safeParse({ servers: Array.from({ length }, (_, at) => `fs${at}`) }).success;
  expect([isAccepted(50), isAccepted(51)]).toEqual([true, false]);
});
