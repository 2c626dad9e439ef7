// `npm run tables -w tools -- save FOLDER` stores the tables of the account STORAGE_ACCOUNT_NAME, `fetch` downloads a nightly
// backup of it, `restore FOLDER` writes either into the tables, as the person of `az login` (bicep/README.md, "Restoring a point
// in time"); with --local, those of the stack that runs.
import { parseArgs } from 'node:util';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { fetchBackup, restoreTables, saveTables } from './saved-tables.ts';
import { blobsOfAccount, localBlobs, localTables, tablesOfAccount } from './table-clients.ts';

const usage = `npm run tables -w tools -- save FOLDER [--local]
npm run tables -w tools -- fetch latest|YYYY-MM-DD FOLDER [--local]
npm run tables -w tools -- restore FOLDER [--replace] [--unfinished] [--local]

Requires STORAGE_ACCOUNT_NAME, and the roles Storage Table Data Contributor and Storage Blob Data Reader on that account; with
--local, a running npm start instead. save and fetch create FOLDER, which then has personal data. restore needs empty tables;
--replace removes their rows first, and continues a restore that was interrupted. --unfinished restores a folder whose saving
was interrupted.`;

const parsed = () =>
  parseArgs({
    options: {
      local: { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      unfinished: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });

try {
  const { positionals, values } = parsed();
  const [command = '', ...args] = positionals;
  const account = process.env['STORAGE_ACCOUNT_NAME'] ?? '';
  if (args.length !== { save: 1, fetch: 2, restore: 1 }[command] || (account === '' && !values.local))
    throw new Error(usage);
  const folder = args.at(-1)!;
  if (command === 'fetch') {
    const blobs = values.local ? await localBlobs() : blobsOfAccount(account);
    console.log(`${folder}: the backup of ${await fetchBackup(blobs, args[0]!, folder)}`);
  } else {
    const options = { isUnfinished: values.unfinished, replaces: values.replace };
    const tables = tablesOfService(values.local ? await localTables() : tablesOfAccount(account));
    const counts = await (command === 'save'
      ? saveTables(tables, folder)
      : restoreTables(tables, folder, options));
    for (const [name, rows] of counts) console.log(`${name}: ${rows} rows`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

function tablesOfService(tableOf: ReturnType<typeof tablesOfAccount>) {
  // Only the names of its tables: it sends nothing.
  const service = connect(readSettings({ STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true' }));
  return service.tables.map(({ tableName }) => tableOf(tableName));
}
