import type { EventLog } from '../base/event-log.ts';
import { inSlices } from '../base/slices.ts';
import type { EndedLeases } from './claims/ended-leases.ts';
import { countOutcomes } from './table/outcomes.ts';
import { deleteEnded } from './retention.ts';
import type { QueueStatistics } from './lists/statistics.ts';
import { transitionFromRecord, requeuedRecord } from './table/transitions.ts';
import { commitNamed, type QueueParts } from './table/queue-parts.ts';
import { endOf, partitionOfShard, type Entity } from './table/rows.ts';

// Point reads of records.
const parallelReads = 16;
// A run reads this many FAILED records of a shard, in turn: with up to 100 of them, a repair by hand is detected within a
// minute, with 1,000 within ten. Reading all 1,000 in every run would cost 43 million requests a month.
const recordsOfARun = 100;

// Of up to 25 leases each: more than a thousand agents that end together are returned within minutes.
const leaseSteps = 10;

/** What a timer does for the queue every minute. No claim depends on it: each returns ended leases itself. */
export class QueueMaintenance {
  readonly #parts: QueueParts;
  readonly #leases: EndedLeases;
  readonly #statistics: QueueStatistics;
  /** By partition: the FAILED row whose record was read last. */
  readonly #repairedUpTo = new Map<string, string>();

  constructor(parts: QueueParts, leases: EndedLeases, statistics: QueueStatistics) {
    this.#parts = parts;
    this.#leases = leases;
    this.#statistics = statistics;
  }

  async run(log: EventLog): Promise<void> {
    const shards = await this.#parts.shards.all();
    await Promise.all(shards.map((shard) => this.#maintain(shard, log)));
    const { pending, processing, failed, oldestPendingSeconds } = await this.#statistics.ofQueue(1);
    log.info('folder_queue_gauges', { pending, processing, failed, oldestPendingSeconds });
  }

  async #maintain(shard: number, log: EventLog): Promise<void> {
    const partition = partitionOfShard(shard);
    for (let step = 0; step < leaseSteps; step += 1) {
      if (!(await this.#leases.return([shard], log))) break;
    }
    await this.#repair(partition, log);
    const { table, clock, rules } = this.#parts;
    const { retentionMs = Infinity } = rules;
    await countOutcomes(table, partition, clock.now());
    if (retentionMs !== Infinity) {
      const count = await deleteEnded(table, partition, clock.now() - retentionMs);
      if (count > 0) log.info('folder_requests_deleted', { count });
    }
  }

  /**
   * Makes requests claimable that an operator has set from FAILED to PENDING in the table: the record has PENDING, but
   * its index row is still among the FAILED.
   */
  async #repair(partition: string, log: EventLog): Promise<void> {
    const upTo = this.#repairedUpTo.get(partition);
    const following = await this.#readFailed(partition, upTo === undefined ? 'F_' : `${upTo}~`);
    // With up to 100, every run reads all of them, from the beginning.
    const isAtEnd = upTo !== undefined && following.length < recordsOfARun;
    const rows = isAtEnd ? [...following, ...(await this.#readFailed(partition, 'F_'))] : following;
    const read = rows.slice(0, recordsOfARun);
    await inSlices(read, parallelReads, (row) => this.#repairOne(row, log));
    const last = read.at(-1);
    if (last && rows.length > read.length) this.#repairedUpTo.set(partition, last.rowKey);
    else this.#repairedUpTo.delete(partition);
  }

  /** One more than a run takes shows whether the next run begins again. */
  async #readFailed(partition: string, from: string): Promise<Entity[]> {
    const select = ['RowKey', 'id'];
    const range = { partition, from, to: endOf('F_'), limit: recordsOfARun + 1, select };
    return [...(await this.#parts.table.rows(range)).rows];
  }

  async #repairOne(row: Entity, log: EventLog): Promise<void> {
    const id = String(row['id']);
    const record = await this.#parts.table.record(id);
    if (!record) return;
    const requeued = requeuedRecord(record, this.#parts.clock.now(), null);
    const { isByHand } = requeued;
    if (!isByHand || 'rejected' in requeued) return;
    const isWritten = await commitNamed(this.#parts, id, (lastOp) =>
      transitionFromRecord(record, requeued.next, lastOp),
    );
    // Lost: the operator is still editing, or a requeue was faster. A later run finds what is left.
    if (!isWritten) return;
    log.info('folder_request_requeued', { id, attempts: record.request.attempts, isByHand });
  }
}
