import { z } from 'zod';
import { roles } from '../lib/callers/roles.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { provisioningProblems } from '../lib/project-documents/provisioning.ts';
import { projectParams } from '../lib/projects/project.ts';
import type { Services } from '../lib/services.ts';

const folder = z
  .object({
    id: z.string().meta({ description: 'Id in the library' }),
    name: z.string(),
    path: z.string().meta({ description: "Relative to the drive's root" }),
    webUrl: z.string(),
    created: z.boolean().meta({ description: 'Whether this call created it' }),
  })
  .meta({ id: 'ProjectFolder' });

const projectFolders = z
  .object({ projectId: z.string(), root: folder, folders: z.array(folder) })
  .meta({ id: 'ProjectFolders' });

export const provisionProjectFolders = ({ documents, projects }: Services): Operation =>
  operation({
    id: 'provision-project-folders',
    method: 'POST',
    route: 'v1/documents/projects/{projectId}/provision',
    tag: 'documents',
    summary: "Create the project's folders",
    description:
      "Ensures that the project's root folder and its eight subfolders exist in the library; existing ones are kept. Safe to repeat and to run concurrently.",
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
