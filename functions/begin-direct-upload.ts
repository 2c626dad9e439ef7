import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import {
  directUpload,
  folderNamed,
  fragmentMultiple,
  maxFragmentBytes,
  newDirectUpload,
} from '../lib/project-documents/direct-upload.ts';
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
      'Opens an upload session in the library, to which the caller sends the bytes itself; then it completes the upload. For files of any size the library takes. An upload that is given up leaves nothing once its session has expired.',
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    body: newDirectUpload,
    responses: { 201: { description: 'Where the bytes go', schema: directUpload } },
    problems: [
      'unknown_folder',
      'project_not_found',
      'file_exists',
      'upload_in_progress',
      'folder_name_taken',
      'root_folder_taken',
      'file_too_large',
      ...libraryProblems,
      'library_full',
    ],
    async handle({ caller, params, body, log }) {
      const { directUploads } = documents();
      const folderName = folderNamed(body.folderName);
      const project = await projects.get(params.projectId);
      const upload = await directUploads.begin({ user: caller, project, log }, { ...body, folderName });
      return { status: 201, jsonBody: { ...upload, fragmentMultiple, maxFragmentBytes } };
    },
  });
