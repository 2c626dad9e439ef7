import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { directUploadParams } from '../lib/project-documents/transfer/direct-upload.ts';
import type { Services } from '../lib/services.ts';

export const cancelDirectUpload = ({ documents }: Services): Operation =>
  operation({
    id: 'cancel-direct-upload',
    method: 'DELETE',
    route: 'v1/documents/projects/{projectId}/uploads/{uploadId}',
    tag: 'documents',
    summary: 'Cancel a direct upload',
    description:
      'Ends the upload session in the library: its bytes are deleted, its name is free. Succeeds also if the upload no longer exists; a completed upload keeps its document.',
    access: { kind: 'user', anyOf: roles },
    params: directUploadParams,
    responses: { 204: { description: 'The upload no longer exists' } },
    problems: ['upload_not_found', 'upload_in_progress', ...libraryProblems],
    async handle({ caller, params, log }) {
      await documents().directUploads.cancel(caller, params.projectId, params.uploadId, log);
      return { status: 204 };
    },
  });
