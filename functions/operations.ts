import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { checkHealth } from './check-health.ts';
import { describeApi } from './describe-api.ts';

/** The table of contents of the API. */
export function operations(services: Services, version: string): readonly Operation[] {
  const all = [checkHealth(services, version)];
  return [...all, describeApi(all, version)];
}
