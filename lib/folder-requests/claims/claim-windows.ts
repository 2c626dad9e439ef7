import type { ClaimRouting } from '../../contract/folder-requests.ts';
import { BoundedMap } from '../../base/bounded-map.ts';
import { slicesOf } from '../../base/slices.ts';
import { isRouted, type ClaimCall } from './claim-batches.ts';
import { ShardWindow } from './shard-window.ts';
import type { QueueParts } from '../table/queue-parts.ts';
import type { KeyRange } from '../../storage/row-keys.ts';
import { endOfLane, laneRanges, overlap, partitionOfShard, rowKeys } from '../table/keys.ts';
import { indexedIn, type Indexed } from '../table/rows.ts';

/**
 * How many reads of lanes a claim may cost, whatever the number of its names. With more shards than that it may read each
 * once, as a claim without names does: the oldest request may be in any of them.
 */
const maxLaneReads = 12;
// One after the other. Lanes of one label in several domains may each need a read of their own.
const maxSteps = 4;
// How long the ranges that a crowded shard needed are read concurrently. A wrong memory only costs requests.
const memoryMs = 10_000;
// Both grow with the names that agents send.
const maxRemembered = 1000;
const maxRememberedLanes = 10_000;

export const laneReadsOf = (shards: number): number => Math.max(maxLaneReads, shards);

interface Read {
  readonly found: readonly Indexed[];
  readonly mayHaveMore: boolean;
}

const nothing: Read = { found: [], mayHaveMore: false };

interface WindowsRead {
  readonly windows: readonly ShardWindow[];
  /** How many reads the lanes have cost. */
  readonly laneReads: number;
  /** Lanes are left for the next claims, which begin with them. */
  readonly isPartial: boolean;
}

/** What is known of the lanes of a shard while a claim reads them. */
interface ShardLanes {
  readonly shard: number;
  readonly isRemembered: boolean;
  readonly found: Indexed[];
  readonly covered: KeyRange[];
  /** Not read yet. */
  left: readonly KeyRange[];
  isCrowded: boolean;
  mayHaveMore: boolean;
}

interface OpenRange {
  readonly ofShard: ShardLanes;
  readonly range: KeyRange;
}

/** What the last read of a lane has found. */
interface LaneMemory {
  /** The number of that read. */
  readonly read: number;
  /** When its oldest request was created; undefined if there was none. */
  readonly headMs: number | undefined;
}

/**
 * Reads the requests that calls may get: of each shard the oldest of all if a call accepts any target, and the heads of the
 * lanes that the others serve. One range contains all lanes; if many requests are in it, the lanes behind those are further
 * ranges, as many as the claim may read.
 */
export class ClaimWindows {
  /** By shard and lanes. */
  readonly #crowded = new BoundedMap<
    string,
    { readonly ranges: readonly KeyRange[]; readonly untilMs: number }
  >(maxRemembered);
  /** By shard and lane. */
  readonly #memories = new BoundedMap<string, LaneMemory>(maxRememberedLanes);
  #reads = 0;

  /** @param laneReads how many reads of lanes the claims have already cost */
  async read(
    parts: QueueParts,
    shards: readonly number[],
    calls: readonly ClaimCall[],
    laneReads = 0,
  ): Promise<WindowsRead> {
    // Twice the number of calls leaves alternatives after a conflict; every row counts against the partition's 2,000/s.
    const limit = Math.min(Math.max(8, 2 * calls.length), 64);
    const lanes = new Lanes(calls.flatMap(({ routing }) => routing ?? []));
    const maxReads = laneReadsOf(shards.length) * lanes.routings - laneReads;
    const isAnyAccepted = !calls.every(isRouted);
    const [routed, oldest] = await Promise.all([
      this.#readLanes(parts, shards, lanes, { limit, maxReads }),
      Promise.all(
        shards.map(async (shard) =>
          isAnyAccepted ? readRange(parts, shard, rowKeys.waiting.all, limit) : nothing,
        ),
      ),
    ]);
    const windows = shards.map((shard, at) => {
      const reads = [oldest[at] ?? nothing, routed.shards[at] ?? nothing];
      const byId = new Map(reads.flatMap(({ found }) => found.map((row) => [row.request.id, row] as const)));
      return new ShardWindow(shard, {
        requests: [...byId.values()].toSorted((one, other) => (one.request.id < other.request.id ? -1 : 1)),
        mayHaveMore: reads.some(({ mayHaveMore }) => mayHaveMore),
      });
    });
    return { windows, laneReads: routed.reads, isPartial: routed.shards.some(({ left }) => left.length > 0) };
  }

