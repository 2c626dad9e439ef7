import type { Clock } from '../contract/clock.ts';
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
import { Remembered } from './remembered.ts';
import { endOf, partitionOfShard, type Entity } from './rows.ts';
import type { Shards } from './shards.ts';

// Counts of a shard stop here: "at least 1,000" is enough to know, and costs one request.
const maxCounted = 1000;
// The longest range that callers may ask for. All ranges are read as this one, so that they share a reading.
const maxHours = 168;

// Pages that show these numbers refresh every 15 s, and every third or fourth refresh reads. Together with the table of
// agents this is less than one storage request per refresh.
const liveForMs = 40_000;
const endedForMs = 55_000;
// Only instances with an outdated setting learn of new shards this late, and a deployment is replacing them.
const shardsForMs = 300_000;

/** Live requests. */
export interface LiveCounts {
  readonly pending: number;
  readonly processing: number;
  /** Age of the oldest PENDING request; 0 if there is none. */
  readonly oldestPendingSeconds: number;
}

/** The current work of an agent: the request that it claimed last, if the lease has not expired. */
interface AgentWork {
  readonly folderRequestId: string;
  /** Time of the claim or of the last heartbeat. */
  readonly seenAtMs: number;
}

/** By the key of the agent (`agentKeyOf`). */
export interface AgentStatistics {
  readonly byAgent: ReadonlyMap<string, Outcomes>;
  readonly work: ReadonlyMap<string, AgentWork>;
}

/**
 * The contents of the queue and the outcomes, for pages that refresh automatically. A shard has two ranges of keys: the live
 * requests, and the outcomes of the hours directly followed by the FAILED requests. All callers share a reading of each for up
 * to a minute, unless this instance writes to the range: its own writes show immediately, those of others within a minute.
 *
 * A shard with more than 1,000 rows in a range costs one more round trip.
 */
export class QueueStatistics {
  readonly #live: Remembered<readonly LiveRows[]>;
  readonly #ended: Remembered<readonly Ended[]>;
  readonly #clock: Clock;

  constructor(table: QueueTable, shards: Shards, clock: Clock) {
    const ofEveryShard = async <T>(read: (partition: string) => Promise<T>): Promise<readonly T[]> =>
      Promise.all((await shards.all(shardsForMs)).map((shard) => read(partitionOfShard(shard))));
    this.#live = new Remembered(
      () => ofEveryShard((partition) => readLive(table, partition)),
      liveForMs,
      clock,
    );
    this.#ended = new Remembered(
      () => {
        const sinceMs = firstHour(maxHours, clock.now());
        return ofEveryShard((partition) => readEnded(table, partition, sinceMs));
      },
      endedForMs,
      clock,
    );
    this.#clock = clock;
  }

  /** Call with the key of every row that this instance writes or deletes. */
  changed(rowKey: string): void {
    if (rowKey.startsWith('Q_')) this.#live.forget();
    if (/^[EF]_/.test(rowKey)) this.#ended.forget();
  }

  /** @param hours 1 to 168 */
  async ofQueue(hours: number): Promise<FolderRequestStatistics> {
    const [live, ended] = await Promise.all([this.#live.get(), this.#ended.get()]);
    const nowMs = this.#clock.now();
    const first = firstHour(hours, nowMs);
    const total = ended.map(({ outcomes }) => outcomes).reduce(bothOf, new Map<number, HourOutcomes>());
    return {
      ...totalOf(live.map((rows) => countsOf(rows, nowMs))),
      failed: sum(ended.map(({ failed }) => failed)),
      hours: Array.from({ length: hours }, (_, at) => {
        const start = first + at * hourMs;
        const { fulfilled = 0, failed = 0 } = total.get(start) ?? {};
        return { start: isoTime(start), fulfilled, failed };
      }),
    };
  }

  /** By agent: the outcomes of the last hours, and the current work. */
  async ofAgents(hours: number): Promise<AgentStatistics> {
    const [live, ended] = await Promise.all([this.#live.get(), this.#ended.get()]);
    const nowMs = this.#clock.now();
    const first = firstHour(hours, nowMs);
    const none: HourOutcomes = { fulfilled: 0, failed: 0, byAgent: new Map() };
    const { byAgent } = ended
      .flatMap(({ outcomes }) => [...outcomes].filter(([hour]) => hour >= first))
      .reduce((sum, [, outcomes]) => sumOf(sum, outcomes), none);
    return { byAgent, work: workOf(live, nowMs) };
  }
}

const firstHour = (hours: number, nowMs: number): number => hourOf(nowMs) - (hours - 1) * hourMs;

function workOf(live: readonly LiveRows[], nowMs: number): Map<string, AgentWork> {
  const work = new Map<string, AgentWork>();
  // Claimed and not expired: the key begins with the end of the lease, which is in the future.
  const from = `Q_${String(nowMs).padStart(15, '0')}`;
  for (const row of live.flatMap(({ processing }) => processing)) {
    if (row.rowKey < from) continue;
    const agent = agentKeyOf(String(row['agentId']));
    const seenAtMs = row['updatedAt'] instanceof Date ? row['updatedAt'].getTime() : 0;
    if (seenAtMs >= (work.get(agent)?.seenAtMs ?? 0)) {
      work.set(agent, { folderRequestId: String(row['id']), seenAtMs });
    }
  }
  return work;
}

/** The live rows of a shard, oldest first, at most 1,000 of each kind. */
interface LiveRows {
  readonly pending: readonly Entity[];
  readonly processing: readonly Entity[];
}

/** One request, or three where more than 1,000 are live. Counts stop at 1,000. */
export async function countLive(table: QueueTable, partition: string, nowMs: number): Promise<LiveCounts> {
  return countsOf(await readLive(table, partition), nowMs);
}

async function readLive(table: QueueTable, partition: string): Promise<LiveRows> {
  const range = {
    partition,
    from: 'Q_',
    to: endOf('Q_'),
    limit: maxCounted,
    select: ['RowKey', 'leased', 'createdAt', 'id', 'agentId', 'updatedAt'],
  };
  const { rows, mayHaveMore } = await table.rows(range);
  if (!mayHaveMore) {
    return {
      pending: rows.filter((row) => row['leased'] !== true),
      processing: rows.filter((row) => row['leased'] === true),
    };
  }
  const [pending, processing] = await Promise.all([
    table.rows({ ...range, filter: 'leased eq false' }),
    table.rows({ ...range, filter: 'leased eq true' }),
  ]);
  return { pending: pending.rows, processing: processing.rows };
}

function countsOf({ pending, processing }: LiveRows, nowMs: number): LiveCounts {
  const oldest = pending[0]?.['createdAt'];
  const age = oldest instanceof Date ? (nowMs - oldest.getTime()) / 1000 : 0;
  return {
    pending: pending.length,
    processing: processing.length,
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

/** `E_` and `F_` are adjacent, so one range has both. */
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
