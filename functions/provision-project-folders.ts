import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { projectFolders } from '../lib/project-documents/folders/project-folders.ts';
import { provisioningProblems } from '../lib/project-documents/folders/provisioning.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

export const provisionProjectFolders = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'provision-project-folders',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/provision',
    tag: 'documents',
    summary: "Create the project's folders",
    description:
      "Ensures that the project's root folder and its eight subfolders exist in the library; existing ones are followed by their ids when they are renamed or moved. Safe to repeat and to run concurrently.",
    access: { kind: 'user', anyOf: roles },
    params: projectParams,
    responses: { 200: { description: 'The folders', schema: projectFolders } },
    problems: provisioningProblems,
    async handle({ caller, params, log }) {
      const { provisioning, repair, revival } = documents();
      const project = await projects.get(params.projectId);
      const folders = await provisioning.provision(caller, project);
      await Promise.all([repair.run(caller, project.id, log), revival.run(caller, project.id, log)]);
      return { status: 200, jsonBody: folders };
    },
  });
