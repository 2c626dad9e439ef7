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

/** Responds to every request that no other route matches. Not part of the API, so not in the OpenAPI document. */
const everyOtherRoute = (code: ProblemCode, facts: ProblemFacts): readonly Operation[] =>
  methods.map((method) =>
    operation({
      id: `unknown-route-${method.toLowerCase()}`,
      method,
      route: '{*rest}',
      tag: 'operations',
      summary: facts.detail ?? code,
      description: '',
      access: { kind: 'anonymous' },
      isAnyRequest: true,
      responses: {},
      handle: () => Promise.reject(new ServiceError(code, facts)),
    }),
  );

/** The host's own response would be an empty 404, not a problem document. */
export const unknownRoutes = everyOtherRoute('not_found', {
  detail: 'There is no route with this path and method.',
});

/** The operations of an app with faulty settings. */
export function rejectingOperations({ faults }: SettingsError): readonly Operation[] {
  const errors = faults.map(settingFault);
  const names = [...new Set(errors.map(({ path }) => path))].join(', ');
  const detail = `The settings of the service have faults: ${names}.`;
  return [describeApi, ...everyOtherRoute('not_configured', { detail, errors, retryAfterSeconds })];
}

/** A fault of the settings starts with the variable's name and never contains its value. */
function settingFault(fault: string): Fault {
  const [, path = 'settings', message = fault] = /^(\w+): (.*)$/s.exec(fault) ?? [];
  return { ...faultAt(path, 'setting_fault', { setting: path }), message };
}
