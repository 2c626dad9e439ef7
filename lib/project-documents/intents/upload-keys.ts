import { randomUUID } from 'node:crypto';
import { odata, type TableClient } from '@azure/data-tables';
import {
  idempotencyDigest,
  idempotencyKeyContended,
  idempotencyKeyReused,
  idempotencyWindowMs,
} from '../../base/idempotency.ts';
import type { Clock } from '../../contract/clock.ts';
import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import { inSlices } from '../../base/slices.ts';
import { conditionalWrite } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import type { UploadedDocument } from '../records/document.ts';
import { msUntilDead } from './heartbeat.ts';

/** An `Idempotency-Key` and its scope. */
export interface UploadKey {
  readonly userId: string;
  readonly projectId: string;
  readonly key: string;
}

/** The outcome of the first upload with a key. */
export interface FirstUpload {
  readonly document: UploadedDocument;
  readonly conflictBehavior: ConflictBehavior;
  /** Bytes that were sent. */
  readonly size: number;
}

/** A key that belongs to the upload that is about to run. */
export interface OwnKey {
  readonly id: string;
  beat(): Promise<void>;
  /** The outcome is not known yet: {@link release} does nothing, and the next request with the key determines it. */
  leave(): void;
  /** The upload has failed: frees the key. */
  release(): Promise<void>;
}

export type KeyState =
  | { readonly state: 'own'; readonly key: OwnKey }
  | { readonly state: 'done'; readonly first: FirstUpload }
  /** After `retryAfterMs` the upload has ended, counts as interrupted, or has sent another heartbeat. */
  | { readonly state: 'running'; readonly retryAfterMs: number }
  /** The process has died. `takeOver` returns null if another request was faster. */
  | { readonly state: 'interrupted'; readonly id: string; takeOver(): Promise<OwnKey | null> };

/** Times are `Date`s so that the storage can compare them. */
interface Row {
  /** Unique to one request: distinguishes its row from that of another request with the same key. */
  readonly owner: string;
  /** The file name as sent by the client. */
  readonly fileName: string;
  readonly createdAt: Date;
  readonly aliveAt: Date;
  /** {@link FirstUpload} as JSON, once there is one. */
  readonly first?: string;
}

// Separate from the projects' rows, so expired keys are found without a scan of the table. A partition accepts 2,000
// writes a second, thousands of times more than uploads need.
const partitionKey = 'upload-keys';
const maxCrossings = 3;
// Per run; the rest is left to the next run.
const maxRemoved = 1000;
const parallelRemovals = 8;

/**
 * The keys of uploads, for 24 hours from the start of the first upload. An insert decides which request is first, and an
 * uploading process sends heartbeats.
 *
 * Storage requests: two for an upload with a new key, besides the heartbeats: the insert and the outcome. Two for a
 * repeated upload. None without a key.
 */
export class UploadKeys {
  readonly #table: TableClient;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** @throws ServiceError `idempotency_key_reused` for a file of another name */
  async claim({ userId, projectId, key }: UploadKey, fileName: string): Promise<KeyState> {
    const id = idempotencyDigest(userId, projectId, key).toString('hex').slice(0, 64);
    const owner = randomUUID();
    for (let crossing = 0; crossing < maxCrossings; crossing += 1) {
      const create = this.#table.createEntity({ partitionKey, rowKey: id, ...this.#newRow(owner, fileName) });
      const isFirst = (await conditionalWrite(create)) !== null;
      const row = isFirst ? null : await this.#row(id);
      // Or the response to the insert was lost, and the storage client repeated it.
      if (isFirst || row?.owner === owner) return { state: 'own', key: this.#own(id, owner) };
      // Released in the meantime.
      if (!row) continue;
      const takeOver = () => this.#takenOver(id, row.etag, fileName);
      if (this.#clock.now() - row.createdAt.getTime() >= idempotencyWindowMs) {
        const key = await takeOver();
        if (key) return { state: 'own', key };
        continue;
      }
      if (row.fileName !== fileName) throw idempotencyKeyReused('file name');
      if (row.first !== undefined) return { state: 'done', first: JSON.parse(row.first) as FirstUpload };
      const retryAfterMs = msUntilDead(row.aliveAt.getTime(), this.#clock.now());
      if (retryAfterMs > 0) return { state: 'running', retryAfterMs };
      return { state: 'interrupted', id, takeOver };
    }
    throw idempotencyKeyContended();
  }

  /** Records the outcome of the key. */
  async complete(id: string, first: FirstUpload): Promise<void> {
    const row = { partitionKey, rowKey: id, first: JSON.stringify(first) };
    await orNullIfMissing(this.#table.updateEntity(row, 'Merge'));
  }

  /** Removes up to 1,000 expired keys. @returns how many */
  async removeExpired(): Promise<number> {
    const before = new Date(this.#clock.now() - idempotencyWindowMs);
    const filter = odata`PartitionKey eq ${partitionKey} and createdAt lt ${before}`;
    const expired: { id: string; etag: string }[] = [];
    for await (const { rowKey = '', etag } of this.#table.listEntities({ queryOptions: { filter } })) {
      expired.push({ id: rowKey, etag });
      if (expired.length === maxRemoved) break;
    }
    // With the ETag: a key that was taken over since the query is no longer expired.
    await inSlices(expired, parallelRemovals, ({ id, etag }) =>
      conditionalWrite(this.#table.deleteEntity(partitionKey, id, { etag })),
    );
    return expired.length;
  }

  #row(id: string): Promise<(Row & { etag: string }) | null> {
    return orNullIfMissing(this.#table.getEntity<Row>(partitionKey, id));
  }

  #newRow(owner: string, fileName: string): Row {
    const now = new Date(this.#clock.now());
    return { owner, fileName, createdAt: now, aliveAt: now };
  }

  async #takenOver(id: string, etag: string, fileName: string): Promise<OwnKey | null> {
    const owner = randomUUID();
    const row = { partitionKey, rowKey: id, ...this.#newRow(owner, fileName) };
    const written = await conditionalWrite(this.#table.updateEntity(row, 'Replace', { etag }), async () => {
      const now = await this.#row(id);
      return now?.owner === owner ? now : null;
    });
    return written && this.#own(id, owner);
  }

  #own(id: string, owner: string): OwnKey {
    let isLeft = false;
    return {
      id,
      leave() {
        isLeft = true;
      },
      beat: async () => {
        await this.#table.updateEntity(
          { partitionKey, rowKey: id, aliveAt: new Date(this.#clock.now()) },
          'Merge',
        );
      },
      release: async () => {
        const row = isLeft ? null : await this.#row(id);
        if (row?.owner !== owner || row.first !== undefined) return;
        await conditionalWrite(this.#table.deleteEntity(partitionKey, id, { etag: row.etag }));
      },
    };
  }
}
