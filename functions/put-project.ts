import { project, projectParams, newProject } from '../lib/projects/project.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const putProject = ({ projects }: Services): Operation =>
  operation({
    id: 'put-project',
    method: 'PUT',
    route: 'v1/projects/{projectId}',
    tag: 'projects',
    summary: 'Create or replace a project',
    description: 'Written by the system of record. Repeating the call changes only updatedAt.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: projectParams,
    body: newProject,
    responses: {
      200: { description: 'Replaced', schema: project },
      201: { description: 'Created', schema: project },
    },
    async handle({ params, body }) {
      const { project, isNew } = await projects.put(params.projectId, body);
      return { status: isNew ? 201 : 200, jsonBody: project };
    },
  });
