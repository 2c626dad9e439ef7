import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { uploadedDocument } from '../lib/project-documents/document.ts';
import { subfolders } from '../lib/project-documents/subfolders.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

const form = z
  .object({
    folderName: z.enum(subfolders),
    conflictBehavior: z.enum(['replace', 'rename', 'fail']).optional(),
    file: z.string().meta({
      format: 'binary',
      description: 'Send it last, after both fields, and with Content-Length: then it needs no staging',
    }),
  })
  .meta({ id: 'UploadForm' });

export const uploadProjectDocument = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'upload-project-document',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/upload',
    tag: 'documents',
    summary: 'Upload a document',
    description: "Uploads the file into the project's subfolder and keeps a record of it.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    streamedBody: { contentType: 'multipart/form-data', schema: form },
    responses: {
      201: { description: 'The document', schema: uploadedDocument, headers: { Location: 'Its download' } },
    },
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
    async handle({ caller, params, request: { headers }, bytes, log }) {
      const { uploads } = documents();
      const project = await projects.get(params.projectId);
      const document = await uploads.upload({ user: caller, project, log }, { headers, bytes });
      return {
        status: 201,
        headers: { location: `/api/v1/documents/${document.id}/download` },
        jsonBody: document,
      };
    },
  });
