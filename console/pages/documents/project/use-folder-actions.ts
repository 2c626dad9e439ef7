import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { refreshEvery } from '../../../api/refresh-pace.ts';
import { useNotify } from '../../../parts/notices.tsx';
import { useTexts } from '../../../texts/use-texts.ts';
import { directoriesKey, documentsKey, readChanged } from './use-project.ts';

const progressMs = 3000;

/** Actions on the project's folders: in the library, and on the file server. */
export function useFolderActions(projectId: string) {
  const { documents: texts } = useTexts();
  const notify = useNotify();
  const client = useQueryClient();
  const path = { projectId };
  const create = useMutation({
    /** @param targetPath of a directory to request; the library's folders are created in any case */
    mutationFn: async (targetPath: string | undefined) => {
      const { folders, renamedSince } = await dataOf(
        api.POST('/documents/projects/{projectId}/provision', { params: { path } }),
      );
      await client.invalidateQueries({ queryKey: documentsKey(projectId) });
      if (targetPath !== undefined && targetPath.trim() !== '') {
        await dataOf(
          api.POST('/folder-requests', {
            params: { header: { 'idempotency-key': crypto.randomUUID() } },
            body: { targetPath, projectId },
          }),
        );
        await client.invalidateQueries({ queryKey: directoriesKey(projectId) });
      }
      return { made: folders.filter(({ created }) => created).length, renamedSince, targetPath };
    },
  });
  const refresh = useMutation({
    mutationFn: () => dataOf(api.POST('/documents/projects/{projectId}/refresh', { params: { path } })),
    onSuccess: (changes) => {
      const { added, updated, missing } = changes;
      notify(texts.refreshed(added, updated, missing));
      return readChanged(client, projectId, changes);
    },
  });
  const progress = useQuery({
    // The next refresh starts from nothing.
    queryKey: ['refresh', projectId, refresh.submittedAt],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/documents/projects/{projectId}/refresh', { params: { path }, signal })),
    enabled: refresh.isPending,
    refetchInterval: refreshEvery(progressMs),
  }).data;
  const { made, renamedSince, targetPath } = create.data ?? {};
  const outcome = made !== undefined && [
    texts.provisioned(made),
    ...(targetPath === undefined ? [] : [texts.directoryRequested(targetPath)]),
    ...(renamedSince ? [texts.renamedSince(renamedSince.expectedName)] : []),
  ];
  const { incompleteFolders: notSeen = [], secondFolders = [] } = refresh.data ?? {};
  return {
    create,
    refresh,
    outcome: outcome ? outcome.join(' ') : undefined,
    progress:
      refresh.isPending && progress?.isRunning
        ? progress.files > 0
          ? texts.refreshing(progress.added, progress.files)
          : texts.reading(progress.folders)
        : undefined,
    warnings: [
      ...(notSeen.length > 0 ? [texts.incomplete(notSeen.join(', '))] : []),
      ...(secondFolders.length > 0 ? [texts.secondFolders(secondFolders.join(', '))] : []),
    ],
  };
}
