import { describe, expect, test } from 'vitest';
import { keptStill } from '../../../console/base/still-rows.ts';
import {
  matches,
  withNewest,
  withOlder,
  type FolderRequest,
} from '../../../console/pages/folder-requests/loaded-requests.ts';

/** Higher numbers are newer. */
const request = (number: number, facts: Partial<FolderRequest> = {}): FolderRequest => ({
  id: `id-${number}`,
  targetPath: `Projekte\\${number}`,
  requestedByUserId: null,
  requestedByName: null,
  agentId: null,
  status: 'PENDING',
  errorMessage: null,
  attempts: 0,
  createdAt: `2026-11-20T09:00:0${number}.000Z`,
  updatedAt: `2026-11-20T09:00:0${number}.000Z`,
  processedAt: null,
  ...facts,
});
const requests = (...numbers: number[]) => numbers.map((number) => request(number));
const numbersOf = ({ items }: { items: readonly FolderRequest[] }) =>
  items.map(({ id }) => Number(id.slice(3)));

describe('a refreshed newest page', () => {
  const loaded = { items: requests(6, 5, 4, 3, 2), nextCursor: 'behind 2' };

  test('adds new requests and states, and keeps older requests and their cursor', () => {
    const newest = {
      items: [request(7), request(6, { status: 'FAILED' }), request(5)],
      nextCursor: 'behind 5',
    };
    const merged = withNewest(loaded, newest);
    expect(numbersOf(merged)).toEqual([7, 6, 5, 4, 3, 2]);
    expect(merged.items[1]?.status).toBe('FAILED');
    expect(merged.nextCursor).toBe('behind 2');
  });

  test('removes requests that are no longer among the newest', () => {
    const merged = withNewest(loaded, { items: requests(6, 4), nextCursor: 'behind 4' });
    expect(numbersOf(merged)).toEqual([6, 4, 3, 2]);
  });

  test('is the whole list when it is the last page or the first one loaded', () => {
    expect(withNewest(loaded, { items: requests(6, 3), nextCursor: null })).toEqual({
      items: requests(6, 3),
      nextCursor: null,
    });
    const first = { items: requests(2, 1), nextCursor: 'behind 1' };
    expect(withNewest(undefined, first)).toEqual(first);
  });

  test('changes nothing when it is empty but not the last page', () => {
    expect(withNewest(loaded, { items: [], nextCursor: 'behind 9' })).toBe(loaded);
    const first = { items: [], nextCursor: 'behind 9' };
    expect(withNewest(undefined, first)).toBe(first);
    expect(withNewest(loaded, { items: [], nextCursor: null })).toEqual({ items: [], nextCursor: null });
  });

  test('replaces the list when there are more new requests than a page has', () => {
    const merged = withNewest(
      { items: requests(2, 1), nextCursor: null },
      { items: requests(9, 8, 7), nextCursor: 'behind 7' },
    );
    // There may be other requests between 7 and 2, which the cursor reaches.
    expect(numbersOf(merged)).toEqual([9, 8, 7]);
    expect(merged.nextCursor).toBe('behind 7');
  });
});

test('an older page is appended, each request once', () => {
  const merged = withOlder(
    { items: requests(5, 4), nextCursor: 'behind 4' },
    { items: requests(4, 3), nextCursor: null },
  );
  expect(numbersOf(merged)).toEqual([5, 4, 3]);
  expect(merged.nextCursor).toBeNull();
});

test('the search covers path, id, agent, requester and error, regardless of case', () => {
  const found = request(1, { errorMessage: 'Zugriff verweigert', agentId: 'Berlin' });
  for (const text of ['projekte\\1', 'ID-1', 'berlin', 'VERWEIGERT']) expect(matches(found, text)).toBe(true);
  expect(matches(found, 'Hamburg')).toBe(false);
});

test('a path is found as it was pasted, and quotes alone find nothing', () => {
  const texts = ['"Projekte\\1"', '\u202aProjekte\\1 ', '""'];
  expect(texts.map((text) => matches(request(1), text))).toEqual([true, true, false]);
});

describe('a list under a mouse', () => {
  const still = (rows: number[], held: number[]) => {
    const { shown, hidden, gone } = keptStill(requests(...rows), requests(...held), ({ id }) => id);
    return [numbersOf({ items: shown }), hidden, [...gone]];
  };

  test.each([
    ['new ones before and between', [9, 8, 6, 5, 4], [8, 5, 4], [8, 5, 4], 2, []],
    ['older ones that are loaded', [8, 5, 4, 3, 2], [8, 5, 4], [8, 5, 4, 3, 2], 0, []],
    ['one that has gone', [9, 8, 4], [8, 5, 4], [8, 5, 4], 1, ['id-5']],
    ['the last one, behind which others are loaded', [8, 5, 3], [8, 5, 4], [8, 5, 4, 3], 0, ['id-4']],
    ['one that has come to the top', [4, 8, 5], [8, 5, 4], [8, 5, 4], 0, []],
    ['another list', [3, 2, 1], [9, 8], [3, 2, 1], 0, []],
    ['nothing', [], [9, 8], [], 0, []],
  ])('%s', (_name, rows, held, shown, hidden, gone) => {
    expect(still(rows, held)).toEqual([shown, hidden, gone]);
  });

  test('a row that has changed is shown as it is now', () => {
    const { shown } = keptStill([request(8, { agentId: 'new' })], [request(8)], ({ id }) => id);
    expect(shown).toEqual([request(8, { agentId: 'new' })]);
  });
});
