import type { TableClient, TableEntityResult } from '@azure/data-tables';

// Of Table Storage.
const maxPageSize = 1000;

/** Up to `limit` rows, in the order of their keys. One request for each 1,000, unless the storage returns short pages. */
export async function firstRows<T extends object>(
  table: TableClient,
  filter: string,
  limit: number,
): Promise<TableEntityResult<T>[]> {
  const rows: TableEntityResult<T>[] = [];
  const pages = table.listEntities<T>({ queryOptions: { filter } });
  // A page with fewer rows than requested, or none, is not the end.
  for await (const page of pages.byPage({ maxPageSize: Math.min(limit, maxPageSize) })) {
    for (const row of page) rows.push(row);
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}
