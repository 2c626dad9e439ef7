import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/client.ts';
import { withAdded, withFirstPage } from './first-page.ts';
import type { DocumentFilter } from './use-document-filter.ts';

type ProjectDocument = Schemas['Document'];
type Page = Schemas['DocumentPage'];
const newestFirst = '-uploadedAt';
type Lists = InfiniteData<{ readonly items: readonly ProjectDocument[] }>;

/** Common prefix of the keys of all lists of documents; then the project and its filter follow, or the search of all projects. */
export const allDocumentsKey = 'documents';
/** Common prefix of the keys of the folders with their counts; then the project follows. */
export const allFoldersKey = 'document-folders';

function changeLists(
  client: QueryClient,
  change: (items: readonly ProjectDocument[], key: readonly unknown[]) => readonly ProjectDocument[],
): void {
  for (const [key] of client.getQueriesData<Lists>({ queryKey: [allDocumentsKey] })) {
    client.setQueryData<Lists>(
      key,
      (lists) =>
        lists && {
          ...lists,
          pages: lists.pages.map((page) => ({ ...page, items: change(page.items, key) })),
        },
    );
  }
}

/** Takes documents out of every loaded list, without reading the loaded pages again. */
export async function removeFromLists(client: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  changeLists(client, (items) => items.filter(({ id }) => !ids.has(id)));
  await client.invalidateQueries({ queryKey: [allFoldersKey] });
}

/**
 * Shows documents as they are now in every loaded list, without reading the loaded pages again; those that were moved leave
 * the list of the former folder. A list that is not shown is read again when it is opened, a long one from its first page.
 */
export async function updateInLists(
  client: QueryClient,
  documents: readonly ProjectDocument[],
): Promise<void> {
  const byId = new Map(documents.map((document) => [document.id, document]));
  changeLists(client, (items, [, projectId, filter]) =>
    items
      .map((item) => ({ ...item, ...byId.get(item.id) }))
      .filter((item) => !byId.has(item.id) || staysIn(item, projectId, filter)),
  );
  client.removeQueries({
    queryKey: [allDocumentsKey],
    type: 'inactive',
    predicate: ({ state }) => isLong(state),
  });
  await client.invalidateQueries({ queryKey: [allDocumentsKey], refetchType: 'none' });
  await client.invalidateQueries({ queryKey: [allFoldersKey] });
}

function staysIn(document: ProjectDocument, projectId: unknown, filter: unknown): boolean {
  if (document.projectId !== projectId) return true;
  const { folderName, folderPath } = filter as DocumentFilter;
  if (folderName !== undefined && document.folderName !== folderName) return false;
  return folderPath === undefined || document.folderPath === folderPath;
}

type LoadedList = InfiniteData<Page, string | null>;

/** What a list is read again from. */
const beginning = ({ pages, pageParams }: LoadedList): LoadedList => ({
  pages: pages.slice(0, 1),
  pageParams: pageParams.slice(0, 1),
});

type FirstPageOf = (filter: DocumentFilter) => Promise<Page>;

/** Whether more than one page is loaded: such a list is not read again as a whole because of a change. */
export const isLong = ({ data }: { readonly data?: unknown }): boolean =>
  ((data as InfiniteData<Page> | undefined)?.pages.length ?? 0) > 1;

/**
 * Shows what was added to the lists of a project, with one call for each list that is shown, however many pages are loaded:
 * the page of the newest documents has what was added.
 */
export async function refreshNewest(
  client: QueryClient,
  listsKey: readonly unknown[],
  firstPageOf: FirstPageOf,
): Promise<void> {
  const lists = client.getQueryCache().findAll({ queryKey: listsKey });
  await Promise.all([
    ...lists.map((query) => refreshOne(client, query, firstPageOf)),
    client.invalidateQueries({ queryKey: [allFoldersKey] }),
  ]);
}

/**
 * Shows what a comparison has changed, with one call for each list that is shown, however many pages are loaded: a long list
 * begins anew if something in it can be wrong.
 */
export async function refreshChanged(
  client: QueryClient,
  listsKey: readonly unknown[],
  { updated, missing }: Schemas['RefreshCounts'],
  firstPageOf: FirstPageOf,
): Promise<void> {
  if (updated + missing === 0) return refreshNewest(client, listsKey, firstPageOf);
  client.removeQueries({ queryKey: listsKey, type: 'inactive', predicate: ({ state }) => isLong(state) });
  client.setQueriesData<LoadedList>({ queryKey: listsKey }, (list) => list && beginning(list));
  await Promise.all([
    client.invalidateQueries({ queryKey: listsKey }),
    client.invalidateQueries({ queryKey: [allFoldersKey] }),
  ]);
}

/** As `refreshNewest`, for the long lists alone. */
export async function refreshLong(
  client: QueryClient,
  listsKey: readonly unknown[],
  firstPageOf: FirstPageOf,
): Promise<void> {
  const lists = client.getQueryCache().findAll({ queryKey: listsKey, type: 'active' });
  const long = lists.filter(({ state }) => isLong(state));
  await Promise.all(long.map((query) => refreshOne(client, query, firstPageOf)));
}

async function refreshOne(client: QueryClient, query: Query, firstPageOf: FirstPageOf): Promise<void> {
  const { queryKey } = query;
  const readAgain = () => client.invalidateQueries({ queryKey, exact: true });
  const filter = queryKey.at(-1) as DocumentFilter;
  if (!query.isActive() && isLong(query.state)) return client.removeQueries({ queryKey, exact: true });
  if (!query.isActive() || !isLong(query.state)) return readAgain();
  const newest = await firstPageOf({ ...filter, sort: newestFirst }).catch(() => undefined);
  // What is being loaded at the same time would replace the result; and the list itself shows why a call failed.
  const list = client.getQueryData<LoadedList>(queryKey);
  if (!newest || !list || query.state.fetchStatus !== 'idle') return readAgain();
  const pages =
    filter.sort === newestFirst
      ? withFirstPage(list.pages, newest)
      : withAdded(list.pages, newest, filter.sort);
  if (!pages) {
    client.setQueryData(queryKey, beginning(list));
    return readAgain();
  }
  client.setQueryData(queryKey, { pages, pageParams: list.pageParams.slice(0, pages.length) });
}
