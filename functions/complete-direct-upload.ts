import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { directUploadParams } from '../lib/project-documents/transfer/direct-upload.ts';
import { uploadedDocument } from '../lib/project-documents/records/document.ts';
import type { Services } from '../lib/services.ts';

export const completeDirectUpload = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'complete-direct-upload',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/uploads/{uploadId}/complete',
    tag: 'documents',
    summary: 'Complete a direct upload',
    description:
      'Creates the file from the bytes that the library has received, and its record. Safe to repeat: within 24 hours, the response is the document.',
    access: { kind: 'user', anyOf: roles },
    params: directUploadParams,
    responses: {
      200: { description: 'Already completed', schema: uploadedDocument },
      201: { description: 'The document', schema: uploadedDocument, headers: { Location: 'Its download' } },
    },
    problems: [
      'project_not_found',
      'upload_not_found',
      'document_not_found',
      'upload_incomplete',
      'upload_in_progress',
      'file_exists',
      'file_too_large',
      ...libraryProblems,
      'library_full',
    ],
    async handle({ caller, params, log }) {
      const { directUploads } = documents();
      const project = await projects.get(params.projectId);
      const requester = { user: caller, project, log };
      const { document, isRepeated } = await directUploads.complete(requester, params.uploadId);
      if (isRepeated) return { status: 200, jsonBody: document };
      const location = `/api/v1/documents/${document.id}/download`;
      return { status: 201, headers: { location }, jsonBody: document };
    },
  });
