import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import {
  directUpload,
  folderNamed,
  fragmentMultiple,
  maxFragmentBytes,
  newDirectUpload,
} from '../lib/project-documents/transfer/direct-upload.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

export const beginDirectUpload = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'begin-direct-upload',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/uploads',
    tag: 'documents',
    summary: 'Begin a direct upload',
    description:
      'Opens an upload session in the library. The caller sends the bytes there itself, and then completes the upload. For files of any size that the library accepts. An abandoned upload leaves nothing behind after its session has expired. With an Idempotency-Key, a repeated request returns the same upload while its session lives.',
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
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
      'idempotency_key_reused',
      'folder_name_taken',
      'root_folder_taken',
      'file_too_large',
      ...libraryProblems,
      'library_full',
    ],
    async handle({ caller, params, headers: { 'idempotency-key': key }, body, log }) {
      const { directUploads } = documents();
      const folderName = folderNamed(body.folderName);
      const project = await projects.get(params.projectId);
      const requester = { user: caller, project, log };
      const { upload, isRepeated } = await directUploads.begin(requester, { ...body, folderName }, key);
      const jsonBody = { ...upload, fragmentMultiple, maxFragmentBytes };
      return { status: isRepeated ? 200 : 201, jsonBody };
    },
  });
