import type { EventLog } from '../../base/event-log.ts';
import { applyLeaseEnd, type StoredFolderRequest } from '../requests/folder-request.ts';
import { certainNow, commitNamed, type QueueParts } from '../table/queue-parts.ts';
import { partitionOfShard, rowKeys } from '../table/keys.ts';
import { indexedIn, type Indexed } from '../table/rows.ts';
import type { StoredRecord } from '../table/rows.ts';
import { LostRows, recordBehind, settle } from '../table/settle.ts';
import { maxTransitions, mergingTransition } from '../table/transitions.ts';

// An instance whose setting is being changed may grant shorter leases than this one.
const maxHintMs = 60_000;

/**
 * Returns requests whose lease has ended to their place in the queue, or makes them FAILED: before every claim, whatever
 * targets it serves, and every minute by the timer.
 */
export class EndedLeases {
  readonly #parts: QueueParts;
  readonly #lostRows: LostRows;
  /** By shard: no lease ends before this time. */
  readonly #nextEndMs = new Map<number, number>();
  readonly #quietUntilMs = new Map<number, number>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#lostRows = new LostRows();
  }

  /**
   * Costs one request per shard in which a lease may have ended since the last call, and none for the others.
   *
   * @returns whether there was any
   */
  async return(parts: QueueParts, shards: readonly number[], log: EventLog): Promise<boolean> {
    const nowMs = await certainNow(parts);
    const due = shards.filter((shard) => (this.#nextEndMs.get(shard) ?? 0) <= nowMs);
    const returned = await Promise.all(
      due.map((shard) =>
        parts.shards.ask(parts, shard, (within) => this.#returnOf(within, shard, nowMs, log)),
      ),
    );
    return returned.includes(true);
  }

  /** Milliseconds in which no lease of these shards ends, unless another instance grants shorter ones than this one. */
  quietMs(shards: readonly number[]): number {
    const untilMs = shards.reduce(
      (min, shard) => Math.min(min, this.#quietUntilMs.get(shard) ?? 0),
      Infinity,
    );
    return untilMs - this.#parts.clock.now();
  }

  async #returnOf(parts: QueueParts, shard: number, beforeMs: number, log: EventLog): Promise<boolean> {
    const { rows } = await parts.table.rows({
      partition: partitionOfShard(shard),
      ...rowKeys.leased.all,
      limit: maxTransitions,
    });
    // The response may be the first to show that the local clock has been set since the previous one. Otherwise the time before
    // it counts, because another instance may have granted a lease meanwhile.
    const nowMs = Math.min(beforeMs, await certainNow(parts));
    const ended = rows.filter(({ rowKey }) => leaseEndOf(rowKey) <= nowMs);
    const first = rows[ended.length];
    const { leaseMs, maxExpiredLeases } = parts.rules;
    const isFull = ended.length === maxTransitions;
    const endMs = isFull ? nowMs : Math.min(nowMs + leaseMs, first ? leaseEndOf(first.rowKey) : Infinity);
    const records = await Promise.all(ended.map((row) => this.#recordOf(parts, indexedIn(row), log)));
    const returns = records
      .filter((record) => record !== undefined)
      .map((from) => ({ from, to: applyLeaseEnd(from.request, nowMs, maxExpiredLeases) }));
    if (returns.length > 0 && !(await this.#commit(parts, returns, log))) {
      // Another instance does the same, or the agent of one has reported. A row that was broken by hand must not keep the others.
      await Promise.all(returns.map((one) => this.#commit(parts, [one], log)));
    }
    // What is not returned, because the storage does not respond, is looked for again by the next call.
    this.#quietUntilMs.set(shard, endMs);
    this.#nextEndMs.set(shard, Math.min(endMs, nowMs + maxHintMs));
    return ended.length > 0;
  }

  async #recordOf(parts: QueueParts, row: Indexed, log: EventLog): Promise<StoredRecord | undefined> {
    const record = await recordBehind(parts, row);
    if (record === 'moved') await this.#lostRows.note(parts, row.keys, log);
    else if (record === 'unsettled') await settle(parts, row.request.id, log, row.keys);
    return typeof record === 'string' ? undefined : record;
  }

  async #commit(parts: QueueParts, returns: readonly Return[], log: EventLog): Promise<boolean> {
    const lost: string[] = [];
    const isWritten = await commitNamed(
      parts,
      returns[0]?.to.id ?? '',
      (lastOp) => returns.flatMap(({ from, to }) => mergingTransition(from, to, lastOp)),
      (rowKey) => lost.push(rowKey),
    );
    await this.#lostRows.note(parts, lost, log);
    if (isWritten) {
      for (const { to } of returns) announce(to, log);
    }
    return isWritten;
  }
}

/** A row that the service never writes has no end. */
const leaseEndOf = (rowKey: string): number => rowKeys.leased.parse(rowKey)?.leaseExpiresAtMs ?? Infinity;

interface Return {
  readonly from: StoredRecord;
  readonly to: StoredFolderRequest;
}

function announce({ id, attempts, status }: StoredFolderRequest, log: EventLog): void {
  log.warn('folder_request_lease_expired', { id, attempts });
  if (status === 'FAILED') log.warn('folder_request_failed', { id, attempts, reason: 'lease_expired' });
}
