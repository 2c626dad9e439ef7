import { z } from 'zod';
import { ServiceError, type Fault } from '../lib/base/service-error.ts';
import type { SettingsError } from '../lib/contract/settings-table.ts';
import { operation, type Operation } from '../lib/http/operation.ts';

// Settings change by a deployment, not by waiting.
const retryAfterSeconds = 300;

/**
 * What an app with faulty settings serves: the same routes, and nothing but the reason. Without them the Functions host
 * would run an app of no functions and answer everything with an empty 404.
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
      // Without settings no caller can be told from another, and no request is better than another.
      access: { kind: 'anonymous' },
      query: z.any(),
      async handle() {
        throw new ServiceError('not_configured', id === 'check-health' ? reason : pointer);
      },
    });
  });
}

/** A fault of the settings starts with the variable's name and never has its value. */
function settingFault(fault: string): Fault {
  const [, path = 'settings', message = fault] = /^(\w+): (.*)$/s.exec(fault) ?? [];
  return { path, message };
}
