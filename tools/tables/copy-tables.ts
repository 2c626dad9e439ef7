// `npm run tables -w tools -- save FOLDER` stores the tables of the account STORAGE_ACCOUNT_NAME, `restore FOLDER` writes them
// into empty ones, as the person of `az login` (bicep/README.md, "Restoring a point in time"); with --local, those of the
// stack that runs.
import { parseArgs } from 'node:util';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { restoreTables, saveTables } from './saved-tables.ts';
import { localTables, tablesOfAccount } from './table-clients.ts';

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
  const tableOf = values.local ? await localTables() : tablesOfAccount(account);
  // Only the names of its tables: it sends nothing.
  const service = connect(readSettings({ STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true' }));
  const tables = service.tables.map(({ tableName }) => tableOf(tableName));
  const counts = await (command === 'save'
    ? saveTables(tables, folder)
    : restoreTables(tables, folder, { isUnfinished: values.unfinished }));
  for (const [name, rows] of counts) console.log(`${name}: ${rows} rows`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
