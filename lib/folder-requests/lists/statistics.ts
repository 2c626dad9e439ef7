import type { TransactionAction } from '@azure/data-tables';
import type { Clock } from '../../contract/clock.ts';
import type { FolderRequestStatistics } from '../../contract/folder-requests.ts';
import { isoTime } from '../requests/folder-request.ts';
import {
  agentKeyOf,
  hourMs,
  hourOf,
  isCounterKey,
  none,
  outcomesOf,
  sumOf,
  type Outcomes,
} from '../table/outcomes.ts';
import type { QueueTable, Rows } from '../table/queue-table.ts';
import { withinBudget, type QueueParts } from '../table/queue-parts.ts';
import { Remembered } from '../../base/remembered.ts';
import { after, partitionOfShard, rowKeys } from '../table/keys.ts';
import type { Entity } from '../table/rows.ts';
import type { IsServed } from '../requests/routing.ts';

// Counts of a shard stop here: "at least 1,000" is precise enough, and costs one request.
const maxCounted = 1000;
// The longest range that callers can request. Every range is read as this one, so all callers share a reading.
const maxHours = 168;

// Pages that show these numbers refresh every 15 s, and every fourth refresh reads. Together with the table of agents this is
// less than one storage request per refresh.
const sharedForMs = 55_000;
// Of all shards, for all callers.
const readLimits = { ms: 12_000, requests: 300 };
// Only instances with an outdated setting detect new shards this late, and a deployment is replacing them.
const shardsForMs = 300_000;

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
 * hours directly followed by the FAILED requests. All callers share a reading for up to a minute, to which this instance
 * applies its own writes.
 *
 * A shard with more than 1,000 rows in a range costs one more round trip, and is read again after each write.
 */
export class QueueStatistics {
  readonly #shards: Remembered<readonly ShardRows[]>;
  readonly #clock: Clock;

  constructor(parts: QueueParts) {
    const { shards, clock } = parts;
    this.#clock = clock;
    this.#shards = new Remembered(async () => {
      const { table } = withinBudget(parts, readLimits);
      const sinceMs = firstHour(maxHours, clock.now());
      const known = await shards.all(shardsForMs);
      return Promise.all(known.map((shard) => readShard(table, partitionOfShard(shard), sinceMs)));
    }, clock);
  }

  /** For each transaction of this instance. @param isCertain whether it was written */
  noteCommit(actions: readonly TransactionAction[], isCertain: boolean): void {
    const counted = actions.filter(([, { rowKey }]) => keyOf(rowKey) !== undefined);
    if (counted.length === 0) return;
    this.#shards.update((shards) => {
      if (!isCertain || !counted.every((action) => canApply(action, shards))) return false;
      for (const action of counted) apply(action, shards);
      return true;
    });
  }

  /** @param hours 1 to 168 */
  async ofQueue(hours: number, isServed: IsServed = () => true): Promise<FolderRequestStatistics> {
    const shards = await this.#shards.get(sharedForMs);
    const nowMs = this.#clock.now();
    const first = firstHour(hours, nowMs);
    const outcomes = outcomesOf(rowsIn(shards, rowKeys.uncounted));
    const pending = rowsIn(shards, rowKeys.waiting);
    const count = (kind: Kind): number =>
      shards.reduce((total, shard) => total + Math.min(rowsIn([shard], kind).length, maxCounted), 0);
    const oldestMs = pending.reduce(
      (oldest, row) => Math.min(oldest, timeIn(row, 'createdAt') ?? nowMs),
      nowMs,
    );
    return {
      pending: count(rowKeys.waiting),
      processing: count(rowKeys.leased),
      failed: count(rowKeys.failed),
      oldestPendingSeconds: Math.round((nowMs - oldestMs) / 1000),
      unserved: pending.filter((row) => !isServed(String(row['targetPath']))).length,
      hours: Array.from({ length: hours }, (_, at) => {
        const start = first + at * hourMs;
        const { fulfilled = 0, failed = 0 } = outcomes.get(start) ?? {};
        return { start: isoTime(start), fulfilled, failed };
      }),
    };
  }

  async ofAgents(hours: number): Promise<AgentStatistics> {
    const shards = await this.#shards.get(sharedForMs);
    const nowMs = this.#clock.now();
    const first = firstHour(hours, nowMs);
    const byAgent = [...outcomesOf(rowsIn(shards, rowKeys.uncounted))]
      .filter(([hour]) => hour >= first)
      .reduce((total, [, outcomes]) => sumOf(total, outcomes), none).byAgent;
    return { byAgent, work: workOf(rowsIn(shards, rowKeys.leased), nowMs) };
  }
}

const firstHour = (hours: number, nowMs: number): number => hourOf(nowMs) - (hours - 1) * hourMs;

