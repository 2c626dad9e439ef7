import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstRows, odata } from '../../../lib/storage/table-rows.ts';
import { startAzurite, type Azurite } from '../../../local/stand-ins/azurite.ts';

const rowsPerSecond = 40;
let azurite: Azurite;
let table: TableClient;

beforeAll(async () => {
  azurite = await startAzurite({ scannedRowsPerSecond: rowsPerSecond });
  table = TableClient.fromConnectionString(azurite.connectionString, 'rows', {
    allowInsecureConnection: true,
  });
  await table.createTable();
  await azurite.load('rows', rowsOf('a', 300));
});

afterAll(() => azurite.stop());

function* rowsOf(partitionKey: string, count: number): Generator<Record<string, unknown>> {
  for (let at = 0; at < count; at += 1) {
    yield { partitionKey, rowKey: String(at).padStart(4, '0'), at, createdAt: new Date(at) };
  }
}

interface Page {
  readonly rowKeys: readonly string[];
  readonly continuationToken: string | undefined;
  readonly scanned: number;
}

async function firstPage(filter: string, maxPageSize = 1000): Promise<Page> {
  const before = await azurite.scannedRows();
  const pages = table.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize });
  const page = (await pages.next()).value as { rowKey: string }[] & { continuationToken?: string };
  const { continuationToken } = page;
  return {
    rowKeys: page.map(({ rowKey }) => rowKey),
    continuationToken,
    scanned: (await azurite.scannedRows()) - before,
  };
}

test('a page ends after the rows of five seconds of scanning, with the matches so far and a continuation', async () => {
  const { rowKeys, continuationToken, scanned } = await firstPage(
    "PartitionKey eq 'a' and (at eq 3 or at eq 250)",
  );
  expect(rowKeys).toEqual(['0003']);
  expect(continuationToken).toBeDefined();
  expect(scanned).toBe(5 * rowsPerSecond);
});

test('rows for a table that does not exist are an error', async () => {
  await expect(azurite.load('nowhere', rowsOf('a', 1))).rejects.toThrow(
    `The account ${azurite.accountName} has no table nowhere.`,
  );
});

test('a search follows the continuations, and finds the matches behind the first five seconds', async () => {
  const filter = odata`PartitionKey eq ${'a'} and RowKey ge ${'0060'} and at eq ${265}`;
  expect(await firstRows(table, filter, 2)).toMatchObject([{ at: 265 }]);
});

test('a range of keys costs its rows, not those before and after it', async () => {
  const { rowKeys, continuationToken, scanned } = await firstPage(
    "PartitionKey eq 'a' and RowKey ge '0290' and RowKey lt '0292'",
  );
  expect(rowKeys).toEqual(['0290', '0291']);
  expect(continuationToken).toBeUndefined();
  expect(scanned).toBe(2);
});

test('a page of a requested size reads no further than its last row', async () => {
  const { rowKeys, continuationToken, scanned } = await firstPage("PartitionKey eq 'a'", 2);
  expect(rowKeys).toEqual(['0000', '0001']);
  expect(continuationToken).toBeDefined();
  expect(scanned).toBe(2);
});

test('a page ends at the end of a partition, even when it is empty', async () => {
  await table.createEntity({ partitionKey: 'b', rowKey: '1' });
  await table.createEntity({ partitionKey: 'c', rowKey: '1' });
  const page = await firstPage("PartitionKey gt 'a' and PartitionKey lt 'd' and RowKey eq '2'");
  expect(page.rowKeys).toEqual([]);
  expect(page.continuationToken).toBeDefined();
  const found: unknown[] = [];
  const filter = "PartitionKey gt 'a' and PartitionKey lt 'd'";
  for await (const { partitionKey } of table.listEntities({ queryOptions: { filter } }))
    found.push(partitionKey);
  expect(found).toEqual(['b', 'c']);
});

test('transactions are all or nothing, also after a failed condition', async () => {
  const row = { partitionKey: 'd', rowKey: '1', value: 'first' };
  await table.createEntity(row);
  const actions = [
    ['delete', { partitionKey: 'd', rowKey: '1' }],
    ['create', { partitionKey: 'd', rowKey: '2' }],
    ['delete', { partitionKey: 'd', rowKey: 'missing' }],
  ] as const;
  await expect(
    table.submitTransaction(actions.map(([kind, entity]) => [kind, { ...entity }])),
  ).rejects.toMatchObject({
    statusCode: 404,
  });
  const { rowKeys } = await firstPage("PartitionKey eq 'd'");
  expect(rowKeys).toEqual(['1']);
  await table.submitTransaction(actions.slice(0, 2).map(([kind, entity]) => [kind, { ...entity }]));
  expect((await firstPage("PartitionKey eq 'd'")).rowKeys).toEqual(['2']);
});

test('loaded rows have their types and can be changed', async () => {
  const row = await table.getEntity<{ createdAt: Date; at: number }>('a', '0007');
  expect(row.createdAt).toEqual(new Date(7));
  await table.updateEntity({ partitionKey: 'a', rowKey: '0007', at: 1007 }, 'Merge', { etag: row.etag });
  expect(await table.getEntity('a', '0007')).toMatchObject({ at: 1007, createdAt: new Date(7) });
  await expect(
    table.updateEntity({ partitionKey: 'a', rowKey: '0007' }, 'Merge', { etag: row.etag }),
  ).rejects.toMatchObject({ statusCode: 412 });
});
