import type { ClaimRouting } from '../../contract/folder-requests.ts';
import { namesReadByAClaim } from '../../contract/server-names.ts';
import { BoundedMap } from '../../base/bounded-map.ts';
import { isRouted, type ClaimCall } from './claim-batches.ts';
import { ShardWindow } from './shard-window.ts';
import type { QueueParts } from '../table/queue-parts.ts';
import type { KeyRange } from '../../storage/row-keys.ts';
import { endOfLane, laneRanges, overlap, partitionOfShard, rowKeys } from '../table/keys.ts';
import { indexedIn, type Indexed } from '../table/rows.ts';

/**
 * How many reads of lanes a claim may cost, whatever the number of its names: of more lanes behind a backlog, the next ones
 * are for the next claim. With more shards than that it may read each once, as a claim without names does: the oldest request
 * may be in any of them.
 */
const maxLaneReads = namesReadByAClaim;
// One after the other. Lanes of one label in several domains may each need a read of their own.
const maxSteps = 4;
// How long the ranges that a crowded shard needed are read concurrently. A wrong memory only costs requests.
const memoryMs = 10_000;
// Grows with the names that agents send.
const maxRemembered = 1000;

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
  /** By lanes: the last range that a claim has read which could not read all. */
  readonly #reached = new BoundedMap<string, string>(maxRemembered);

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
      for (const [at, { ofShard, range }] of chosen.entries()) {
        const behind = note(ofShard, range, results[at] ?? nothing, lanes);
        ofShard.left = [...ofShard.left.filter((other) => other !== range), ...behind];
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

  /** The next ones in rotation, those of agents with few names first: one with many keeps no other waiting. */
  #inTurn(open: readonly OpenRange[], lanes: Lanes, count: number): readonly OpenRange[] {
    if (open.length <= count) return open;
    const few = open.filter(({ range }) => lanes.fewestOf(range) < maxLaneReads);
    const many = open.filter((each) => !few.includes(each));
    const first = this.#next(few, `few ${lanes.name}`, count);
    return [...first, ...this.#next(many, `many ${lanes.name}`, count - first.length)];
  }

  #next(open: readonly OpenRange[], name: string, count: number): readonly OpenRange[] {
    const keyed = open
      .map((each) => ({ each, key: `${each.range.from} ${each.ofShard.shard}` }))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const reached = this.#reached.get(name) ?? '';
    const next = keyed.filter(({ key }) => key > reached);
    const chosen = [...next, ...keyed.slice(0, keyed.length - next.length)].slice(0, Math.max(count, 0));
    const last = chosen.at(-1);
    if (last) this.#reached.set(name, last.key);
    return chosen.map(({ each }) => each);
  }
}

/** Notes what a read has found. @returns the lanes behind it, which it has not reached */
function note(
  ofShard: ShardLanes,
  range: KeyRange,
  { found, mayHaveMore }: Read,
  lanes: Lanes,
): readonly KeyRange[] {
  for (const row of found) if (lanes.has(keyOf(row))) ofShard.found.push(row);
  const last = found.at(-1);
  const end = mayHaveMore && last ? endOfLane(keyOf(last)) : range.to;
  ofShard.isCrowded ||= mayHaveMore;
  ofShard.mayHaveMore ||= mayHaveMore && last !== undefined && lanes.has(keyOf(last));
  ofShard.covered.push(spanOf(lanes.in({ from: range.from, to: end })));
  return lanes.in({ from: end, to: range.to });
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
}

/** Its key as read; the other one of its pair follows. */
const keyOf = ({ keys: [key = ''] }: Indexed): string => key;

const isWithin = (key: string, { from, to }: KeyRange): boolean => key >= from && key < to;

/** From the first of these ranges to the last. */
const spanOf = (ranges: readonly KeyRange[]): KeyRange => ({
  from: ranges[0]?.from ?? '',
  to: ranges.at(-1)?.to ?? '',
});
