import { join } from 'node:path';
import { expect, test } from 'vitest';

// By variables, because this file is checked against Node's types, and the library brings those of React.
const [queries, lists] = [
  '@tanstack/react-query',
  join(import.meta.dirname, '../../../console/pages/documents/project/cached-lists.ts'),
];
const { InfiniteQueryObserver, QueryClient } = await import(queries);
const { allDocumentsKey, refreshChanged, updateInLists } = await import(lists);

const listsKey = [allDocumentsKey, 'p'];
const folderName = '01_Angebote';
const filter = { sort: '-uploadedAt', folderName };
const item = (at: number) => ({
  id: `d${at}`,
  uploadedAt: `2026-11-${10 + at}T08:00:00Z`,
  projectId: 'p',
  folderName,
  folderPath: '',
});

/** A list of some loaded pages that is shown, and what is read of it. */
async function shownList({ pages: loaded = 3 } = {}) {
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
  for (let pages = 1; pages <= loaded; pages += 1) {
    await expect.poll(() => observer.getCurrentResult().data?.pages.length).toBe(pages);
    if (pages < loaded) await observer.fetchNextPage();
  }
  reads.length = 0;
  const ids = () =>
    (client.getQueryData([...listsKey, filter])?.pages as ReturnType<typeof pageAt>[] | undefined)?.map(
      ({ items }) => items.map(({ id }) => id).join(' '),
    );
  const change = async (
    changes: { added: number; updated: number; missing: number },
    newest: object | Error = { ...pageAt(0), items: [item(10), item(9)] },
  ) => {
    const firstPageOf = async () => {
      reads.push('newest');
      if (newest instanceof Error) throw newest;
      return newest;
    };
    await refreshChanged(client, listsKey, changes, firstPageOf);
    stop();
  };
  const isOld = () => client.getQueryState([...listsKey, filter])?.isInvalidated;
  return { client, reads, ids, change, stop, isOld };
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

test('a call for what is new that fails: the list is read again as it is, and shows why', async () => {
  const { reads, ids, change } = await shownList();
  await change({ added: 1, updated: 0, missing: 0 }, new TypeError('Failed to fetch'));
  expect([reads, ids()]).toEqual([
    ['newest', 0, 1, 2],
    ['d9', 'd8', 'd7'],
  ]);
});

test('of a list of one page, that page is read again', async () => {
  const { reads, change } = await shownList({ pages: 1 });
  await change({ added: 1, updated: 0, missing: 0 });
  expect(reads).toEqual([0]);
});

test('lists that are not shown cost no call: a short one is read when it is opened, a long one begins anew', async () => {
  const [short, long] = [await shownList({ pages: 1 }), await shownList()];
  for (const list of [short, long]) {
    list.stop();
    await list.change({ added: 1, updated: 0, missing: 0 });
    expect(list.reads).toEqual([]);
  }
  expect([short.ids(), short.isOld()]).toEqual([['d9'], true]);
  expect(long.ids()).toBeUndefined();
});

test('a document that was moved leaves the list of its former folder, and no call reads the others', async () => {
  const { client, reads, ids } = await shownList();
  const changed = { ...item(9), folderPath: 'Nachträge' };
  await updateInLists(client, [changed, { ...item(8), folderName: '05_Verträge' }]);
  expect([reads, ids()]).toEqual([[], ['d9', '', 'd7']]);
  expect(client.getQueryData([...listsKey, filter]).pages[0].items).toEqual([changed]);
});
