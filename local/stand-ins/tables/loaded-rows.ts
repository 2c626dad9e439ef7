/** The message that inserts rows into a table without HTTP. */
export interface LoadedRows {
  readonly account: string;
  readonly table: string;
  /** As in a request to the table service. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A message of the parent process to the tables, which respond with a number of rows. */
export type TablesMessage = LoadedRows | 'scanned rows';

/** A row in the form of `@azure/data-tables` as it is in a request. */
export function wireRow({
  partitionKey,
  rowKey,
  ...columns
}: Readonly<Record<string, unknown>>): LoadedRows['rows'][number] {
  const row: Record<string, unknown> = { PartitionKey: partitionKey, RowKey: rowKey };
  for (const [name, value] of Object.entries(columns)) {
    row[name] = value instanceof Date ? value.toISOString() : value;
    if (value instanceof Date) row[`${name}@odata.type`] = 'Edm.DateTime';
  }
  return row;
}
