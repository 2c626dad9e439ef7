import type { TransactionAction } from '@azure/data-tables';
import type { EventLog } from '../base/event-log.ts';
import { inSlices, slicesOf } from '../base/slices.ts';
import { folderRequestOutcomes, type FolderRequestStatus } from '../contract/folder-requests.ts';
import { odata } from '../storage/table-rows.ts';
import type { QueueTable } from './table/queue-table.ts';
import { firstIdOf } from './requests/request-id.ts';
import { partitionOf, rowKeys } from './table/keys.ts';
import { indexedIn, recordKeyOf, type Indexed } from './table/rows.ts';
import { deletions } from './table/transitions.ts';
import type { QueueParts } from './table/queue-parts.ts';
import { removalOf, settle } from './table/settle.ts';

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
export async function deleteEnded(
  parts: QueueParts,
  partition: string,
  beforeMs: number,
  log: EventLog,
): Promise<number> {
  const fulfilled = await deleteOf(rowKeys.fulfilled, { parts, partition, beforeMs, log });
  return fulfilled + (await deleteOf(rowKeys.failed, { parts, partition, beforeMs, log }));
}

interface Period {
  readonly parts: QueueParts;
  readonly partition: string;
  readonly beforeMs: number;
  readonly log: EventLog;
}

async function deleteOf(
  kind: typeof rowKeys.fulfilled,
  { parts, partition, beforeMs, log }: Period,
): Promise<number> {
  const { table } = parts;
  const { rows } = await table.rows({
    partition,
    // An id begins with the time of creation, which is before the outcome.
    ...kind.all,
    from: kind.of({ id: firstIdOf(beforeMs) }),
    limit: maxDeletions,
    filter: odata`processedAt lt ${new Date(beforeMs)}`,
  });
  let deleted = 0;
  for (const some of slicesOf(await withoutEdited(table, rows.map(indexedIn)), requestsOfABatch)) {
    const batch = await Promise.all(some.map((request) => deletionOf(table, request)));
    const isGone = async (): Promise<boolean> =>
      (await table.record(some[0]?.request.id ?? '')) === undefined;
    if (await table.commit(batch.flat(), isGone)) {
      deleted += some.length;
      continue;
    }
    // Another instance does the same, or somebody has deleted or edited rows of one: it must not keep the others.
    const results = await Promise.all(some.map(({ request }) => deleteOne(parts, request.id, log)));
    deleted += results.filter(Boolean).length;
  }
  return deleted;
}

/** Without those that an operator has set from FAILED to another status in the record, which rows do not say yet. */
async function withoutEdited(table: QueueTable, found: readonly Indexed[]): Promise<readonly Indexed[]> {
  const isFailed = await inSlices(found, parallelReads, async ({ request: { id, status } }) => {
    if (status !== 'FAILED') return true;
    const record = await table.row(partitionOf(id), recordKeyOf(id), ['status']);
    return record?.['status'] === 'FAILED';
  });
  return found.filter((_, at) => isFailed[at]);
}

async function deleteOne(parts: QueueParts, id: string, log: EventLog): Promise<boolean> {
  const { record, actions } = await removalOf(parts, id);
  if (record && !isEnded(record.request.status)) {
    await settle(parts, id, log);
    return false;
  }
  const isGone = async (): Promise<boolean> => (await parts.table.record(id)) === undefined;
  return actions.length > 0 && parts.table.commit(actions, isGone);
}

const isEnded = (status: FolderRequestStatus): boolean =>
  (folderRequestOutcomes as readonly FolderRequestStatus[]).includes(status);

/** Deletes all rows of a request, except an idempotency row that a newer request has taken over. */
export async function deletionOf(
  table: QueueTable,
  { request, keys }: Indexed,
): Promise<TransactionAction[]> {
  const others = request.otherRows?.split(' ') ?? [];
  const own = await Promise.all(
    others.map(async (rowKey) => {
      if (!rowKeys.idempotency.has(rowKey)) return [rowKey];
      const row = await table.row(partitionOf(request.id), rowKey, ['id']);
      return row?.['id'] === request.id ? [rowKey] : [];
    }),
  );
  return deletions({ request, keys: [...keys, recordKeyOf(request.id), ...own.flat()] });
}
