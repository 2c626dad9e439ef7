import { useEffect } from 'react';
import {
  focusManager,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client.ts';
import { filledPage } from '../../../api/filled-page.ts';
import { freshMs } from '../../../api/query-client.ts';
import { mayRefresh } from '../../../api/refresh-pace.ts';
import {
  allDocumentsKey,
  allFoldersKey,
  isLong,
  refreshChanged,
  refreshLong,
  refreshNewest,
} from './cached-lists.ts';
import { topFolders, type Folder } from './folders.ts';
import type { DocumentFilter } from './use-document-filter.ts';

export type Project = Schemas['Project'];
export type ProjectDocument = Schemas['Document'];
export type FoundDocument = Schemas['FoundDocument'];

export const projectKey = (projectId: string): readonly string[] => ['project', projectId];
/** Common prefix of the keys of all folders of the project. */
export const documentsKey = (projectId: string): readonly string[] => [allDocumentsKey, projectId];
export const directoriesKey = (projectId: string): readonly string[] => ['directories', projectId];

const pageSize = 200;

export function useProject(projectId: string) {
  return useQuery({
    queryKey: projectKey(projectId),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{projectId}', { params: { path: { projectId } }, signal })),
    staleTime: 60_000,
  });
}

function pageOf(
  projectId: string,
  { folderName, folderPath, search, uploadedBy, sort }: DocumentFilter,
  cursor: string | null,
  signal?: AbortSignal,
) {
  const query = {
    limit: pageSize,
    sort,
    ...(folderName && { folderName }),
    ...(folderPath !== undefined && { folderPath }),
    ...(search !== undefined && { search }),
    ...(uploadedBy !== undefined && { uploadedBy }),
    ...(cursor !== null && { cursor }),
  };
  const params = { path: { projectId }, query };
  return dataOf(api.GET('/documents/projects/{projectId}', { params, ...(signal && { signal }) }));
}

/** The project's folders with the numbers of their documents. */
export function useFolders(projectId: string) {
  return useQuery({
    queryKey: [allFoldersKey, projectId],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/documents/projects/{projectId}/folders', { params: { path: { projectId } }, signal })),
  });
}

/** Who has uploaded the project's documents. */
export const usePeople = (projectId: string): readonly Schemas['Uploader'][] =>
  useFolders(projectId).data?.people ?? nobody;

const nobody: readonly Schemas['Uploader'][] = [];

/** Where a document of the project can be: until they are known, without the folders below. */
export const useTargetFolders = (projectId: string): readonly Folder[] =>
  useFolders(projectId).data?.items ?? topFolders;

/** After uploads into the project: one call for each of its lists that is shown. */
export const readNewest = (client: QueryClient, projectId: string): Promise<void> =>
  refreshNewest(client, documentsKey(projectId), (filter) => pageOf(projectId, filter, null));

/** After a comparison of the project with the library. */
export const readChanged = (
  client: QueryClient,
  projectId: string,
  changes: Schemas['RefreshCounts'],
): Promise<void> =>
  refreshChanged(client, documentsKey(projectId), changes, (filter) => pageOf(projectId, filter, null));

/**
 * The project's documents; each page also has the addresses of its folders. When a long list is opened or its tab is shown
 * again, only its newest page is read.
 */
export function useDocuments(projectId: string, filter: DocumentFilter) {
  const client = useQueryClient();
  const list = useInfiniteQuery({
    queryKey: [...documentsKey(projectId), filter],
    queryFn: ({ pageParam, signal }) => pageOf(projectId, filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchOnWindowFocus: (query) => !isLong(query.state) && mayRefresh(query, Date.now()),
    refetchOnMount: (query) => !isLong(query.state),
    // Another folder and back is no mount; it would read every loaded page of a list that is older than this.
    staleTime: (query) => (isLong(query.state) ? Number.POSITIVE_INFINITY : freshMs),
    // The list remains until the sorted or searched one is there.
    placeholderData: (previous) => previous,
  });
  // Equal filters are one list.
  const name = JSON.stringify(filter);
  useEffect(() => {
    const key = [...documentsKey(projectId), JSON.parse(name) as DocumentFilter];
    const refresh = () => refreshLong(client, key, (each) => pageOf(projectId, each, null));
    void refresh();
    return focusManager.subscribe((isVisible) => {
      if (isVisible) void refresh();
    });
  }, [client, projectId, name]);
  return list;
}

/** Documents of all projects; makes no call without a search. */
export function useDocumentSearch(search: string | undefined) {
  return useInfiniteQuery({
    queryKey: [allDocumentsKey, 'search', search ?? ''],
    queryFn: ({ pageParam, signal }) =>
      filledPage((cursor) => {
        const query = { search: search!, limit: pageSize, ...(cursor !== undefined && { cursor }) };
        return dataOf(api.GET('/documents', { params: { query }, signal }));
      }, pageParam ?? undefined),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: search !== undefined,
    placeholderData: (previous) => previous,
  });
}

/** The requests for the project's directories on the file server, for users who may request folders. */
export function useDirectories(projectId: string, isEnabled: boolean) {
  return useQuery({
    queryKey: directoriesKey(projectId),
    queryFn: async ({ signal }) => {
      const page = await filledPage((cursor) => {
        const query = { projectId, limit: pageSize, ...(cursor !== undefined && { cursor }) };
        return dataOf(api.GET('/folder-requests', { params: { query }, signal }));
      });
      return page.items;
    },
    enabled: isEnabled,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status }) => status === 'PENDING' || status === 'PROCESSING') ? 5000 : false,
  });
}
