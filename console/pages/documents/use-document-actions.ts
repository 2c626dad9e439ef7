import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { useNotify } from '../../parts/notices.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { documentsKey } from './use-project.ts';

export function useDocumentActions(projectId: string) {
  const { documents: texts } = useTexts();
  const client = useQueryClient();
  const notify = useNotify();
  const download = useMutation({
    mutationFn: (documentId: string) =>
      dataOf(api.GET('/documents/{documentId}/link', { params: { path: { documentId } } })),
    // The library sends it as an attachment, so the page is not left.
    onSuccess: ({ downloadUrl }) => location.assign(downloadUrl),
  });
  const remove = useMutation({
    mutationFn: (documentId: string) =>
      dataOf(api.DELETE('/documents/{documentId}', { params: { path: { documentId } } })),
    onSuccess: () => {
      // Here and not in the row, because the refreshed list unmounts the row together with its callbacks.
      notify(texts.deleted);
      return client.invalidateQueries({ queryKey: documentsKey(projectId) });
    },
  });
  return { download, remove };
}
