import type { TransactionAction } from '@azure/data-tables';
import type { Clock } from '../contract/clock.ts';
import type { FolderRequestStatistics } from '../contract/folder-requests.ts';
import { isoTime } from './folder-request.ts';
import {
  agentKeyOf,
  hourMs,
  hourOf,
  isCounterKey,
  keyOfHour,
  outcomesOf,
  sumOf,
  type HourOutcomes,
  type Outcomes,
} from './outcomes.ts';
import type { QueueTable } from './queue-table.ts';
import type { QueueParts } from './queue-parts.ts';
import { Remembered } from './remembered.ts';
import { endOf, leaseEndOf, partitionOfShard, type Entity } from './rows.ts';
import type { IsServed } from './routing.ts';

// Counts of a shard stop here: "at least 1,000" is precise enough, and costs one request.
const maxCounted = 1000;
// The longest range that callers can request. Every range is read as this one, so all callers share a reading.
const maxHours = 168;

// Pages that show these numbers refresh every 15 s, and every third or fourth refresh reads. Together with the table of
// agents this is less than one storage request per refresh.
const liveForMs = 40_000;
const endedForMs = 55_000;
// Only instances with an outdated setting detect new shards this late, and a deployment is replacing them.
const shardsForMs = 300_000;

/** Live requests. */
export interface LiveCounts {
  readonly pending: number;
  readonly processing: number;
  /** Age of the oldest PENDING request; 0 if there is none. */
  readonly oldestPendingSeconds: number;
}

/** The request that an agent claimed last, if the lease has not expired. */
interface AgentWork {
  readonly folderRequestId: string;
  /** Time of the claim or of the last heartbeat. */
  readonly seenAtMs: number;
}

/** Statistics by the key of the agent (`agentKeyOf`). */
export interface AgentStatistics {
  readonly byAgent: ReadonlyMap<string, Outcomes>;
  readonly work: ReadonlyMap<string, AgentWork>;
}

/**
 * The contents of the queue and the outcomes. A shard has two ranges of keys: the live requests, and the outcomes of the
 * hours directly followed by the FAILED requests. All callers share a reading of each for up to a minute, to which this
 * instance applies its own writes.
 *
 * A shard with more than 1,000 rows in a range costs one more round trip, and is read again after each write.
 */
export class QueueStatistics {
  readonly #live: Remembered<readonly ShardRows[]>;
  readonly #ended: Remembered<readonly ShardRows[]>;
  readonly #clock: Clock;

  constructor({ table, shards, clock }: QueueParts) {
    const ofEveryShard = async <T>(read: (partition: string) => Promise<T>): Promise<readonly T[]> =>
      Promise.all((await shards.all(shardsForMs)).map((shard) => read(partitionOfShard(shard))));
    const live = () => ofEveryShard((partition) => readLive(table, partition));
    this.#live = new Remembered(live, liveForMs, clock);
    const ended = () => {
      const sinceMs = firstHour(maxHours, clock.now());
      return ofEveryShard((partition) => readEnded(table, partition, sinceMs));
    };
    this.#ended = new Remembered(ended, endedForMs, clock);
    this.#clock = clock;
  }

  /** For each transaction of this instance. @param isCertain whether it was written */
  committed(actions: readonly TransactionAction[], isCertain: boolean): void {
    const live = actions.filter(([, { rowKey }]) => liveKeyOf(rowKey) !== undefined);
    if (live.length > 0)
      this.#live.update((shards) => isCertain && hasApplied(live, shards, liveKeyOf, columns.live));
    const ended = actions.filter(([, { rowKey }]) => endedKeyOf(rowKey) !== undefined);
    // Counters replace rows that another instance may have written.
    const canApply = isCertain && !ended.some(([, { rowKey }]) => isCounterKey(rowKey));
    if (ended.length > 0)
      this.#ended.update((shards) => canApply && hasApplied(ended, shards, endedKeyOf, columns.ended));
  }

