import * as z from 'zod';
import { because } from './faults.ts';

// Ids are assigned by the system of record. These characters need no escaping in a URL or a table key; every URL parser
// collapses "." and "..".
export const projectId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, because('not_project_id'))
  .meta({ description: 'Id of the project in the system of record' });
