// `npm run settle -w tools -- ID…` makes the rows of folder requests what their records say (docs/repairing-the-queue.md).
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { eventLog } from '../../lib/base/event-log.ts';
import { folderRequestParams } from '../../lib/contract/folder-requests.ts';
import { FolderRequestQueue } from '../../lib/folder-requests/folder-request-queue.ts';
import { StorageClock } from '../../lib/storage/storage-clock.ts';
import { localTables, tablesOfAccount } from './table-clients.ts';

const usage = `npm run settle -w tools -- ID… | --all [--local]

Makes the rows of these folder requests, or of all, what their records say, and prints the log events of what it changes.
Requires STORAGE_ACCOUNT_NAME, and the role Storage Table Data Contributor on that account; with --local, a running npm start
instead.`;

try {
  const { positionals, values } = parseArgs({
    options: { all: { type: 'boolean', default: false }, local: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const account = process.env['STORAGE_ACCOUNT_NAME'] ?? '';
  const ids = positionals.map((id) => folderRequestParams.safeParse({ id }));
  if (values.all === ids.length > 0 || ids.some(({ success }) => !success)) throw new Error(usage);
  if (account === '' && !values.local) throw new Error(usage);
  const log = eventLog(console);
  const clock = new StorageClock(log);
  const tableOf = values.local ? await localTables() : tablesOfAccount(account);
  const table = tableOf('FolderRequests', {
    retryOptions: { maxRetries: 0 },
    additionalPolicies: clock.policies,
  });
  // What it does here depends on none of the settings.
  const rules = { shards: 1, leaseMs: 300_000, maxExpiredLeases: 5 };
  const { maintenance } = new FolderRequestQueue(table, rules, { clock, randomBytes });
  if (values.all) console.log(`${await maintenance.settleAll(log)} folder requests compared`);
  else for (const id of positionals) console.log(`${id}: ${await maintenance.settle(id, log)}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