  /** @param hours 1 to 168 */
  async ofQueue(hours: number, isServed: IsServed = () => true): Promise<FolderRequestStatistics> {
    const [live, ended] = await Promise.all([this.#live.get(), this.#ended.get()]);
    const nowMs = this.#clock.now();
    const first = firstHour(hours, nowMs);
    const total = ended.map(outcomesIn).reduce(bothOf, new Map<number, HourOutcomes>());
    return {
      ...totalOf(live.map((rows) => countsOf(rows, nowMs))),
      failed: sum(ended.map(failedIn)),
      unserved: sum(
        live.map(({ rows }) => pendingIn(rows).filter((row) => !isServed(String(row['targetPath']))).length),
      ),
      hours: Array.from({ length: hours }, (_, at) => {
        const start = first + at * hourMs;
        const { fulfilled = 0, failed = 0 } = total.get(start) ?? {};
        return { start: isoTime(start), fulfilled, failed };
      }),
    };
  }

  async ofAgents(hours: number): Promise<AgentStatistics> {
    const [live, ended] = await Promise.all([this.#live.get(), this.#ended.get()]);
    const nowMs = this.#clock.now();
    const first = firstHour(hours, nowMs);
    const none: HourOutcomes = { fulfilled: 0, failed: 0, byAgent: new Map() };
    const { byAgent } = ended
      .flatMap((shard) => [...outcomesIn(shard)].filter(([hour]) => hour >= first))
      .reduce((sum, [, outcomes]) => sumOf(sum, outcomes), none);
    return { byAgent, work: workOf(live, nowMs) };
  }
}

const firstHour = (hours: number, nowMs: number): number => hourOf(nowMs) - (hours - 1) * hourMs;

function workOf(live: readonly ShardRows[], nowMs: number): Map<string, AgentWork> {
  const work = new Map<string, AgentWork>();
  for (const row of live.flatMap(({ rows }) => [...rows.values()])) {
    if (!isLease(row) || leaseEndOf(row.rowKey) <= nowMs) continue;
    const agent = agentKeyOf(String(row['agentId']));
    const seenAtMs = row['updatedAt'] instanceof Date ? row['updatedAt'].getTime() : 0;
    if (seenAtMs >= (work.get(agent)?.seenAtMs ?? 0)) {
      work.set(agent, { folderRequestId: String(row['id']), seenAtMs });
    }
  }
  return work;
}

/** What is known of a range of keys in a shard. */
interface ShardRows {
  readonly partition: string;
  /** False if the range has further rows. */
  readonly isComplete: boolean;
  readonly rows: Map<string, Entity>;
}

const columns = {
  live: ['RowKey', 'createdAt', 'id', 'agentId', 'updatedAt', 'targetPath'],
  ended: ['RowKey', 'fulfilled', 'failed', 'agents', 'outcome', 'agent'],
};

/** By the id of the request, whose key changes with each transition: a transition here also replaces an outdated row. */
const liveKeyOf = (rowKey: string): string | undefined => /^(?:P_\d{15}|Q)_(.+)_[\d.]+$/.exec(rowKey)?.[1];
const isLease = ({ rowKey }: Entity): boolean => rowKey.startsWith('P_');
const endedKeyOf = (rowKey: string): string | undefined => (/^[EF]_/.test(rowKey) ? rowKey : undefined);

/** Returns false if the result cannot be determined from the rows. */
function hasApplied(
  actions: readonly TransactionAction[],
  shards: readonly ShardRows[],
  keyOf: (rowKey: string) => string | undefined,
  select: readonly string[],
): boolean {
  for (const [kind, entity, mode] of actions) {
    const shard = shards.find(({ partition }) => partition === entity.partitionKey);
    if (!shard?.isComplete) return false;
    const key = keyOf(entity.rowKey) ?? '';
    if (kind === 'delete') shard.rows.delete(key);
    // A merge adds columns that no statistic reads.
    else if (kind === 'create' || mode === 'Replace') shard.rows.set(key, selected(entity, select));
  }
  return true;
}

/** Costs one request, or two if more than 1,000 are live. Counts stop at 1,000. */
export async function countLive(table: QueueTable, partition: string, nowMs: number): Promise<LiveCounts> {
  return countsOf(await readLive(table, partition), nowMs);
}

/** Leases and waiting requests are adjacent, in this order. */
async function readLive(table: QueueTable, partition: string): Promise<ShardRows> {
  const range = { partition, to: endOf('Q_'), limit: maxCounted, select: columns.live };
  const { rows, mayHaveMore } = await table.rows({ ...range, from: 'P_' });
  if (!mayHaveMore) return { partition, isComplete: true, rows: byKey(rows, liveKeyOf) };
  // As many waiting requests as there are leases among the rows.
  const leases = rows.filter(isLease).length;
  const last = rows.at(-1)?.rowKey ?? '';
  const from = last < 'Q_' ? 'Q_' : `${last}~`;
  const further = leases === 0 ? [] : (await table.rows({ ...range, from, limit: leases })).rows;
  return { partition, isComplete: false, rows: byKey([...rows, ...further], liveKeyOf) };
}

function selected({ partitionKey, rowKey, ...entity }: Entity, select: readonly string[]): Entity {
  const kept = Object.entries(entity).filter(([name]) => select.includes(name));
  return { partitionKey, rowKey, ...Object.fromEntries(kept) };
}

const byKey = (rows: readonly Entity[], keyOf: (rowKey: string) => string | undefined): Map<string, Entity> =>
  new Map(rows.map((row) => [keyOf(row.rowKey) ?? row.rowKey, row]));

const pendingIn = (rows: ReadonlyMap<string, Entity>): readonly Entity[] =>
  [...rows.values()].filter((row) => !isLease(row));

function countsOf({ rows }: ShardRows, nowMs: number): LiveCounts {
  let pending = 0;
  let oldestMs = nowMs;
  for (const row of rows.values()) {
    if (isLease(row)) continue;
    pending += 1;
    if (row['createdAt'] instanceof Date) oldestMs = Math.min(oldestMs, row['createdAt'].getTime());
  }
  return {
    pending: Math.min(pending, maxCounted),
    processing: rows.size - pending,
    oldestPendingSeconds: Math.round((nowMs - oldestMs) / 1000),
  };
}

export const totalOf = (shards: readonly LiveCounts[]): LiveCounts => ({
  pending: sum(shards.map(({ pending }) => pending)),
  processing: sum(shards.map(({ processing }) => processing)),
  oldestPendingSeconds: shards.reduce(
    (most, { oldestPendingSeconds }) => Math.max(most, oldestPendingSeconds),
    0,
  ),
});

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);

/** `E_` and `F_` are adjacent, so one range has both. */
async function readEnded(table: QueueTable, partition: string, sinceMs: number): Promise<ShardRows> {
  const from = keyOfHour(sinceMs);
  const select = columns.ended;
  const both = await table.rows({ partition, from, to: endOf('F_'), limit: maxCounted, select });
  if (!both.mayHaveMore) return { partition, isComplete: true, rows: byKey(both.rows, endedKeyOf) };
  const [outcomes, failed] = await Promise.all([
    table.rows({ partition, from, to: endOf('E_'), limit: Infinity }),
    table.rows({ partition, from: 'F_', to: endOf('F_'), limit: maxCounted, select: ['RowKey'] }),
  ]);
  return { partition, isComplete: false, rows: byKey([...outcomes.rows, ...failed.rows], endedKeyOf) };
}

const isOutcome = ({ rowKey }: Entity): boolean => rowKey.startsWith('E_');

const outcomesIn = ({ rows }: ShardRows): Map<number, HourOutcomes> =>
  outcomesOf([...rows.values()].filter(isOutcome));

const failedIn = ({ rows }: ShardRows): number =>
  Math.min([...rows.values()].filter((row) => !isOutcome(row)).length, maxCounted);

function bothOf(
  one: Map<number, HourOutcomes>,
  other: ReadonlyMap<number, HourOutcomes>,
): Map<number, HourOutcomes> {
  for (const [hour, outcomes] of other) one.set(hour, sumOf(one.get(hour), outcomes));
  return one;
}
