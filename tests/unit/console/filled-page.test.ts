import { expect, test } from 'vitest';
import { filledPage } from '../../../console/api/filled-page.ts';

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
