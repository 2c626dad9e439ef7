import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import type { DocumentFilter } from './use-document-filter.ts';

type ProjectDocument = Schemas['Document'];
type Page = Schemas['DocumentPage'];
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
 * the list of the former folder. A list that is not shown is read again when it is opened.
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
  await client.invalidateQueries({ queryKey: [allDocumentsKey], refetchType: 'none' });
  await client.invalidateQueries({ queryKey: [allFoldersKey] });
}

function staysIn(document: ProjectDocument, projectId: unknown, filter: unknown): boolean {
  if (document.projectId !== projectId) return true;
  const { folderName, folderPath } = filter as DocumentFilter;
  if (folderName !== undefined && document.folderName !== folderName) return false;
  return folderPath === undefined || document.folderPath === folderPath;
}

/**
 * Shows what was added to the lists of a project, with one call for each list that is shown: the newest come first there, so
 * the first page has them, however many pages are loaded. A list in another order is read again as a whole.
 */
export async function refreshNewest(
  client: QueryClient,
  listsKey: readonly unknown[],
  firstPageOf: (filter: DocumentFilter) => Promise<Page>,
): Promise<void> {
  const readAgain = (queryKey: readonly unknown[]) => client.invalidateQueries({ queryKey, exact: true });
  const refreshOne = async (query: Query): Promise<void> => {
    const { queryKey } = query;
    const filter = queryKey[listsKey.length] as DocumentFilter;
    const loaded = (query.state.data as InfiniteData<Page> | undefined)?.pages.length ?? 0;
    if (!query.isActive() || loaded < 2 || filter.sort !== '-uploadedAt') return readAgain(queryKey);
    const first = await firstPageOf(filter).catch(() => undefined);
    // What is being loaded at the same time would replace the result; and the list itself shows why a call failed.
    const lists = client.getQueryData<InfiniteData<Page, string | null>>(queryKey);
    const changed =
      first && lists && query.state.fetchStatus === 'idle' ? withFirst(lists, first) : undefined;
    if (!changed) return readAgain(queryKey);
    client.setQueryData(queryKey, changed);
  };
  await Promise.all([
    ...client.getQueryCache().findAll({ queryKey: listsKey }).map(refreshOne),
    client.invalidateQueries({ queryKey: [allFoldersKey] }),
  ]);
}

/**
 * The loaded pages with another first one: what comes after its last unchanged document remains, in the pages where it was;
 * what would come before is in the new page, or not in the list any more. Undefined if the new page does not reach them.
 */
function withFirst(
  { pages: [before, ...others], pageParams }: InfiniteData<Page, string | null>,
  first: Page,
): InfiniteData<Page, string | null> | undefined {
  if (first.nextCursor === null) return { pages: [first], pageParams: pageParams.slice(0, 1) };
  const listed = [before, ...others].flatMap((page) => page?.items ?? []);
  const placeOf = new Map(listed.map(({ id, uploadedAt }, index) => [`${id} ${uploadedAt}`, index]));
  const last = first.items.findLast(({ id, uploadedAt }) => placeOf.has(`${id} ${uploadedAt}`));
  if (!last) return undefined;
  const end = placeOf.get(`${last.id} ${last.uploadedAt}`)!;
  const shown = new Set(first.items.map(({ id }) => id));
  const remaining = new Set(listed.slice(end + 1).filter(({ id }) => !shown.has(id)));
  const pages = others.map((page, index) => ({
    ...page,
    items: [...(index === 0 ? (before?.items ?? []) : []), ...page.items].filter((item) =>
      remaining.has(item),
    ),
  }));
  return { pages: [first, ...pages], pageParams };
}
