import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { checkHealth } from './check-health.ts';
import { describeApi } from './describe-api.ts';
import { deleteContact } from './delete-contact.ts';
import { deleteProject } from './delete-project.ts';
import { getContact } from './get-contact.ts';
import { getProject } from './get-project.ts';
import { putContact } from './put-contact.ts';
import { putProject } from './put-project.ts';

/** The table of contents of the API. */
export function operations(services: Services, version: string): readonly Operation[] {
  const all = [
    checkHealth(services, version),
    putProject(services),
    getProject(services),
    deleteProject(services),
    putContact(services),
    getContact(services),
    deleteContact(services),
  ];
  return [...all, describeApi(all, version)];
}
