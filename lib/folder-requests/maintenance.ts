import type { EventLog } from '../base/event-log.ts';
import type { TimeAndRandomness } from './claim-batcher.ts';
import { countOutcomes } from './outcomes.ts';
import { deleteFulfilled } from './retention.ts';
import { countLive, sum, totalOf, type LiveCounts } from './statistics.ts';
import { transitionFromRecord, requeuedRecord } from './transitions.ts';
import { wroteRecord, type QueueTable } from './queue-table.ts';
import { randomToken } from './request-id.ts';
import { endOf, partitionOfShard, type Entity } from './rows.ts';
import type { Shards } from './shards.ts';

// As many records are looked at in parallel; each look is one point read.
const parallelReads = 16;

/** What `folder_queue_gauges` reports. */
export interface QueueGauges extends LiveCounts {
  readonly failed: number;
}

/**
 * What a timer does for the queue every minute: it notices repairs by hand, counts outcomes by the hour, deletes
 * what has been kept long enough, and reports gauges. Nothing else needs it: expired leases come back by themselves.
 */
export class QueueMaintenance {
  readonly #table: QueueTable;
  readonly #shards: Shards;
  readonly #time: TimeAndRandomness;
  readonly #retentionMs: number;

  /** @param retentionMs how long FULFILLED requests are kept; Infinity keeps them */
  constructor(table: QueueTable, shards: Shards, time: TimeAndRandomness, retentionMs: number) {
    this.#table = table;
    this.#shards = shards;
    this.#time = time;
    this.#retentionMs = retentionMs;
  }

  async run(log: EventLog): Promise<QueueGauges> {
    const shards = await this.#shards.all();
    const gauges = await Promise.all(shards.map((shard) => this.#look(partitionOfShard(shard), log)));
    const total = { ...totalOf(gauges), failed: sum(gauges.map(({ failed }) => failed)) };
    log.info('folder_queue_gauges', total);
    return total;
  }

  async #look(partition: string, log: EventLog): Promise<QueueGauges> {
    const failed = await this.#repair(partition, log);
    await countOutcomes(this.#table, partition, this.#time.clock.now());
    if (this.#retentionMs !== Infinity) {
      const beforeMs = this.#time.clock.now() - this.#retentionMs;
      const count = await deleteFulfilled(this.#table, partition, beforeMs);
      if (count > 0) log.info('folder_requests_deleted', { count });
    }
    return { ...(await countLive(this.#table, partition, this.#time.clock.now())), failed };
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
