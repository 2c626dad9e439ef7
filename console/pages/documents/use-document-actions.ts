import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { documentsKey } from './use-project.ts';

export function useDocumentActions(projectId: string) {
  const client = useQueryClient();
  const download = useMutation({
    mutationFn: (documentId: string) =>
      dataOf(api.GET('/documents/{documentId}/link', { params: { path: { documentId } } })),
    // The library sends it as an attachment: the page stays.
    onSuccess: ({ downloadUrl }) => location.assign(downloadUrl),
  });
  const remove = useMutation({
    mutationFn: (documentId: string) =>
      dataOf(api.DELETE('/documents/{documentId}', { params: { path: { documentId } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: documentsKey(projectId) }),
  });
  return { download, remove };
}
