/**
 * The rows of folder requests (README.md); keys.ts has their keys. Each shard is a partition with a record and index rows for
 * each request. The keys of index rows end with the number of transitions, which makes each key of a
 * waiting or leased request unique. Every transition reads the record, decides by it, and writes on the condition that it is unchanged. The other rows
 * follow from the record and can be rebuilt from it (settle.ts).
 *
 * Index rows contain the whole request except its history under the names of the wire, so a list reads no record.
 */
import { isDeepStrictEqual } from 'node:util';
import type { FolderRequestStatus } from '../../contract/folder-requests.ts';
import { folderRequestStatuses } from '../../contract/folder-requests.ts';
import { parseTargetPath } from '../../contract/target-path.ts';
import { countOfColumn, textOfColumn } from '../../storage/column-values.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { historyColumns } from '../requests/history.ts';
import { laneOf } from '../requests/routing.ts';
import { belongingOf, partitionOf, rowKeys } from './keys.ts';

/** The keys of the rows that point to a request: by its requester and its project. */
export const pointersTo = ({ id, requestedByUserId, projectId }: StoredFolderRequest): readonly string[] =>
  [
    ...(requestedByUserId === null ? [] : [belongingOf({ requestedBy: requestedByUserId })]),
    ...(projectId === null ? [] : [belongingOf({ projectId })]),
  ].map((belonging) => rowKeys.pointer.of({ belonging, id }));

export type Entity = Record<string, unknown> & { readonly partitionKey: string; readonly rowKey: string };

export const recordKeyOf = (id: string): string => rowKeys.record.of({ id });

/** The kind of the first index row of a request. */
export const indexKindOf = {
  PENDING: rowKeys.waiting,
  PROCESSING: rowKeys.leased,
  FULFILLED: rowKeys.fulfilled,
  FAILED: rowKeys.failed,
} as const satisfies Record<FolderRequestStatus, { has(rowKey: string): boolean }>;

/** The keys of the index rows of a request in this state. The first one is noted in the record. */
export function indexKeysOf(request: StoredFolderRequest): readonly string[] {
  const { id, status, transitions, leaseExpiresAtMs } = request;
  // Every way to PENDING adds an entry to the history. The end of a lease grows with each heartbeat.
  const turn = String(transitions);
  switch (status) {
    case 'PENDING':
      return [
        rowKeys.waiting.of({ id, turn }),
        rowKeys.lane.of({ lane: laneOf(request.targetPath), id, turn }),
      ];
    case 'PROCESSING':
      return [rowKeys.leased.of({ leaseExpiresAtMs: leaseExpiresAtMs ?? 0, id, turn })];
    case 'FULFILLED':
      return [rowKeys.fulfilled.of({ id })];
    case 'FAILED': {
      const { retryAtMs: dueMs } = request;
      return [rowKeys.failed.of({ id }), ...(dueMs === null ? [] : [rowKeys.retry.of({ dueMs, id, turn })])];
    }
    default:
      return status satisfies never;
  }
}

/**
 * The columns of a request, for record and index rows alike. A new field of a request is one line here. Absent values are an
 * empty string: the table cannot store null, and a merge would keep the old value.
 */
const kinds = {
  id: 'text',
  targetPath: 'text',
  requestedByUserId: 'text',
  requestedByName: 'text',
  agentId: 'text',
  errorMessage: 'text',
  errorCode: 'text',
  errorParams: 'text',
  claimToken: 'text',
  projectId: 'text',
  otherRows: 'text',
  claimTurn: 'text',
  attempts: 'count',
  expiredLeases: 'count',
  releases: 'count',
  transitions: 'count',
  retries: 'count',
  createdAtMs: 'time',
  updatedAtMs: 'time',
  processedAtMs: 'time',
  leaseExpiresAtMs: 'time',
  retryAtMs: 'time',
} as const satisfies Record<
  Exclude<keyof StoredFolderRequest, 'status' | 'added'>,
  'text' | 'count' | 'time'
>;

const columns = (Object.keys(kinds) as (keyof typeof kinds)[]).map((field) => {
  const kind = kinds[field];
  const index = field.replace(/Ms$/, '');
  return { field, kind, index, record: index.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) };
});

const longColumns = new Set(['target_path', 'error_message', 'error_params']);

/** The columns of a record with texts of a few words: 16 of them in 4 rows each fit into a transaction of 4 MiB. */
export const shortColumns: readonly string[] = columns.flatMap(({ kind, record }) =>
  kind === 'text' && !longColumns.has(record) ? [record] : [],
);

function columnsOf(request: StoredFolderRequest, row: 'record' | 'index'): Record<string, unknown> {
  const entity: Record<string, unknown> = {};
  for (const { field, kind, [row]: name } of columns) {
    const value = request[field];
    if (kind !== 'time') entity[name] = value ?? '';
    else if (typeof value === 'number') entity[name] = new Date(value);
  }
  return entity;
}

function requestIn(
  entity: Entity,
  row: 'record' | 'index',
  status: FolderRequestStatus,
): StoredFolderRequest {
  const values = columns.map(({ field, kind, [row]: name }) => [field, read[kind](entity[name])]);
  const request = Object.fromEntries(values) as Omit<StoredFolderRequest, 'status' | 'added'>;
  return {
    ...request,
    // An operator may have deleted a time.
    createdAtMs: request.createdAtMs ?? 0,
    updatedAtMs: request.updatedAtMs ?? 0,
    // Those of another state are typed by hand, and would be copied into each row of a transaction.
    ...(status !== 'FAILED' && { errorMessage: null, errorCode: null, errorParams: null }),
    // Transitions merge, so the column may outlive the lease.
    leaseExpiresAtMs: status === 'PROCESSING' ? request.leaseExpiresAtMs : null,
    retryAtMs: status === 'FAILED' ? request.retryAtMs : null,
    status,
    added: [],
  };
}

