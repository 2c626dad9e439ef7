import { createHash, randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import {
  idempotencyDigest,
  idempotencyKeyContended,
  idempotencyKeyReused,
  idempotencyWindowMs,
} from '../base/idempotency.ts';
import type { Clock } from '../contract/clock.ts';
import { conditionalWrite } from './conditional-write.ts';
import { orNullIfMissing } from './rejections.ts';
import type { SealedText } from './sealed-text.ts';

/** What an `Idempotency-Key` belongs to. */
export interface KeyedCall {
  readonly userId: string;
  readonly operation: string;
  readonly key: string;
  readonly body: unknown;
}

// That of the keys of uploads, whose timer removes expired rows by `createdAt`.
const partitionKey = 'upload-keys';
// Longer than any call; a row without a result is then of a process that has died.
const longestCallMs = 5 * 60_000;
// A property holds 32,768 characters.
const pieceLength = 30_000;
const maxCrossings = 3;

/**
 * The results of calls with an `Idempotency-Key`, for 24 hours and encrypted, because they contain letters. An insert decides
 * which call is first. Costs two storage requests; two for a repeated call; none without a key.
 */
export class KeyedResults {
  readonly #table: TableClient;
  readonly #sealed: SealedText;
  readonly #clock: Clock;

  constructor(table: TableClient, sealed: SealedText, clock: Clock) {
    this.#table = table;
    this.#sealed = sealed;
    this.#clock = clock;
  }

  /** @throws ServiceError `idempotency_key_reused`; `request_in_progress` while the first call runs; errors of `make` */
  async once<T extends object>(
    { userId, operation, key, body }: KeyedCall,
    make: () => Promise<T>,
  ): Promise<T> {
    const rowKey = idempotencyDigest(userId, operation, key).toString('hex').slice(0, 64);
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const owner = randomUUID();
    for (let crossing = 0; crossing < maxCrossings; crossing += 1) {
      const createdAt = new Date(this.#clock.now());
      const row = { partitionKey, rowKey, owner, body: digest, createdAt };
      const first = await conditionalWrite(this.#table.createEntity(row));
      const found = first ? null : await this.#row(rowKey);
      // Or the response to the insert was lost, and the storage client repeated it.
      const own = first ?? (found?.['owner'] === owner ? found : null);
      if (own) return this.#made(rowKey, own.etag, make);
      if (!found) continue;
      const ageMs = createdAt.getTime() - (found['createdAt'] as Date).getTime();
      const result = this.#resultIn(found, rowKey);
      if (ageMs >= idempotencyWindowMs || (result === null && ageMs >= longestCallMs)) {
        await conditionalWrite(this.#table.deleteEntity(partitionKey, rowKey, { etag: found.etag }));
        continue;
      }
      if (found['body'] !== digest) throw idempotencyKeyReused('body');
      if (result === null) throw idempotencyKeyContended();
      return JSON.parse(result) as T;
    }
    throw idempotencyKeyContended();
  }

  /** @param etag of the row as this call has inserted it: once another call has taken over the key, its row stays as it is */
  async #made<T extends object>(rowKey: string, etag: string, make: () => Promise<T>): Promise<T> {
    const made = await make().catch(async (error: unknown) => {
      // Nothing was made: the key is free again.
      await conditionalWrite(this.#table.deleteEntity(partitionKey, rowKey, { etag })).catch(() => undefined);
      throw error;
    });
    const sealed = this.#sealed.seal(JSON.stringify(made), rowKey);
    const pieces = sealed.match(new RegExp(`.{1,${pieceLength}}`, 'g')) ?? [];
    const columns = Object.fromEntries(pieces.map((piece, at) => [`result${at}`, piece]));
    await conditionalWrite(this.#table.updateEntity({ partitionKey, rowKey, ...columns }, 'Merge', { etag }));
    return made;
  }

  #row(rowKey: string) {
    return orNullIfMissing(this.#table.getEntity(partitionKey, rowKey));
  }

  #resultIn(row: Readonly<Record<string, unknown>>, rowKey: string): string | null {
    const pieces: unknown[] = [];
    for (let at = 0; row[`result${at}`] !== undefined; at += 1) pieces.push(row[`result${at}`]);
    return pieces.length === 0 ? null : this.#sealed.open(pieces.join(''), rowKey);
  }
}
