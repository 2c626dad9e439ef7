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

  test('has the code other instead of one that only a newer agent has', () => {
    const failed = { status: 'FAILED', errorMessage: 'no' } as const;
    expect(folderRequestReport.parse({ ...failed, errorCode: 'volcano' })).toMatchObject({
      errorCode: 'other',
    });
    expect(folderRequestReport.parse({ ...failed, errorCode: 'disk_full' })).toMatchObject({
      errorCode: 'disk_full',
    });
    expect(folderRequestReport.parse(failed)).toEqual(failed);
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

describe('the body of a claim', () => {
  const long = (length: number): string => 's'.repeat(length);
  const many = (length: number): string[] => Array.from({ length }, (_, at) => `fs${at}`);

  test.each([
    [{ servers: ['fs1'], relative: false }],
    [{ servers: [], relative: true }],
    [{ servers: [long(255)] }],
    [{ servers: many(50) }],
  ])('may be %j', (body) => {
    expect(claimRouting.parse(body)).toEqual(body);
  });

  test.each([
    [{}, ['servers']],
    [{ servers: 'fs1' }, ['servers']],
    [{ servers: [''] }, ['servers', 0]],
    [{ servers: ['\\\\fs1'] }, ['servers', 0]],
    [{ servers: ['fs1', long(256)] }, ['servers', 1]],
    [{ servers: many(51) }, ['servers']],
    [{ servers: ['fs1'], relative: 'yes' }, ['relative']],
    [{ servers: [] }, []],
  ])('may not be %j', (body, path) => {
    expect(claimRouting.safeParse(body).error?.issues.map((issue) => issue.path)).toEqual([path]);
  });

  test('has no other fields', () => {
    const { error } = claimRouting.safeParse({ servers: ['fs1'], shares: ['a'] });
    expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['shares'] }]);
  });
});
