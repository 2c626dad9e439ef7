import { randomUUID } from 'node:crypto';
import type { TransactionAction } from '@azure/data-tables';
import { odata, type Filter } from '../../storage/table-rows.ts';
import type { KeyRange } from '../../storage/row-keys.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { rowKeys } from '../folders/row-keys.ts';
import { documentKey, type DocumentKey } from './document-key.ts';
import { columnsOf, type DocumentRecord, type NewRecord } from './document-row.ts';

export type Row = NewRecord & {
  /** Key of the row for the list. */
  readonly listRowKey: string;
  /** The rows of the index that the record shares with others (document-index.ts), if it has none of its own. */
  readonly wordBatch?: string;
};

export type FoundRow = Row & { readonly etag: string };
export type SetAsideRow = NewRecord & { readonly setAsideAt: string };

type StoredRow = (Row | SetAsideRow) & {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Names the write, to distinguish a lost response from another write. */
  readonly writtenBy: string;
};

export const fileRowKey = ({ itemKey }: DocumentKey): string => rowKeys.file.of({ itemKey });
export const setAsideRowKey = ({ itemKey }: DocumentKey): string => rowKeys.aside.of({ itemKey });

export const keyOf = ({ projectId, itemId }: NewRecord): DocumentKey => documentKey(projectId, itemId);

/** The rows of a record; the first one decides which of two writers was first. */
export function rowsOf(record: DocumentRecord, wordBatch?: string): readonly StoredRow[] {
  const key = keyOf(record);
  const { setAsideAt } = record;
  const row = {
    partitionKey: key.partitionKey,
    ...columnsOf(record),
    ...(wordBatch !== undefined && { wordBatch }),
    writtenBy: randomUUID(),
  };
  if (setAsideAt !== undefined) return [{ ...row, rowKey: setAsideRowKey(key), setAsideAt }];
  const listRowKey = listRowKeyOf(record.uploadedAt, key);
  return [
    { ...row, rowKey: fileRowKey(key), listRowKey },
    { ...row, rowKey: listRowKey, listRowKey },
  ];
}

/** What replaces the rows that a record has by these. */
export function actionsOf(
  key: DocumentKey,
  listed: FoundRow | null,
  aside: SetAsideRow | null,
  rows: readonly StoredRow[],
): TransactionAction[] {
  const { partitionKey } = key;
  const former = listed ? [fileRowKey(key), listed.listRowKey] : [];
  if (aside) former.push(setAsideRowKey(key));
  const gone = former.filter((rowKey) => rows.every((row) => row.rowKey !== rowKey));
  return [
    ...rows.map((row): TransactionAction => {
      // The row for the list may exist in a table that was repaired by hand.
      if (row.rowKey !== fileRowKey(key)) return ['upsert', row, 'Replace'];
      return listed ? ['update', row, 'Replace', { etag: listed.etag }] : ['create', row];
    }),
    ...gone.map((rowKey): TransactionAction => ['delete', { partitionKey, rowKey }]),
  ];
}

const listRowKeyOf = (uploadedAt: string, { itemKey }: DocumentKey): string =>
  rowKeys.list.of({ uploadedAtMs: Date.parse(uploadedAt), itemKey });

export const isListRowKey = (rowKey: string): boolean => rowKeys.list.parse(rowKey) !== undefined;

export const rangeFilter = (projectId: string, { from, to }: KeyRange): Filter =>
  odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${from} and RowKey lt ${to} and projectId eq ${projectId}`;

/** The rows of the list, newest first. */
export const listFilter = (projectId: string, after = rowKeys.list.all.from): Filter =>
  rangeFilter(projectId, { from: after, to: rowKeys.list.all.to });
