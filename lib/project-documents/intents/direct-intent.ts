import { randomUUID } from 'node:crypto';
import {
  conditionalWrite,
  untilSettled,
  writtenWith,
  type Written,
} from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { PendingIntent, type IntentColumns, type IntentKey, type IntentTable } from './pending-intent.ts';
import type { Before, UploadIntent } from './upload-intent.ts';

export interface UploadOutcome {
  readonly documentId: string;
  readonly replacedUnrecorded: boolean;
}

export interface DirectColumns extends IntentColumns, Partial<UploadOutcome> {
  readonly isCommitting?: boolean;
  readonly completedAt?: Date;
}

const keptCompletedMs = 24 * 60 * 60_000;

/**
 * The intent of a direct upload: the caller's own program sends the bytes. No process is involved until a request claims
 * the creation of the file; from then on, the process of that request sends the heartbeats.
 */
export class DirectIntent extends PendingIntent {
  /** Whether a request has started to create the file. */
  readonly isCommitting: boolean;
  /** Once the file has its record. Kept for a day, for a caller who did not get the response. */
  readonly outcome: UploadOutcome | null;
  /** Of the outcome; milliseconds since 1970. */
  readonly keptUntilMs: number;
  readonly #row: DirectColumns & { readonly etag: string };

  constructor(
    within: IntentTable,
    key: IntentKey,
    intent: UploadIntent,
    row: DirectColumns & { readonly etag: string },
  ) {
    super(within, key, intent, row);
    this.isCommitting = row.isCommitting ?? false;
    const { documentId, replacedUnrecorded = false, completedAt } = row;
    this.outcome = documentId === undefined ? null : { documentId, replacedUnrecorded };
    this.keptUntilMs = (completedAt?.getTime() ?? 0) + keptCompletedMs;
    this.#row = row;
  }

  /** Fragments that did not pass through the service have extended the session. */
  async expiresLater(sessionExpiresAt: Date): Promise<void> {
    await this.#merge({ sessionExpiresAt });
  }

  /**
   * Claims the creation of the file. @returns null if another request has written the intent since it was read
   *
   * @param before what exists under the name now, if this is the first claim
   */
  async claim(before: Before | undefined): Promise<DirectIntent | null> {
    const intent = before ? { ...this.intent, before } : this.intent;
    const claim = { isCommitting: true, aliveAt: new Date(this.within.clock.now()) };
    const written = await this.#merge({ ...claim, intent: JSON.stringify(intent) });
    if (!written) return null;
    const row = { ...this.#row, ...claim, ...written };
    return new DirectIntent(this.within, this.key, intent, row);
  }

  /** Lets the next request proceed without waiting for the heartbeat to expire. */
  async release(): Promise<void> {
    await this.within.table.updateEntity({ ...this.key, aliveAt: new Date(0) }, 'Merge');
  }

  /** Replaces the intent by its outcome. Does nothing if another request has completed or removed it. */
  async complete(outcome: UploadOutcome): Promise<void> {
    const { table, clock } = this.within;
    const { partitionKey, rowKey } = this.key;
    await untilSettled('intent of the upload', async () => {
      const row = await orNullIfMissing(table.getEntity<DirectColumns>(partitionKey, rowKey));
      if (!row || row.documentId !== undefined) return true;
      // Without the session: its URL is no longer needed.
      const completed = { ...this.key, intent: row.intent, completedAt: new Date(clock.now()), ...outcome };
      return conditionalWrite(table.updateEntity(completed, 'Replace', { etag: row.etag }));
    });
  }

  /** Removes it. @returns false if another request has removed or written it since it was read */
  async endIfUnchanged(): Promise<boolean> {
    const { partitionKey, rowKey } = this.key;
    const deletion = this.within.table.deleteEntity(partitionKey, rowKey, { etag: this.#row.etag });
    return (await conditionalWrite(deletion)) !== null;
  }

  #merge(columns: Partial<DirectColumns>): Promise<Written | null> {
    const writtenBy = randomUUID();
    const { table } = this.within;
    return conditionalWrite(
      table.updateEntity({ ...this.key, ...columns, writtenBy }, 'Merge', { etag: this.#row.etag }),
      writtenWith(table, this.key, 'writtenBy', writtenBy),
    );
  }
}
