import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import { refreshNewest, removeFromLists } from '../../../console/pages/documents/cached-lists.ts';
import type { Sort } from '../../../console/pages/documents/sort.ts';

const pageSize = 3;
const listsKey = ['documents', 'projekt-1'];

/** A list of the service, newest first, whose pages are loaded; `calls` has the cursor of each call since then. */
async function loadedList({ count, sort = '-uploadedAt' }: { count: number; sort?: Sort }) {
  const stored = Array.from({ length: count }, (_, index) => ({
    id: `d${count - index}`,
    uploadedAt: `2026-11-28T10:00:${String(count - index).padStart(2, '0')}Z`,
  }));
  const calls: (string | null)[] = [];
  const pageAfter = async (cursor: string | null): Promise<any> => {
    calls.push(cursor);
    const rest = stored.filter(({ uploadedAt }) => cursor === null || uploadedAt < cursor);
    const items = rest.slice(0, pageSize);
    return { items, nextCursor: rest.length > pageSize ? items.at(-1)!.uploadedAt : null };
  };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const observer = new InfiniteQueryObserver<any, Error, any, any, string | null>(client, {
    queryKey: [...listsKey, { sort }],
    queryFn: ({ pageParam }) => pageAfter(pageParam),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
  });
  onTestFinished(observer.subscribe(() => undefined));
  await expect.poll(() => observer.getCurrentResult().isSuccess).toBe(true);
  while (observer.getCurrentResult().hasNextPage) await observer.fetchNextPage();
  calls.length = 0;
  const shown = (): string[] =>
    observer.getCurrentResult().data.pages.flatMap(({ items }: any) => items.map(({ id }: any) => id));
  const refresh = () => refreshNewest(client, listsKey, () => pageAfter(null));
  return { client, observer, stored, calls, shown, refresh };
}

test('of a list with four pages, an upload reads the first one only, and every document is shown once', async () => {
  const { stored, calls, shown, refresh } = await loadedList({ count: 10 });
  // Two are new, one of the last page is replaced and so the newest, and another one of the first page is gone.
  const [replaced] = stored.splice(8, 1);
  stored.splice(0, 1);
  stored.unshift(
    { ...replaced!, uploadedAt: '2026-11-28T11:00:03Z' },
    { id: 'new2', uploadedAt: '2026-11-28T11:00:02Z' },
  );
  await refresh();
  expect(calls).toEqual([null]);
  expect(shown()).toEqual(stored.map(({ id }) => id));
});

test('a list in another order, with more new documents than a page has, or whose first page cannot be read, is read as a whole', async () => {
  const byName = await loadedList({ count: 7, sort: 'name' });
  byName.stored.unshift({ id: 'new', uploadedAt: '2026-11-28T11:00:00Z' });
  await byName.refresh();
  expect(byName.calls).toHaveLength(3);
  expect(byName.shown()).toContain('new');
  const { stored, calls: callsOfMany, shown, refresh } = await loadedList({ count: 7 });
  stored.unshift(...[3, 2, 1].map((at) => ({ id: `new${at}`, uploadedAt: `2026-11-28T11:00:0${at}Z` })));
  await refresh();
  expect(callsOfMany).toHaveLength(4);
  expect(shown()).toEqual(stored.slice(0, shown().length).map(({ id }) => id));
  const { client, calls } = await loadedList({ count: 7 });
  await refreshNewest(client, listsKey, () => Promise.reject(new Error('no')));
  expect(calls).toHaveLength(3);
});

test('a deletion takes its documents out of every page without a call', async () => {
  const { client, calls, shown } = await loadedList({ count: 7 });
  await removeFromLists(client, new Set(['d7', 'd2']));
  expect(shown()).toEqual(['d6', 'd5', 'd4', 'd3', 'd1']);
  expect(calls).toEqual([]);
});
