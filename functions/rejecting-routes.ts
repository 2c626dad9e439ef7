import { z } from 'zod';
import {
  faultAt,
  ServiceError,
  type Fault,
  type ProblemCode,
  type ProblemFacts,
} from '../lib/base/service-error.ts';
import type { SettingsError } from '../lib/contract/settings-table.ts';
import { operation, type Operation } from '../lib/http/operation.ts';
import { describeApi } from './describe-api.ts';

// Only a deployment changes settings, so an early retry is useless.
const retryAfterSeconds = 300;
const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;

/** A route that responds to every request with this problem. Not part of the API, so not in the OpenAPI document. */
const rejecting = (
  { id, method, route }: Pick<Operation, 'id' | 'method' | 'route'>,
  code: ProblemCode,
  facts: ProblemFacts,
): Operation =>
  operation({
    id,
    method,
    route,
    tag: 'operations',
    summary: facts.detail ?? code,
    description: '',
    access: { kind: 'anonymous' },
    query: z.any(),
    responses: {},
    handle: () => Promise.reject(new ServiceError(code, facts)),
  });

const everyOtherRoute = (code: ProblemCode, facts: ProblemFacts): readonly Operation[] =>
  methods.map((method) =>
    rejecting({ id: `unknown-route-${method.toLowerCase()}`, method, route: 'v1/{*rest}' }, code, facts),
  );

/** For requests that no other route matches. The host's own response would be an empty 404, not a problem document. */
export const unknownRoutes = everyOtherRoute('not_found', {
  detail: 'There is no route with this path and method.',
});

/**
 * The operations of an app with faulty settings: health responds with the reason, everything else refers to it. Without them
 * the Functions host would run an app without functions, which responds to everything with an empty 404.
 */
export function unconfigured({ faults }: SettingsError): readonly Operation[] {
  const errors = faults.map(settingFault);
  const names = [...new Set(errors.map(({ path }) => path))].join(', ');
  const pointer = {
    detail: 'The settings of the service have faults; GET /api/v1/health names them.',
    retryAfterSeconds,
  };
  return [
    describeApi,
    rejecting({ id: 'check-health', method: 'GET', route: 'v1/health' }, 'not_configured', {
      detail: `The settings of the service have faults: ${names}.`,
      errors,
      retryAfterSeconds,
    }),
    rejecting({ id: 'serve-console', method: 'GET', route: 'console/{*path}' }, 'not_configured', pointer),
    ...everyOtherRoute('not_configured', pointer),
  ];
}

/** A fault of the settings starts with the variable's name and never contains its value. */
function settingFault(fault: string): Fault {
  const [, path = 'settings', message = fault] = /^(\w+): (.*)$/s.exec(fault) ?? [];
  return { ...faultAt(path, 'setting_fault', { setting: path }), message };
}
