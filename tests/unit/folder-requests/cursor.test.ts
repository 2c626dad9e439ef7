import { expect, test } from 'vitest';
import { cursorAfter, invertedIdOf } from '../../../lib/folder-requests/cursor.ts';

const invertedId = 'fe6560916fff8fff7fffffffffffffff';

test('a cursor decodes to the position for which it was issued', () => {
  for (const filter of [{}, { status: 'FAILED' }, { agentId: 'a' }, { status: 'PENDING', agentId: 'a' }]) {
    expect(invertedIdOf(cursorAfter(invertedId, filter), filter)).toBe(invertedId);
  }
});

test('a cursor of another list, of another form, or with a changed character is invalid', () => {
  const cursor = cursorAfter(invertedId, { status: 'FAILED' });
  expect(invertedIdOf(cursor, {})).toBeUndefined();
  expect(invertedIdOf(cursor, { status: 'FULFILLED' })).toBeUndefined();
  expect(invertedIdOf(cursor, { status: 'FAILED', agentId: 'a' })).toBeUndefined();
  for (const foreign of [
    '',
    '0',
    'abc',
    `${cursor}=`,
    ` ${cursor}`,
    cursor.slice(1),
    invertedId,
    'eyJsYXN0IjoxfQ',
  ]) {
    expect(invertedIdOf(foreign, { status: 'FAILED' })).toBeUndefined();
  }
  for (let at = 0; at < cursor.length; at += 1) {
    const other = cursor[at] === 'A' ? 'B' : 'A';
    const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
    expect(invertedIdOf(changed, { status: 'FAILED' })).toBeUndefined();
  }
});
