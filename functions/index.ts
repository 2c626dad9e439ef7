import { join } from 'node:path';
import { app } from '@azure/functions';
import packageJson from '../package.json' with { type: 'json' };
import { eventLog } from '../lib/base/event-log.ts';
import type { RecentFailures } from '../lib/base/recent-failures.ts';
import { SettingsError } from '../lib/contract/settings-table.ts';
import { handlerFor, type Callers } from '../lib/http/edge.ts';
import { ProxyTap } from '../lib/http/proxy-tap.ts';
import type { Operation } from '../lib/http/operation.ts';
import { functionName } from '../lib/http/route-order.ts';
import { connect, ensureTables, type Services } from '../lib/services.ts';
import { readSettings } from '../lib/settings/settings.ts';
import { operations } from './operations.ts';
import { rejectingOperations, unknownRoutes } from './rejecting-routes.ts';
import { serveConsole } from './serve-console.ts';
import { timedFunctions } from './timed-functions.ts';

// Composition root.
const { version } = packageJson;
const log = eventLog(console);

// Beside the bundle (release/build/build-console.ts).
const consoleDirectory = join(import.meta.dirname, 'console');

app.setup({ enableHttpStream: true });
const tap = new ProxyTap();

try {
  serve(connect(readSettings(process.env)));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  serveTheReason(error);
}

function serve(services: Services): void {
  const { settings, callers } = services;
  const { FOLDER_AGENT_API_KEYS: agentKeys } = settings.values;
  const secretOnly = agentKeys ? callers.agentKeys().secretOnly : 0;
  if (secretOnly > 0) log.warn('agent_keys_shown_as_ids', { entries: secretOnly });

  const all = [...operations(services, version), serveConsole(services, consoleDirectory), ...unknownRoutes];
  register(all, callers, services.failures);

  for (const timed of timedFunctions(services)) {
    app.timer(timed.id, {
      schedule: timed.schedule,
      handler: (_timer, context) => timed.handle(eventLog(context, { operation: timed.id })),
    });
  }

  // In Azure, Bicep creates the tables, so a cold start does not wait for them. The local emulator starts empty.
  if (settings.values.STORAGE_CONNECTION_STRING) {
    app.hook.appStart(async () => {
      try {
        await ensureTables(services);
      } catch (error) {
        // Not fatal: the storage may recover; /health reports the outage until then.
        log.error('tables_not_ensured', {}, error);
      }
    });
  }
}

function serveTheReason(error: SettingsError): void {
  // One console line: the host logs each line separately, and as an error only if the line contains that word.
  log.error('settings_invalid', {}, error);
  const reject = (): never => {
    throw error;
  };
  register(rejectingOperations(error), { userTokens: reject, agentKeys: reject, cursors: reject });
}

function register(served: readonly Operation[], callers: Callers, failures?: RecentFailures): void {
  for (const operation of served) {
    app.http(functionName(operation), {
      methods: operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method],
      route: operation.route,
      // The host's own key: in Azure only API Management has it (bicep/set-backend-key.sh).
      // Callers are identified in lib/callers.
      authLevel: 'function',
      handler: handlerFor(operation, callers, { tap, ...(failures && { failures }) }),
    });
  }
}
