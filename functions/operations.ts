import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { activityOperations } from './activity-operations.ts';
import { agentOperations } from './agent-operations.ts';
import { checkHealth } from './check-health.ts';
import { checkParts } from './check-parts.ts';
import { describeApi } from './describe-api.ts';
import { directUploadOperations } from './direct-upload-operations.ts';
import { documentOperations } from './document-operations.ts';
import { folderRequestOperations } from './folder-request-operations.ts';
import { getMe } from './get-me.ts';
import { contactOperations, projectOperations } from './record-operations.ts';

/** The table of contents of the API. */
export function operations(services: Services, version: string): readonly Operation[] {
  const all: readonly Operation[] = [
    checkHealth(services, version),
    checkParts(services),
    getMe(() => all),
    ...documentOperations(services),
    ...directUploadOperations(services),
    ...folderRequestOperations(services),
    ...agentOperations(services),
    ...projectOperations(services),
    ...contactOperations(services),
    ...activityOperations(services),
    describeApi,
  ];
  return all;
}
