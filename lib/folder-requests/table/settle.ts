import { isDeepStrictEqual } from 'node:util';
import type { TransactionAction } from '@azure/data-tables';
import { BoundedMap } from '../../base/bounded-map.ts';
import type { EventLog } from '../../base/event-log.ts';
import { parseTargetPath } from '../../contract/target-path.ts';
import { folderRequestStatuses } from '../../contract/folder-requests.ts';
import { textOfColumn } from '../../storage/column-values.ts';
import { applyEdit, type StoredFolderRequest } from '../requests/folder-request.ts';
import { laneOf } from '../requests/routing.ts';
import { outcomeActions } from './outcomes.ts';
import { idOfKey, partitionOf, rowKeys } from './keys.ts';
import { certainNow, commitNamed, type QueueParts } from './queue-parts.ts';
import {
  indexEntities,
  indexedIn,
  indexKeysOf,
  isSameContent,
  otherRowsOf,
  pointedIn,
  pointerEntities,
  pointersTo,
  recordColumns,
  shortColumns,
  statusOfIndexKey,
  type Entity,
  type Indexed,
  type StoredRecord,
} from './rows.ts';
import { updateOfRecord } from './transitions.ts';

/** All rows of a request that are there. */
export interface RowsOfRequest {
  readonly record: StoredRecord | undefined;
  /** All but the record, by key. */
  readonly others: ReadonlyMap<string, Entity>;
}

/** `unchanged` also if others keep changing the request: then they find what is left. */
export type Settled = 'unchanged' | 'edited' | 'restored' | 'removed' | 'invalid';

// Each crosses a transition of another call.
const maxTries = 3;

/**
 * What an operator typed into a record that no request can have, by the names of its columns.
 *
 * A count or a time that was deleted is none: it is read as 0, or as not yet known.
 */
export function faultIn({ rowKey, partitionKey, ...row }: Entity): string | undefined {
  const id = String(row['id']);
  if (rowKeys.record.parse(rowKey)?.id !== id || partitionOf(id) !== partitionKey)
    return 'id: expected that of the row';
  if (!folderRequestStatuses.some((status) => status === row['status']))
    return `status: expected ${folderRequestStatuses.join(', ')}`;
  if (!('path' in parseTargetPath(String(row['target_path']))))
    return 'target_path: expected the path of a folder';
  const count = ['attempts', 'expired_leases', 'transitions'].find((name) => !isCount(row[name]));
  if (count !== undefined) return `${count}: expected a whole number from 0`;
  const long = shortColumns.find((name) => {
    const value = row[name];
    return typeof value === 'string' && value.length > longestShortText;
  });
  return long === undefined ? undefined : `${long}: expected at most ${longestShortText} characters`;
}

const longestShortText = 500;

const isCount = (value: unknown): boolean =>
  value === undefined || /^\d{1,9}$/.test(textOfColumn(value) ?? '');

/** Whether the keys that a valid record names are those of its state: nobody has edited its status, or its server. */
export function isSettled({ request, keys: [indexKey = '', laneKey = ''], entity }: StoredRecord): boolean {
  return (
    statusOfIndexKey(indexKey) === request.status &&
    (request.status !== 'PENDING' || rowKeys.lane.parse(laneKey)?.lane === laneOf(request.targetPath)) &&
    (request.status !== 'FAILED' || (rowKeys.retry.parse(laneKey)?.dueMs ?? null) === request.retryAtMs) &&
    faultIn(entity) === undefined
  );
}

/** Whether the rows of a request are what its record says. */
export function isConsistent({ record, others }: RowsOfRequest, isWithPointers = true): boolean {
  if (!record) return others.size === 0;
  const { request, keys } = record;
  const pointers = pointersTo(request);
  const named = otherRowsOf(request).filter((key) => rowKeys.pointer.has(key));
  const index = [...others.values()].filter(({ rowKey }) => statusOfIndexKey(rowKey) !== undefined);
  return (
    isSettled(record) &&
    index.length === keys.length &&
    index.every((row) => isSameContent(indexedIn(row), record)) &&
    keys.every((key) => others.has(key)) &&
    // Somebody may have edited its requester or its project before a transition.
    named.every((key) => pointers.includes(key)) &&
    (!isWithPointers || pointers.every((key) => named.includes(key) && isPointing(others.get(key), request)))
  );
}

const isPointing = (row: Entity | undefined, request: StoredFolderRequest): boolean =>
  row !== undefined && isDeepStrictEqual(pointedIn(row), request);

/** The record behind an index row, if the row is one of those that it names and shows its state. */
export async function recordBehind(
  { table }: QueueParts,
  { request: { id }, keys: [key = ''] }: Indexed,
): Promise<StoredRecord | 'moved' | 'unsettled'> {
  const record = await table.record(id, recordColumns);
  if (!record) return 'unsettled';
  // Another call is faster, or the row is a remainder: the next one to meet it settles it.
  if (!record.keys.includes(key)) return 'moved';
  return isSettled(record) ? record : 'unsettled';
}

/**
 * Makes the rows of a request what its record says they are: an edit by hand of the record is completed, a missing row is
 * written, and what belongs to no record is deleted. Repeating it changes nothing.
 *
 * @param met keys of rows that the caller has read, which may be ones that nothing names
 */
