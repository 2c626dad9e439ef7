import { expect, test } from 'vitest';
import { mayWithdraw, type FolderRequest } from '../../../console/pages/folder-requests/loaded-requests.ts';
import { csvOf } from '../../../console/base/csv.ts';

const request = (status: FolderRequest['status']): FolderRequest => ({
  id: 'id-1',
  targetPath: 'Projekte\\1',
  requestedByUserId: null,
  requestedByName: null,
  agentId: null,
  status,
  errorMessage: null,
  attempts: 0,
  createdAt: '2026-11-20T09:00:00.000Z',
  updatedAt: '2026-11-20T09:00:00.000Z',
  processedAt: null,
});

test('rows are a CSV file that Excel opens in each language, and no field is a formula', () => {
  const rows = [
    ['path', 'attempts', 'error'],
    ['=HYPERLINK("http://x")', 2, null],
    ['a;b', -1, 'line 1\r\nline 2'],
    ['@x', 0, '-y'],
  ];
  expect(csvOf(rows, ',')).toBe(
    '\uFEFFpath,attempts,error\r\n"\'=HYPERLINK(""http://x"")",2,\r\na;b,-1,"line 1\r\nline 2"\r\n"\'@x",0,"\'-y"\r\n',
  );
  // A program that separates at another character does not find one behind it.
  expect(csvOf([['a;=1', 'a\t@b', 'a; +1', 'a|-1', 'a=1;b']], ',')).toBe(
    '\uFEFF"a;=1","a\t@b","a; +1","a|-1",a=1;b\r\n',
  );
  expect(csvOf([['a,b', 'c;d', 1]], ';')).toBe('\uFEFFa,b;"c;d";1\r\n');
});

test('a pending request may be withdrawn, a failed one by administrators only', () => {
  const may = (isAdministrator: boolean) =>
    (['PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const).filter((status) =>
      mayWithdraw(request(status), isAdministrator),
    );
  expect(may(false)).toEqual(['PENDING']);
  expect(may(true)).toEqual(['PENDING', 'FAILED']);
});
