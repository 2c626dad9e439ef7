import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { TableClient, TableEntity, TransactionAction } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import { z } from 'zod';
import { rowOfLine, savedFileName, savedLines, timerRunsPartition } from '../../lib/storage/saved-rows.ts';
import { backupCompleteName, backupContainer } from '../../lib/storage/table-backup.ts';
import { matchingRows, odata } from '../../lib/storage/table-rows.ts';

// The limits of a transaction (learn.microsoft.com, "Performing entity group transactions"), with room for its frame.
const maxRows = 100;
const maxCharacters = 3_000_000;

const fileOf = (folder: string, table: TableClient): string => join(folder, savedFileName(table));

/**
 * Writes each row of the tables as a line of JSON with the types of its properties, a file per table. Rows that change while
 * it reads are in one state or the other.
 * @param folder is created, for its owner only; an existing one is an error, so that nothing is replaced
 * @returns the number of rows of each table
 */
export async function saveTables(
  tables: readonly TableClient[],
  folder: string,
): Promise<ReadonlyMap<string, number>> {
  await mkdir(folder, { mode: 0o700 });
  const counts = new Map<string, number>();
  for (const table of tables) {
    const file = await open(fileOf(folder, table), 'wx', 0o600);
    let rows = 0;
    const lines = async function* (): AsyncGenerator<string> {
      for await (const line of savedLines(table)) {
        rows += 1;
        yield line;
      }
    };
    // On the disk before it is closed.
    await pipeline(lines, file.createWriteStream({ flush: true }));
    counts.set(table.tableName, rows);
  }
  await writeFile(join(folder, backupCompleteName), JSON.stringify(Object.fromEntries(counts)), {
    mode: 0o600,
  });
  return counts;
}

/**
 * Downloads a backup of the service.
 * @param day as in the name of its folder; `latest` is the newest that is complete
 * @param folder is created, for its owner only
 * @returns the day
 * @throws Error that names the days that there are, if this one is missing or was not finished
 */
export async function fetchBackup(blobs: BlobServiceClient, day: string, folder: string): Promise<string> {
  const container = blobs.getContainerClient(backupContainer);
  const names = (await Array.fromAsync(container.listBlobsFlat())).map(({ name }) => name);
  const days = names
    .filter((name) => basename(name) === backupCompleteName)
    .map((name) => name.slice(0, -backupCompleteName.length - 1))
    .toSorted();
  const chosen = day === 'latest' ? days.at(-1) : day;
  if (chosen === undefined || !days.includes(chosen))
    throw new Error(`There is no complete backup of ${day}. There are: ${days.join(', ') || 'none'}.`);
  await mkdir(folder, { mode: 0o700 });
  for (const name of names.filter((name) => name.startsWith(`${chosen}/`))) {
    const file = await open(join(folder, basename(name)), 'wx', 0o600);
    const { readableStreamBody: body } = await container.getBlobClient(name).download();
    await pipeline(body!, file.createWriteStream());
  }
  return chosen;
}

/**
 * Writes the rows of a folder of `saveTables` or of a backup into the tables.
 * @param isUnfinished whether tables without a file stay as they are, and nothing says how many rows a file should have
 * @param replaces whether the rows that they have are removed first; otherwise the tables must be empty
 * @returns the number of rows of each table
 * @throws Error before anything is written or removed if the folder lacks a row that was saved, has a line that is no row, or
 * was not finished, or if a table has a row that may not be removed
 */
export async function restoreTables(
  all: readonly TableClient[],
  folder: string,
  { isUnfinished = false, replaces = false } = {},
): Promise<ReadonlyMap<string, number>> {
  const expected = isUnfinished ? {} : await savedCounts(folder);
  const tables = isUnfinished ? all.filter((table) => existsSync(fileOf(folder, table))) : all;
  if (tables.length === 0) throw new Error(`${folder} has no file of a table.`);
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table.tableName, await countRows(table, folder, expected));
  for (const table of replaces ? [] : tables) {
    const { done } = await rowsToReplace(table).next();
    if (done !== true)
      throw new Error(`The table ${table.tableName} has rows. Save the tables, then restore with --replace.`);
  }
  for (const table of replaces ? tables : []) await removeRows(table);
  for (const table of tables) await restoreTable(table, folder);
  return counts;
}

/** @throws Error if the file of a table has other rows than were saved */
async function countRows(
  table: TableClient,
  folder: string,
  expected: Readonly<Record<string, number>>,
): Promise<number> {
  const path = fileOf(folder, table);
  let rows = 0;
  try {
    for await (const _ of rowsIn(path)) rows += 1;
  } catch (cause) {
    throw new Error(
      `${path}: row ${rows + 1} cannot be read. Download the folder again, or remove the row from the file of an interrupted saving.`,
      { cause },
    );
  }
  const saved = expected[table.tableName] ?? rows;
  if (saved !== rows)
    throw new Error(
      `${table.tableName}: ${saved} rows were saved, and ${rows} are in the file. Download the folder again.`,
    );
  return rows;
}

async function* rowsIn(path: string): AsyncGenerator<{ row: TableEntity; characters: number }> {
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield { row: rowOfLine(line), characters: line.length };
}

/** Without those that the timers of a service write that runs already, which no backup has. */
const rowsToReplace = (table: TableClient) =>
  matchingRows(table, odata`PartitionKey ne ${timerRunsPartition}`, { select: ['PartitionKey', 'RowKey'] });

async function removeRows(table: TableClient): Promise<void> {
  let batch: TransactionAction[] = [];
  const send = async (): Promise<void> => {
    if (batch.length > 0) await table.submitTransaction(batch);
    batch = [];
  };
  for await (const { partitionKey = '', rowKey = '' } of rowsToReplace(table)) {
    if (batch.length === maxRows || batch[0]?.[1].partitionKey !== partitionKey) await send();
    batch.push(['delete', { partitionKey, rowKey }]);
  }
  await send();
}

const countsOfTables = z.record(z.string(), z.number().int());

/** @throws Error if the folder was not finished */
async function savedCounts(folder: string): Promise<Readonly<Record<string, number>>> {
  let text: string;
  try {
    text = await readFile(join(folder, backupCompleteName), 'utf8');
  } catch (error) {
    throw new Error(
      `${folder} has no ${backupCompleteName}: saving it was not finished, or 1.0.0 saved it. --unfinished restores what it has.`,
      { cause: error },
    );
  }
  return countsOfTables.parse(JSON.parse(text));
}

async function restoreTable(table: TableClient, folder: string): Promise<void> {
  let batch: TransactionAction[] = [];
  let partition = '';
  let characters = 0;
  const send = async (): Promise<void> => {
    if (batch.length > 0) await table.submitTransaction(batch);
    batch = [];
    characters = 0;
  };
  for await (const each of rowsIn(fileOf(folder, table))) {
    const { row } = each;
    const isFull = batch.length === maxRows || characters + each.characters > maxCharacters;
    // The rows of a table are sorted by partition.
    if (row.partitionKey !== partition || isFull) await send();
    partition = row.partitionKey;
    batch.push(['create', row]);
    characters += each.characters;
  }
  await send();
}
