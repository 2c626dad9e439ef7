// Loads the routes of the service as at a cold start, then the activities as their first request does; prints the
// packages of node_modules that each of the two has loaded.
import { registerHooks } from 'node:module';

let packages = new Set<string>();
registerHooks({
  load(url, context, nextLoad) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    if (name !== undefined) packages.add(name);
    return nextLoad(url, context);
  },
});

const { operations } = await import('../../functions/operations.ts');
const { connect } = await import('../../lib/services.ts');
const { readSettings } = await import('../../lib/settings/settings.ts');
const services = connect(
  readSettings({ STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true', AI_API_KEY: 'sk-x' }),
);
operations(services, '0');
const atStart = [...packages];
packages = new Set();
await services.activities();
process.stdout.write(JSON.stringify({ atStart, atFirstActivity: [...packages] }));
