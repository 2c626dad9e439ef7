import { odata as escaped, type TableClient, type TableEntityResult } from '@azure/data-tables';

/** A filter of Table Storage. Only {@link odata} makes one: text in it is data, never a part of the filter. */
class TableFilter {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** As the storage reads it. */
  get text(): string {
    return this.#text;
  }
}

export type Filter = TableFilter;

/** A filter with these values, which it escapes. A filter among them is inserted; all parts of one are joined by `and`. */
export function odata(
  strings: TemplateStringsArray,
  ...values: readonly (Filter | string | number | Date)[]
): Filter {
  const parts = strings.map((part, at) => {
    const value = values[at];
    // The SDK quotes text only if something is before it; of the value that the last part lacks, it makes nothing.
    return part + (value instanceof TableFilter ? value.text : escaped` ${value}`.slice(1));
  });
  return new TableFilter(parts.join(''));
}

// Of Table Storage.
const maxPageSize = 1000;

/** The rows of a table that match. Here are the only calls of `listEntities` (see .oxlintrc.json). */
export const matchingRows = <T extends object>(
  table: TableClient,
  filter: Filter,
  { select, abortSignal }: { readonly select?: readonly string[]; readonly abortSignal?: AbortSignal } = {},
) =>
  table.listEntities<T>({
    ...(abortSignal && { abortSignal }),
    queryOptions: { filter: filter.text, ...(select && { select: [...select] }) },
  });

/** Every row of a table, with each property as the storage has it: with its type where JSON would lose it (Int64, times). */
export const unconvertedRows = (table: TableClient, abortSignal?: AbortSignal) =>
  table.listEntities({ disableTypeConversion: true, ...(abortSignal && { abortSignal }) });

/** Up to `limit` rows, in the order of their keys. One request for each 1,000, unless the storage returns short pages. */
export async function firstRows<T extends object>(
  table: TableClient,
  filter: Filter,
  limit: number,
): Promise<TableEntityResult<T>[]> {
  const rows: TableEntityResult<T>[] = [];
  const pages = matchingRows<T>(table, filter);
  // A page with fewer rows than requested, or none, is not the end.
  for await (const page of pages.byPage({ maxPageSize: Math.min(limit, maxPageSize) })) {
    for (const row of page) rows.push(row);
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}
