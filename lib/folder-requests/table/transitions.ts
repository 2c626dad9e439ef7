import type { TransactionAction } from '@azure/data-tables';
import { requeued, type Requeuer, type StoredFolderRequest } from '../requests/folder-request.ts';
import { outcomeActions } from './outcomes.ts';
import { partitionOf, rowKeys } from './keys.ts';
import {
  indexEntities,
  pointersTo,
  recordEntity,
  type Entity,
  type Indexed,
  type StoredRecord,
} from './rows.ts';

/**
 * A new request: fails when the id exists.
 *
 * @param keyRow key of the idempotency row that is written with it
 */
export function creation(
  request: StoredFolderRequest,
  lastOp: string,
  ...keyRow: readonly string[]
): TransactionAction[] {
  const pointers = pointersTo(request);
  const stored = { ...request, otherRows: [...pointers, ...keyRow].join(' ') || null };
  const { id } = request;
  return [
    ['create', recordEntity(stored, lastOp)],
    ...insertions(stored),
    ...pointers.map((rowKey): TransactionAction => ['create', { partitionKey: partitionOf(id), rowKey, id }]),
  ];
}

/**
 * A transition of a request that was read from an index row. Deleting its index rows is the only condition: every change of
 * the record deletes them too, so the record needs no ETag.
 */
export const transitionFromIndex = (
  from: Indexed,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction[] => transition(from, to, ['update', recordEntity(to, lastOp), 'Merge']);

/** A transition of a record that was read: the ETag also detects a change by hand. Keeps columns that are not ours. */
export function transitionFromRecord(
  record: StoredRecord,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction[] {
  const entity = { ...columnsOfOthers(record.entity), ...recordEntity(to, lastOp) };
  return transition(record, to, ['update', entity, 'Replace', { etag: record.etag }]);
}

const transition = (
  from: Indexed,
  to: StoredFolderRequest,
  update: TransactionAction,
): TransactionAction[] => [...deletions(from), ...insertions(to), update, ...outcomeActions(to)];

const insertions = (request: StoredFolderRequest): TransactionAction[] =>
  indexEntities(request).map((row) => ['create', row]);

/** The condition of every transition: a row can be deleted only once. */
export const deletions = ({ request, keys }: Indexed): TransactionAction[] =>
  keys.map((rowKey) => ['delete', { partitionKey: partitionOf(request.id), rowKey }]);

/**
 * How many claims, or returns of a lease, fit into a transaction of 100 actions: each has two rows of the pair, one of the
 * lease, and the record. Without histories, so many take less than 1 MiB of the 4 MiB, whatever their paths are.
 */
export const maxTransitions = 25;

export interface RecordRequeue {
  readonly next: StoredFolderRequest;
  readonly isByHand: boolean;
}

/**
 * A requeue of a record that was read. `isByHand`: an operator has set it from FAILED to PENDING in the table, but its
 * index row is still among the FAILED; this transition completes the change.
 */
export function requeuedRecord(
  { request, keys }: StoredRecord,
  nowMs: number,
  by: Requeuer | null,
  targetPath?: string,
): RecordRequeue | { readonly isByHand: boolean; readonly rejected: 'not_failed' } {
  const isByHand = request.status === 'PENDING' && rowKeys.failed.has(keys[0] ?? '');
  const failed: StoredFolderRequest = isByHand ? { ...request, status: 'FAILED' } : request;
  return { ...requeued(failed, nowMs, isByHand ? null : by, targetPath), isByHand };
}

// A merge cannot remove the first two, so the next state alone determines whether they exist. The storage sets the others.
const cleared = new Set(['processed_at', 'lease_expires_at', 'etag', 'timestamp']);

const columnsOfOthers = (entity: Entity): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entity).filter(([name]) => !cleared.has(name) && !name.startsWith('odata.')),
  );
