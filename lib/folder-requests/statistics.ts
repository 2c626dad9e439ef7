import type { FolderRequestStatistics } from '../contract/folder-requests.ts';
import { isoTime } from './folder-request.ts';
import {
  agentKeyOf,
  hourMs,
  hourOf,
  keyOfHour,
  outcomesOf,
  sumOf,
  type HourOutcomes,
  type Outcomes,
} from './outcomes.ts';
import type { QueueTable } from './queue-table.ts';
import { endOf, partitionOfShard, type Entity } from './rows.ts';

// Counts of a shard stop here: "at least 1,000" is all that anybody needs to know, for one request.
const maxCounted = 1000;

/** What waits and what is worked on, now. */
export interface LiveCounts {
  readonly pending: number;
  readonly processing: number;
  /** Age of the oldest PENDING request; 0 when nothing waits. */
  readonly oldestPendingSeconds: number;
}

/** What an agent works on: the request it claimed last, whose lease has not run out. */
interface AgentWork {
  readonly folderRequestId: string;
  /** When it claimed the request, or its last heartbeat. */
  readonly seenAtMs: number;
}

/** By the key of the agent (`agentKeyOf`). */
export interface AgentStatistics {
  readonly byAgent: ReadonlyMap<string, Outcomes>;
  readonly work: ReadonlyMap<string, AgentWork>;
}

/**
 * Two requests a shard, all at once, whatever the queue has been through: one range holds the outcomes of the hours and,
 * right behind them, the FAILED; the other what is live. Where a shard has more than 1,000 of either, one round trip more.
 */
export async function queueStatistics(
  table: QueueTable,
  shards: readonly number[],
  hours: number,
  nowMs: number,
): Promise<FolderRequestStatistics> {
  const first = hourOf(nowMs) - (hours - 1) * hourMs;
  const parts = await Promise.all(
    shards.map(async (shard) => {
      const partition = partitionOfShard(shard);
      const [ended, live] = await Promise.all([
        readEnded(table, partition, first),
        countLive(table, partition, nowMs),
      ]);
      return { ...ended, ...live };
    }),
  );
  const total = parts.map(({ outcomes }) => outcomes).reduce(bothOf, new Map<number, HourOutcomes>());
  return {
    ...totalOf(parts),
    failed: sum(parts.map(({ failed }) => failed)),
    hours: Array.from({ length: hours }, (_, at) => {
      const start = first + at * hourMs;
      const { fulfilled = 0, failed = 0 } = total.get(start) ?? {};
      return { start: isoTime(start), fulfilled, failed };
    }),
  };
}

/** By agent, the outcomes of the last hours and what it works on: two requests a shard, all at once. */
export async function agentStatistics(
  table: QueueTable,
  shards: readonly number[],
  hours: number,
  nowMs: number,
): Promise<AgentStatistics> {
  const first = hourOf(nowMs) - (hours - 1) * hourMs;
  const parts = await Promise.all(
    shards.map(async (shard) => {
      const partition = partitionOfShard(shard);
      const [ended, leased] = await Promise.all([
        table.rows({ partition, from: keyOfHour(first), to: endOf('E_'), limit: Infinity }),
        table.rows({
          partition,
          // Claimed and not expired: the end of the lease, which the key begins with, lies ahead.
          from: `Q_${String(nowMs).padStart(15, '0')}`,
          to: endOf('Q_'),
          limit: maxCounted,
          filter: 'leased eq true',
          select: ['RowKey', 'id', 'agentId', 'updatedAt'],
        }),
      ]);
      return { outcomes: [...outcomesOf(ended.rows).values()], leased: leased.rows };
    }),
  );
  const work = new Map<string, AgentWork>();
  for (const row of parts.flatMap(({ leased }) => leased)) {
    const agent = agentKeyOf(String(row['agentId']));
    const seenAtMs = row['updatedAt'] instanceof Date ? row['updatedAt'].getTime() : 0;
    if (seenAtMs >= (work.get(agent)?.seenAtMs ?? 0)) {
      work.set(agent, { folderRequestId: String(row['id']), seenAtMs });
    }
  }
  const none: HourOutcomes = { fulfilled: 0, failed: 0, byAgent: new Map() };
  const { byAgent } = parts
    .flatMap(({ outcomes }) => outcomes)
    .reduce((one, other) => sumOf(one, other), none);
  return { byAgent, work };
}

/** One request, or three where more than 1,000 are live. Counts stop at 1,000. */
export async function countLive(table: QueueTable, partition: string, nowMs: number): Promise<LiveCounts> {
  const live = { partition, from: 'Q_', to: endOf('Q_'), limit: maxCounted };
  const select = ['RowKey', 'leased', 'createdAt'];
  const all = await table.rows({ ...live, select });
  const [pending, processing] = all.mayHaveMore
    ? await Promise.all([
        table.rows({ ...live, select, filter: 'leased eq false' }),
        table.rows({ ...live, select, filter: 'leased eq true' }),
      ])
    : [
        { rows: all.rows.filter((row) => row['leased'] !== true) },
        { rows: all.rows.filter((row) => row['leased'] === true) },
      ];
  const oldest = pending.rows[0]?.['createdAt'];
  const age = oldest instanceof Date ? (nowMs - oldest.getTime()) / 1000 : 0;
  return {
    pending: pending.rows.length,
    processing: processing.rows.length,
    oldestPendingSeconds: Math.max(0, Math.round(age)),
  };
}

/** Of all shards. */
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

interface Ended {
  readonly outcomes: Map<number, HourOutcomes>;
  readonly failed: number;
}

/** `E_` and `F_` follow each other, so one range holds both. */
async function readEnded(table: QueueTable, partition: string, sinceMs: number): Promise<Ended> {
  const from = keyOfHour(sinceMs);
  const select = ['RowKey', 'fulfilled', 'failed', 'agents', 'outcome', 'agent'];
  const both = await table.rows({ partition, from, to: endOf('F_'), limit: maxCounted, select });
  if (!both.mayHaveMore) {
    const isOutcome = ({ rowKey }: Entity): boolean => rowKey.startsWith('E_');
    const outcomes = both.rows.filter(isOutcome);
    return { outcomes: outcomesOf(outcomes), failed: both.rows.length - outcomes.length };
  }
  const [outcomes, failed] = await Promise.all([
    table.rows({ partition, from, to: endOf('E_'), limit: Infinity }),
    table.rows({ partition, from: 'F_', to: endOf('F_'), limit: maxCounted, select: ['RowKey'] }),
  ]);
  return { outcomes: outcomesOf(outcomes.rows), failed: failed.rows.length };
}

function bothOf(
  one: Map<number, HourOutcomes>,
  other: ReadonlyMap<number, HourOutcomes>,
): Map<number, HourOutcomes> {
  for (const [hour, outcomes] of other) one.set(hour, sumOf(one.get(hour), outcomes));
  return one;
}
