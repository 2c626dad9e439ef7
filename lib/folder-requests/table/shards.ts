import type { TransactionAction } from '@azure/data-tables';
import { idempotencyWindowMs } from '../../base/idempotency.ts';
import { ServiceError } from '../../base/service-error.ts';
import { untilSettled } from '../../storage/conditional-write.ts';
import type { SharedClock } from '../../storage/storage-clock.ts';
import type { QueueTable } from './queue-table.ts';
import { Remembered } from '../../base/remembered.ts';
import { metaRow } from './keys.ts';
import { maxShards } from '../requests/request-id.ts';

// Row M is read again in parallel to a call, at no additional round trip, when it is this old …
const refreshAfterMs = 30_000;
// … and before the call when it is this old, after a quiet minute: claims never use an older one.
const maxAgeMs = 60_000;
// A shard that does not respond is asked again after this time …
const silentMs = 30_000;
// … by a call that waits for one try. Without this, each claim would wait ten seconds for a shard that hangs, and then fail.
const patience = { ms: 3_000, requests: Infinity };
// All callers wait for one reading of row M.
const readLimits = { ms: 9_000, requests: 30 };

interface ShardState {
  /** The largest count ever used. Claims and lists read that many shards, since all of them may have rows. */
  readonly highest: number;
  /** When an instance last found another count than its own; 0 if that has never happened. */
  readonly changedAtMs: number;
}

/**
 * The number of partitions of the queue. The count is a setting; row `M` records the highest one, so nothing is lost when it
 * is raised or lowered. While instances with different settings run in parallel, each writes its own count into the row
 * whenever it finds another one, and thus detects the other's within `maxAgeMs`.
 */
export class Shards {
  readonly #count: number;
  readonly #table: QueueTable;
  readonly #clock: SharedClock;
  readonly #state: Remembered<ShardState>;
  readonly #silentUntilMs = new Map<number, number>();

  constructor(count: number, table: QueueTable, clock: SharedClock) {
    if (!Number.isInteger(count) || count < 1 || count > maxShards) {
      throw new RangeError(`the number of shards is ${count}; expected 1 to ${maxShards}`);
    }
    this.#count = count;
    this.#table = table;
    this.#clock = clock;
    this.#state = new Remembered(() => this.#readOrRecord(), clock);
  }

  /** Every shard that may have requests, according to row `M`, which is read again when it is `freshMs` old. */
  async all(freshMs = refreshAfterMs): Promise<readonly number[]> {
    const { highest } = await this.#known(freshMs);
    return upTo(highest);
  }

  /**
   * What a shard responds. Undefined if its storage fails, now or a short while ago, and that of another one has not: claims go
   * on with the others.
   */
  async ask<T, Parts extends { readonly table: QueueTable; readonly clock: SharedClock }>(
    parts: Parts,
    shard: number,
    read: (parts: Parts) => Promise<T>,
  ): Promise<T | undefined> {
    if (!this.#areOthers(shard)) return read(parts);
    if (this.#isSilent(shard)) return undefined;
    try {
      return await read({ ...parts, table: parts.table.within(patience, parts.clock.steady) });
    } catch (error) {
      this.noteFailure(shard, error);
      if (!this.#isSilent(shard) || !this.#areOthers(shard)) throw error;
      return undefined;
    }
  }

  /** @param error of a call to this shard */
  noteFailure(shard: number, error: unknown): void {
    if (error instanceof ServiceError && error.code === 'storage_unavailable')
      this.#silentUntilMs.set(shard, this.#clock.now() + silentMs);
  }

  /** Whether no shard is left out. */
  get areComplete(): boolean {
    return this.#used.every((shard) => !this.#isSilent(shard));
  }

  #isSilent(shard: number): boolean {
    return this.#clock.now() < (this.#silentUntilMs.get(shard) ?? 0);
  }

  #areOthers(shard: number): boolean {
    return this.#used.some((other) => other !== shard && !this.#isSilent(other));
  }

  get #used(): readonly number[] {
    return upTo(this.#state.last?.value.highest ?? this.#count);
  }

  /** The shard of a new request without a key: one that responds. Row `M` has the count before. */
  async ofNew(random: Uint8Array): Promise<number> {
    await this.#known();
    const responding = upTo(this.#count).filter((shard) => !this.#isSilent(shard));
    return shardOfKey(random, responding.length > 0 ? responding : upTo(this.#count));
  }

  /**
   * The shard of a new request with this digest, and those where one with the same key may already be, if another count was in
   * use within the last 24 h. Row `M` has the count before the first request uses it.
   */
  async ofKey(digest: Uint8Array): Promise<{ readonly shard: number; readonly others: readonly number[] }> {
    const { highest, changedAtMs } = await this.#known();
    const shard = shardOfKey(digest, upTo(this.#count));
    // An instance may have used a count for up to `maxAgeMs` after it was last recorded.
    if (this.#clock.now() - changedAtMs >= idempotencyWindowMs + maxAgeMs) return { shard, others: [] };
    const ofAnyCount = new Set(upTo(highest).map((lower) => shardOfKey(digest, upTo(lower + 1))));
    ofAnyCount.delete(shard);
    return { shard, others: [...ofAnyCount] };
  }

  #known(freshMs = refreshAfterMs): Promise<ShardState> {
    return this.#state.get(freshMs, maxAgeMs);
  }

  #readOrRecord(): Promise<ShardState> {
    const table = this.#table.within(readLimits, this.#clock.steady);
    return untilSettled('number of shards', async () => {
      const row = await table.row(metaRow.partitionKey, metaRow.rowKey);
      const highest = Math.max(this.#count, Number(row?.['highest']) || 1);
      if (row?.['shards'] === this.#count) {
        const { changedAt, timestamp } = row;
        // Version 1.0.0 has written the row without this column, and only when the count changed.
        const changedAtMs = changedAt instanceof Date ? changedAt.getTime() : Date.parse(String(timestamp));
        return { highest, changedAtMs };
      }
      const state = { highest, changedAtMs: row ? this.#clock.now() : 0 };
      const next = { ...metaRow, shards: this.#count, highest, changedAt: new Date(state.changedAtMs) };
      // During a deployment, instances with different settings may start at the same time: none may overwrite a value that
      // it has not read. After a lost response the next read finds the row as intended.
      const action: TransactionAction = row
        ? ['update', next, 'Replace', { etag: String(row['etag']) }]
        : ['create', next];
      return (await table.commit([action], () => Promise.resolve(false))) ? state : null;
    });
  }
}

/**
 * Rendezvous hashing: the 64 bytes are sixteen numbers, one per shard, and the largest wins. A higher count moves a key
 * only to one of the new shards.
 */
function shardOfKey(digest: Uint8Array, shards: readonly number[]): number {
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  return shards.reduce((best, shard) =>
    view.getUint32(shard * 4) > view.getUint32(best * 4) ? shard : best,
  );
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, shard) => shard);
