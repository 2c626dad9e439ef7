import { expect, test } from 'vitest';
import { allPages, filledPage } from '../../../console/api/filled-page.ts';

/** A list whose first pages are empty; the cursor of a page is its number. */
const listWith =
  (emptyPages: number, asked: (string | undefined)[]) => async (cursor: string | undefined) => {
    asked.push(cursor);
    const at = Number(cursor ?? 0);
    return at < emptyPages
      ? { items: [], nextCursor: String(at + 1) }
      : { items: ['found'], nextCursor: String(at + 1) };
  };

test('empty pages are followed to the first one with items, from the cursor that is given', async () => {
  const asked: (string | undefined)[] = [];
  expect(await filledPage(listWith(3, asked))).toEqual({ items: ['found'], nextCursor: '4' });
  expect(asked).toEqual([undefined, '1', '2', '3']);
  asked.length = 0;
  await filledPage(listWith(3, asked), '2');
  expect(asked).toEqual(['2', '3']);
});

test('an empty list ends, and a long search stops after ten pages with a cursor', async () => {
  const asked: (string | undefined)[] = [];
  const end = { items: [], nextCursor: null };
  expect(await filledPage(async () => end)).toBe(end);
  expect(await filledPage(listWith(99, asked))).toEqual({ items: [], nextCursor: '10' });
  expect(asked).toHaveLength(10);
});

test('a list is loaded to its end; a failure ends it with what is loaded', async () => {
  const list = (loaded: number, failsAt = Infinity): Parameters<typeof allPages<number>>[0] => ({
    data: { pages: Array.from({ length: loaded }, (_, index) => index) },
    hasNextPage: loaded < 4,
    isError: loaded >= failsAt,
    fetchNextPage: () => Promise.resolve(list(loaded + 1, failsAt)),
  });
  expect(await allPages(list(1))).toEqual([0, 1, 2, 3]);
  expect(await allPages(list(4))).toEqual([0, 1, 2, 3]);
  expect(await allPages(list(1, 2))).toEqual([0, 1]);
});
