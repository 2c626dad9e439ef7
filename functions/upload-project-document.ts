import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { idempotencyKey } from '../lib/http/idempotency-key.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { uploadedDocument } from '../lib/project-documents/records/document.ts';
import { uploadForm } from '../lib/project-documents/form/form-fields.ts';
import { provisioningProblems } from '../lib/project-documents/folders/provisioning.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

export const uploadProjectDocument = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'upload-project-document',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/upload',
    tag: 'documents',
    summary: 'Upload a document',
    description:
      "Uploads the file into the project's subfolder and keeps a record of it. With an Idempotency-Key, a repetition within 24 hours returns the first document and stores nothing.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    headers: z.object({ 'idempotency-key': idempotencyKey }),
    streamedBody: { contentType: 'multipart/form-data', schema: uploadForm },
    responses: {
      200: { description: 'Already uploaded with this Idempotency-Key', schema: uploadedDocument },
      201: { description: 'The document', schema: uploadedDocument, headers: { Location: 'Its download' } },
    },
    problems: [
      'unknown_folder',
      'file_exists',
      'upload_in_progress',
      'idempotency_key_reused',
      'file_too_large',
      ...provisioningProblems,
    ],
    async handle({ caller, params, headers: { 'idempotency-key': key }, request: { headers }, bytes, log }) {
      const { uploads } = documents();
      const project = await projects.get(params.projectId);
      const { document, isNew } = await uploads.upload(
        { user: caller, project, log },
        { headers, bytes },
        key,
      );
      if (!isNew) return { status: 200, jsonBody: document };
      return {
        status: 201,
        headers: { location: `/api/v1/documents/${document.id}/download` },
        jsonBody: document,
      };
    },
  });