function workOf(leases: readonly Entity[], nowMs: number): Map<string, AgentWork> {
  const work = new Map<string, AgentWork>();
  for (const row of leases) {
    if ((rowKeys.leased.parse(row.rowKey)?.leaseExpiresAtMs ?? 0) <= nowMs) continue;
    const agent = agentKeyOf(String(row['agentId']));
    const seenAtMs = timeIn(row, 'updatedAt') ?? 0;
    if (seenAtMs >= (work.get(agent)?.seenAtMs ?? 0)) {
      work.set(agent, { folderRequestId: String(row['id']), seenAtMs });
    }
  }
  return work;
}

const timeIn = (row: Entity, column: string): number | undefined =>
  row[column] instanceof Date ? row[column].getTime() : undefined;

/** What is known of a shard. */
interface ShardRows {
  readonly partition: string;
  /** False if a range has further rows. */
  readonly isComplete: boolean;
  readonly rows: Map<string, Entity>;
}

type Kind = { has(rowKey: string): boolean };

const rowsIn = (shards: readonly ShardRows[], kind: Kind): readonly Entity[] =>
  shards.flatMap(({ rows }) => [...rows.values()].filter(({ rowKey }) => kind.has(rowKey)));

/** Columns of live requests, and of outcomes. */
const columns = {
  live: ['RowKey', 'createdAt', 'id', 'agentId', 'updatedAt', 'targetPath'],
  ended: ['RowKey', 'fulfilled', 'failed', 'agents', 'outcome', 'agent'],
};

/** Of a live request its id, since its key changes with each transition: one here also replaces an outdated row. */
const keyOf = (rowKey: string): string | undefined =>
  isOfEnded(rowKey) ? rowKey : (rowKeys.waiting.parse(rowKey) ?? rowKeys.leased.parse(rowKey))?.id;

const isOfEnded = (rowKey: string): boolean => rowKeys.uncounted.has(rowKey) || rowKeys.failed.has(rowKey);

const shardOfAction = (
  [, { partitionKey }]: TransactionAction,
  shards: readonly ShardRows[],
): ShardRows | undefined => shards.find(({ partition }) => partition === partitionKey);

/** Whether the rows determine the result of a written action. A counter replaces a row that another instance may have written. */
const canApply = (action: TransactionAction, shards: readonly ShardRows[]): boolean =>
  shardOfAction(action, shards)?.isComplete === true && !isCounterKey(action[1].rowKey);

function apply(action: TransactionAction, shards: readonly ShardRows[]): void {
  const [kind, entity, mode] = action;
  const { partitionKey, rowKey } = entity;
  const rows = shardOfAction(action, shards)?.rows;
  const key = keyOf(rowKey);
  if (!rows || key === undefined) return;
  if (kind === 'delete') rows.delete(key);
  // A merge adds columns that no statistic reads.
  else if (kind === 'create' || mode === 'Replace') {
    const select = isOfEnded(rowKey) ? columns.ended : columns.live;
    const kept = Object.entries(entity).filter(([name]) => select.includes(name));
    rows.set(key, { partitionKey, rowKey, ...Object.fromEntries(kept) });
  }
}

async function readShard(table: QueueTable, partition: string, sinceMs: number): Promise<ShardRows> {
  const [live, ended] = await Promise.all([readLive(table, partition), readEnded(table, partition, sinceMs)]);
  return {
    partition,
    isComplete: !live.mayHaveMore && !ended.mayHaveMore,
    rows: new Map([...live.rows, ...ended.rows].map((row) => [keyOf(row.rowKey) ?? row.rowKey, row])),
  };
}

/** Leases and waiting requests are adjacent, in this order. */
async function readLive(table: QueueTable, partition: string): Promise<Rows> {
  const { from: firstWaiting, to } = rowKeys.waiting.all;
  const range = { partition, to, limit: maxCounted, select: columns.live };
  const { rows, mayHaveMore } = await table.rows({ ...range, from: rowKeys.leased.all.from });
  if (!mayHaveMore) return { rows, mayHaveMore };
  // As many waiting requests as there are leases among the rows.
  const leases = rows.filter(({ rowKey }) => rowKeys.leased.has(rowKey)).length;
  const last = rows.at(-1)?.rowKey ?? '';
  const from = last < firstWaiting ? firstWaiting : after(last);
  const further = leases === 0 ? [] : (await table.rows({ ...range, from, limit: leases })).rows;
  return { rows: [...rows, ...further], mayHaveMore };
}

/** Outcomes and FAILED requests are adjacent, so one range has both. */
async function readEnded(table: QueueTable, partition: string, sinceMs: number): Promise<Rows> {
  const from = rowKeys.uncounted.startOf({ hourMs: sinceMs });
  const range = { partition, from, to: rowKeys.failed.all.to, limit: maxCounted, select: columns.ended };
  const both = await table.rows(range);
  if (!both.mayHaveMore) return both;
  const [outcomes, failed] = await Promise.all([
    table.rows({ partition, from, to: rowKeys.uncounted.all.to, limit: Infinity }),
    table.rows({ partition, ...rowKeys.failed.all, limit: maxCounted, select: ['RowKey'] }),
  ]);
  return { rows: [...outcomes.rows, ...failed.rows], mayHaveMore: true };
}
