import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { openDirectUploads } from '../lib/project-documents/transfer/direct-upload.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

export const listDirectUploads = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'list-direct-uploads',
    method: 'GET',
    route: 'v1/documents/projects/{projectId}/uploads',
    tag: 'documents',
    summary: 'List your open direct uploads',
    description:
      "The caller's own direct uploads in the project that can still be continued, completed, or canceled, for instance after a crash of the page.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    responses: { 200: { description: 'The uploads', schema: openDirectUploads } },
    problems: ['project_not_found'],
    async handle({ caller, params: { projectId } }) {
      await projects.get(projectId);
      return { status: 200, jsonBody: { items: await documents().directUploads.open(caller, projectId) } };
    },
  });
