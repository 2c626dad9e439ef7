import type { TableClient } from '@azure/data-tables';
import { conditionalWrite } from './conditional-write.ts';
import { timerRunsPartition } from './saved-rows.ts';
import type { SharedClock } from './storage-clock.ts';
import { firstRows, odata } from './table-rows.ts';

/** A function that the host calls on a schedule, and how long it may be silent. */
export interface Scheduled {
  readonly id: string;
  readonly maxSilenceMs: number;
}

/** `unknown`: it has not run yet, and need not have. `overdue`: its last success is longer ago than it may be. */
export type TimerState = 'ok' | 'failing' | 'overdue' | 'unknown';

export interface TimerRun {
  readonly id: string;
  readonly state: TimerState;
  readonly ranAt?: Date;
  readonly succeededAt?: Date;
  /** Since its last success, or since another timer first expected it. */
  readonly silentMs: number;
}

interface Row {
  readonly ranAt?: unknown;
  readonly succeededAt?: unknown;
  readonly expectedAt?: unknown;
}

/**
 * When the timers of this deployment ran last, in any instance: a host that does not know a timer, or no longer calls it, logs
 * nothing. Each timer looks after the others.
 */
export class TimerRuns {
  readonly #table: TableClient;
  readonly #clock: SharedClock;

  constructor(table: TableClient, clock: SharedClock) {
    this.#table = table;
    this.#clock = clock;
  }

  async record(id: string, hasSucceeded: boolean): Promise<void> {
    const ranAt = new Date(this.#clock.now());
    const row = { partitionKey: timerRunsPartition, rowKey: id, ranAt };
    await this.#table.upsertEntity({ ...row, ...(hasSucceeded && { succeededAt: ranAt }) }, 'Merge');
  }

  /** In the order of `timers`; one request. */
  async of(timers: readonly Scheduled[]): Promise<readonly TimerRun[]> {
    const filter = odata`PartitionKey eq ${timerRunsPartition}`;
    const rows = await firstRows<Row>(this.#table, filter, 100);
    const nowMs = this.#clock.now();
    return timers.map((timer) => runOf(timer, rows.find(({ rowKey }) => rowKey === timer.id) ?? {}, nowMs));
  }

  /** As `of`. From the first time on, a timer that never runs is overdue one day, too. */
  async expect(timers: readonly Scheduled[]): Promise<readonly TimerRun[]> {
    const runs = await this.of(timers);
    const expectedAt = new Date(this.#clock.now());
    // Of those without a row.
    for (const { id } of runs.filter(({ state, silentMs }) => state === 'unknown' && silentMs === 0)) {
      const row = { partitionKey: timerRunsPartition, rowKey: id, expectedAt };
      await conditionalWrite(this.#table.createEntity(row));
    }
    return runs;
  }
}

function runOf({ id, maxSilenceMs }: Scheduled, row: Row, nowMs: number): TimerRun {
  const [ranAt, succeededAt, expectedAt] = [row.ranAt, row.succeededAt, row.expectedAt].map(dateIn);
  const since = succeededAt ?? expectedAt ?? ranAt;
  const silentMs = since === undefined ? 0 : Math.max(0, nowMs - since.getTime());
  const hasFailed = ranAt !== undefined && (succeededAt === undefined || ranAt > succeededAt);
  const state =
    silentMs > maxSilenceMs ? 'overdue' : hasFailed ? 'failing' : succeededAt ? 'ok' : ('unknown' as const);
  return { id, state, silentMs, ...(ranAt && { ranAt }), ...(succeededAt && { succeededAt }) };
}

/** What a hand has broken counts as absent. */
const dateIn = (value: unknown): Date | undefined => (value instanceof Date ? value : undefined);
