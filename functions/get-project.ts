import { project, projectParams } from '../lib/projects/project.ts';
import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const getProject = ({ projects }: Services): Operation =>
  operation({
    id: 'get-project',
    method: 'GET',
    route: 'v1/projects/{projectId}',
    tag: 'projects',
    summary: 'Read a project',
    description: 'As the system of record last wrote it.',
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    responses: { 200: { description: 'The project', schema: project } },
    problems: ['project_not_found'],
    async handle({ params }) {
      return { status: 200, jsonBody: await projects.get(params.projectId) };
    },
  });
