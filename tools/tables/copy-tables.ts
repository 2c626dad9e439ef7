// `npm run tables -w tools -- save FOLDER` stores the tables of the account STORAGE_ACCOUNT_NAME, `restore FOLDER` writes them
// into empty ones, as the person of `az login` (bicep/README.md, "Restoring a point in time"); with --local, those of the
// stack that runs.
import { parseArgs } from 'node:util';
import { TableClient } from '@azure/data-tables';
import { AzureCliCredential } from '@azure/identity';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { runningStack } from '../verify/local-targets.ts';
import { restoreTables, saveTables } from './saved-tables.ts';

const usage = `npm run tables -w tools -- save|restore FOLDER [--local] [--unfinished]

Requires STORAGE_ACCOUNT_NAME, and the role Storage Table Data Contributor on that account; with --local, a running npm start
instead. save creates FOLDER, which then has personal data. restore needs empty tables, and a folder of save or a backup of the
service; --unfinished restores one whose saving was interrupted.`;

try {
  const { positionals, values } = parseArgs({
    options: { local: { type: 'boolean', default: false }, unfinished: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [command, folder, ...more] = positionals;
  const account = process.env['STORAGE_ACCOUNT_NAME'] ?? '';
  if ((command !== 'save' && command !== 'restore') || folder === undefined || more.length > 0)
    throw new Error(usage);
  if (account === '' && !values.local) throw new Error(usage);
  const tables = values.local ? await localTables() : tablesOf(account);
  const counts = await (command === 'save'
    ? saveTables(tables, folder)
    : restoreTables(tables, folder, { isUnfinished: values.unfinished }));
  for (const [name, rows] of counts) console.log(`${name}: ${rows} rows`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

async function localTables(): Promise<readonly TableClient[]> {
  const { tables } = await runningStack();
  return connect(readSettings({ STORAGE_CONNECTION_STRING: tables.connectionString })).tables;
}

function tablesOf(account: string): readonly TableClient[] {
  const endpoint = `https://${account}.table.core.windows.net`;
  const service = connect(
    readSettings({
      STORAGE_TABLE_ENDPOINT: endpoint,
      STORAGE_BLOB_ENDPOINT: `https://${account}.blob.core.windows.net`,
    }),
  );
  const credential = new AzureCliCredential();
  return service.tables.map(({ tableName }) => new TableClient(endpoint, tableName, credential));
}