const text = (value: unknown): string | null => textOfColumn(value) || null;
const read = {
  text,
  // An operator may have deleted a count, or typed it as text.
  count: countOfColumn,
  time: (value: unknown): number | null => {
    const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : NaN;
    return Number.isNaN(ms) ? null : ms;
  },
};

/** The columns of a record without its history, which may be most of the row. */
export const recordColumns: readonly string[] = [
  'PartitionKey',
  'RowKey',
  'status',
  'index_row',
  'lane_row',
  'retry_of',
  ...columns.map(({ record }) => record),
];

/** The record; `lastOp` names the transaction that writes it, to distinguish a lost response from a lost race. */
export function recordEntity(request: StoredFolderRequest, lastOp: string): Entity {
  const [indexRow, laneRow = ''] = indexKeysOf(request);
  return {
    partitionKey: partitionOf(request.id),
    rowKey: recordKeyOf(request.id),
    ...columnsOf(request, 'record'),
    ...historyColumns(request),
    status: request.status,
    index_row: indexRow,
    lane_row: laneRow,
    // The failure that `retry_at` is about. Both remain in a merge, which only a claim or a lease does.
    ...(request.retryAtMs !== null && { retry_of: request.transitions }),
    last_op: lastOp,
  };
}

export function indexEntities(request: StoredFolderRequest): readonly Entity[] {
  const [indexRow, laneRow = ''] = indexKeysOf(request);
  return indexKeysOf(request).map((rowKey) => ({
    partitionKey: partitionOf(request.id),
    rowKey,
    ...columnsOf(request, 'index'),
    // Each row of a pair has the key of the other.
    ...(laneRow !== '' && { pair: rowKey === laneRow ? indexRow : laneRow }),
  }));
}

/** The rows by which a request is listed by its requester and its project. */
export const pointerEntities = (request: StoredFolderRequest): readonly Entity[] =>
  pointersTo(request).map((rowKey) => ({
    partitionKey: partitionOf(request.id),
    rowKey,
    ...columnsOf(request, 'index'),
    // Not `status`: that column is the one by which operators find the record (docs/repairing-the-queue.md).
    state: request.status,
  }));

/** The request in a pointer; undefined for one that has only the id, as up to 1.0. */
export function pointedIn(entity: Entity): StoredFolderRequest | undefined {
  const status = folderRequestStatuses.find((status) => status === entity['state']);
  return status && requestIn(entity, 'index', status);
}

/** A request with the keys of its index rows, as read from one of them. */
export interface Indexed {
  readonly request: StoredFolderRequest;
  readonly keys: readonly string[];
}

export function indexedIn(entity: Entity): Indexed {
  const pair = text(entity['pair']);
  return {
    request: requestIn(entity, 'index', statusOfKey(entity.rowKey)),
    keys: [entity.rowKey, ...(pair === null ? [] : [pair])],
  };
}

export interface StoredRecord extends Indexed {
  readonly etag: string;
  /** As stored, including columns that are not ours. */
  readonly entity: Entity;
}

export function recordOf(entity: Entity): StoredRecord {
  const keys = [entity['index_row'], entity['lane_row']].map(text).filter((key) => key !== null);
  const [indexKey = ''] = keys;
  // The column may be edited by hand: an invalid status counts as unchanged.
  const status = folderRequestStatuses.find((status) => status === entity['status']) ?? statusOfKey(indexKey);
  const asWritten = requestIn(entity, 'record', status);
  // The column may be edited, too; its own calls still find the rows of the request.
  const stored = {
    ...asWritten,
    id: rowKeys.record.parse(entity.rowKey)?.id ?? asWritten.id,
    retryAtMs: isOfEarlierFailure(entity, asWritten) ? null : asWritten.retryAtMs,
  };
  // As an operator may have typed it.
  const parsed = parseTargetPath(stored.targetPath);
  const request = 'path' in parsed ? { ...stored, targetPath: parsed.path.text } : stored;
  return { request, keys, etag: String(entity['etag']), entity };
}

/**
 * An instance of an earlier version keeps the columns of another try when it requeues the request; its next failure is
 * another transition. A time that an operator has typed is of no failure, and counts.
 */
const isOfEarlierFailure = ({ retry_of: of }: Entity, { transitions }: StoredFolderRequest): boolean =>
  textOfColumn(of) !== undefined && countOfColumn(of) !== transitions;

/** The status that a row with this key shows; undefined if it is no index row. */
export function statusOfIndexKey(rowKey: string): FolderRequestStatus | undefined {
  if (rowKeys.lane.has(rowKey)) return 'PENDING';
  if (rowKeys.retry.has(rowKey)) return 'FAILED';
  return folderRequestStatuses.find((status) => indexKindOf[status].has(rowKey));
}

const statusOfKey = (rowKey: string): FolderRequestStatus => statusOfIndexKey(rowKey) ?? 'PENDING';

/** The keys of the other rows that are written and deleted with a request. */
export const otherRowsOf = ({ otherRows }: StoredFolderRequest): readonly string[] =>
  otherRows?.split(' ') ?? [];

/** Whether an index row shows what the record says, and belongs to it. */
export const isSameContent = (row: Indexed, record: StoredRecord): boolean =>
  isDeepStrictEqual(row.keys.toSorted(), record.keys.toSorted()) &&
  isDeepStrictEqual(row.request, record.request);
