import type { ClaimCall, Window } from './claim-batches.ts';
import type { ClaimRouting } from '../contract/folder-requests.ts';
import { isClaimable, type StoredFolderRequest } from './folder-request.ts';
import type { QueueTable } from './queue-table.ts';
import { RouteMemory } from './route-memory.ts';
import { routeFilters, routesOf, serves } from './routing.ts';
import { indexKeyOf, partitionOfShard, queueKeyUpTo, requestOfIndex } from './rows.ts';

// With different clocks an instance may read a request that is "not yet" created. Leases have no such tolerance.
const clockSkewMs = 2_000;
// How long after the time in its key a request may be written: another clock, and a repeated transaction.
const maxLatenessMs = 60_000;

/** Calls with the same routing. */
interface Group {
  readonly name: string;
  readonly routing: ClaimRouting;
  readonly routes: readonly string[];
  calls: number;
}

/** What was read of one shard. */
export interface ShardWindows {
  readonly shard: number;
  /** Its oldest requests with any target; absent if they are known to match no call. */
  readonly head?: Window;
  /** Requests behind the head whose targets some call can serve. */
  readonly further?: Window;
  /** Routings that `further` was searched for. */
  readonly searched: ReadonlySet<string>;
}

interface Read {
  readonly window: Window;
  /** Everything before this key has been read. */
  readonly coveredTo: string;
}

/**
 * Reads the requests that calls may get: one range per shard if something in it fits. If nothing near the head does, one
 * more range with a filter, which the table service searches.
 */
export class ClaimWindows {
  readonly #table: QueueTable;
  readonly #memory: RouteMemory;

  constructor(table: QueueTable, routeMemoryMs: number | undefined) {
    this.#table = table;
    this.#memory = new RouteMemory(routeMemoryMs);
  }

  /** Call when requests have returned to older places. */
  forgetRoutes(): void {
    this.#memory.clear();
  }

  async read(
    shards: readonly number[],
    calls: readonly ClaimCall[],
    nowMs: number,
  ): Promise<readonly ShardWindows[]> {
    // Twice the number of calls leaves alternatives after a conflict; every row counts against the partition's 2,000/s.
    const limit = Math.min(Math.max(8, 2 * calls.length), 64);
    const groups = groupsOf(calls);
    const isAllRouted = calls.every(({ routing }) => routing !== undefined);
    const heads = await Promise.all(
      shards.map(async (shard) => {
        const starts = [...groups.values()].map(({ name }) => this.#memory.startOf(name, shard, nowMs));
        if (isAllRouted && starts.every((start) => start !== undefined)) return undefined;
        return this.#range(shard, { from: 'Q_', limit, nowMs });
      }),
    );
    return Promise.all(
      shards.map(async (shard, at) => {
        const head = heads[at];
        const needy = [...groups.values()].filter((group) => !head || needsMore(group, head, heads));
        const further = needy.length > 0 ? await this.#search(shard, head, needy, limit, nowMs) : undefined;
        for (const group of groups.values()) this.#remember(group, shard, head, further, nowMs);
        return {
          shard,
          ...(head && { head: head.window }),
          ...(further && { further: further.window }),
          searched: new Set(further ? needy.map(({ name }) => name) : []),
        };
      }),
    );
  }

  async #search(
    shard: number,
    head: Read | undefined,
    groups: readonly Group[],
    limit: number,
    nowMs: number,
  ): Promise<Read> {
    const starts = groups.map(({ name }) => this.#memory.startOf(name, shard, nowMs) ?? 'Q_');
    const from = [head?.coveredTo ?? 'Q_', starts.toSorted()[0] ?? 'Q_'].toSorted()[1] ?? 'Q_';
    const filters = routeFilters(new Set(groups.flatMap(({ routes }) => routes)));
    const fits = ({ targetPath }: StoredFolderRequest): boolean =>
      groups.some(({ routing }) => serves(routing, targetPath));
    const reads = await Promise.all(
      filters.map(async (filter) => {
        // Two servers of different domains may share a label; then nothing that was read fits, and more is read.
        for (let start = from; ;) {
          const read = await this.#range(shard, { from: start, limit, nowMs, filter });
          if (!read.window.mayHaveMore || read.window.requests.some(fits)) return read;
          start = read.coveredTo;
        }
      }),
    );
    return {
      window: {
        shard,
        isFiltered: true,
        requests: reads
          .flatMap(({ window }) => window.requests.filter(fits))
          .toSorted((one, other) => (indexKeyOf(one) < indexKeyOf(other) ? -1 : 1)),
        mayHaveMore: reads.some(({ window }) => window.mayHaveMore),
        isInDoubt: false,
      },
      coveredTo: reads.map(({ coveredTo }) => coveredTo).toSorted()[0] ?? from,
    };
  }

  async #range(
    shard: number,
    { from, limit, nowMs, filter }: { from: string; limit: number; nowMs: number; filter?: string },
  ): Promise<Read> {
    const partition = partitionOfShard(shard);
    const to = queueKeyUpTo(nowMs + clockSkewMs);
    const range = { partition, from, to, limit };
    const { rows, mayHaveMore } = await this.#table.rows(filter === undefined ? range : { ...range, filter });
    const all = rows.map(requestOfIndex);
    const requests = all.filter((request) => isClaimable(request, nowMs));
    // In order of time: if the last is not yet visible, none after it is.
    const isPast = all.at(-1) !== requests.at(-1);
    const last = rows.at(-1);
    const isCutOff = mayHaveMore && !isPast;
    return {
      window: { shard, isFiltered: filter !== undefined, requests, mayHaveMore: isCutOff, isInDoubt: false },
      coveredTo: isCutOff && last ? keyAfter(last.rowKey) : to,
    };
  }

