import type { TransactionAction } from '@azure/data-tables';
import { inSlices, slicesOf } from '../base/slices.ts';
import { folderRequestOutcomes } from '../contract/folder-requests.ts';
import { odata } from '../storage/table-rows.ts';
import type { QueueTable } from './table/queue-table.ts';
import { firstIdOf, invertedId } from './requests/request-id.ts';
import { endOf, indexedIn, partitionOf, prefixOf, recordKeyOf, type Indexed } from './table/rows.ts';
import { deletions } from './table/transitions.ts';

// At most this many per shard, outcome, and minute: half a million a day, while one run remains short.
const maxDeletions = 330;
// Requests of a transaction; each has at most five rows, and a transaction a hundred.
const requestsOfABatch = 20;
const parallelReads = 16;

/**
 * Deletes FULFILLED and FAILED requests whose outcome is older than `beforeMs`, with all their rows. Their outcomes remain
 * counted.
 *
 * @returns how many were deleted
 */
export async function deleteEnded(table: QueueTable, partition: string, beforeMs: number): Promise<number> {
  let deleted = 0;
  for (const outcome of folderRequestOutcomes)
    deleted += await deleteWith(prefixOf[outcome], { table, partition, beforeMs });
  return deleted;
}

async function deleteWith(
  prefix: string,
  { table, partition, beforeMs }: { table: QueueTable; partition: string; beforeMs: number },
): Promise<number> {
  const { rows } = await table.rows({
    partition,
    // An id begins with the time of creation, which is before the outcome.
    from: prefix + invertedId(firstIdOf(beforeMs)),
    to: endOf(prefix),
    limit: maxDeletions,
    filter: odata`processedAt lt ${new Date(beforeMs)}`,
  });
  const found = rows.map(indexedIn);
  const ended = await inSlices(found, parallelReads, (each) => isEnded(table, each));
  let deleted = 0;
  for (const some of slicesOf(
    found.filter((_, at) => ended[at]),
    requestsOfABatch,
  )) {
    const batch = await Promise.all(some.map((request) => deletionOf(table, request)));
    const isGone = async (): Promise<boolean> =>
      (await table.record(some[0]?.request.id ?? '')) === undefined;
    // Another instance's timer or an operator deletes at the same time. The next run continues.
    if (!(await table.commit(batch.flat(), isGone))) break;
    deleted += some.length;
  }
  return deleted;
}

/** An operator may have set the record of a FAILED request to PENDING, which its index row does not say yet. */
async function isEnded(table: QueueTable, { request: { id, status } }: Indexed): Promise<boolean> {
  if (status !== 'FAILED') return true;
  const record = await table.row(partitionOf(id), recordKeyOf(id), ['status']);
  return record?.['status'] !== 'PENDING';
}

/** Deletes all rows of a request, except an idempotency row that a newer request has taken over. */
export async function deletionOf(
  table: QueueTable,
  { request, keys }: Indexed,
): Promise<TransactionAction[]> {
  const others = request.otherRows?.split(' ') ?? [];
  const own = await Promise.all(
    others.map(async (rowKey) => {
      if (!rowKey.startsWith('K_')) return [rowKey];
      const row = await table.row(partitionOf(request.id), rowKey, ['id']);
      return row?.['id'] === request.id ? [rowKey] : [];
    }),
  );
  return deletions({ request, keys: [...keys, recordKeyOf(request.id), ...own.flat()] });
}
