import type { TableClient, TransactionAction } from '@azure/data-tables';
import type { Clock } from '../../contract/clock.ts';
import { isConflict, isRowMissing } from '../../storage/rejections.ts';
import { isStorageOutage, retryAfterMsOf, storageUnavailable } from '../../storage/storage-failure.ts';
import { matchingRows, odata, type Filter } from '../../storage/table-rows.ts';
import { budgetSpent, CallBudget, type BudgetLimits } from './call-budget.ts';
import { kindOfKey, partitionOf } from './keys.ts';
import { recordKeyOf, recordOf, type Entity, type StoredRecord } from './rows.ts';

/** Rows of one partition with `from <= RowKey < to`, in key order, without those that the service never writes. */
export interface RowRange {
  readonly partition: string;
  readonly from: string;
  readonly to: string;
  /** The maximum number of rows to read. */
  readonly limit: number;
  /** Over other columns. The service scans the rows of the range until `limit` match. */
  readonly filter?: Filter;
  readonly select?: readonly string[];
}

export interface Rows {
  readonly rows: readonly Entity[];
  /** The range may have more rows than were read. */
  readonly mayHaveMore: boolean;
}

/** @param isCertain whether the transaction was written; otherwise it may have been */
export type CommitListener = (actions: readonly TransactionAction[], isCertain: boolean) => void;

/** A transaction without a usable response: it may have been written. */
interface InDoubt {
  readonly cause: unknown;
}

// Timeout of a call to the storage. A claim with its two round trips and a retry must end within the 15 s that an agent
// waits.
const defaultCallTimeoutMs = 3_000;
const maxTries = 3;
// In a row. A page may be empty and have a continuation, for example after five seconds of the storage's work.
const maxEmptyPages = 30;
// A storage that asks for more is left to the caller, who gets its Retry-After.
const longestPauseMs = 3_000;

/**
 * The table of the queue: reads that do not mistake an empty page for the end, and transactions whose outcome is certain.
 *
 * The client must not retry by itself (`retryOptions: { maxRetries: 0 }`): a retry inside the SDK makes a lost response
 * indistinguishable from a lost race.
 */
export class QueueTable {
  readonly #client: TableClient;
  readonly #clock: Clock;
  readonly #callTimeoutMs: number;
  readonly #onCommit: CommitListener;
  readonly #budget: CallBudget | undefined;

  /** @param onCommit called after each transaction that was written, or may have been */
  constructor(
    client: TableClient,
    clock: Clock,
    callTimeoutMs = defaultCallTimeoutMs,
    onCommit: CommitListener = () => undefined,
    budget?: CallBudget,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#callTimeoutMs = callTimeoutMs;
    this.#onCommit = onCommit;
    this.#budget = budget;
  }

  /** The same table for one call, or a part of it: it fails when its budget, or that of the whole, is spent. */
  within(limits: BudgetLimits, clock: Pick<Clock, 'now'>): QueueTable {
    const budget = new CallBudget(clock, limits, this.#budget);
    return new QueueTable(this.#client, this.#clock, this.#callTimeoutMs, this.#onCommit, budget);
  }

  /** Whether a step of so many requests can begin within the budget of this call. */
  allowsStep(requests: number): boolean {
    return this.#budget?.allowsStep(requests) ?? true;
  }

  async record(id: string, select?: readonly string[]): Promise<StoredRecord | undefined> {
    const entity = await this.row(partitionOf(id), recordKeyOf(id), select);
    return entity && recordOf(entity);
  }

  async row(partition: string, rowKey: string, select?: readonly string[]): Promise<Entity | undefined> {
    return this.#repeatRead(async (abortSignal) => {
      try {
        const options = select ? { abortSignal, queryOptions: { select: [...select] } } : { abortSignal };
        return await this.#client.getEntity<Entity>(partition, rowKey, options);
      } catch (error) {
        if (isRowMissing(error)) return undefined;
        throw error;
      }
    });
  }

