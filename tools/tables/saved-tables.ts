import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TableClient, TableEntity, TransactionAction } from '@azure/data-tables';

// The limits of a transaction (learn.microsoft.com, "Performing entity group transactions"), with room for its frame.
const maxRows = 100;
const maxCharacters = 3_000_000;

const fileOf = (folder: string, { tableName }: TableClient): string => join(folder, `${tableName}.ndjson`);

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
    try {
      // Without conversion, as it would lose which number is an Int64 and which text a time.
      for await (const row of table.listEntities({ disableTypeConversion: true })) {
        await file.write(`${lineOf(row)}\n`);
        rows += 1;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    counts.set(table.tableName, rows);
  }
  return counts;
}

/**
 * Writes the rows that `saveTables` has stored into empty tables.
 * @returns the number of rows of each table
 * @throws Error before anything is written if one of the tables has a row
 */
export async function restoreTables(
  tables: readonly TableClient[],
  folder: string,
): Promise<ReadonlyMap<string, number>> {
  for (const table of tables) {
    const { value: first } = await table.listEntities().next();
    if (first !== undefined) {
      throw new Error(
        `The table ${table.tableName} has rows. Save it, delete it, and create it again first.`,
      );
    }
  }
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table.tableName, await restoreTable(table, folder));
  return counts;
}

async function restoreTable(table: TableClient, folder: string): Promise<number> {
  let batch: TransactionAction[] = [];
  let partition = '';
  let characters = 0;
  let rows = 0;
  const send = async (): Promise<void> => {
    if (batch.length > 0) await table.submitTransaction(batch);
    batch = [];
    characters = 0;
  };
  for await (const line of createInterface({ input: createReadStream(fileOf(folder, table)) })) {
    const row = writable(JSON.parse(line) as Record<string, unknown>);
    const isFull = batch.length === maxRows || characters + line.length > maxCharacters;
    // The rows of a table are sorted by partition.
    if (row.partitionKey !== partition || isFull) await send();
    partition = row.partitionKey;
    batch.push(['create', row]);
    characters += line.length;
    rows += 1;
  }
  await send();
  return rows;
}

/** JSON in which no character ends a line of `readline`, to which these two are ends. */
const lineOf = (row: object): string =>
  JSON.stringify(row)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

/** A row without what the service adds to each row that it returns. */
function writable(row: Record<string, unknown>): TableEntity {
  const own = Object.entries(row).filter(
    ([name]) => name !== 'etag' && name !== 'timestamp' && !name.startsWith('odata.'),
  );
  return Object.fromEntries(own) as TableEntity;
}
