import type { TransactionAction } from '@azure/data-tables';
import type { QueueTable } from './queue-table.ts';
import { invertedId } from './request-id.ts';
import { endOf, keyRowColumn, recordOf, type StoredRecord } from './rows.ts';
import { maxActions, withdrawal } from './transitions.ts';

// A shard loses so many requests a minute at most: half a million a day, and one run stays short.
const deletedAtOnce = 330;
const parallelReads = 16;

/**
 * Deletes FULFILLED requests whose outcome is older than `beforeMs`, oldest ids last, with their index and idempotency
 * rows; a transaction of up to 33 requests has all of them or none. What became of them stays counted.
 *
 * One request a shard where there is nothing to delete.
 *
 * @returns how many are gone
 */
export async function deleteFulfilled(
  table: QueueTable,
  partition: string,
  beforeMs: number,
): Promise<number> {
  const before = new Date(beforeMs).toISOString();
  const { rows } = await table.rows({
    partition,
    // An id begins with the time of its creation, which comes before the outcome.
    from: `J_${invertedId(firstIdOf(beforeMs))}`,
    to: endOf('J_'),
    limit: deletedAtOnce,
    filter: `status eq 'FULFILLED' and processed_at lt datetime'${before}'`,
    select: ['PartitionKey', 'RowKey', 'id', 'status', 'index_row', keyRowColumn],
  });
  // A status that was set by hand is no outcome: the index row says where the request stands.
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
    // Lost: the timer of another instance was faster, or somebody deletes by hand. The next run sees what is left.
    if ((await table.commit(batch.flat(), isGone)) !== 'written') return deleted;
    deleted += batch.length;
  }
  return deleted;
}

/**
 * All rows of a request, but not the idempotency row where a newer request has taken it over, as it may after a day. One
 * request for those that have such a row.
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
