import { isRouted, type ClaimCall, type Window } from './claim-batches.ts';
import type { QueueParts } from '../table/queue-parts.ts';
import { endOfLane, laneRanges, overlap, type KeyRange } from '../requests/routing.ts';
import { endOf, indexedIn, partitionOfShard, prefixOf, type Indexed } from '../table/rows.ts';

// Lanes of one label in several domains that an agent with a short name serves; each may need a read of its own.
const maxReads = 4;
// How long the ranges that a crowded shard needed are read concurrently. A wrong memory only costs requests.
const memoryMs = 10_000;
const maxRemembered = 1000;

const wholeQueue: KeyRange = { from: prefixOf.PENDING, to: endOf(prefixOf.PENDING) };

interface Read {
  readonly found: readonly Indexed[];
  readonly mayHaveMore: boolean;
}

const none: Read = { found: [], mayHaveMore: false };

/**
 * Reads the requests that calls may get: of each shard the oldest of all if a call accepts any target, and the heads of the
 * lanes that the others serve. One range contains all lanes; if many requests are in it, the lanes behind those are further
 * ranges.
 */
export class ClaimWindows {
  readonly #parts: QueueParts;
  /** By shard and lanes. */
  readonly #crowded = new Map<string, { readonly ranges: readonly KeyRange[]; readonly untilMs: number }>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  async read(shards: readonly number[], calls: readonly ClaimCall[]): Promise<readonly Window[]> {
    // Twice the number of calls leaves alternatives after a conflict; every row counts against the partition's 2,000/s.
    const limit = Math.min(Math.max(8, 2 * calls.length), 64);
    const lanes = laneRanges(calls.flatMap(({ routing }) => routing ?? []));
    const isAnyAccepted = !calls.every(isRouted);
    return Promise.all(
      shards.map(async (shard) => {
        const [routed, oldest] = await Promise.all([
          lanes.length > 0 ? this.#lanes(shard, lanes, limit) : none,
          isAnyAccepted ? this.#range(shard, wholeQueue, limit) : none,
        ]);
        const byId = new Map([...routed.found, ...oldest.found].map((row) => [row.request.id, row]));
        return {
          shard,
          requests: [...byId.values()].toSorted((one, other) => (one.request.id < other.request.id ? -1 : 1)),
          mayHaveMore: oldest.mayHaveMore || routed.mayHaveMore,
        };
      }),
    );
  }

  async #range(shard: number, range: KeyRange, limit: number): Promise<Read> {
    const partition = partitionOfShard(shard);
    const { rows, mayHaveMore } = await this.#parts.table.rows({ partition, ...range, limit });
    return { found: rows.map(indexedIn), mayHaveMore };
  }

  /** The heads of all lanes in these ranges. */
  async #lanes(shard: number, lanes: readonly KeyRange[], limit: number): Promise<Read> {
    const nowMs = this.#parts.clock.now();
    const name = `${shard} ${lanes.map(({ from }) => from).join(' ')}`;
    const remembered = this.#crowded.get(name);
    const isRemembered = remembered !== undefined && nowMs < remembered.untilMs;
    const lanesIn = (range: KeyRange) => lanes.flatMap((lane) => overlap(lane, range) ?? []);
    const isOurs = (key: string): boolean => lanes.some(({ from, to }) => key >= from && key < to);
    let ranges = isRemembered ? remembered.ranges : [spanOf(lanes)];
    const covered: KeyRange[] = [];
    const found: Indexed[] = [];
    let isCrowded = false;
    let mayHaveMore = false;
    for (let reads = 0; ranges.length > 0 && reads < maxReads; reads += 1) {
      const read = await Promise.all(
        ranges.map(async (range) => ({ range, ...(await this.#range(shard, range, limit)) })),
      );
      ranges = read.flatMap(({ range, ...part }) => {
        for (const row of part.found) if (isOurs(keyOf(row))) found.push(row);
        const last = part.found.at(-1);
        const end = part.mayHaveMore && last ? endOfLane(keyOf(last)) : range.to;
        isCrowded ||= part.mayHaveMore;
        mayHaveMore ||= part.mayHaveMore && last !== undefined && isOurs(keyOf(last));
        covered.push(spanOf(lanesIn({ from: range.from, to: end })));
        return lanesIn({ from: end, to: range.to });
      });
    }
    // Ranges that leave out what is between them do not show that it is gone.
    if (isCrowded && !isRemembered) {
      if (this.#crowded.size >= maxRemembered) this.#crowded.clear();
      this.#crowded.set(name, { ranges: covered, untilMs: nowMs + memoryMs });
    }
    return { found, mayHaveMore };
  }
}

/** Its key as read; the other one of its pair follows. */
const keyOf = ({ keys: [key = ''] }: Indexed): string => key;

/** From the first of these ranges to the last. */
const spanOf = (ranges: readonly KeyRange[]): KeyRange => ({
  from: ranges[0]?.from ?? '',
  to: ranges.at(-1)?.to ?? '',
});