  /**
   * Remembers where the group's requests begin, if more requests wait than a head holds. Otherwise a search from the head
   * costs nothing and misses nothing.
   */
  #remember(
    group: Group,
    shard: number,
    head: Read | undefined,
    further: Read | undefined,
    nowMs: number,
  ): void {
    if (head && !head.window.mayHaveMore) return;
    const requests = [...(head?.window.requests ?? []), ...(further?.window.requests ?? [])];
    const fit = requests.find(({ targetPath }) => serves(group.routing, targetPath));
    const keys = [
      fit ? indexKeyOf(fit) : ((further ?? head)?.coveredTo ?? 'Q_'),
      queueKeyUpTo(nowMs - maxLatenessMs),
    ];
    this.#memory.remember(group.name, shard, keys.toSorted()[0] ?? 'Q_', nowMs);
  }
}

/** Whether nothing is left for this call: everything that it can serve was read, and none of it is in doubt. */
export function isExhaustedFor({ routing }: ClaimCall, windows: readonly ShardWindows[]): boolean {
  return windows.every(({ head, further, searched }) => {
    if (head?.isInDoubt || further?.isInDoubt) return false;
    if (head && !head.mayHaveMore) return true;
    return routing !== undefined && searched.has(nameOf(routing)) && further?.mayHaveMore === false;
  });
}

function groupsOf(calls: readonly ClaimCall[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const { routing } of calls) {
    if (!routing) continue;
    const name = nameOf(routing);
    const group = groups.get(name);
    if (group) group.calls += 1;
    else groups.set(name, { name, routing, routes: routesOf(routing), calls: 1 });
  }
  return groups;
}

const nameOf = ({ servers, relative = false }: ClaimRouting): string =>
  JSON.stringify([relative, ...servers.map((server) => server.toLowerCase()).toSorted()]);

/** Whether a shard may have, after what was read of its head, older requests than those that fit in all heads. */
function needsMore(group: Group, head: Read, heads: readonly (Read | undefined)[]): boolean {
  if (!head.window.mayHaveMore) return false;
  const fitting = heads
    .flatMap((read) => read?.window.requests ?? [])
    .filter(({ targetPath }) => serves(group.routing, targetPath))
    .map(indexKeyOf)
    .toSorted();
  const last = fitting[group.calls - 1];
  return last === undefined || head.coveredTo <= last;
}

/** The first key after this one: `!` sorts before every digit that could continue it. */
const keyAfter = (rowKey: string): string => `${rowKey}!`;
