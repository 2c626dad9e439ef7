/**
 * The layout of folder requests in the table. Each shard is a partition `fr-<hex digit>` with, for each request,
 *
 *   `J_<inverted id>`                       the record: the contract's columns, newest first by key
 *
 * and exactly one index row, whose key encodes the state of the request:
 *
 *   `Q_<visible at ms>_<id>_<attempts>`     PENDING (visible since its creation) or PROCESSING (visible once the lease ends)
 *   `F_<inverted id>`, `D_<inverted id>`    FAILED, FULFILLED
 *
 * Every transition is one entity group transaction that deletes the index row, inserts the next one and writes the
 * record. A `Q_` key is never used twice (`attempts` grows with each claim, a heartbeat changes the time), and deleting a
 * missing row fails the transaction: the delete is the compare-and-swap, so claims need no ETag.
 *
 * Index rows contain the whole request under the names of the wire, so a list or a claim reads one range and no record, and
 * `server`, by which claims are routed. Only the record has the column names of the contract: a search for `status` in the
 * table finds one row per request.
 */
import { folderRequestStatuses, type FolderRequestStatus } from '../contract/folder-requests.ts';
import type { StoredFolderRequest } from './folder-request.ts';
import { historyOf, textOf } from './history.ts';
import { invertedId, shardOf } from './request-id.ts';
import { routeOf } from './routing.ts';

export type Entity = Record<string, unknown> & { readonly partitionKey: string; readonly rowKey: string };

export const partitionOfShard = (shard: number): string => `fr-${shard.toString(16)}`;
export const partitionOf = (id: string): string => partitionOfShard(shardOf(id));

export const recordKeyOf = (id: string): string => `J_${invertedId(id)}`;

/** `_` is followed by `` ` `` in ASCII: the end of every range with a prefix. */
export const endOf = (prefix: string): string => `${prefix.slice(0, -1)}\``;

/** First key after every `Q_` row visible at `ms`. 15 digits hold any time until the year 33658. */
export const queueKeyUpTo = (ms: number): string => `Q_${padded(ms + 1)}`;

const padded = (ms: number): string => String(Math.trunc(ms)).padStart(15, '0');

export function indexKeyOf(request: StoredFolderRequest): string {
  const { id, status, attempts, createdAtMs, leaseExpiresAtMs } = request;
  switch (status) {
    case 'PENDING':
      return `Q_${padded(createdAtMs)}_${id}_${attempts}`;
    case 'PROCESSING':
      return `Q_${padded(leaseExpiresAtMs ?? 0)}_${id}_${attempts}`;
    case 'FULFILLED':
      return `D_${invertedId(id)}`;
    case 'FAILED':
      return `F_${invertedId(id)}`;
    default:
      return status satisfies never;
  }
}

/** The record; `lastOp` names the transaction that writes it, to distinguish a lost response from a lost race. */
export function recordEntity(request: StoredFolderRequest, lastOp: string): Entity {
  return {
    partitionKey: partitionOf(request.id),
    rowKey: recordKeyOf(request.id),
    id: request.id,
    target_path: request.targetPath,
    // An empty string represents null: the table cannot store null, and a merge would keep the old value.
    requested_by_user_id: request.requestedByUserId ?? '',
    agent_id: request.agentId ?? '',
    status: request.status,
    error_message: request.errorMessage ?? '',
    attempts: request.attempts,
    created_at: new Date(request.createdAtMs),
    updated_at: new Date(request.updatedAtMs),
    ...(request.processedAtMs !== null && { processed_at: new Date(request.processedAtMs) }),
    expired_leases: request.expiredLeases,
    claim_token: request.claimToken ?? '',
    ...(request.leaseExpiresAtMs !== null && { lease_expires_at: new Date(request.leaseExpiresAtMs) }),
    history: textOf(request.history),
    index_row: indexKeyOf(request),
    last_op: lastOp,
  };
}

/** The column with the key of the idempotency row, if there is one: a withdrawal deletes that row too. */
export const keyRowColumn = 'key_row';

const keyColumns = ['PartitionKey', 'RowKey'];

/** The columns of a record that a list shows: not the history, which may be most of the row. */
export const listedRecordColumns: readonly string[] = [
  ...keyColumns,
  ...'id target_path requested_by_user_id agent_id status error_message attempts'.split(' '),
  ...'created_at updated_at processed_at index_row'.split(' '),
];

