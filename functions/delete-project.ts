import { projectParams } from '../lib/projects/project.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';

export const deleteProject = ({ projects }: Services): Operation =>
  operation({
    id: 'delete-project',
    method: 'DELETE',
    route: 'v1/projects/{projectId}',
    tag: 'projects',
    summary: 'Delete a project',
    description:
      'Succeeds also when there is no such project. Folders, files, and document records of the project are kept.',
    access: { kind: 'user', anyOf: ['Administrator'] },
    params: projectParams,
    responses: { 204: { description: 'The project no longer exists' } },
    async handle({ params }) {
      await projects.delete(params.projectId);
      return { status: 204 };
    },
  });