  /** Costs one request if the service fills its pages; follows continuations until it has `limit` rows. */
  async rows({ partition, from, to, limit, filter, select }: RowRange): Promise<Rows> {
    const range = odata`PartitionKey eq ${partition} and RowKey ge ${from} and RowKey lt ${to}`;
    const both = filter === undefined ? range : odata`${range} and ${filter}`;
    const rows: Entity[] = [];
    let continuationToken: string | undefined;
    let emptyPages = 0;
    for (;;) {
      const page = await this.#repeatRead(async (abortSignal) => {
        const pages = matchingRows<Entity>(this.#client, both, {
          abortSignal,
          ...(select && { select }),
        }).byPage({
          maxPageSize: Math.min(limit - rows.length, 1000),
          ...(continuationToken !== undefined && { continuationToken }),
        });
        return (await pages.next()).value;
      });
      // What people have added stops no call.
      for (const row of page ?? []) if (kindOfKey(row.rowKey) !== undefined) rows.push(row);
      continuationToken = (page as { continuationToken?: string } | undefined)?.continuationToken;
      if (rows.length >= limit) return { rows: rows.slice(0, limit), mayHaveMore: true };
      if (!continuationToken) return { rows, mayHaveMore: false };
      emptyPages = (page ?? []).length === 0 ? emptyPages + 1 : 0;
      if (emptyPages === maxEmptyPages) throw budgetSpent();
    }
  }

  /**
   * Writes all actions or none.
   *
   * If the response is lost (timeout, reset, 5xx), the transaction may still have been written. `wasWritten` then checks for
   * its trace (the `lastOp` of a record), also when a retry finds the table changed: the change may be its own.
   *
   * @param noteLost gets the key of the row that was not as expected
   * @returns false if it found the table changed: nothing of it was written
   * @throws ServiceError `storage_unavailable` when the storage keeps failing; the transaction may still be written
   */
  async commit(
    actions: TransactionAction[],
    wasWritten: () => Promise<boolean>,
    noteLost: (rowKey: string) => void = () => undefined,
  ): Promise<boolean> {
    let isInDoubt = false;
    let isWritten = false;
    try {
      for (let tried = 1; ; tried += 1) {
        const result = await this.#submit(actions, noteLost);
        isInDoubt ||= typeof result === 'object';
        isWritten = result === 'written' || (isInDoubt && (await wasWritten()));
        if (isWritten || typeof result === 'string') return isWritten;
        await this.#pauseAfter(tried, result.cause);
      }
    } finally {
      if (isWritten || isInDoubt) this.#onCommit(actions, isWritten);
    }
  }

  async #submit(
    actions: TransactionAction[],
    noteLost: (rowKey: string) => void,
  ): Promise<'written' | 'lost' | InDoubt> {
    try {
      await this.#client.submitTransaction(actions, { abortSignal: this.#limit() });
      return 'written';
    } catch (error) {
      if (isConflict(error)) {
        const row = actions[failedActionOf(error)]?.[1];
        if (row) noteLost(row.rowKey);
        return 'lost';
      }
      if (isTransient(error)) return { cause: error };
      throw error;
    }
  }

  async #repeatRead<T>(read: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await read(this.#limit());
      } catch (error) {
        if (!isTransient(error)) throw error;
        await this.#pauseAfter(tried, error);
      }
    }
  }

  #limit(): AbortSignal {
    this.#budget?.take();
    const leftMs = this.#budget?.leftMs ?? Infinity;
    return AbortSignal.timeout(Math.min(this.#callTimeoutMs, leftMs));
  }

  /** As long as the storage asks for. @throws ServiceError `storage_unavailable` if there is no further try */
  async #pauseAfter(tried: number, cause: unknown): Promise<void> {
    const pauseMs = Math.max(100 * 2 ** tried, retryAfterMsOf(cause) ?? 0);
    const leftMs = Math.min(this.#budget?.leftMs ?? Infinity, longestPauseMs);
    if (tried === maxTries || pauseMs >= leftMs) throw storageUnavailable(cause);
    await this.#clock.wait(pauseMs);
  }
}

/** A rejection begins with the number of the action. */
const failedActionOf = (error: unknown): number =>
  Number(/^(\d+):/.exec(error instanceof Error ? error.message : '')?.[1] ?? 0);

/** Includes the timeout of this class. */
const isTransient = (error: unknown): boolean =>
  isStorageOutage(error) || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name));