export async function settle(
  parts: QueueParts,
  id: string,
  log: EventLog,
  met: readonly string[] = [],
): Promise<Settled> {
  for (let tried = 0; tried < maxTries; tried += 1) {
    const rows = await rowsOf(parts, id, met);
    const { record, others } = rows;
    if (isConsistent(rows)) return 'unchanged';
    const fault = record && faultIn(record.entity);
    if (record && fault !== undefined) {
      log.warn('folder_request_invalid', { id, row: record.entity.rowKey, fault });
    }
    const { settled, actions } = record
      ? await repairOf(parts, record, others, fault !== undefined)
      : { settled: 'removed' as const, actions: () => deletionsOf(id, others.keys()) };
    if (actions('').length === 0) return settled;
    if (await commitNamed(parts, id, actions)) {
      log.info('folder_request_settled', { id, change: settled, status: record?.request.status ?? null });
      return settled;
    }
  }
  return 'unchanged';
}

/** In two round trips: what the id tells, then what those rows name. */
async function rowsOf({ table }: QueueParts, id: string, met: readonly string[]): Promise<RowsOfRequest> {
  const partition = partitionOf(id);
  const others = new Map<string, Entity>();
  const read = new Set<string>();
  const readAll = (keys: readonly string[]): Promise<unknown> =>
    Promise.all(
      keys.map(async (key) => {
        if (read.has(key)) return;
        read.add(key);
        const row = await table.row(partition, key);
        if (row && ownerOf(row) === id) others.set(key, row);
      }),
    );
  const [record, waiting] = await Promise.all([
    table.record(id),
    table.rows({ partition, ...rowKeys.waiting.within({ id }), limit: 10 }),
    readAll([rowKeys.failed.of({ id }), rowKeys.fulfilled.of({ id }), ...met]),
  ]);
  for (const row of waiting.rows) {
    read.add(row.rowKey);
    others.set(row.rowKey, row);
  }
  const index = [...others.values()]
    .filter(({ rowKey }) => statusOfIndexKey(rowKey) !== undefined)
    .map(indexedIn);
  await readAll(
    [...(record ? [record] : []), ...index].flatMap(({ request, keys }) => [
      ...keys,
      ...indexKeysOf(request),
      ...pointersTo(request),
      ...otherRowsOf(request),
    ]),
  );
  return { record, others };
}

/** All rows of a request that are there, for its deletion. */
export async function removalOf(
  parts: QueueParts,
  id: string,
): Promise<{
  readonly record: StoredRecord | undefined;
  readonly actions: TransactionAction[];
}> {
  const { record, others } = await rowsOf(parts, id, []);
  return { record, actions: deletionsOf(id, [...(record ? [record.entity.rowKey] : []), ...others.keys()]) };
}

/** Of an idempotency key its column, since a newer request may have taken it over. */
const ownerOf = (row: Entity): unknown => idOfKey(row.rowKey) ?? row['id'];

async function repairOf(
  parts: QueueParts,
  record: StoredRecord,
  others: ReadonlyMap<string, Entity>,
  isInvalid: boolean,
): Promise<{ readonly settled: Settled; readonly actions: (lastOp: string) => TransactionAction[] }> {
  const { request } = record;
  const { id } = request;
  const found = [...others.keys()];
  const index = found.filter((key) => statusOfIndexKey(key) !== undefined);
  const limits = { nowMs: await certainNow(parts), leaseMs: parts.rules.leaseMs };
  if (isInvalid) {
    // Nobody can claim it until it is corrected; an agent that works for it can still report.
    const { nowMs } = limits;
    const claimable = index.filter(
      (key) =>
        statusOfIndexKey(key) === 'PENDING' ||
        (rowKeys.leased.parse(key)?.leaseExpiresAtMs ?? Infinity) <= nowMs,
    );
    return { settled: 'invalid', actions: () => deletionsOf(id, claimable) };
  }
  const before = statusOfIndexKey(record.keys[0] ?? '');
  const edited = applyEdit(request, before, limits);
  const pointers = pointersTo(request);
  const keys = otherRowsOf(request).filter((key) => rowKeys.idempotency.has(key));
  const next = { ...edited, otherRows: [...pointers, ...keys].join(' ') || null };
  const rows = indexEntities(next);
  const expected = new Set([...rows.map(({ rowKey }) => rowKey), ...pointers]);
  const superfluous = found.filter((key) => !expected.has(key) && !rowKeys.idempotency.has(key));
  return {
    settled: before === request.status ? 'restored' : 'edited',
    actions: (lastOp) => [
      updateOfRecord(record, next, lastOp),
      ...deletionsOf(id, superfluous),
      ...rows.map((row): TransactionAction =>
        others.has(row.rowKey) ? ['update', row, 'Replace'] : ['create', row],
      ),
      ...pointerEntities(next).map((row): TransactionAction => ['upsert', row, 'Replace']),
      ...(before === next.status ? [] : outcomeActions(next)),
    ],
  };
}

const deletionsOf = (id: string, keys: Iterable<string>): TransactionAction[] =>
  [...keys].map((rowKey) => ['delete', { partitionKey: partitionOf(id), rowKey }]);

// Rows that other calls take are never met again.
const maxRemembered = 1000;

/** The rows that were not as expected: one that is met a second time has not been taken by another call, and is settled. */
export class LostRows {
  readonly #met = new BoundedMap<string, true>(maxRemembered);

  async note(parts: QueueParts, keys: readonly string[], log: EventLog): Promise<void> {
    for (const key of keys) {
      const id = idOfKey(key);
      if (id === undefined) continue;
      if (this.#met.delete(key)) await settle(parts, id, log, keys);
      else this.#met.set(key, true);
    }
  }
}
