import { useRef, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client.ts';
import { patiently } from '../../../api/patiently.ts';
import type { EachOutcome } from '../../../base/each.ts';
import { ApiProblem } from '../../../openapi/api-problem.ts';
import { startDownload } from '../../../parts/dialogs/unsaved.ts';
import { useNotify } from '../../../parts/notices.tsx';
import { useTexts } from '../../../texts/use-texts.ts';
import { removeFromLists, updateInLists } from './cached-lists.ts';
import type { Folder } from './folders.ts';
import type { ProjectDocument } from './use-project.ts';

export const linkOf = (documentId: string) =>
  dataOf(api.GET('/documents/{documentId}/link', { params: { path: { documentId } } }));
const deleteOne = (documentId: string) =>
  dataOf(api.DELETE('/documents/{documentId}', { params: { path: { documentId } } }));

const changeOne = (documentId: string, body: Schemas['DocumentChange']) =>
  dataOf(api.PATCH('/documents/{documentId}', { params: { path: { documentId } }, body }));

export function useDocumentActions() {
  const { documents: texts } = useTexts();
  const client = useQueryClient();
  const notify = useNotify();
  const download = useMutation({
    mutationFn: linkOf,
    // The library sends it as an attachment, so the page is not left.
    onSuccess: ({ downloadUrl }) => startDownload(downloadUrl),
  });
  const remove = useMutation({
    mutationFn: deleteOne,
    onSuccess: (remaining, id) => {
      // Here and not in the row, because the refreshed list unmounts the row together with its callbacks.
      notify(remaining ? texts.remains[remaining.reason] : texts.deleted);
      return removeFromLists(client, new Set([id]));
    },
  });
  return { download, remove };
}

/** @param doneText says what was done, given the document as it is now */
export function useChangeDocument(doneText: (document: ProjectDocument) => string) {
  const client = useQueryClient();
  const notify = useNotify();
  return useMutation({
    mutationFn: ({ id, ...change }: Schemas['DocumentChange'] & { readonly id: string }) =>
      changeOne(id, change),
    onSuccess: (document) => {
      notify(doneText(document));
      return updateInLists(client, [document]);
    },
  });
}

/** The actions on many documents, for `each`. */
export function useBulkDocumentActions() {
  const client = useQueryClient();
  const { documents: texts } = useTexts();
  const moved = useRef<ProjectDocument[]>([]);
  const removed = useRef<string[]>([]);
  /** How many files have remained of the deletion with that signal. */
  const [remained, setRemained] = useState<{ readonly of?: AbortSignal; readonly count: number }>({
    count: 0,
  });
  return {
    move: async (
      { id }: { readonly id: string },
      { folderName, folderPath }: Folder,
      signal: AbortSignal,
    ) => {
      moved.current.push(await patiently(() => changeOne(id, { folderName, folderPath }), signal));
    },
    onMoved: () => updateInLists(client, moved.current.splice(0)),
    remove: async ({ id }: { readonly id: string }, signal: AbortSignal): Promise<void> => {
      const remaining = await patiently(() => deleteOne(id), signal);
      removed.current.push(id);
      setRemained(({ of, count }) => ({
        of: signal,
        count: (of === signal ? count : 0) + (remaining ? 1 : 0),
      }));
    },
    /** @param count of documents that are not in the list any more */
    removedText: (count: number): string =>
      [
        ...(count > remained.count || count === 0 ? [texts.deletedSelected(count - remained.count)] : []),
        ...(remained.count > 0 ? [texts.remainSelected(remained.count)] : []),
      ].join(' '),
    onRemoved: async ({ rejected }: EachOutcome<ProjectDocument>): Promise<void> => {
      // Somebody else may have been faster.
      const gone = rejected.filter(({ error }) => error instanceof ApiProblem && error.status === 404);
      const ids = [...removed.current.splice(0), ...gone.map(({ item }) => item.id)];
      await removeFromLists(client, new Set(ids));
    },
  };
}
