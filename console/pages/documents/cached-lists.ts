import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { allDocumentsKey, type ProjectDocument } from './use-project.ts';

type Lists = InfiniteData<{ readonly items: readonly ProjectDocument[] }>;

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
export function removeFromLists(client: QueryClient, ids: ReadonlySet<string>): void {
  changeLists(client, (items) => items.filter(({ id }) => !ids.has(id)));
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
  changeLists(client, (items, [, projectId, folder]) =>
    items
      .map((item) => ({ ...item, ...byId.get(item.id) }))
      .filter((item) => !byId.has(item.id) || staysIn(item, projectId, folder)),
  );
  await client.invalidateQueries({ queryKey: [allDocumentsKey], refetchType: 'none' });
}

/** The third part of a key is the folder of the list, the search of all projects, or empty. */
const staysIn = (document: ProjectDocument, projectId: unknown, folder: unknown): boolean =>
  document.projectId !== projectId || folder === '' || document.folderName === folder;
