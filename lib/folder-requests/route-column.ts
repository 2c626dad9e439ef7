import type { TransactionAction } from '@azure/data-tables';
import type { Clock } from '../contract/clock.ts';
import type { QueueTable } from './queue-table.ts';
import { routeOf } from './routing.ts';
import { endOf } from './rows.ts';
import { maxActions } from './transitions.ts';

const passEveryMs = 3_600_000;
const rowsOfARun = 1000;

interface Pass {
  /** Where the next run continues; undefined once the pass has reached the end. */
  readonly from: string | undefined;
  readonly startedMs: number;
}

/**
 * Adds the column `server` to index rows of releases without routing. Without it, a routed claim finds such a request
 * only among the oldest of its shard. A pass over the live requests starts every hour, up to 1,000 per run, because an
 * instance of the old release may have written after the last pass.
 */
export class RouteColumn {
  readonly #table: QueueTable;
  readonly #clock: Clock;
  readonly #passes = new Map<string, Pass>();

  constructor(table: QueueTable, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** Costs one request if all rows have the column, none until the next pass is due. */
  async fill(partition: string): Promise<void> {
    const nowMs = this.#clock.now();
    const last = this.#passes.get(partition);
    const isDue = !last || nowMs - last.startedMs >= passEveryMs;
    if (!isDue && last.from === undefined) return;
    const pass = isDue ? { from: 'Q_', startedMs: nowMs } : last;
    const { rows, mayHaveMore } = await this.#table.rows({
      partition,
      from: pass.from ?? 'Q_',
      to: endOf('Q_'),
      limit: rowsOfARun,
      select: ['PartitionKey', 'RowKey', 'server', 'targetPath'],
    });
    const updates = rows
      .filter((row) => row['server'] === undefined)
      .map((row): TransactionAction => {
        const { partitionKey, rowKey } = row;
        return ['update', { partitionKey, rowKey, server: routeOf(String(row['targetPath'])) }, 'Merge'];
      });
    while (updates.length > 0) {
      const some = updates.splice(0, maxActions);
      // Lost: one of the requests has moved on, with the column. The next run reads this page again.
      if ((await this.#table.commit(some, () => Promise.resolve(false))) !== 'written') return;
    }
    const next = mayHaveMore ? `${rows.at(-1)?.rowKey ?? ''}~` : undefined;
    this.#passes.set(partition, { from: next, startedMs: pass.startedMs });
  }
}
