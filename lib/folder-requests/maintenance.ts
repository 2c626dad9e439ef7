import type { EventLog } from '../base/event-log.ts';
import { inSlices } from '../base/slices.ts';
import type { EndedLeases } from './ended-leases.ts';
import { countOutcomes } from './outcomes.ts';
import { deleteFulfilled } from './retention.ts';
import { countLive, sum, totalOf, type LiveCounts } from './statistics.ts';
import { transitionFromRecord, requeuedRecord } from './transitions.ts';
import { wroteRecord, type QueueTable } from './queue-table.ts';
import { randomToken, type TimeAndRandomness } from './request-id.ts';
import { endOf, partitionOfShard, type Entity } from './rows.ts';
import type { Shards } from './shards.ts';

// Point reads of records.
const parallelReads = 16;
// A run reads this many FAILED records of a shard, in turn: with up to 100 of them, a repair by hand is detected within a
// minute, with 1,000 within ten. Reading all 1,000 in every run would cost 43 million requests a month.
const recordsOfARun = 100;

// Of up to 25 leases each: more than a thousand agents that end together are returned within minutes.
const leaseSteps = 10;

/** What `folder_queue_gauges` reports. */
export interface QueueGauges extends LiveCounts {
  readonly failed: number;
}

/**
 * What a timer does for the queue every minute: it returns ended leases, finds repairs by hand, counts outcomes by the hour,
 * deletes what has been kept long enough, and reports gauges. No claim depends on it: each returns ended leases itself. An
 * idle run costs four requests per shard, five with retention.
 */
export class QueueMaintenance {
  readonly #table: QueueTable;
  readonly #shards: Shards;
  readonly #leases: EndedLeases;
  readonly #time: TimeAndRandomness;
  readonly #retentionMs: number;
  /** By partition: the FAILED row whose record was read last. */
  readonly #repairedUpTo = new Map<string, string>();

  /** @param retentionMs how long FULFILLED requests are kept; Infinity keeps them */
  constructor(
    table: QueueTable,
    shards: Shards,
    leases: EndedLeases,
    time: TimeAndRandomness,
    retentionMs: number,
  ) {
    this.#table = table;
    this.#shards = shards;
    this.#leases = leases;
    this.#time = time;
    this.#retentionMs = retentionMs;
  }

  async run(log: EventLog): Promise<QueueGauges> {
    const shards = await this.#shards.all();
    const gauges = await Promise.all(shards.map((shard) => this.#maintain(shard, log)));
    const total = { ...totalOf(gauges), failed: sum(gauges.map(({ failed }) => failed)) };
    log.info('folder_queue_gauges', total);
    return total;
  }

  async #maintain(shard: number, log: EventLog): Promise<QueueGauges> {
    const partition = partitionOfShard(shard);
    for (let step = 0; step < leaseSteps; step += 1) {
      if (!(await this.#leases.return([shard], log)).isAnyReturned) break;
    }
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
   * Makes requests claimable that an operator has set from FAILED to PENDING in the table: the record has PENDING, but
   * its index row is still among the FAILED. Costs one request per thousand FAILED requests, and one for each record that
   * is read.
   *
   * @returns how many remain FAILED
   */
  async #repair(partition: string, log: EventLog): Promise<number> {
    const { rows } = await this.#table.rows({
      partition,
      from: 'F_',
      to: endOf('F_'),
      limit: Infinity,
      select: ['RowKey', 'id'],
    });
    const upTo = this.#repairedUpTo.get(partition) ?? '';
    const inTurn = [
      ...rows.filter(({ rowKey }) => rowKey > upTo),
      ...rows.filter(({ rowKey }) => rowKey <= upTo),
    ];
    const read = inTurn.slice(0, recordsOfARun);
    const outcomes = await inSlices(read, parallelReads, (row) => this.#repairOne(row, log));
    const repaired = outcomes.filter(Boolean).length;
    this.#repairedUpTo.set(partition, read.at(-1)?.rowKey ?? '');
    return rows.length - repaired;
  }

  async #repairOne(row: Entity, log: EventLog): Promise<boolean> {
    const id = String(row['id']);
    const record = await this.#table.record(id);
    if (!record) return false;
    const { isByHand, outcome } = requeuedRecord(record, this.#time.clock.now(), null);
    if (!isByHand || 'rejected' in outcome) return false;
    const lastOp = randomToken(this.#time.randomBytes);
    const actions = transitionFromRecord(record, outcome.next, lastOp);
    const written = await this.#table.commit(actions, wroteRecord(this.#table, id, lastOp));
    // Lost: the operator is still editing, or a requeue was faster. A later run finds what is left.
    if (written !== 'written') return false;
    log.info('folder_request_requeued', { id, attempts: record.request.attempts, isByHand });
    return true;
  }
}
