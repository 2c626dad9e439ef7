import { useMutation, useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client.ts';
import { startDownload } from '../../../parts/dialogs/unsaved.ts';

export type DocumentVersion = Schemas['DocumentVersion'];

/** The versions of a document as they are when it is asked, and a download of one. */
export function useVersions(documentId: string) {
  const list = useQuery({
    queryKey: ['versions', documentId],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/documents/{documentId}/versions', { params: { path: { documentId } }, signal })),
    gcTime: 0,
  });
  const download = useMutation({
    mutationFn: (versionId: string) =>
      dataOf(
        api.GET('/documents/{documentId}/versions/{versionId}/link', {
          params: { path: { documentId, versionId } },
        }),
      ),
    // The library sends it as an attachment, so the page is not left.
    onSuccess: ({ downloadUrl }) => startDownload(downloadUrl),
  });
  return { list, download };
}
