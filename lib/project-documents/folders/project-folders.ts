import * as z from 'zod';

const projectFolder = z
  .object({
    id: z.string().meta({ description: 'Id in the library' }),
    name: z.string().meta({ example: '2026-0815_Neubau' }),
    path: z.string().meta({ description: "Relative to the drive's root" }),
    webUrl: z.string(),
    created: z.boolean().meta({ description: 'Whether this call created it' }),
  })
  .meta({ id: 'ProjectFolder', description: 'A folder of a project in the library' });

export type ProjectFolder = z.output<typeof projectFolder>;

/** The subfolders are in the order of the contract. */
export const projectFolders = z
  .object({
    projectId: z.string(),
    renamedSince: z
      .object({ expectedName: z.string().meta({ description: 'Name that a new root folder would have' }) })
      .optional()
      .meta({ description: 'If the root has another name, because the project or the folder was renamed' }),
    root: projectFolder,
    folders: z.array(projectFolder),
  })
  .meta({ id: 'ProjectFolders' });

export type ProjectFolders = z.output<typeof projectFolders>;
