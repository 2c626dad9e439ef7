import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import { filledPage } from '../../api/filled-page.ts';
import type { DocumentFilter } from './use-document-filter.ts';

export type Project = Schemas['Project'];
export type ProjectDocument = Schemas['Document'];
export type FoundDocument = Schemas['FoundDocument'];

/** Common prefix of the keys of all lists of documents. */
export const allDocumentsKey = 'documents';
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

/** The project's documents; each page also has the addresses of its folders. */
export function useDocuments(projectId: string, { folderName, search, sort }: DocumentFilter) {
  return useInfiniteQuery({
    queryKey: [...documentsKey(projectId), folderName ?? '', search ?? '', sort],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: pageSize,
        sort,
        ...(folderName && { folderName }),
        ...(search !== undefined && { search }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      return dataOf(
        api.GET('/documents/projects/{projectId}', { params: { path: { projectId }, query }, signal }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The list remains until the sorted or searched one is there.
    placeholderData: (previous) => previous,
  });
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
