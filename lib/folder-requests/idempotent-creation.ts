import { createHash } from 'node:crypto';
import {
  idempotencyDigest,
  idempotencyKeyContended,
  idempotencyKeyReused,
  idempotencyWindowMs,
} from '../base/idempotency.ts';
import { ServiceError } from '../base/service-error.ts';
import type { StoredFolderRequest } from './folder-request.ts';
import { creation } from './transitions.ts';
import type { QueueParts } from './queue-parts.ts';
import type { QueueTable } from './queue-table.ts';
import { randomToken } from './request-id.ts';
import { partitionOf, partitionOfShard, type Entity } from './rows.ts';

interface Created {
  readonly request: StoredFolderRequest;
  readonly isNew: boolean;
}

interface KeyedFacts {
  readonly requestedByUserId: string;
  readonly idempotencyKey: string;
  /** What else makes the request, as the caller sent it: a key is valid for the same body only. */
  readonly body: object;
}

// Another call may take over an expired key at the same moment; this call then returns that call's request.
const maxCrossings = 3;

/**
 * Creates a request at most once per user and key. The key is a row `K_<digest>` that is inserted in the transaction of the
 * request, in the shard that its digest determines. The insert decides; no read is needed before it.
 *
 * @throws ServiceError `idempotency_key_reused`
 */
export async function createWithKey(
  { table, shards, clock, randomBytes }: QueueParts,
  { requestedByUserId, idempotencyKey, body: sent }: KeyedFacts,
  requestIn: (shard: number) => StoredFolderRequest,
): Promise<Created> {
  const digest = idempotencyDigest(requestedByUserId, idempotencyKey);
  const rowKey = `K_${digest.toString('hex').slice(0, 64)}`;
  const body = createHash('sha256').update(JSON.stringify(sent)).digest('hex');
  const { shard, earlier } = await shards.ofKey(digest);

  const elsewhere = await Promise.all(earlier.map((other) => table.row(partitionOfShard(other), rowKey)));
  for (const row of elsewhere) {
    const found = row && (await firstRequest(table, row, body, clock.now()));
    if (found) return found;
  }

  let expired: Entity | undefined;
  for (let crossing = 0; crossing < maxCrossings; crossing += 1) {
    const request = requestIn(shard);
    const { id, createdAtMs } = request;
    const keyRow = { partitionKey: partitionOf(id), rowKey, id, body, createdAt: new Date(createdAtMs) };
    const outcome = await table.commit(
      [
        ...creation(request, randomToken(randomBytes), rowKey),
        expired ? ['update', keyRow, 'Replace', { etag: String(expired['etag']) }] : ['create', keyRow],
      ],
      async () => (await table.record(id)) !== undefined,
    );
    if (outcome === 'written') return { request, isNew: true };
    const row = await table.row(partitionOfShard(shard), rowKey);
    if (!row) continue;
    const found = await firstRequest(table, row, body, createdAtMs);
    if (found) return found;
    expired = row;
  }
  throw idempotencyKeyContended();
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
