import { z } from 'zod';
import { longestBeforeNfc } from '../contract/nfc.ts';

// Ids are assigned by the system of record. These characters need no escaping in a URL or a table key; every URL parser
// collapses "." and "..".
export const projectId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'expected 1..100 of A-Z a-z 0-9 . _ -')
  .meta({ description: 'Id of the project in the system of record' });

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
