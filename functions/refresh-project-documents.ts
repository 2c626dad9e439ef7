import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { provisioningProblems } from '../lib/project-documents/folders/provisioning.ts';
import { refreshed } from '../lib/project-documents/presence/refresh.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

export const refreshProjectDocuments = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'refresh-project-documents',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/refresh',
    tag: 'documents',
    summary: "Synchronize the project's list with the library",
    description:
      "Reads the eight folders with the caller's rights: files without a record get one, changed names, sizes and web URLs are corrected, and records of files that are gone are removed from the list.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    responses: { 200: { description: 'What changed', schema: refreshed } },
    problems: provisioningProblems,
    async handle({ caller, params, log }) {
      const { refresh, repair } = documents();
      const project = await projects.get(params.projectId);
      // First: uploads that a crash interrupted then have their own records.
      await repair.run(caller, project.id, log);
      return { status: 200, jsonBody: await refresh.run(caller, project, log) };
    },
  });
