import { z } from 'zod';
import { faultAt, ServiceError, type Fault } from '../lib/base/service-error.ts';
import type { SettingsError } from '../lib/contract/settings-table.ts';
import { operation, type Operation } from '../lib/http/operation.ts';

// Only a deployment changes settings, so an early retry is useless.
const retryAfterSeconds = 300;

/**
 * The operations of an app with faulty settings: the same routes, all of which respond with the reason. Without them the
 * Functions host would run an app without functions, which responds to everything with an empty 404.
 */
export function unconfigured(all: readonly Operation[], { faults }: SettingsError): readonly Operation[] {
  const errors = faults.map(settingFault);
  const names = [...new Set(errors.map(({ path }) => path))].join(', ');
  const reason = { detail: `The settings of the service have faults: ${names}.`, errors, retryAfterSeconds };
  const pointer = {
    detail: 'The settings of the service have faults; GET /api/v1/health names them.',
    retryAfterSeconds,
  };
  return all.map((described) => {
    const { id, method, route, tag, summary, description, responses } = described;
    if (id === 'describe-api') return described;
    return operation({
      id,
      method,
      route,
      tag,
      summary,
      description,
      responses,
      // Without settings callers cannot be identified, and all requests get the same response.
      access: { kind: 'anonymous' },
      query: z.any(),
      async handle() {
        throw new ServiceError('not_configured', id === 'check-health' ? reason : pointer);
      },
    });
  });
}

/** A fault of the settings starts with the variable's name and never contains its value. */
function settingFault(fault: string): Fault {
  const [, path = 'settings', message = fault] = /^(\w+): (.*)$/s.exec(fault) ?? [];
  return { ...faultAt(path, 'setting_fault', { setting: path }), message };
}
