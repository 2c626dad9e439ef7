import { createHash } from 'node:crypto';
import type { TransactionAction } from '@azure/data-tables';
import { idempotencyDigest, idempotencyKeyReused, idempotencyWindowMs } from '../base/idempotency.ts';
import { ServiceError } from '../base/service-error.ts';
import type { StatedFields } from '../contract/folder-requests.ts';
import { untilSettled } from '../storage/conditional-write.ts';
import { pendingFolderRequest, type StoredFolderRequest } from './requests/folder-request.ts';
import { creation } from './table/transitions.ts';
import { certainNow, type QueueParts } from './table/queue-parts.ts';
import type { QueueTable } from './table/queue-table.ts';
import { createdAtMsOf, randomToken, type RequestIds } from './requests/request-id.ts';
import { partitionOf, partitionOfShard, rowKeys } from './table/keys.ts';
import type { Entity } from './table/rows.ts';

export interface NewFolderRequestFacts extends StatedFields {
  /** Already in its stored form. */
  readonly targetPath: string;
  readonly requestedByUserId: string;
  readonly requestedByName?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface Created {
  readonly request: StoredFolderRequest;
  readonly isNew: boolean;
}

/**
 * Creates a request, at most once per user and key. A key is a row `K_<digest>` that is inserted in the transaction of the
 * request, in the shard that its digest determines. The insert decides; no read is needed before it.
 *
 * @throws ServiceError `idempotency_key_reused`
 */
export async function createOnce(
  parts: QueueParts,
  { idempotencyKey, ...facts }: NewFolderRequestFacts,
  ids: RequestIds,
): Promise<Created> {
  const { table, shards, randomBytes } = parts;
  const { requestedByUserId, requestedByName: _name, ...sent } = facts;
  const isKeyed = idempotencyKey !== undefined;
  const digest = isKeyed ? idempotencyDigest(requestedByUserId, idempotencyKey) : randomBytes(64);
  const rowKey = rowKeys.idempotency.of({ digest: Buffer.from(digest).toString('hex').slice(0, 64) });
  // A key is valid for the same body only.
  const body = createHash('sha256').update(JSON.stringify(sent)).digest('hex');
  // The order of the queue, and the age of a key, are those of all instances.
  const nowMs = await certainNow(parts);
  const { shard, others } = isKeyed
    ? await shards.ofKey(digest)
    : { shard: await shards.ofNew(digest), others: [] };

  const elsewhere = others.map((other) => table.row(partitionOfShard(other), rowKey));
  for (const row of await Promise.all(elsewhere)) {
    const found = row && (await firstRequest(table, row, body, nowMs));
    if (found) return found;
  }

  let expired: Entity | undefined;
  return untilSettled('folder request', async () => {
    const id = ids.next(await certainNow(parts), shard);
    const createdAtMs = createdAtMsOf(id);
    const request = pendingFolderRequest({ ...facts, id, createdAtMs });
    const keyRow = { partitionKey: partitionOf(id), rowKey, id, body, createdAt: new Date(createdAtMs) };
    const insertion: TransactionAction = expired
      ? ['update', keyRow, 'Replace', { etag: String(expired['etag']) }]
      : ['create', keyRow];
    const actions = isKeyed
      ? [...creation(request, randomToken(randomBytes), rowKey), insertion]
      : creation(request, randomToken(randomBytes));
    // The id is new, so its record is ours, even if an agent has already claimed it.
    const exists = async (): Promise<boolean> => (await table.record(id)) !== undefined;
    const isWritten = await table.commit(actions, exists).catch((error: unknown) => {
      shards.noteFailure(shard, error);
      throw error;
    });
    if (isWritten) return { request, isNew: true };
    // Another call may have taken over the expired key in the meantime; its request is then the first one.
    expired = await table.row(partitionOfShard(shard), rowKey);
    if (!expired) return null;
    return (await firstRequest(table, expired, body, createdAtMs)) ?? null;
  });
}

/** What keeps an item of a batch from being created, by the codes of faults. */
interface NotCreated {
  readonly fault: 'key_reused' | 'not_confirmed' | 'not_reached';
}

/**
 * Creates requests one after the other: their order is that of the queue. One that fails touches no other; the budget of the
 * call ends them.
 *
 * @throws ServiceError `storage_unavailable` if no item has a result
 */
export async function createEach(
  parts: QueueParts,
  items: readonly NewFolderRequestFacts[],
  ids: RequestIds,
): Promise<readonly (Created | NotCreated)[]> {
  const results: (Created | NotCreated)[] = [];
  let failure: ServiceError | undefined;
  for (const item of items) {
    if (results.length > 0 && !parts.table.allowsStep(1)) {
      results.push({ fault: 'not_reached' });
      continue;
    }
    try {
      results.push(await createOnce(parts, item, ids));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isReused = error.code === 'idempotency_key_reused';
      if (!isReused) failure ??= error;
      results.push({ fault: isReused ? 'key_reused' : 'not_confirmed' });
    }
  }
  const isUntold = (result: Created | NotCreated): boolean =>
    'fault' in result && result.fault !== 'key_reused';
  if (failure && results.every(isUntold)) throw failure;
  return results;
}

/** The request of this key, or undefined if the key has expired. */
async function firstRequest(
  table: QueueTable,
  row: Entity,
  body: string,
  nowMs: number,
): Promise<Created | undefined> {
  const createdAt = row['createdAt'];
  if (!(createdAt instanceof Date) || nowMs - createdAt.getTime() >= idempotencyWindowMs) return undefined;
  if (row['body'] !== body) {
    throw idempotencyKeyReused('body');
  }
  const record = await table.record(String(row['id']));
  if (record) return { request: record.request, isNew: false };
  // Both are always written together. If the record was deleted by hand, no second one is created.
  throw new ServiceError('storage_unavailable', {
    detail: 'The Idempotency-Key leads to a folder request that cannot be read; use another key.',
  });
}
