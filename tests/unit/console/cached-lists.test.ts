import { join } from 'node:path';
import { expect, test } from 'vitest';

// By variables, because this file is checked against Node's types, and the library brings those of React.
const [queries, lists] = [
  '@tanstack/react-query',
  join(import.meta.dirname, '../../../console/pages/documents/project/cached-lists.ts'),
];
const { InfiniteQueryObserver, QueryClient } = await import(queries);
const { allDocumentsKey, refreshChanged } = await import(lists);

const listsKey = [allDocumentsKey, 'p'];
const filter = { sort: '-uploadedAt' };
const item = (at: number) => ({ id: `d${at}`, uploadedAt: `2026-11-${10 + at}T08:00:00Z` });

/** A list of three loaded pages that is shown, and what is read of it. */
async function shownList() {
  const client = new QueryClient();
  const reads: (number | 'newest')[] = [];
  const pageAt = (at: number) => ({ items: [item(9 - at)], nextCursor: at < 2 ? at + 1 : null });
  const observer = new InfiniteQueryObserver(client, {
    queryKey: [...listsKey, filter],
    queryFn: ({ pageParam }: { pageParam: number }) => {
      reads.push(pageParam);
      return pageAt(pageParam);
    },
    initialPageParam: 0,
    getNextPageParam: ({ nextCursor }: { nextCursor: number | null }) => nextCursor,
  });
  const stop = observer.subscribe(() => undefined);
  for (let pages = 1; pages <= 3; pages += 1) {
    await expect.poll(() => observer.getCurrentResult().data?.pages.length).toBe(pages);
    if (pages < 3) await observer.fetchNextPage();
  }
  reads.length = 0;
  const ids = () =>
    (client.getQueryData([...listsKey, filter]).pages as ReturnType<typeof pageAt>[]).map(({ items }) =>
      items.map(({ id }) => id).join(' '),
    );
  const change = async (
    changes: { added: number; updated: number; missing: number },
    newest: object = { ...pageAt(0), items: [item(10), item(9)] },
  ) => {
    const firstPageOf = async () => {
      reads.push('newest');
      return newest;
    };
    await refreshChanged(client, listsKey, changes, firstPageOf);
    stop();
  };
  return { reads, ids, change };
}

test('documents that a comparison has added are read with one call, and what is loaded remains', async () => {
  const { reads, ids, change } = await shownList();
  await change({ added: 1, updated: 0, missing: 0 });
  expect([reads, ids()]).toEqual([['newest'], ['d10 d9', 'd8', 'd7']]);
});

test.each([
  { added: 0, updated: 1, missing: 0 },
  { added: 0, updated: 0, missing: 1 },
])('if something in a long list can be wrong, it begins anew with one call: %o', async (changes) => {
  const { reads, ids, change } = await shownList();
  await change(changes);
  expect([reads, ids()]).toEqual([[0], ['d9']]);
});

test('more documents than a page has: the list begins anew', async () => {
  const { reads, ids, change } = await shownList();
  await change({ added: 200, updated: 0, missing: 0 }, { items: [item(19), item(18)], nextCursor: 1 });
  expect([reads, ids()]).toEqual([['newest', 0], ['d9']]);
});