  /** The heads of all lanes, or of those whose turn it is. */
  async #readLanes(
    parts: QueueParts,
    shards: readonly number[],
    lanes: Lanes,
    { limit, maxReads }: { readonly limit: number; readonly maxReads: number },
  ): Promise<{ readonly shards: readonly ShardLanes[]; readonly reads: number }> {
    if (lanes.ranges.length === 0) return { shards: [], reads: 0 };
    const nowMs = parts.clock.now();
    const read = shards.map((shard) => this.#lanesOf(shard, lanes, nowMs));
    let reads = 0;
    for (let step = 0; step < maxSteps; step += 1) {
      const open = read.flatMap((ofShard) => ofShard.left.map((range) => ({ ofShard, range })));
      const chosen = this.#inTurn(open, lanes, maxReads - reads);
      if (chosen.length === 0) break;
      reads += chosen.length;
      const results = await Promise.all(
        chosen.map(async ({ ofShard, range }) => readRange(parts, ofShard.shard, range, limit)),
      );
      const readsOfShard = Math.floor((maxReads - reads) / shards.length);
      for (const each of read) {
        const behind: KeyRange[] = [];
        for (const [at, { ofShard, range }] of chosen.entries()) {
          if (ofShard !== each) continue;
          for (const lane of this.#note(each, range, results[at] ?? nothing, lanes)) behind.push(lane);
        }
        const others = each.left.filter((range) => !chosen.some((one) => one.range === range));
        each.left = [...others, ...lanes.grouped(behind, readsOfShard)];
      }
    }
    for (const each of read) this.#remember(each, lanes, nowMs);
    return { shards: read, reads };
  }

  #lanesOf(shard: number, lanes: Lanes, nowMs: number): ShardLanes {
    const remembered = this.#crowded.get(`${shard} ${lanes.name}`);
    const isRemembered = remembered !== undefined && nowMs < remembered.untilMs;
    const left = isRemembered ? remembered.ranges : [spanOf(lanes.ranges)];
    return { shard, isRemembered, found: [], covered: [], left, isCrowded: false, mayHaveMore: false };
  }

  /** Notes what a read has found. @returns the lanes behind it, which it has not reached */
  #note(
    ofShard: ShardLanes,
    range: KeyRange,
    { found, mayHaveMore }: Read,
    lanes: Lanes,
  ): readonly KeyRange[] {
    const own = found.filter((row) => lanes.has(keyOf(row)));
    for (const row of own) ofShard.found.push(row);
    const last = found.at(-1);
    const end = mayHaveMore && last ? endOfLane(keyOf(last)) : range.to;
    ofShard.isCrowded ||= mayHaveMore;
    ofShard.mayHaveMore ||= mayHaveMore && last !== undefined && lanes.has(keyOf(last));
    const covered = lanes.in({ from: range.from, to: end });
    ofShard.covered.push(spanOf(covered));
    this.#reads += 1;
    for (const lane of covered) {
      const head = own.find((row) => isWithin(keyOf(row), lane));
      this.#memories.set(`${ofShard.shard} ${lane.from}`, {
        read: this.#reads,
        headMs: head?.request.createdAtMs,
      });
    }
    return lanes.in({ from: end, to: range.to });
  }

  /** Ranges that leave out what is between them do not show that it is gone. */
  #remember(
    { shard, isCrowded, isRemembered, covered, left }: ShardLanes,
    lanes: Lanes,
    nowMs: number,
  ): void {
    if (!isCrowded || isRemembered) return;
    const ranges = [...covered, ...left];
    this.#crowded.set(`${shard} ${lanes.name}`, { ranges, untilMs: nowMs + memoryMs });
  }

  /**
   * Those of agents with few names first, so that an agent with many keeps no other waiting. Of these, at most half for the
   * oldest requests that were seen before, and the others in rotation, so that no lane is left out.
   */
  #inTurn(open: readonly OpenRange[], lanes: Lanes, count: number): readonly OpenRange[] {
    if (count <= 0) return [];
    if (open.length <= count) return open;
    const turns = open.map((each) => {
      const within = lanes.in(each.range);
      const memories = within.map((lane) => this.#memories.get(`${each.ofShard.shard} ${lane.from}`));
      return {
        each,
        fewest: leastOf(within.map((lane) => lanes.fewestOf(lane))),
        headMs: leastOf(memories.map((memory) => memory?.headMs ?? Infinity)),
        read: leastOf(memories.map((memory) => memory?.read ?? 0)),
      };
    });
    const byHead = turns
      .filter(({ headMs }) => headMs !== Infinity)
      .toSorted((one, other) => one.fewest - other.fewest || one.headMs - other.headMs)
      .slice(0, Math.floor(count / 2));
    const inRotation = turns
      .filter((turn) => !byHead.includes(turn))
      .toSorted((one, other) => one.fewest - other.fewest || one.read - other.read);
    return [...byHead, ...inRotation].slice(0, count).map(({ each }) => each);
  }
}

async function readRange(parts: QueueParts, shard: number, range: KeyRange, limit: number): Promise<Read> {
  const partition = partitionOfShard(shard);
  const read = await parts.shards.ask(parts, shard, ({ table }) =>
    table.rows({ partition, ...range, limit }),
  );
  return read ? { found: read.rows.map(indexedIn), mayHaveMore: read.mayHaveMore } : nothing;
}

/** The lanes that some calls serve together. */
class Lanes {
  readonly ranges: readonly KeyRange[];
  readonly name: string;
  /** How many there are that differ: calls with the same names share their reads. */
  readonly routings: number;
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
    this.routings = distinct.size;
  }

  has(key: string): boolean {
    return this.ranges.some((range) => isWithin(key, range));
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

const isWithin = (key: string, { from, to }: KeyRange): boolean => key >= from && key < to;

/** From the first of these ranges to the last. */
const spanOf = (ranges: readonly KeyRange[]): KeyRange => ({
  from: ranges[0]?.from ?? '',
  to: ranges.at(-1)?.to ?? '',
});

const leastOf = (numbers: readonly number[]): number =>
  numbers.reduce((least, each) => Math.min(least, each), Infinity);
