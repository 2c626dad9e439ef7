import type { TransactionAction } from '@azure/data-tables';
import type { Clock } from '../contract/clock.ts';
import { idempotencyWindowMs } from '../base/idempotency.ts';
import { untilSettled } from '../storage/conditional-write.ts';
import type { QueueTable } from './queue-table.ts';
import { maxShards } from './request-id.ts';

// Row M is read again in parallel to a call, at no additional round trip, when it is this old …
const refreshAfterMs = 30_000;
// … and before the call when it is this old, after a quiet minute: claims never use an older one.
const maxAgeMs = 60_000;

const meta = { partitionKey: 'fr-meta', rowKey: 'M' };

interface ShardState {
  /** The largest count ever used. Claims and lists read that many shards, since all of them may have rows. */
  readonly highest: number;
  /** Counts other than the current one that are or were in use, each once, and when that was last seen. */
  readonly earlier: readonly { readonly shards: number; readonly untilMs: number }[];
}

/**
 * The number of partitions of the queue. The count is a setting; row `M` records earlier values, so nothing is lost when it
 * is raised or lowered. While instances with different settings run in parallel, each writes its own count into the row
 * whenever it finds another one, and thus detects the other's within `maxAgeMs`.
 */
export class Shards {
  readonly #count: number;
  readonly #table: QueueTable;
  readonly #clock: Clock;
  #state: ShardState | undefined;
  #readAtMs = -Infinity;
  #reading: Promise<ShardState> | undefined;

  constructor(count: number, table: QueueTable, clock: Clock) {
    if (!Number.isInteger(count) || count < 1 || count > maxShards) {
      throw new RangeError(`the number of shards is ${count}; expected 1 to ${maxShards}`);
    }
    this.#count = count;
    this.#table = table;
    this.#clock = clock;
  }

  /** The number of shards for new requests; row `M` has it before the first request uses it. */
  async count(): Promise<number> {
    await this.#known();
    return this.#count;
  }

  /** Every shard that may have requests, according to row `M` as read at most `ageMs` ago. */
  async all(ageMs = maxAgeMs): Promise<readonly number[]> {
    const state = ageMs > this.#clock.now() - this.#readAtMs ? this.#state : undefined;
    const { highest } = state && ageMs > maxAgeMs ? state : await this.#known();
    return Array.from({ length: highest }, (_, shard) => shard);
  }

  /** The shard of a keyed request, and those where it may already be if other counts were in use within the last 24 h. */
  async ofKey(
    keyDigest: Uint8Array,
  ): Promise<{ readonly shard: number; readonly earlier: readonly number[] }> {
    const { earlier } = await this.#known();
    const shard = shardOfKey(keyDigest, this.#count);
    const inUse = mayHoldKeys(earlier, this.#clock.now());
    const others = new Set(inUse.map(({ shards }) => shardOfKey(keyDigest, shards)));
    others.delete(shard);
    return { shard, earlier: [...others] };
  }

  async #known(): Promise<ShardState> {
    const ageMs = this.#clock.now() - this.#readAtMs;
    if (this.#state && ageMs < refreshAfterMs) return this.#state;
    this.#reading ??= this.#read();
    return this.#state && ageMs < maxAgeMs ? this.#state : this.#reading;
  }

  #read(): Promise<ShardState> {
    const startedMs = this.#clock.now();
    const reading = this.#readOrRecord()
      .then((state) => {
        this.#readAtMs = startedMs;
        return (this.#state = state);
      })
      .finally(() => (this.#reading = undefined));
    // In the background no caller waits for it; the next call reads again.
    reading.catch(() => undefined);
    return reading;
  }

  #readOrRecord(): Promise<ShardState> {
    return untilSettled('number of shards', async () => {
      const row = await this.#table.row(meta.partitionKey, meta.rowKey);
      const nowMs = this.#clock.now();
      const previous = typeof row?.['shards'] === 'number' ? row['shards'] : this.#count;
      const highest = Math.max(this.#count, typeof row?.['highest'] === 'number' ? row['highest'] : 1);
      const recorded =
        typeof row?.['earlier'] === 'string' ? (JSON.parse(row['earlier']) as ShardState['earlier']) : [];
      const earlier = mayHoldKeys(recorded, nowMs).filter(
        ({ shards }) => shards !== this.#count && shards !== previous,
      );
      if (row && previous === this.#count) return { highest, earlier };
      if (previous !== this.#count) earlier.push({ shards: previous, untilMs: nowMs });
      const next = { ...meta, shards: this.#count, highest, earlier: JSON.stringify(earlier) };
      // During a deployment, instances with different settings may start at the same time: none may overwrite a value that
      // it has not read. After a lost response the next read finds the row as intended.
      const action: TransactionAction = row
        ? ['update', next, 'Replace', { etag: String(row['etag']) }]
        : ['create', next];
      const outcome = await this.#table.commit([action], () => Promise.resolve(false));
      return outcome === 'written' ? { highest, earlier } : null;
    });
  }
}

/** An instance may have used a count for up to `maxAgeMs` after it was last recorded. */
const mayHoldKeys = (earlier: ShardState['earlier'], nowMs: number) =>
  earlier.filter(({ untilMs }) => untilMs + maxAgeMs > nowMs - idempotencyWindowMs);

/**
 * Rendezvous hashing: the 64 bytes are sixteen numbers, one per shard, and the largest wins. A higher count moves a key
 * only to one of the new shards.
 */
function shardOfKey(digest: Uint8Array, shards: number): number {
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  let best = 0;
  for (let shard = 1; shard < shards; shard += 1) {
    if (view.getUint32(shard * 4) > view.getUint32(best * 4)) best = shard;
  }
  return best;
}
