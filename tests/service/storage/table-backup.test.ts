import { mkdtemp, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { expect, test } from 'vitest';
import { timedFunctions } from '../../../functions/timed-functions.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { backupCompleteName, TableBackup } from '../../../lib/storage/table-backup.ts';
import { TimerRuns } from '../../../lib/storage/timer-runs.ts';
import { fetchBackup, restoreTables } from '../../../tools/tables/saved-tables.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import {
  agent,
  allRows,
  certain,
  claimFrom,
  faultsOfTable,
  openQueue,
  PauselessClock,
  RecordedLog,
} from '../../support/folder-queue.ts';
import { StorageWatch } from '../../support/storage-watch.ts';
import { pendingRequests, store } from '../folder-requests/fixture.ts';

const blobs = (): Promise<BlobServiceClient> =>
  Promise.resolve(BlobServiceClient.fromConnectionString(azuriteConnectionString()));
const at = (day: string) => ({ now: () => Date.parse(`${day}T01:40:00Z`), wait: () => Promise.resolve() });
const backupOf = (day: string, ...tables: TableClient[]) =>
  new TableBackup({ tables, blobs, clock: at(day) });

const rowsOf = async (table: TableClient): Promise<object[]> => {
  const rows: object[] = [];
  for await (const { etag: _, timestamp: __, ...row } of table.listEntities({ disableTypeConversion: true }))
    rows.push(row);
  return rows;
};

/** What `az storage blob download-batch` does with the folder of a day, with the file of a table under another's name. */
async function downloaded(day: string, from: TableClient, to: TableClient): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  const container = (await blobs()).getContainerClient('backups');
  for await (const { name } of container.listBlobsFlat({ prefix: `${day}/` }))
    await writeFile(
      join(folder, name.slice(day.length + 1)),
      await container.getBlobClient(name).downloadToBuffer(),
    );
  await rename(join(folder, `${from.tableName}.ndjson`), join(folder, `${to.tableName}.ndjson`));
  return folder;
}

test('a table that is lost returns from the backup of a day, row by row', async () => {
  const [table, restored] = [tableClient(await newTable()), tableClient(await newTable())];
  await table.createEntity({
    partitionKey: 'types',
    rowKey: 'Müller & Söhne',
    text: 'ÄÖ 😀 \r\n',
    long: { value: '9007199254740993', type: 'Int64' },
    time: { value: '2026-11-26T16:00:00.1234567Z', type: 'DateTime' },
  });
  // More than one page.
  for (let page = 0; page < 11; page += 1)
    await table.submitTransaction(
      Array.from({ length: 100 }, (_, index) => [
        'create',
        { partitionKey: 'many', rowKey: `${page}-${index}` },
      ]),
    );
  const before = await rowsOf(table);
  // True of one deployment only.
  await table.createEntity({ partitionKey: 'timer-runs', rowKey: 'back-up-tables' });
  const backup = backupOf('2031-01-05', table);
  expect(await backup.run()).toEqual(new Map([[table.tableName, 1101]]));
  // A second run of the day replaces the first.
  await backup.run();
  await table.deleteTable();

  const folder = await downloaded('2031-01-05', table, restored);
  await restoreTables([restored], folder);
  expect(await rowsOf(restored)).toEqual(before);

  const fewer = tableClient(await newTable());
  await rename(join(folder, `${restored.tableName}.ndjson`), join(folder, `${fewer.tableName}.ndjson`));
  await writeFile(join(folder, backupCompleteName), JSON.stringify({ [fewer.tableName]: 1102 }));
  await expect(restoreTables([fewer], folder)).rejects.toThrow(
    '1102 rows were saved, and 1101 are in the file',
  );
  expect(await rowsOf(fewer)).toEqual([]);
});

// A page has 1,000 rows, and a request several, of which the record is read first: each transition changes all of them.
test('a backup while agents work has every request once, and maintenance makes the rest of its rows right', async () => {
  const clock = new PauselessClock({ nowMs: Date.UTC(2031, 0, 7, 1, 40) });
  const name = await newTable();
  const [table, restored] = [tableClient(name), tableClient(await newTable())];
  await store(
    table,
    pendingRequests(
      Array.from({ length: 600 }, (_, at) => `a${at}`),
      { sinceMs: clock.now() - 3_600_000 },
    ),
  );
  const queue = openQueue(table, { clock, seed: 1 });
  const log = new RecordedLog();
  const before = (await allRows(table))
    .filter(({ rowKey }) => rowKey.startsWith('J_'))
    .map((row) => row['id']);
  const work = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn += 1) {
      await queue.create({ targetPath: `later-${turn}`, requestedByUserId: 'user-1' }, log);
      const { id } = (await claimFrom(queue, agent('a'), log))!;
      if (turn > 0) await queue.report(id, agent('a'), { status: 'FULFILLED' }, log);
    }
  };
  const watch = new StorageWatch();
  let pages = 0;
  watch.gate = ({ kind }) => {
    if (kind !== 'query') return undefined;
    pages += 1;
    return work();
  };
  const watched = tableClient(name, { additionalPolicies: watch.policies });
  await backupOf('2031-01-07', watched).run();
  expect(pages).toBeGreaterThan(2);

  await restoreTables([restored], await downloaded('2031-01-07', table, restored));
  // Otherwise this test shows nothing.
  expect(faultsOfTable(await allRows(restored))).not.toEqual([]);
  const other = openQueue(restored, { clock, seed: 2 });
  await other.maintenance.settleAll(log);
  const rows = await allRows(restored);
  expect(faultsOfTable(rows)).toEqual([]);
  const records = rows.filter(({ rowKey }) => rowKey.startsWith('J_')).map((row) => row['id']);
  expect(records).toEqual(expect.arrayContaining(before));
  expect(new Set(records).size).toBe(records.length);
  expect(await claimFrom(other, agent('b'), log)).not.toBeNull();
});

test('a backup that fails is an alert, and its folder is none that can be restored', async () => {
  const [table, restored] = [tableClient(await newTable()), tableClient(await newTable())];
  const absent = tableClient(`absent${table.tableName.slice(6)}`);
  await backupOf('2031-01-06', table).run();
  const failing = backupOf('2031-01-06', table, absent);
  await expect(failing.run()).rejects.toMatchObject({ statusCode: 404 });
  const folder = await downloaded('2031-01-06', table, restored);
  await expect(restoreTables([restored], folder)).rejects.toThrow(`has no ${backupCompleteName}`);
  const fetched = join(folder, 'fetched');
  const fetching = fetchBackup(await blobs(), '2031-01-06', fetched);
  await expect(fetching).rejects.toThrow(/^There is no complete backup of 2031-01-06\. There are: /);
  await expect(stat(fetched)).rejects.toThrow('ENOENT');
  const counts = await restoreTables([restored], folder, { isUnfinished: true });
  expect(counts).toEqual(new Map([[restored.tableName, 0]]));

  const services = connect(readSettings({ STORAGE_CONNECTION_STRING: azuriteConnectionString() }));
  const timerRuns = new TimerRuns(tableClient(await newTable()), certain(at('2031-01-06')));
  const log = new RecordedLog();
  const runTimer = (backup: TableBackup) =>
    timedFunctions({ ...services, backup, timerRuns })
      .find(({ id }) => id === 'back-up-tables')!
      .handle(log);
  await runTimer(failing);
  await runTimer(backupOf('2031-01-06', table));
  expect(log.events.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'error table_backup_maintenance_failed',
    'info tables_backed_up',
  ]);
});
