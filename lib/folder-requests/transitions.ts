import type { TransactionAction } from '@azure/data-tables';
import { requeued, type StoredFolderRequest } from './folder-request.ts';
import { outcomeActions } from './outcomes.ts';
import {
  indexEntity,
  indexKeyOf,
  keyRowColumn,
  partitionOf,
  recordEntity,
  type Entity,
  type StoredRecord,
} from './rows.ts';

/**
 * A new request: fails when the id exists.
 *
 * @param keyRow key of the idempotency row that is written with it
 */
export function creation(request: StoredFolderRequest, lastOp: string, keyRow?: string): TransactionAction[] {
  return [
    ['create', { ...recordEntity(request, lastOp), ...(keyRow !== undefined && { [keyRowColumn]: keyRow }) }],
    ['create', indexEntity(request)],
  ];
}

/**
 * A transition of a request that was read from its index row. Deleting that row is the only condition: every change of the
 * record deletes the row too, so the record needs no ETag.
 */
export function transitionFromIndex(
  from: StoredFolderRequest,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction[] {
  return [
    ['delete', { partitionKey: partitionOf(from.id), rowKey: indexKeyOf(from) }],
    ['create', indexEntity(to)],
    ['update', recordEntity(to, lastOp), 'Merge'],
    ...outcomeActions(to),
  ];
}

/** Deletes a request with all its rows; the index row is the condition, as in every transition. */
export function withdrawal({ request, indexKey, entity }: StoredRecord): TransactionAction[] {
  const partitionKey = partitionOf(request.id);
  const keyRow = entity[keyRowColumn];
  const rowKeys = [indexKey, entity.rowKey, ...(typeof keyRow === 'string' && keyRow !== '' ? [keyRow] : [])];
  return rowKeys.map((rowKey) => ['delete', { partitionKey, rowKey }]);
}

/** How many actions the transition to this request has. */
export const actionsOfTransition = (to: StoredFolderRequest): number => 3 + outcomeActions(to).length;

/** The limit of an entity group transaction. */
export const maxActions = 100;

/** A transition of a record that was read: the ETag also detects a change by hand. Keeps columns that are not ours. */
export function transitionFromRecord(
  record: StoredRecord,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction[] {
  return [
    ['delete', { partitionKey: partitionOf(to.id), rowKey: record.indexKey }],
    ['create', indexEntity(to)],
    [
      'update',
      { ...columnsOfOthers(record.entity), ...recordEntity(to, lastOp) },
      'Replace',
      { etag: record.etag },
    ],
    ...outcomeActions(to),
  ];
}

/**
 * A requeue of a record that was read. `isByHand`: an operator has set it from FAILED to PENDING in the table, but its
 * index row is still among the FAILED; this transition completes the change.
 */
export function requeuedRecord(
  { request, indexKey }: StoredRecord,
  nowMs: number,
  by: string | null,
): { readonly isByHand: boolean; readonly outcome: ReturnType<typeof requeued> } {
  const isByHand = request.status === 'PENDING' && indexKey.startsWith('F_');
  const failed: StoredFolderRequest = isByHand ? { ...request, status: 'FAILED' } : request;
  return { isByHand, outcome: requeued(failed, nowMs, isByHand ? null : by) };
}

// A merge cannot remove the first two, so the next state alone determines whether they exist. The storage sets the others.
const cleared = new Set(['processed_at', 'lease_expires_at', 'etag', 'timestamp']);

const columnsOfOthers = (entity: Entity): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entity).filter(([name]) => !cleared.has(name) && !name.startsWith('odata.')),
  );
