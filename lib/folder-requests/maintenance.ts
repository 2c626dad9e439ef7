import type { EventLog } from '../base/event-log.ts';
import type { EndedLeases } from './claims/ended-leases.ts';
import { countOutcomes } from './table/outcomes.ts';
import { deleteEnded } from './retention.ts';
import type { QueueStatistics } from './lists/statistics.ts';
import type { QueueParts } from './table/queue-parts.ts';
import { inSlices } from '../base/slices.ts';
import { applyRetry } from './requests/folder-request.ts';
import { maxShards } from './requests/request-id.ts';
import { certainNow, commitNamed, withinBudget } from './table/queue-parts.ts';
import { isSettled, settle, type Settled } from './table/settle.ts';
import { transitionFromRecord } from './table/transitions.ts';
import { partitionOfShard, rowKeys } from './table/keys.ts';
import { RecordCheck } from './record-check.ts';

// Of up to 25 leases each: more than a thousand agents that end together are returned within minutes.
const leaseSteps = 10;
const retriesOfRun = 100;
// Of a shard: the minute until the next run, and the repairs of 1,000 requests that somebody has broken.
const runLimits = { ms: 50_000, requests: 10_000 };
const parallelRetries = 16;

/** What a timer does for the queue every minute. No claim depends on it: each returns ended leases itself. */
export class QueueMaintenance {
  readonly #parts: QueueParts;
  readonly #leases: EndedLeases;
  readonly #statistics: QueueStatistics;
  /** By partition. */
  readonly #checks = new Map<string, RecordCheck>();

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

  /** Of one request, for an operator: what has changed. */
  settle(id: string, log: EventLog): Promise<Settled> {
    return settle(this.#parts, id, log);
  }

  /**
   * Of all requests, in every partition that there may be.
   *
   * @returns how many there are
   */
  async settleAll(log: EventLog): Promise<number> {
    let count = 0;
    for (let shard = 0; shard < maxShards; shard += 1) {
      count += await new RecordCheck(partitionOfShard(shard), 'all').runAll(this.#parts, log);
    }
    return count;
  }

  /** Queues FAILED requests whose time has come again. */
  async #retryDue(parts: QueueParts, partition: string, log: EventLog): Promise<void> {
    const { retryDelaysMs = [] } = parts.rules;
    if (retryDelaysMs.length === 0) return;
    const nowMs = await certainNow(parts);
    const { rows } = await parts.table.rows({
      partition,
      from: rowKeys.retry.all.from,
      to: rowKeys.retry.startOf({ dueMs: nowMs + 1 }),
      limit: retriesOfRun,
    });
    await inSlices(rows, parallelRetries, async ({ rowKey }) => {
      const id = rowKeys.retry.parse(rowKey)?.id;
      // Of no request, as in the other ranges.
      if (id === undefined) return;
      const record = await parts.table.record(id);
      const next = record && applyRetry(record.request, nowMs, retryDelaysMs.length);
      const isNamed = record?.keys.includes(rowKey) === true && isSettled(record);
      if (!isNamed || !next) {
        await settle(parts, id, log, [rowKey]);
        return;
      }
      const actions = (lastOp: string) => transitionFromRecord(record, next, lastOp);
      if (await commitNamed(parts, id, actions)) {
        log.info('folder_request_retried', { id, attempts: next.attempts, retries: next.retries });
      }
    });
  }

  async #maintain(shard: number, log: EventLog): Promise<void> {
    const parts = withinBudget(this.#parts, runLimits);
    const partition = partitionOfShard(shard);
    for (let step = 0; step < leaseSteps; step += 1) {
      if (!(await this.#leases.return(parts, [shard], log))) break;
    }
    await this.#retryDue(parts, partition, log);
    const check = this.#checks.get(partition) ?? new RecordCheck(partition);
    this.#checks.set(partition, check);
    await check.run(parts, log);
    const { table, clock, rules } = parts;
    const { retentionMs = Infinity } = rules;
    await countOutcomes(table, partition, clock.now());
    if (retentionMs !== Infinity) {
      const count = await deleteEnded(parts, partition, clock.now() - retentionMs, log);
      if (count > 0) log.info('folder_requests_deleted', { count });
    }
  }
}
