import { isRouted, type ClaimCall, type Waiting, type Window } from './claim-batches.ts';
import type { QueueParts } from './queue-parts.ts';
import { endOfLane, laneRanges, type KeyRange } from './routing.ts';
import { endOf, indexedIn, partitionOfShard, type Indexed } from './rows.ts';

// Lanes of one label in several domains that an agent with a short name serves; each may need a read of its own.
const maxReads = 4;
// How long the ranges that a crowded shard needed are read concurrently. A wrong memory only costs requests.
const memoryMs = 10_000;
const maxRemembered = 1000;

interface Read {
  readonly found: readonly Indexed[];
  readonly mayHaveMore: boolean;
}

/**
 * Reads the requests that calls may get: of each shard the oldest of all if a call accepts any target, and the heads of the
 * lanes that the others serve. One range contains all lanes; if many requests are in it, the lanes behind those are further
 * ranges.
 */
export class ClaimWindows {
  readonly #parts: QueueParts;
  /** By shard and lanes: groups of neighboring lanes, each of which is one range. */
  readonly #groups = new Map<string, { readonly groups: readonly KeyRange[][]; readonly untilMs: number }>();

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
        const [head, routed] = await Promise.all([
          isAnyAccepted ? this.#range(shard, { from: 'Q_', to: endOf('Q_') }, limit) : none,
          lanes.length > 0 ? this.#lanes(shard, lanes, limit) : none,
        ]);
        const byId = new Map<string, Waiting>();
        for (const row of routed.found) byId.set(row.request.id, { ...row, isHead: false });
        for (const row of head.found) byId.set(row.request.id, { ...row, isHead: true });
        return {
          shard,
          requests: [...byId.values()].toSorted((one, other) => (one.request.id < other.request.id ? -1 : 1)),
          mayHaveMore: head.mayHaveMore || routed.mayHaveMore,
          isInDoubt: false,
        };
      }),
    );
  }

  async #range(
    shard: number,
    range: KeyRange,
    limit: number,
  ): Promise<Read & { readonly coveredTo: string }> {
    const { rows, mayHaveMore } = await this.#parts.table.rows({
      partition: partitionOfShard(shard),
      ...range,
      limit,
    });
    const coveredTo = mayHaveMore ? endOfLane(rows.at(-1)?.rowKey ?? range.to) : range.to;
    return { found: rows.map(indexedIn), mayHaveMore, coveredTo };
  }

  /** The heads of all lanes in these ranges. */
  async #lanes(shard: number, lanes: readonly KeyRange[], limit: number): Promise<Read> {
    const isOurs = ({ keys: [key = ''] }: Indexed): boolean =>
      lanes.some(({ from, to }) => key >= from && key < to);
    const name = `${shard} ${lanes.map(({ from }) => from).join(' ')}`;
    const remembered = this.#groups.get(name);
    const isValid = remembered && this.#parts.clock.now() < remembered.untilMs;
    let groups: readonly KeyRange[][] = isValid ? remembered.groups : [[...lanes]];
    const covered: KeyRange[][] = [];
    const found: Indexed[] = [];
    let isCrowded = false;
    let mayHaveMore = false;
    for (let reads = 0; groups.length > 0 && reads < maxReads; reads += 1) {
      const read = await Promise.all(
        groups.map(async (group) => ({
          group,
          ...(await this.#range(shard, { from: group[0]?.from ?? '', to: group.at(-1)?.to ?? '' }, limit)),
        })),
      );
      for (const { group, coveredTo, ...part } of read) {
        for (const row of part.found) if (isOurs(row)) found.push(row);
        const last = part.found.at(-1);
        isCrowded ||= part.mayHaveMore;
        mayHaveMore ||= part.mayHaveMore && last !== undefined && isOurs(last);
        const before = group.filter(({ from }) => from < coveredTo);
        covered.push(before.map(({ from, to }) => ({ from, to: to < coveredTo ? to : coveredTo })));
      }
      groups = read.flatMap(({ group, coveredTo }) =>
        group
          .filter(({ to }) => to > coveredTo)
          .map(({ from, to }) => [{ from: from > coveredTo ? from : coveredTo, to }]),
      );
    }
    if (this.#groups.size >= maxRemembered) this.#groups.clear();
    // Ranges that leave out what is between them do not show that it is gone.
    if (isCrowded && !isValid)
      this.#groups.set(name, { groups: covered, untilMs: this.#parts.clock.now() + memoryMs });
    return { found, mayHaveMore };
  }
}

const none: Read = { found: [], mayHaveMore: false };
