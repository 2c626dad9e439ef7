import { expect, test } from 'vitest';
import { QueueTable } from '../../../lib/folder-requests/table/queue-table.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { PauselessClock } from '../../support/folder-queue.ts';
import { StorageWatch } from '../../support/storage-watch.ts';

test('a transaction that conflicts is lost, without a further request', async () => {
  const watch = new StorageWatch();
  const client = tableClient(await newTable(), { additionalPolicies: watch.policies });
  const table = new QueueTable(client, new PauselessClock());
  const row = { partitionKey: 'fr-0', rowKey: 'X' };
  const commit = () =>
    table.commit([['create', row]], async () => (await table.row('fr-0', 'X')) !== undefined);
  expect([await commit(), await commit()]).toEqual([true, false]);
  expect(watch.calls.map(({ kind }) => kind)).toEqual(['transaction', 'transaction']);
});

test('a transaction and a read that keep failing are sent three times', async () => {
  const watch = new StorageWatch();
  watch.fault = () => 503;
  const client = tableClient(await newTable(), { additionalPolicies: watch.policies });
  const table = new QueueTable(client, new PauselessClock(), 60_000);
  const row = { partitionKey: 'fr-0', rowKey: 'X' };
  await expect(table.commit([['create', row]], async () => false)).rejects.toMatchObject({
    code: 'storage_unavailable',
  });
  expect(watch.calls.map(({ kind }) => kind)).toEqual(['transaction', 'transaction', 'transaction']);
  watch.reset();
  await expect(table.row('fr-0', 'X')).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(watch.calls).toHaveLength(3);
});
