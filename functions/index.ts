import { app } from '@azure/functions';
import packageJson from '../package.json' with { type: 'json' };
import { eventLog } from '../lib/base/event-log.ts';
import { handlerFor } from '../lib/http/edge.ts';
import type { Operation } from '../lib/http/operation.ts';
import { functionName, refuseHiddenRoutes } from '../lib/http/route-order.ts';
import { connect, ensureTables } from '../lib/services.ts';
import { readSettings } from '../lib/settings/settings.ts';
import { maintainFolderQueue } from './maintain-folder-queue.ts';
import { operations } from './operations.ts';
import { unknownRoutes } from './unknown-route.ts';

// Composition root. A fault of the settings throws here, which keeps the app from starting with half its functions.
const services = connect(readSettings(process.env));

app.setup({ enableHttpStream: true });

const { FOLDER_AGENT_API_KEYS: agentKeys } = services.settings.values;
const secretOnly = agentKeys ? services.callers.agentKeys().secretOnly : 0;
if (secretOnly > 0) eventLog(console).warn('agent_keys_shown_as_ids', { entries: secretOnly });

const routes = [...operations(services, packageJson.version), ...unknownRoutes];
refuseHiddenRoutes(routes);
for (const operation of routes) register(operation);

const maintenance = maintainFolderQueue(services);
app.timer(maintenance.id, {
  schedule: maintenance.schedule,
  handler: (_timer, context) => maintenance.handle(eventLog(context, { operation: maintenance.id })),
});

// In Azure the tables come from Bicep, and a cold start waits for nothing. Locally the emulator starts empty.
if (services.settings.storage.kind === 'connectionString') {
  app.hook.appStart(async () => {
    try {
      await ensureTables(services);
    } catch (error) {
      // Not fatal: the storage may come back, and /health tells meanwhile.
      eventLog(console).error('tables_not_ensured', {}, error);
    }
  });
}

function register(operation: Operation): void {
  app.http(functionName(operation), {
    methods: [operation.method],
    route: operation.route,
    // The host's own key: in Azure only API Management has it (bicep/set-backend-key.sh). Who calls is told in lib/callers.
    authLevel: 'function',
    handler: handlerFor(operation, services.callers),
  });
}
