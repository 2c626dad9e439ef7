import type { ShardWindow } from './shard-window.ts';
import type { RandomBytes } from '../requests/request-id.ts';

// How long new work in a quiet shard may wait behind a backlog in others before all shards are read again.
const memoryMs = 3_000;
// How long after a conflict this instance starts at a random shard.
const contentionMs = 1_000;

/**
 * What an instance remembers of the shards it has read: enough to read only those with work during a backlog, instead of
 * all sixteen for every claim. It is only a hint: the transaction decides.
 */
export class ShardHeads {
  readonly #randomBytes: RandomBytes;
  readonly #left = new Map<number, { readonly headId: string; readonly count: number }>();
  #allReadAtMs = -Infinity;
  #contendedAtMs = -Infinity;

  constructor(randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
  }

  /** Records what remains in the windows after a cycle; `allReadAtMs` is given if all shards were read. */
  remember(
    windows: readonly Pick<ShardWindow, 'shard' | 'requests' | 'mayHaveMore'>[],
    allReadAtMs: number | undefined,
  ): void {
    if (allReadAtMs !== undefined) this.#allReadAtMs = allReadAtMs;
    for (const { shard, requests, mayHaveMore } of windows) {
      const [head] = requests;
      const count = mayHaveMore ? Infinity : requests.length;
      if (head) this.#left.set(shard, { headId: head.request.id, count });
      else this.#left.delete(shard);
    }
  }

  /** The shards to read for this number of callers, oldest head first, or undefined to read all. */
  shardsFor(callers: number, nowMs: number): readonly number[] | undefined {
    if (nowMs - this.#allReadAtMs >= memoryMs) return undefined;
    const known = [...this.#left].toSorted(([, one], [, other]) => (one.headId < other.headId ? -1 : 1));
    const isContended = nowMs - this.#contendedAtMs < contentionMs;
    const start = isContended ? (this.#randomBytes(1)[0] ?? 0) % Math.max(known.length, 1) : 0;
    const chosen: number[] = [];
    let count = 0;
    for (const [shard, left] of [...known.slice(start), ...known.slice(0, start)]) {
      if (count >= callers) break;
      chosen.push(shard);
      count += left.count;
    }
    return count >= callers ? chosen : undefined;
  }

  noteContention(nowMs: number): void {
    this.#contendedAtMs = nowMs;
  }
}
