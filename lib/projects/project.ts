import { z } from 'zod';
import { longestBeforeNfc } from '../contract/nfc.ts';
import { projectId } from '../contract/project-id.ts';
import type { RecordKind, SearchableRecords } from '../storage/searchable-records.ts';

export const projectParams = z.strictObject({ projectId });

const maxNameLength = 400;
const tooLong = `must not be longer than ${maxNameLength} characters`;

export const newProject = z
  .strictObject({
    number: z.string().regex(/^[A-Za-z0-9._-]{1,40}$/, 'expected 1..40 of A-Z a-z 0-9 . _ -'),
    name: z
      .string()
      .max(longestBeforeNfc(maxNameLength), tooLong)
      .meta({ maxLength: maxNameLength })
      .transform((name) => name.normalize('NFC').trim())
      .pipe(
        z
          .string()
          .min(1, 'must not be empty')
          .max(maxNameLength, tooLong)
          .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
      ),
  })
  .meta({ id: 'NewProject' });

export const project = z
  .object({ id: z.string(), number: z.string(), name: z.string(), updatedAt: z.iso.datetime() })
  .meta({ id: 'Project' });

export const projectPage = z
  .object({ items: z.array(project), nextCursor: z.string().nullable() })
  .meta({ id: 'ProjectPage' });

export type NewProject = z.output<typeof newProject>;
export type Project = z.output<typeof project>;

export const projectKind: RecordKind<NewProject> = {
  name: 'project',
  fields: newProject.keyof().options,
  sortText: ({ number }) => number,
  searchText: ({ number, name }) => `${number} ${name}`,
};

/** The projects as the system of record has written them. */
export type ProjectRecords = SearchableRecords<NewProject>;
