import type { ClaimRouting } from '../../contract/folder-requests.ts';
import { slicesOf } from '../../base/slices.ts';
import { isRouted, type ClaimCall, type Window } from './claim-batches.ts';
import type { QueueParts } from '../table/queue-parts.ts';
import { endOfLane, laneRanges, overlap, type KeyRange } from '../requests/routing.ts';
import { endOf, indexedIn, partitionOfShard, prefixOf, type Indexed } from '../table/rows.ts';

/** How many reads of lanes a claim may cost, whatever the number of its names. */
export const maxLaneReads = 12;
// Even if those are more, with over four shards: the lanes of an agent with two servers are read in the order of the queue.
const minReadsOfShard = 3;
// One after the other. Lanes of one label in several domains may each need a read of their own.
const maxSteps = 4;
// How long the ranges that a crowded shard needed are read concurrently. A wrong memory only costs requests.
const memoryMs = 10_000;
const maxRemembered = 1000;
const maxRememberedLanes = 10_000;

const wholeQueue: KeyRange = { from: prefixOf.PENDING, to: endOf(prefixOf.PENDING) };

interface Read {
  readonly found: readonly Indexed[];
  readonly mayHaveMore: boolean;
}

interface LaneRead extends Read {
  readonly reads: number;
  readonly isPartial: boolean;
}

const noLanes: LaneRead = { found: [], mayHaveMore: false, reads: 0, isPartial: false };

interface WindowsRead {
  readonly windows: readonly Window[];
  /** How many reads the lanes have cost. */
  readonly laneReads: number;
  /** Lanes are left for the next claims, which begin with them. */
  readonly isPartial: boolean;
}

/**
 * Reads the requests that calls may get: of each shard the oldest of all if a call accepts any target, and the heads of the
 * lanes that the others serve. One range contains all lanes; if many requests are in it, the lanes behind those are further
 * ranges, as many as the claim may read.
 */
export class ClaimWindows {
  readonly #parts: QueueParts;
  /** By shard and lanes. */
  readonly #crowded = new Map<string, { readonly ranges: readonly KeyRange[]; readonly untilMs: number }>();
  /** By shard and lane: the number of the read that has covered it last. */
  readonly #lastReads = new Map<string, number>();
  #reads = 0;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** @param laneReads how many reads of lanes the claims have already cost */
  async read(shards: readonly number[], calls: readonly ClaimCall[], laneReads = 0): Promise<WindowsRead> {
    // Twice the number of calls leaves alternatives after a conflict; every row counts against the partition's 2,000/s.
    const limit = Math.min(Math.max(8, 2 * calls.length), 64);
    const lanes = new Lanes(calls.flatMap(({ routing }) => routing ?? []));
    const maxReads = Math.max(minReadsOfShard, Math.floor((lanes.maxReads - laneReads) / shards.length));
    const isAnyAccepted = !calls.every(isRouted);
    const read = await Promise.all(
      shards.map(async (shard) => {
        const [routed, oldest] = await Promise.all([
          lanes.ranges.length > 0 ? this.#lanes(shard, lanes, { limit, maxReads }) : noLanes,
          isAnyAccepted ? this.#range(shard, wholeQueue, limit) : noLanes,
        ]);
        const byId = new Map([...routed.found, ...oldest.found].map((row) => [row.request.id, row]));
        const window: Window = {
          shard,
          requests: [...byId.values()].toSorted((one, other) => (one.request.id < other.request.id ? -1 : 1)),
          mayHaveMore: oldest.mayHaveMore || routed.mayHaveMore,
        };
        return { window, routed };
      }),
    );
    return {
      windows: read.map(({ window }) => window),
      laneReads: read.reduce((total, { routed }) => total + routed.reads, 0),
      isPartial: read.some(({ routed }) => routed.isPartial),
    };
  }

