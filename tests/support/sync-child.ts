// Writes one batch of a complete synchronization and ends it, in a process that a test kills in between. Arguments:
// connection string, table, id of the synchronization, the batch as JSON.
import { TableClient } from '@azure/data-tables';
import { contactsAt } from './contact-records.ts';

const [connectionString = '', table = '', syncId = '', batch = '[]'] = process.argv.slice(2);
const client = TableClient.fromConnectionString(connectionString, table, { allowInsecureConnection: true });
const { records, syncs } = contactsAt(client);
const wanted = JSON.parse(batch) as Parameters<typeof records.write>[0];
await syncs.see(
  syncId,
  wanted.map(({ id }) => id),
);
await records.write(wanted);
for (let isFinished = false; !isFinished;) ({ isFinished } = await syncs.finish(syncId));
