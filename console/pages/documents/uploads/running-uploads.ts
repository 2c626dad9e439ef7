import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { patientFetch } from '../../../api/session-fetch.ts';
import { keepTabOpenWhile } from '../../../parts/dialogs/unsaved.ts';
import type { FolderName } from '../project/folders.ts';
import { uploadDirectly } from '../../../uploads/upload-directly.ts';
import { readNewest } from '../project/use-project.ts';
import { fileMemory } from './file-memory.ts';
import { NameInUse, UploadQueue, uploadKey, type Upload } from './upload-queue.ts';

export type OpenUpload = Schemas['OpenDirectUploads']['items'][number];

const lockPrefix = 'upload ';
const keptKey = (projectId: string): readonly string[] => ['kept-uploads', projectId];

const keptUploads = async (projectId: string, signal?: AbortSignal): Promise<readonly OpenUpload[]> => {
  const params = { path: { projectId } };
  const { items } = await dataOf(
    api.GET('/documents/projects/{projectId}/uploads', { params, ...(signal && { signal }) }),
  );
  return items;
};

export const discardUpload = (projectId: string, uploadId: string): Promise<unknown> =>
  api.DELETE('/documents/projects/{projectId}/uploads/{uploadId}', {
    params: { path: { projectId, uploadId } },
  });

/** The uploads of this tab. */
export const uploadQueue = new UploadQueue({
  upload: ({ folderName, ...request }) =>
    uploadDirectly({ ...request, folderName: folderName as FolderName, api: patientFetch }),
  keptUploads,
  discard: discardUpload,
  exclusively: (key, work) =>
    navigator.locks.request(lockPrefix + key, { ifAvailable: true }, (lock) => {
      if (!lock) throw new NameInUse();
      return work();
    }),
  memory: fileMemory(() => localStorage),
  refreshLists: (projectId) => {
    void readNewest(queryClient, projectId);
    void queryClient.invalidateQueries({ queryKey: keptKey(projectId) });
  },
});

keepTabOpenWhile(uploadQueue.hasUnstored);

export const useUploads = (): readonly Upload[] =>
  useSyncExternalStore(uploadQueue.subscribe, uploadQueue.uploads);

/** The user's uploads in the project that the library keeps and no tab of this browser is working on. */
export function useAbandonedUploads(projectId: string) {
  return useQuery({
    queryKey: keptKey(projectId),
    queryFn: async ({ signal }) => {
      const [kept, { held = [] }] = await Promise.all([
        keptUploads(projectId, signal),
        navigator.locks.query(),
      ]);
      const running = new Set(held.map(({ name }) => name));
      return kept.filter((each) => !running.has(lockPrefix + uploadKey({ ...each, projectId })));
    },
    staleTime: 30_000,
  });
}
