import { randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import { idempotencyDigest, idempotencyKeyReused, idempotencyWindowMs } from '../base/idempotency.ts';
import { inSlices } from '../base/slices.ts';
import { conditionalWrite, untilSettled, columnWriter } from './conditional-write.ts';
import { msUntilDead } from './heartbeat.ts';
import { orNullIfMissing } from './rejections.ts';
import { certainNowBy, type SharedClock } from './storage-clock.ts';
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
  readonly #clock: SharedClock;

  constructor(table: TableClient, clock: SharedClock) {
    this.#table = table;
    this.#clock = clock;
  }

  /** @throws ServiceError `idempotency_key_reused` for another use; `what` names it */
  claim({ userId, scope, key }: ScopedKey, use: string, what: string): Promise<KeyState> {
    const id = idOf({ userId, scope, key });
    const owner = randomUUID();
    return untilSettled('Idempotency-Key', async () => {
      const newRow = { partitionKey, rowKey: id, ...(await this.#newRow(owner, use)) };
      const create = this.#table.createEntity(newRow);
      const isFirst = (await conditionalWrite(create)) !== null;
      const row = isFirst ? null : await this.#row(id);
      // Or the response to the insert was lost, and the storage client repeated it.
      if (isFirst || row?.owner === owner) return { state: 'own', key: this.#own(id, owner) };
      // Released in the meantime.
      if (!row) return null;
      const takeOver = () => this.#takeOver(id, row.etag, use);
      const nowMs = await this.#now();
      if (isExpired(row, nowMs)) {
        const key = await takeOver();
        return key && { state: 'own', key };
      }
      if (row.use !== use) throw idempotencyKeyReused(what);
      const outcome = outcomeIn(row);
      if (outcome !== null) return { state: 'done', id, outcome, takeOver };
      const retryAfterMs = msUntilDead(row.aliveAt.getTime(), nowMs);
      if (retryAfterMs > 0) return { state: 'running', retryAfterMs };
      return { state: 'interrupted', id, takeOver };
    });
  }

  /** Records an outcome for the next 24 hours, whoever owns the key. */
  async complete(id: string, use: string, outcome: string): Promise<void> {
    const newRow = await this.#newRow(randomUUID(), use);
    const row = { partitionKey, rowKey: id, ...newRow, ...columnsOf(outcome) };
    await this.#table.upsertEntity(row, 'Replace');
  }

  async outcomeOf(id: string): Promise<string | null> {
    const row = await this.#row(id);
    return row && !isExpired(row, await this.#now()) ? outcomeIn(row) : null;
  }

  /** The outcome of a key that was used for this, and its id; null without one. */
  async outcomeOfUse(key: ScopedKey, use: string): Promise<{ id: string; outcome: string } | null> {
    const id = idOf(key);
    const row = await this.#row(id);
    if (!row || row.use !== use || isExpired(row, await this.#now())) return null;
    const outcome = outcomeIn(row);
    return outcome === null ? null : { id, outcome };
  }

  /** Removes up to 1,000 expired keys. @returns how many */
  async removeExpired(): Promise<number> {
    const before = new Date((await this.#now()) - idempotencyWindowMs);
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

  #now(): Promise<number> {
    return certainNowBy({ clock: this.#clock, table: this.#table });
  }

  async #newRow(owner: string, use: string): Promise<Row> {
    const now = new Date(await this.#now());
    return { owner, use, createdAt: now, aliveAt: now };
  }

  async #takeOver(id: string, etag: string, use: string): Promise<OwnKey | null> {
    const owner = randomUUID();
    const row = { partitionKey, rowKey: id, ...(await this.#newRow(owner, use)) };
    const written = await conditionalWrite(
      this.#table.updateEntity(row, 'Replace', { etag }),
      columnWriter(this.#table, row, 'owner', owner),
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
      beat: async () => merge({ aliveAt: new Date(await this.#now()) }),
      complete: (outcome) => merge(columnsOf(outcome)),
      release: async () => {
        if (!isLeft) await ifPending(({ etag }) => this.#table.deleteEntity(partitionKey, id, { etag }));
      },
    };
  }
}

const idOf = ({ userId, scope, key }: ScopedKey): string =>
  idempotencyDigest(userId, scope, key).toString('hex').slice(0, 64);

const isExpired = ({ createdAt }: Row, nowMs: number): boolean =>
  nowMs - createdAt.getTime() >= idempotencyWindowMs;

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
