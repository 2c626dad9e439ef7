import * as z from 'zod';
import { line, optionalLine } from '../base/line.ts';
import { because } from '../contract/faults.ts';
import { projectId } from '../contract/project-id.ts';
import type { RecordKind, SearchableRecords } from '../master-data/searchable-records.ts';

export const projectParams = z.strictObject({ projectId });

export const newProject = z
  .strictObject({
    number: z.string().regex(/^[A-Za-z0-9._-]{1,40}$/, because('not_project_number')),
    name: line(400),
    externalId: optionalLine(200),
  })
  .meta({ id: 'NewProject' });

export const projectItem = newProject
  .extend({ id: projectId.optional() })
  .meta({ id: 'ProjectItem', example: { id: 'beispielprojekt', number: '2026-0815', name: 'Neubau' } });

export const project = z
  .object({
    id: z.string().meta({ example: 'beispielprojekt' }),
    externalId: z.string().nullable(),
    number: z.string(),
    name: z.string(),
    isArchived: z.boolean(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

export type NewProject = z.output<typeof newProject>;
/** What documents and activities use of it. */
export type Project = Omit<z.output<typeof project>, 'externalId' | 'isArchived'>;

export const projectKind: RecordKind<NewProject> = {
  name: 'project',
  fields: newProject.keyof().options,
  sortText: ({ number }) => number,
  searchText: ({ number, name }) => `${number} ${name}`,
  canBeArchived: true,
};

/** The projects as the system of record has written them. */
export type ProjectRecords = SearchableRecords<NewProject>;
