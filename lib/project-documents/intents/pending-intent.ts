import { randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import type { Clock } from '../../contract/clock.ts';
import type { UploadSession } from '../../document-library/library.ts';
import { conditionalWrite, writtenWith } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import type { SealedText } from '../../storage/sealed-text.ts';
import type { Before, UploadIntent } from './upload-intent.ts';

export interface IntentTable {
  readonly table: TableClient;
  readonly sealed: SealedText;
  readonly clock: Clock;
}

export interface IntentKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** `intent` is JSON. The URL of the session grants the user's rights on the file, so it is encrypted. */
export interface IntentColumns {
  readonly intent: string;
  readonly uploadUrl?: string;
  readonly sessionExpiresAt?: Date;
  readonly aliveAt?: Date;
  readonly isCommitting?: boolean;
  /** Names the request that has begun or claimed the upload, also to distinguish a lost response from another write. */
  readonly writtenBy?: string;
}

export type IntentRow = IntentColumns & { readonly etag: string };

export interface PendingSession {
  /** Null if it can no longer be decrypted. */
  readonly uploadUrl: string | null;
  /** The expiry as of the last write; fragments extend it. Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** The columns of the session of an upload, with the heartbeat of the process that opened it. */
export function sessionColumns(
  { sealed, clock }: IntentTable,
  { rowKey }: IntentKey,
  session: UploadSession | null,
): Omit<IntentColumns, 'intent'> {
  const aliveAt = new Date(clock.now());
  if (!session) return { aliveAt };
  const uploadUrl = sealed.seal(session.uploadUrl, rowKey);
  return { uploadUrl, sessionExpiresAt: new Date(session.expiresAt), aliveAt };
}

/**
 * The intent of an upload that has not ended, and the life of the process that uploads. No process is involved in a direct
 * upload until a request claims the creation of the file; from then on, the process of that request sends the heartbeats.
 */
export class PendingIntent {
  readonly id: string;
  readonly intent: UploadIntent;
  /** The last heartbeat of its process; milliseconds since 1970. */
  readonly aliveAtMs: number;
  /** The session of the upload; null for an empty file. */
  readonly session: PendingSession | null;
  /** Whether a request has started to create the file of a direct upload. */
  readonly isCommitting: boolean;
  readonly #in: IntentTable;
  readonly #key: IntentKey;
  readonly #row: IntentRow;

  constructor(within: IntentTable, key: IntentKey, row: IntentRow) {
    const { uploadUrl, sessionExpiresAt, aliveAt, isCommitting = false } = row;
    this.id = key.rowKey;
    this.intent = JSON.parse(row.intent) as UploadIntent;
    this.aliveAtMs = aliveAt?.getTime() ?? 0;
    this.session =
      uploadUrl === undefined || !sessionExpiresAt
        ? null
        : { uploadUrl: within.sealed.open(uploadUrl, key.rowKey), expiresAtMs: sessionExpiresAt.getTime() };
    this.isCommitting = isCommitting;
    this.#in = within;
    this.#key = key;
    this.#row = row;
  }

  /** The upload continues in another session. */
  async moveTo(session: UploadSession): Promise<void> {
    await this.#in.table.updateEntity(
      { ...this.#key, ...sessionColumns(this.#in, this.#key, session) },
      'Merge',
    );
  }

  /** Does nothing if another request has claimed the upload since. */
  beat(): Promise<void> {
    return this.#setAlive(new Date(this.#in.clock.now()));
  }

  /** Lets the next request proceed without waiting for the heartbeat to expire. */
  release(): Promise<void> {
    return this.#setAlive(new Date(0));
  }

  /** Fragments that did not pass through the service have extended the session. */
  async expiresLater(sessionExpiresAt: Date): Promise<void> {
    await this.#mergeIfUnchanged({ sessionExpiresAt });
  }

  /**
   * Claims the creation of the file. @returns null if another request has written the intent since it was read
   *
   * @param before what exists under the name now, if this is the first claim
   */
  claim(before: Before | undefined): Promise<PendingIntent | null> {
    const intent = before ? { ...this.intent, before } : this.intent;
    return this.#mergeIfUnchanged({
      isCommitting: true,
      aliveAt: new Date(this.#in.clock.now()),
      intent: JSON.stringify(intent),
    });
  }

  /** Removes it. */
  async end(): Promise<void> {
    const { partitionKey, rowKey } = this.#key;
    await orNullIfMissing(this.#in.table.deleteEntity(partitionKey, rowKey));
  }

  /** Removes it. @returns false if another request has removed or written it since it was read */
  async endIfUnchanged(): Promise<boolean> {
    const { partitionKey, rowKey } = this.#key;
    const deletion = this.#in.table.deleteEntity(partitionKey, rowKey, { etag: this.#row.etag });
    return (await conditionalWrite(deletion)) !== null;
  }

  async #setAlive(aliveAt: Date): Promise<void> {
    const { table } = this.#in;
    const own = await writtenWith(table, this.#key, 'writtenBy', this.#row.writtenBy)();
    if (!own) return;
    await conditionalWrite(table.updateEntity({ ...this.#key, aliveAt }, 'Merge', { etag: own.etag }));
  }

  async #mergeIfUnchanged(columns: Partial<IntentColumns>): Promise<PendingIntent | null> {
    const { table } = this.#in;
    const written = { ...columns, writtenBy: randomUUID() };
    const { etag } = this.#row;
    const write = await conditionalWrite(
      table.updateEntity({ ...this.#key, ...written }, 'Merge', { etag }),
      writtenWith(table, this.#key, 'writtenBy', written.writtenBy),
    );
    return write && new PendingIntent(this.#in, this.#key, { ...this.#row, ...written, ...write });
  }
}
