import type { TransactionAction } from '@azure/data-tables';
import type { QueueTable } from './queue-table.ts';
import { invertedId } from './request-id.ts';
import { endOf, keyRowColumn, recordOf, type StoredRecord } from './rows.ts';
import { maxActions, withdrawal } from './transitions.ts';

// At most this many per shard and minute: half a million a day, while one run remains short.
const maxDeletions = 330;
const parallelReads = 16;

/**
 * Deletes FULFILLED requests whose outcome is older than `beforeMs`, oldest ids last, with their index and idempotency
 * rows; a transaction of up to 33 requests deletes all of them or none. Their outcomes remain counted.
 *
 * Costs one request per shard if there is nothing to delete.
 *
 * @returns how many were deleted
 */
export async function deleteFulfilled(
  table: QueueTable,
  partition: string,
  beforeMs: number,
): Promise<number> {
  const before = new Date(beforeMs).toISOString();
  const { rows } = await table.rows({
    partition,
    // An id begins with the time of creation, which is before the outcome.
    from: `J_${invertedId(firstIdOf(beforeMs))}`,
    to: endOf('J_'),
    limit: maxDeletions,
    filter: `status eq 'FULFILLED' and processed_at lt datetime'${before}'`,
    select: ['PartitionKey', 'RowKey', 'id', 'status', 'index_row', keyRowColumn],
  });
  // A status that was set by hand is not an outcome: the index row has the actual state.
  const ended = rows.filter((row) => String(row['index_row']).startsWith('D_'));
  const deletions: TransactionAction[][] = [];
  for (let at = 0; at < ended.length; at += parallelReads) {
    const some = ended.slice(at, at + parallelReads);
    for (const actions of await Promise.all(some.map((row) => deletionOf(table, recordOf(row)))))
      deletions.push(actions);
  }
  let deleted = 0;
  while (deletions.length > 0) {
    const batch = deletions.splice(0, Math.floor(maxActions / 3));
    const [first] = ended.slice(deleted);
    const isGone = async (): Promise<boolean> => (await table.record(String(first?.['id']))) === undefined;
    // Lost: another instance's timer or an operator deletes at the same time. The next run continues.
    if ((await table.commit(batch.flat(), isGone)) !== 'written') return deleted;
    deleted += batch.length;
  }
  return deleted;
}

/**
 * Deletes all rows of a request, except an idempotency row that a newer request has taken over, which is possible after a
 * day. Costs one request if there is such a row.
 */
export async function deletionOf(table: QueueTable, record: StoredRecord): Promise<TransactionAction[]> {
  const { entity, request } = record;
  const keyRow = entity[keyRowColumn];
  if (typeof keyRow !== 'string' || keyRow === '') return withdrawal(record);
  const row = await table.row(entity.partitionKey, keyRow, ['id']);
  if (row?.['id'] === request.id) return withdrawal(record);
  return withdrawal({ ...record, entity: { ...entity, [keyRowColumn]: '' } });
}

/** The smallest id of this time or later. */
function firstIdOf(ms: number): string {
  const time = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
