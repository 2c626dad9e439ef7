// `npm run tables -w tools -- save FOLDER` stores the tables of the account STORAGE_ACCOUNT_NAME, `restore FOLDER` writes them
// into empty ones, as the person of `az login` (bicep/README.md, "Restoring a point in time").
import { TableClient } from '@azure/data-tables';
import { AzureCliCredential } from '@azure/identity';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { restoreTables, saveTables } from './saved-tables.ts';

const usage = `npm run tables -w tools -- save|restore FOLDER

Requires STORAGE_ACCOUNT_NAME, and the role Storage Table Data Contributor on that account. save creates FOLDER, which then has
personal data; restore needs empty tables.`;

try {
  const [command, folder] = process.argv.slice(2);
  const account = process.env['STORAGE_ACCOUNT_NAME'] ?? '';
  if ((command !== 'save' && command !== 'restore') || folder === undefined || account === '') {
    throw new Error(usage);
  }
  const endpoint = `https://${account}.table.core.windows.net`;
  const service = connect(
    readSettings({
      STORAGE_TABLE_ENDPOINT: endpoint,
      STORAGE_BLOB_ENDPOINT: `https://${account}.blob.core.windows.net`,
    }),
  );
  const credential = new AzureCliCredential();
  const tables = service.tables.map(({ tableName }) => new TableClient(endpoint, tableName, credential));
  const counts = await (command === 'save' ? saveTables : restoreTables)(tables, folder);
  for (const [name, rows] of counts) console.log(`${name}: ${rows} rows`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
