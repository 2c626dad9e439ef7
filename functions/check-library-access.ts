import { roles } from '../lib/callers/roles.ts';
import { libraryProblems } from '../lib/document-library/library-error.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { libraryAccess } from '../lib/project-documents/transfer/library-access.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

export const checkLibraryAccess = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'check-library-access',
    method: 'GET',
    route: 'v1/documents/projects/{projectId}/access',
    tag: 'documents',
    summary: "Explain why you don't see a project's documents",
    description:
      "Checks the site, the library, the root folder and the eight folders with the caller's rights. Nothing is created: the right to upload is tested with upload sessions that are canceled immediately.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    responses: { 200: { description: 'What the caller sees', schema: libraryAccess } },
    problems: ['project_not_found', ...libraryProblems],
    async handle({ caller, params }) {
      const { access } = documents();
      return { status: 200, jsonBody: await access.check(caller, await projects.get(params.projectId)) };
    },
  });