/** The same for an index row. */
export const listedIndexColumns: readonly string[] = [
  ...keyColumns,
  ...'id leased targetPath requestedByUserId agentId errorMessage attempts'.split(' '),
  ...'createdAt updatedAt processedAt'.split(' '),
];

export interface StoredRecord {
  readonly request: StoredFolderRequest;
  readonly etag: string;
  readonly indexKey: string;
  readonly lastOp: string;
  /** As stored, including columns that are not ours. */
  readonly entity: Entity;
}

export function recordOf(entity: Entity): StoredRecord {
  const indexKey = text(entity['index_row']) ?? '';
  const status = statusOf(entity['status'], indexKey);
  return {
    request: {
      id: String(entity['id']),
      targetPath: String(entity['target_path']),
      requestedByUserId: text(entity['requested_by_user_id']),
      agentId: text(entity['agent_id']),
      status,
      errorMessage: text(entity['error_message']),
      attempts: count(entity['attempts']),
      expiredLeases: count(entity['expired_leases']),
      claimToken: text(entity['claim_token']),
      // Transitions merge, so the column may outlive the lease.
      leaseExpiresAtMs: status === 'PROCESSING' ? time(entity['lease_expires_at']) : null,
      createdAtMs: time(entity['created_at']) ?? 0,
      updatedAtMs: time(entity['updated_at']) ?? 0,
      processedAtMs: time(entity['processed_at']),
      history: historyOf(entity['history']),
    },
    etag: String(entity['etag']),
    indexKey,
    lastOp: text(entity['last_op']) ?? '',
    entity,
  };
}

// The column may be edited by hand: an invalid status counts as unchanged.
function statusOf(value: unknown, indexKey: string): FolderRequestStatus {
  const status = folderRequestStatuses.find((status) => status === value);
  if (status) return status;
  if (indexKey.startsWith('F_')) return 'FAILED';
  return indexKey.startsWith('D_') ? 'FULFILLED' : 'PENDING';
}

export function indexEntity(request: StoredFolderRequest): Entity {
  return {
    partitionKey: partitionOf(request.id),
    rowKey: indexKeyOf(request),
    id: request.id,
    leased: request.status === 'PROCESSING',
    server: routeOf(request.targetPath),
    targetPath: request.targetPath,
    requestedByUserId: request.requestedByUserId ?? '',
    agentId: request.agentId ?? '',
    errorMessage: request.errorMessage ?? '',
    attempts: request.attempts,
    expiredLeases: request.expiredLeases,
    claimToken: request.claimToken ?? '',
    history: textOf(request.history),
    createdAt: new Date(request.createdAtMs),
    updatedAt: new Date(request.updatedAtMs),
    ...(request.leaseExpiresAtMs !== null && { leaseExpiresAt: new Date(request.leaseExpiresAtMs) }),
    ...(request.processedAtMs !== null && { processedAt: new Date(request.processedAtMs) }),
  };
}

export function requestOfIndex(entity: Entity): StoredFolderRequest {
  return {
    id: String(entity['id']),
    targetPath: String(entity['targetPath']),
    requestedByUserId: text(entity['requestedByUserId']),
    agentId: text(entity['agentId']),
    status: statusOfIndex(entity),
    errorMessage: text(entity['errorMessage']),
    attempts: Number(entity['attempts']),
    expiredLeases: Number(entity['expiredLeases']),
    claimToken: text(entity['claimToken']),
    leaseExpiresAtMs: time(entity['leaseExpiresAt']),
    createdAtMs: time(entity['createdAt']) ?? 0,
    updatedAtMs: time(entity['updatedAt']) ?? 0,
    processedAtMs: time(entity['processedAt']),
    history: historyOf(entity['history']),
  };
}

function statusOfIndex(entity: Entity): FolderRequestStatus {
  if (entity.rowKey.startsWith('F_')) return 'FAILED';
  if (entity.rowKey.startsWith('D_')) return 'FULFILLED';
  return entity['leased'] === true ? 'PROCESSING' : 'PENDING';
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
// An operator may have deleted a count, or typed it as text.
const count = (value: unknown): number => Math.max(0, Math.trunc(Number(value)) || 0);
const time = (value: unknown): number | null => {
  const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(ms) ? null : ms;
};
