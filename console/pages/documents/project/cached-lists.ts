import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/client.ts';
import { withFirstPage } from './first-page.ts';
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
    const pages =
      first && lists && query.state.fetchStatus === 'idle' ? withFirstPage(lists.pages, first) : undefined;
    if (!lists || !pages) return readAgain(queryKey);
    client.setQueryData(queryKey, { pages, pageParams: lists.pageParams.slice(0, pages.length) });
  };
  await Promise.all([
    ...client.getQueryCache().findAll({ queryKey: listsKey }).map(refreshOne),
    client.invalidateQueries({ queryKey: [allFoldersKey] }),
  ]);
}
