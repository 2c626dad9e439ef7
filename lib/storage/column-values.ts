/**
 * The text of a column that this service writes as one, whatever type it has now; undefined if the column is absent. Tools with
 * which people edit a row give its other columns new types: text that looks like a number becomes one
 * (Azure/azure-storage-node#150, microsoft/AzureStorageExplorer#5356). It keeps its digits, without leading zeros.
 */
export function textOfColumn(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  const isText = typeof value === 'string' || typeof value === 'boolean';
  return isText || typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** The whole number from 0 of a column that this service writes as one; 0 if it has none. */
export const countOfColumn = (value: unknown): number => Math.max(0, Math.trunc(Number(value)) || 0);

/** A row whose columns of these names have the types with which they were written; absent ones stay absent. */
export function withWrittenTypes<T extends object>(
  row: T,
  names: { readonly texts: readonly (string & keyof T)[]; readonly counts: readonly (string & keyof T)[] },
): T {
  const written: Record<string, unknown> = {};
  for (const name of names.texts) {
    const text = textOfColumn(row[name]);
    if (text !== undefined) written[name] = text;
  }
  for (const name of names.counts) if (row[name] !== undefined) written[name] = countOfColumn(row[name]);
  return { ...row, ...written };
}
