import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { documentPage } from '../lib/project-documents/document.ts';
import { subfolders } from '../lib/project-documents/subfolders.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

const query = z.strictObject({
  folderName: z.enum(subfolders).optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(200))
    .default(50),
  cursor: z.string().max(200).optional(),
});

export const listProjectDocuments = ({ documentRecords, projects }: Services): Operation =>
  operation({
    id: 'list-project-documents',
    method: 'GET',
    route: 'v1/documents/projects/{projectId}',
    tag: 'documents',
    summary: "List the project's documents",
    description:
      "Newest first, from the service's own records, without a request to the library. With folderName, only that subfolder.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    query,
    responses: { 200: { description: 'One page', schema: documentPage } },
    problems: ['project_not_found'],
    async handle({ params: { projectId }, query: { limit, cursor, folderName } }) {
      const page = await documentRecords.list(projectId, limit, cursor, folderName);
      // A project that has documents exists, so only an empty page needs the check.
      if (page.items.length === 0) await projects.get(projectId);
      return { status: 200, jsonBody: page };
    },
  });
