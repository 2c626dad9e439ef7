import * as z from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { uploadedDocument } from '../lib/project-documents/document-records/document.ts';
import {
  directUpload,
  directUploadParams,
  fragmentMultiple,
  maxFragmentBytes,
  newDirectUpload,
  openDirectUploads,
} from '../lib/project-documents/transfer/direct-upload.ts';
import { beginDirectUpload } from '../lib/project-documents/transfer/direct-upload-beginnings.ts';
import {
  cancelDirectUpload,
  completeDirectUpload,
  ownDirectUploads,
} from '../lib/project-documents/transfer/direct-uploads.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';
import { itsDownload, uploadResponse } from './document-operations.ts';

/** Uploads whose bytes the caller sends to the library itself, in the order of their calls. */
export function directUploadOperations({ documents, projects }: Services): readonly Operation[] {
  const common = { tag: 'documents', access: { kind: 'user', anyOf: roles } } as const;
  const ofProject = {
    ...common,
    params: projectParams,
    route: 'v1/documents/projects/{projectId}/uploads',
  };
  const ofUpload = {
    ...common,
    params: directUploadParams,
    route: `${ofProject.route}/{uploadId}`,
  };
  return [
    operation({
      ...ofProject,
      id: 'begin-direct-upload',
      method: 'POST',
      summary: 'Begin a direct upload',
      description:
        'Opens an upload session in the library. The caller sends the bytes there itself, and then completes the upload. For files of any size that the library accepts. An abandoned upload leaves nothing in the library after its session has expired. With an Idempotency-Key, a repeated request returns the same upload while its session lives.',
      headers: z.object({ 'idempotency-key': idempotencyKey }),
      body: newDirectUpload,
      responses: {
        200: { description: 'Was begun before with this Idempotency-Key', schema: directUpload },
        201: { description: 'Where to send the bytes', schema: directUpload },
      },
      problems: [
        'unknown_folder',
        'project_not_found',
        'file_exists',
        'upload_in_progress',
        'too_many_uploads',
        'folder_name_taken',
        'root_folder_taken',
        'file_too_large',
        ...libraryProblems,
        'library_full',
      ],
      async handle({ caller, params, headers: { 'idempotency-key': key }, body, log }) {
        const parts = documents().of({ user: caller, log });
        const project = await projects.get(params.projectId);
        const { upload, isNew } = await beginDirectUpload(parts, project, body, key);
        const jsonBody = { ...upload, fragmentMultiple, maxFragmentBytes };
        return { status: isNew ? 201 : 200, jsonBody };
      },
    }),
    operation({
      ...ofProject,
      id: 'list-direct-uploads',
      method: 'GET',
      summary: 'List your open direct uploads',
      description:
        "The caller's own direct uploads in the project that can still be continued, completed, or canceled, for instance after a crash of the page.",
      responses: { 200: { description: 'The uploads', schema: openDirectUploads } },
      problems: ['project_not_found'],
      async handle({ caller, params: { projectId }, log }) {
        await projects.get(projectId);
        const items = await ownDirectUploads(documents().of({ user: caller, log }), projectId);
        return { status: 200, jsonBody: { items } };
      },
    }),
    operation({
      ...ofUpload,
      id: 'complete-direct-upload',
      method: 'POST',
      route: `${ofUpload.route}/complete`,
      summary: 'Complete a direct upload',
      description:
        'Creates the file from the bytes that the library has received, and its record. Safe to repeat: within 24 hours, the response is the document. 409 upload_incomplete, also if the library has more bytes than announced: then nothing is stored.',
      responses: {
        200: { description: 'Already completed', schema: uploadedDocument, headers: itsDownload },
        201: { description: 'The document', schema: uploadedDocument, headers: itsDownload },
      },
      problems: [
        'project_not_found',
        'upload_not_found',
        'upload_incomplete',
        'upload_in_progress',
        'file_exists',
        'file_too_large',
        ...libraryProblems,
        'library_full',
      ],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        const { id } = await projects.get(params.projectId);
        return uploadResponse(await completeDirectUpload(parts, id, params.uploadId));
      },
    }),
    operation({
      ...ofUpload,
      id: 'cancel-direct-upload',
      method: 'DELETE',
      summary: 'Cancel a direct upload',
      description:
        'Ends the upload session in the library: its bytes are deleted, its name is free. Succeeds also if the upload no longer exists; a completed upload keeps its document.',
      responses: { 204: { description: 'The upload no longer exists' } },
      problems: ['upload_not_found', 'upload_in_progress', ...libraryProblems],
      async handle({ caller, params, log }) {
        const parts = documents().of({ user: caller, log });
        await cancelDirectUpload(parts, params.projectId, params.uploadId);
        return { status: 204 };
      },
    }),
  ];
}
