import * as z from 'zod';

// Ids are assigned by the system of record. These characters need no escaping in a URL or a table key; every URL parser
// collapses "." and "..".
export const projectId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'expected 1..100 of A-Z a-z 0-9 . _ -')
  .meta({ description: 'Id of the project in the system of record' });
