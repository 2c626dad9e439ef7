import type { TransactionAction } from '@azure/data-tables';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { outcomeActions } from './outcomes.ts';
import { partitionOf } from './keys.ts';
import {
  indexEntities,
  pointerEntities,
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
  return [
    ['create', recordEntity(stored, lastOp)],
    ...insertions(stored),
    ...pointerEntities(stored).map((row): TransactionAction => ['create', row]),
  ];
}

/** A transition of a record that may have been read without its history, to a state that has all times of the one before. */
export const mergingTransition = (
  record: StoredRecord,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction[] =>
  transition(record, to, ['update', recordEntity(to, lastOp), 'Merge', { etag: record.etag }]);

/** A transition of a record. */
export const transitionFromRecord = (
  record: StoredRecord,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction[] => transition(record, to, updateOfRecord(record, to, lastOp));

/** On the condition that the record is unchanged, also by hand. Keeps columns that are not ours. */
export function updateOfRecord(
  record: StoredRecord,
  to: StoredFolderRequest,
  lastOp: string,
): TransactionAction {
  const entity = { ...columnsOfOthers(record.entity), ...recordEntity(to, lastOp) };
  return ['update', entity, 'Replace', { etag: record.etag }];
}

const transition = (
  from: Indexed,
  to: StoredFolderRequest,
  update: TransactionAction,
): TransactionAction[] => [
  ...deletions(from),
  ...insertions(to),
  // One that is missing is written again.
  ...pointerEntities(to).map((row): TransactionAction => ['upsert', row, 'Replace']),
  update,
  ...outcomeActions(to),
];

const insertions = (request: StoredFolderRequest): TransactionAction[] =>
  indexEntities(request).map((row) => ['create', row]);

export const deletions = ({ request, keys }: Indexed): TransactionAction[] =>
  keys.map((rowKey) => ['delete', { partitionKey: partitionOf(request.id), rowKey }]);

/**
 * How many claims, or returns of a lease, fit into a transaction of 100 actions: each has two rows of the pair, one of the
 * lease, up to two pointers, and the record. Without histories, so many take less than 1 MiB of the 4 MiB, whatever their paths
 * are.
 */
export const maxTransitions = 16;

// A merge cannot remove the first four, so the next state alone determines whether they exist. The storage sets the others.
const cleared = new Set(['processed_at', 'lease_expires_at', 'retry_at', 'retry_of', 'etag', 'timestamp']);

const columnsOfOthers = (entity: Entity): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entity).filter(([name]) => !cleared.has(name) && !name.startsWith('odata.')),
  );