  async #range(shard: number, range: KeyRange, limit: number): Promise<Read> {
    const partition = partitionOfShard(shard);
    const { rows, mayHaveMore } = await this.#parts.table.rows({ partition, ...range, limit });
    return { found: rows.map(indexedIn), mayHaveMore };
  }

  /** The heads of all lanes, or of those whose turn it is. */
  async #lanes(
    shard: number,
    lanes: Lanes,
    { limit, maxReads }: { readonly limit: number; readonly maxReads: number },
  ): Promise<LaneRead> {
    const nowMs = this.#parts.clock.now();
    const name = `${shard} ${lanes.name}`;
    const remembered = this.#crowded.get(name);
    const isRemembered = remembered !== undefined && nowMs < remembered.untilMs;
    const covered: KeyRange[] = [];
    const found: Indexed[] = [];
    let left = isRemembered ? remembered.ranges : [spanOf(lanes.ranges)];
    let reads = 0;
    let isCrowded = false;
    let mayHaveMore = false;
    for (let step = 0; step < maxSteps && left.length > 0 && reads < maxReads; step += 1) {
      const inTurn = this.#inTurn(shard, left, lanes);
      const chosen = inTurn.slice(0, maxReads - reads);
      const others = inTurn.slice(maxReads - reads);
      reads += chosen.length;
      const read = await Promise.all(
        chosen.map(async (range) => ({ range, part: await this.#range(shard, range, limit) })),
      );
      const behind: KeyRange[] = [];
      for (const { range, part } of read) {
        for (const row of part.found) {
          if (lanes.has(keyOf(row))) found.push(row);
        }
        const last = part.found.at(-1);
        const end = part.mayHaveMore && last ? endOfLane(keyOf(last)) : range.to;
        isCrowded ||= part.mayHaveMore;
        mayHaveMore ||= part.mayHaveMore && last !== undefined && lanes.has(keyOf(last));
        const coveredLanes = lanes.in({ from: range.from, to: end });
        this.#noteRead(shard, coveredLanes);
        covered.push(spanOf(coveredLanes));
        for (const lane of lanes.in({ from: end, to: range.to })) {
          behind.push(lane);
        }
      }
      left = [...others, ...lanes.grouped(behind, maxReads - reads)];
    }
    // Ranges that leave out what is between them do not show that it is gone.
    if (isCrowded && !isRemembered) {
      if (this.#crowded.size >= maxRemembered) this.#crowded.clear();
      this.#crowded.set(name, { ranges: [...covered, ...left], untilMs: nowMs + memoryMs });
    }
    return { found, mayHaveMore, reads, isPartial: left.length > 0 };
  }

  /** Those of agents with few names first, so that an agent with many keeps no other waiting; then the ones read longest ago. */
  #inTurn(shard: number, ranges: readonly KeyRange[], lanes: Lanes): readonly KeyRange[] {
    const turns = ranges.map((range) => {
      const within = lanes.in(range);
      return {
        range,
        fewest: leastOf(within.map((lane) => lanes.fewestOf(lane))),
        lastRead: leastOf(within.map(({ from }) => this.#lastReads.get(`${shard} ${from}`) ?? 0)),
      };
    });
    return turns
      .toSorted((one, other) => one.fewest - other.fewest || one.lastRead - other.lastRead)
      .map(({ range }) => range);
  }

  #noteRead(shard: number, lanes: readonly KeyRange[]): void {
    if (this.#lastReads.size >= maxRememberedLanes) this.#lastReads.clear();
    this.#reads += 1;
    for (const { from } of lanes) this.#lastReads.set(`${shard} ${from}`, this.#reads);
  }
}

/** The lanes that some calls serve together. */
class Lanes {
  readonly ranges: readonly KeyRange[];
  readonly name: string;
  /** Of all shards. Calls with the same names share theirs. */
  readonly maxReads: number;
  /** By the beginning of a range: how many ranges the agent has that has the fewest, of those that serve it. */
  readonly #fewest = new Map<string, number>();

  constructor(routings: readonly ClaimRouting[]) {
    this.ranges = laneRanges(routings);
    this.name = this.ranges.map(({ from }) => from).join(' ');
    const distinct = new Map(routings.map((routing) => [JSON.stringify(routing), laneRanges([routing])]));
    for (const ranges of distinct.values()) {
      for (const { from } of ranges) {
        this.#fewest.set(from, Math.min(ranges.length, this.#fewest.get(from) ?? Infinity));
      }
    }
    this.maxReads = maxLaneReads * distinct.size;
  }

  has(key: string): boolean {
    return this.ranges.some(({ from, to }) => key >= from && key < to);
  }

  in(range: KeyRange): readonly KeyRange[] {
    return this.ranges.flatMap((lane) => overlap(lane, range) ?? []);
  }

  /** A range that is the rest of a lane counts as one of the fewest. */
  fewestOf({ from }: KeyRange): number {
    return this.#fewest.get(from) ?? 1;
  }

  /** The lanes themselves if they are few enough to be read; otherwise the ones of agents with many names in groups. */
  grouped(lanes: readonly KeyRange[], maxReads: number): readonly KeyRange[] {
    if (lanes.length <= maxReads) return lanes;
    const [single, many] = [
      lanes.filter((lane) => this.fewestOf(lane) < maxLaneReads),
      lanes.filter((lane) => this.fewestOf(lane) >= maxLaneReads),
    ];
    const groups = maxReads - single.length;
    if (groups < 1) return lanes;
    return [...single, ...slicesOf(many, Math.ceil(many.length / groups)).map(spanOf)];
  }
}

/** Its key as read; the other one of its pair follows. */
const keyOf = ({ keys: [key = ''] }: Indexed): string => key;

/** From the first of these ranges to the last. */
const spanOf = (ranges: readonly KeyRange[]): KeyRange => ({
  from: ranges[0]?.from ?? '',
  to: ranges.at(-1)?.to ?? '',
});

const leastOf = (numbers: readonly number[]): number =>
  numbers.reduce((least, each) => Math.min(least, each), Infinity);
