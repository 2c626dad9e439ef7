import type { TableClient, TableEntity } from '@azure/data-tables';
import * as z from 'zod';
import { unconvertedRows } from './table-rows.ts';

// A saved table is a file with a line of JSON for each row, in the order of its keys, with the types of its properties.

/** The name of a saved table's file. */
export const savedFileName = ({ tableName }: Pick<TableClient, 'tableName'>): string => `${tableName}.ndjson`;

/** Rows that say when the timers of one deployment ran (timer-runs.ts), which is not true of another, or of another day. */
export const timerRunsPartition = 'timer-runs';

/** The lines of a table as it is now, each with its end. Rows that change meanwhile are in one state or the other. */
export async function* savedLines(table: TableClient, abortSignal?: AbortSignal): AsyncGenerator<string> {
  for await (const row of unconvertedRows(table, abortSignal))
    if (row.partitionKey !== timerRunsPartition) yield `${lineOf(row)}\n`;
}

/** JSON in which no character ends a line of `readline`, to which these two are ends. */
const lineOf = (row: object): string =>
  JSON.stringify(row)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

const savedRow = z.looseObject({ partitionKey: z.string(), rowKey: z.string() });

/** A row without what the storage adds to each row that it returns. @throws Error if the line is not a saved row */
export function rowOfLine(line: string): TableEntity {
  const own = Object.entries(savedRow.parse(JSON.parse(line))).filter(
    ([name]) => name !== 'etag' && name !== 'timestamp' && !name.startsWith('odata.'),
  );
  return Object.fromEntries(own) as TableEntity;
}
