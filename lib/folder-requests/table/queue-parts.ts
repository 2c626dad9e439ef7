import type { TransactionAction } from '@azure/data-tables';
import type { QueueTable } from './queue-table.ts';
import type { SharedClock } from '../../storage/storage-clock.ts';
import { randomToken, type RandomBytes } from '../requests/request-id.ts';
import type { BudgetLimits } from './call-budget.ts';
import { metaRow, partitionOf } from './keys.ts';
import { recordKeyOf } from './rows.ts';
import type { Shards } from './shards.ts';

export interface QueueRules {
  readonly shards: number;
  readonly leaseMs: number;
  /** The number of expired leases that makes a request FAILED. */
  readonly maxExpiredLeases: number;
  /** How long after a failure that may pass the request is tried again by itself, one delay after the other. Default: never. */
  readonly retryDelaysMs?: readonly number[];
  /** How long FULFILLED requests are kept. Default: forever. */
  readonly retentionMs?: number;
  /** For one request to the storage. Default: 3 s. */
  readonly callTimeoutMs?: number;
}

export interface TimeAndRandomness {
  readonly clock: SharedClock;
  readonly randomBytes: RandomBytes;
}

/** What the classes of the queue work with. */
export interface QueueParts extends TimeAndRandomness {
  readonly table: QueueTable;
  readonly shards: Shards;
  readonly rules: QueueRules;
}

/** After 1, 5 and 30 minutes. */
export const retryDelaysMs: readonly number[] = [1, 5, 30].map((minutes) => minutes * 60_000);

// A caller waits 15 s for most calls.
export const callLimits: BudgetLimits = { ms: 12_000, requests: 100 };

/** The same parts for one call, whose reads and writes share a budget. */
export const withinBudget = (parts: QueueParts, limits: BudgetLimits = callLimits): QueueParts => ({
  ...parts,
  table: parts.table.within(limits, parts.clock.steady),
});

/** The time for a decision about a lease: that of the storage, never that of an instance which has yet to compare them. */
export const certainNow = ({ clock, table }: QueueParts): Promise<number> =>
  clock.certainNow(() => table.row(metaRow.partitionKey, metaRow.rowKey));

/**
 * Commits transitions under a name, `lastOp` of the records. If the response is lost, that of one record shows whether they
 * were written.
 */
export function commitNamed(
  { table, randomBytes }: QueueParts,
  id: string,
  actions: (lastOp: string) => TransactionAction[],
  noteLost?: (rowKey: string) => void,
): Promise<boolean> {
  const lastOp = randomToken(randomBytes);
  const wasWritten = async (): Promise<boolean> => {
    const record = await table.row(partitionOf(id), recordKeyOf(id), ['last_op']);
    return record?.['last_op'] === lastOp;
  };
  return table.commit(actions(lastOp), wasWritten, noteLost);
}
