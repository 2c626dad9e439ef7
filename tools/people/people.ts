// What the service has stored about a person, and its erasure (docs/personal-data.md).
import { TableClient } from '@azure/data-tables';
import { AzureCliCredential } from '@azure/identity';
import { connect } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { erasePerson, mark, personDataIn, whoIn } from './person-data.ts';

const usage = `npm run people -w tools -- show|erase PERSON [--yes]

PERSON is the object id of a user, or the email address of a contact.
show   prints every row about the person as a line of JSON.
erase  says what it would change; with --yes it puts "${mark}" in the place of id and name of a user, or deletes the contact.

Requires STORAGE_ACCOUNT_NAME, and the role Storage Table Data Contributor on that account (show: Reader). What is printed is
personal data. Files, letters, logs, and what other systems have are not changed: docs/personal-data.md says where they are.`;

try {
  const [command, person, confirmation, ...others] = process.argv.slice(2);
  const account = process.env['STORAGE_ACCOUNT_NAME'] ?? '';
  const isKnown = command === 'show' || command === 'erase';
  const isConfirmed = confirmation === '--yes' && command === 'erase';
  if (
    !isKnown ||
    person === undefined ||
    account === '' ||
    others.length > 0 ||
    (confirmation !== undefined && !isConfirmed)
  ) {
    throw new Error(usage);
  }
  const who = whoIn(person);
  const endpoint = `https://${account}.table.core.windows.net`;
  const service = connect(
    readSettings({
      STORAGE_TABLE_ENDPOINT: endpoint,
      STORAGE_BLOB_ENDPOINT: `https://${account}.blob.core.windows.net`,
    }),
  );
  const credential = new AzureCliCredential();
  const tables = service.tables.map(({ tableName }) => new TableClient(endpoint, tableName, credential));
  const { names, own, mentions } = await personDataIn(tables, who);
  if (command === 'show') for (const row of own) console.log(JSON.stringify(row));
  for (const { table, partitionKey, rowKey } of mentions)
    console.log(`only mentioned, not changed: ${table} ${partitionKey} ${rowKey}`);
  const summary = `${own.length} rows about ${names.join(', ') || 'the person'}`;
  if (!isConfirmed) {
    console.log(command === 'show' ? summary : `Would change ${summary}; --yes changes them.`);
  } else {
    const contacts = tables.find(({ tableName }) => tableName === 'Contacts')!;
    console.log(`${await erasePerson(tables, who, contacts)} rows changed or deleted.`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
