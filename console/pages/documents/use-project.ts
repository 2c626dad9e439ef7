import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../api/client.ts';
import type { FolderName } from './folders.ts';

export type Project = Schemas['Project'];
export type ProjectDocument = Schemas['Document'];

export const projectKey = (projectId: string): readonly string[] => ['project', projectId];
/** Common prefix of the keys of all folders of the project. */
export const documentsKey = (projectId: string): readonly string[] => ['documents', projectId];

export function useProject(projectId: string) {
  return useQuery({
    queryKey: projectKey(projectId),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{projectId}', { params: { path: { projectId } }, signal })),
    staleTime: 60_000,
  });
}

export function useDocuments(projectId: string, folderName: FolderName | undefined) {
  return useInfiniteQuery({
    queryKey: [...documentsKey(projectId), folderName ?? ''],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: 100,
        ...(folderName && { folderName }),
        ...(pageParam !== null && { cursor: pageParam }),
      };
      return dataOf(
        api.GET('/documents/projects/{projectId}', { params: { path: { projectId }, query }, signal }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}
