import { randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import { idempotencyDigest, idempotencyKeyReused, idempotencyWindowMs } from '../base/idempotency.ts';
import { inSlices } from '../base/slices.ts';
import type { Clock } from '../contract/clock.ts';
import { conditionalWrite, untilSettled, writtenWith } from './conditional-write.ts';
import { msUntilDead } from './heartbeat.ts';
import { orNullIfMissing } from './rejections.ts';
import { firstRows, odata } from './table-rows.ts';

/** An `Idempotency-Key` of a user, for one project or operation. */
export interface ScopedKey {
  readonly userId: string;
  readonly scope: string;
  readonly key: string;
}

/** A key that belongs to the call that is about to run. Its methods do nothing if another call has taken over the key. */
export interface OwnKey {
  readonly id: string;
  beat(): Promise<void>;
  /** Records the outcome. */
  complete(outcome: string): Promise<void>;
  /** The outcome is not known yet: {@link release} does nothing, and the next call with the key determines it. */
  leave(): void;
  /** The call has failed: frees the key. */
  release(): Promise<void>;
}

/** `takeOver` returns null if another call was faster. */
export type KeyState =
  | { readonly state: 'own'; readonly key: OwnKey }
  | {
      readonly state: 'done';
      readonly id: string;
      readonly outcome: string;
      takeOver(): Promise<OwnKey | null>;
    }
  /** After `retryAfterMs` the call has ended, counts as interrupted, or has sent another heartbeat. */
  | { readonly state: 'running'; readonly retryAfterMs: number }
  /** The process has died. */
  | { readonly state: 'interrupted'; readonly id: string; takeOver(): Promise<OwnKey | null> };

/** Times are `Date`s so that the storage can compare them. */
interface Row {
  /** Unique to one call: distinguishes its row from that of another call with the same key. */
  readonly owner: string;
  /** What the key is used for: another use is rejected. */
  readonly use: string;
  readonly createdAt: Date;
  readonly aliveAt: Date;
  /** Once there is one: in pieces, of which the others are `outcome1`, `outcome2` … */
  readonly outcome?: string;
}

type FoundRow = Row & { readonly etag: string };

// Separate from the projects' rows, so expired keys are found without a scan of the table. A partition accepts 2,000
// writes a second, thousands of times more than uploads need.
const partitionKey = 'upload-keys';
// Per run; the rest is left to the next run.
const maxRemoved = 1000;
const parallelRemovals = 8;
// A property holds 32,768 characters.
const pieces = /.{1,30000}/gs;

/**
 * Keys of calls, for 24 hours from the start of the first call, or from its outcome. An insert decides which call is
 * first, and its process sends heartbeats.
 *
 * Storage requests: two for a call with a new key, besides the heartbeats: the insert and the outcome. Two for a repeated
 * call. None without a key.
 */
export class IdempotencyKeys {
  readonly #table: TableClient;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** @throws ServiceError `idempotency_key_reused` for another use; `what` names it */
  claim({ userId, scope, key }: ScopedKey, use: string, what: string): Promise<KeyState> {
    const id = idempotencyDigest(userId, scope, key).toString('hex').slice(0, 64);
    const owner = randomUUID();
    return untilSettled('Idempotency-Key', async () => {
      const create = this.#table.createEntity({ partitionKey, rowKey: id, ...this.#newRow(owner, use) });
      const isFirst = (await conditionalWrite(create)) !== null;
      const row = isFirst ? null : await this.#row(id);
      // Or the response to the insert was lost, and the storage client repeated it.
      if (isFirst || row?.owner === owner) return { state: 'own', key: this.#own(id, owner) };
      // Released in the meantime.
      if (!row) return null;
      const takeOver = () => this.#takenOver(id, row.etag, use);
      if (this.#isExpired(row)) {
        const key = await takeOver();
        return key && { state: 'own', key };
      }
      if (row.use !== use) throw idempotencyKeyReused(what);
      const outcome = outcomeIn(row);
      if (outcome !== null) return { state: 'done', id, outcome, takeOver };
      const retryAfterMs = msUntilDead(row.aliveAt.getTime(), this.#clock.now());
      if (retryAfterMs > 0) return { state: 'running', retryAfterMs };
      return { state: 'interrupted', id, takeOver };
    });
  }

  /** Records an outcome for the next 24 hours, whoever owns the key. */
  async complete(id: string, use: string, outcome: string): Promise<void> {
    const row = { partitionKey, rowKey: id, ...this.#newRow(randomUUID(), use), ...columnsOf(outcome) };
    await this.#table.upsertEntity(row, 'Replace');
  }

  async outcomeOf(id: string): Promise<string | null> {
    const row = await this.#row(id);
    return row && !this.#isExpired(row) ? outcomeIn(row) : null;
  }

  /** Removes up to 1,000 expired keys. @returns how many */
  async removeExpired(): Promise<number> {
    const before = new Date(this.#clock.now() - idempotencyWindowMs);
    const filter = odata`PartitionKey eq ${partitionKey} and createdAt lt ${before}`;
    const expired = await firstRows<Row>(this.#table, filter, maxRemoved);
    // With the ETag: a key that was taken over since the query is no longer expired.
    await inSlices(expired, parallelRemovals, ({ rowKey = '', etag }) =>
      conditionalWrite(this.#table.deleteEntity(partitionKey, rowKey, { etag })),
    );
    return expired.length;
  }

  #row(id: string): Promise<FoundRow | null> {
    return orNullIfMissing(this.#table.getEntity<Row>(partitionKey, id));
  }

  #isExpired({ createdAt }: Row): boolean {
    return this.#clock.now() - createdAt.getTime() >= idempotencyWindowMs;
  }

  #newRow(owner: string, use: string): Row {
    const now = new Date(this.#clock.now());
    return { owner, use, createdAt: now, aliveAt: now };
  }

  async #takenOver(id: string, etag: string, use: string): Promise<OwnKey | null> {
    const owner = randomUUID();
    const row = { partitionKey, rowKey: id, ...this.#newRow(owner, use) };
    const written = await conditionalWrite(
      this.#table.updateEntity(row, 'Replace', { etag }),
      writtenWith(this.#table, row, 'owner', owner),
    );
    return written && this.#own(id, owner);
  }

  #own(id: string, owner: string): OwnKey {
    let isLeft = false;
    const ifPending = async (write: (row: FoundRow) => Promise<object>): Promise<void> => {
      const row = await this.#row(id);
      if (row?.owner === owner && row.outcome === undefined) await conditionalWrite(write(row));
    };
    const merge = (columns: object): Promise<void> =>
      ifPending(({ etag }) =>
        this.#table.updateEntity({ partitionKey, rowKey: id, ...columns }, 'Merge', { etag }),
      );
    return {
      id,
      leave() {
        isLeft = true;
      },
      beat: () => merge({ aliveAt: new Date(this.#clock.now()) }),
      complete: (outcome) => merge(columnsOf(outcome)),
      release: async () => {
        if (!isLeft) await ifPending(({ etag }) => this.#table.deleteEntity(partitionKey, id, { etag }));
      },
    };
  }
}

const columnsOf = (outcome: string): Readonly<Record<string, string>> =>
  Object.fromEntries((outcome.match(pieces) ?? []).map((piece, at) => [`outcome${at || ''}`, piece]));

function outcomeIn(row: object): string | null {
  const columns = row as Readonly<Record<string, string | undefined>>;
  let outcome = columns['outcome'] ?? null;
  for (let at = 1; outcome !== null && columns[`outcome${at}`] !== undefined; at += 1) {
    outcome += columns[`outcome${at}`]!;
  }
  return outcome;
}
