import type { EventLog } from '../base/event-log.ts';
import type { TimeAndRandomness } from './claim-batcher.ts';
import { transitionFromRecord, requeuedRecord } from './transitions.ts';
import { wroteRecord, type QueueTable } from './queue-table.ts';
import { randomToken } from './request-id.ts';
import { endOf, partitionOfShard, type Entity } from './rows.ts';
import type { Shards } from './shards.ts';

// As many records are looked at in parallel; each look is one point read.
const parallelReads = 16;
// Gauges count so far and no further: "at least 1,000" is all an alert needs, at one read per shard.
const maxCounted = 1000;

/** What `folder_queue_gauges` reports. */
export interface QueueGauges {
  readonly pending: number;
  readonly processing: number;
  readonly failed: number;
  /** Age of the oldest PENDING request; 0 when nothing waits. */
  readonly oldestPendingSeconds: number;
}

/**
 * What a timer does for the queue every minute: it notices repairs by hand and reports gauges. Nothing else needs it:
 * expired leases come back by themselves.
 */
export class QueueMaintenance {
  readonly #table: QueueTable;
  readonly #shards: Shards;
  readonly #time: TimeAndRandomness;

  constructor(table: QueueTable, shards: Shards, time: TimeAndRandomness) {
    this.#table = table;
    this.#shards = shards;
    this.#time = time;
  }

  async run(log: EventLog): Promise<QueueGauges> {
    const shards = await this.#shards.all();
    const gauges = await Promise.all(shards.map((shard) => this.#look(partitionOfShard(shard), log)));
    const total = {
      pending: sum(gauges.map(({ pending }) => pending)),
      processing: sum(gauges.map(({ processing }) => processing)),
      failed: sum(gauges.map(({ failed }) => failed)),
      oldestPendingSeconds: gauges.reduce(
        (most, { oldestPendingSeconds }) => Math.max(most, oldestPendingSeconds),
        0,
      ),
    };
    log.info('folder_queue_gauges', total);
    return total;
  }

  async #look(partition: string, log: EventLog): Promise<QueueGauges> {
    const failed = await this.#repair(partition, log);
    const live = { partition, from: 'Q_', to: endOf('Q_'), limit: maxCounted };
    const select = ['RowKey', 'leased', 'createdAt'];
    const [pending, processing] = await Promise.all([
      this.#table.rows({ ...live, select, filter: 'leased eq false' }),
      this.#table.rows({ ...live, select, filter: 'leased eq true' }),
    ]);
    const oldest = pending.rows[0]?.['createdAt'];
    const age = oldest instanceof Date ? (this.#time.clock.now() - oldest.getTime()) / 1000 : 0;
    return {
      pending: pending.rows.length,
      processing: processing.rows.length,
      failed,
      oldestPendingSeconds: Math.max(0, Math.round(age)),
    };
  }

  /**
   * Makes claimable what an operator has set from FAILED to PENDING in the table: the record says PENDING, its index
   * row still lies among the FAILED. Costs one read a thousand FAILED requests, and one for each of them.
   *
   * @returns how many stay FAILED
   */
  async #repair(partition: string, log: EventLog): Promise<number> {
    const { rows } = await this.#table.rows({
      partition,
      from: 'F_',
      to: endOf('F_'),
      limit: Infinity,
      select: ['RowKey', 'id'],
    });
    let repaired = 0;
    for (let at = 0; at < rows.length; at += parallelReads) {
      const some = rows.slice(at, at + parallelReads);
      const outcomes = await Promise.all(some.map((row) => this.#repairOne(row, log)));
      repaired += outcomes.filter(Boolean).length;
    }
    return rows.length - repaired;
  }

  async #repairOne(row: Entity, log: EventLog): Promise<boolean> {
    const id = String(row['id']);
    const record = await this.#table.record(id);
    if (!record) return false;
    const { isByHand, outcome } = requeuedRecord(record, this.#time.clock.now(), null);
    if (!isByHand || 'refused' in outcome) return false;
    const lastOp = randomToken(this.#time.randomBytes);
    const actions = transitionFromRecord(record, outcome.next, lastOp);
    const written = await this.#table.commit(actions, wroteRecord(this.#table, id, lastOp));
    // Lost: the operator is still at it, or a requeue was faster. The next run sees.
    if (written !== 'written') return false;
    log.info('folder_request_requeued', { id, attempts: record.request.attempts, isByHand });
    return true;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
