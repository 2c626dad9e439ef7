import { randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import type { UploadSession } from '../../document-library/library.ts';
import { conditionalWrite, columnWriter } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import type { SealedText } from '../../storage/sealed-text.ts';
import { certainNowBy, type SharedClock } from '../../storage/storage-clock.ts';
import { rowKeys } from '../folders/row-keys.ts';
import { uploadIntentIn, type Before, type UploadIntent } from './upload-intent.ts';

/**
 * One partition beside those of the projects, with a row for each direct upload that leads the timer to its intent: so a
 * query for those that are due reads no other row of the table. A partition accepts 2,000 writes a second.
 */
export const directUploads = 'direct-uploads';

/** In the same partition, a row for each open direct upload of a user, which counts it (own-uploads.ts). */
export const countKeyOf = (userId: string, uploadId: string): string =>
  rowKeys.ofUser.of({ userId, uploadId });

/** The upload has ended, or has not begun. */
export async function countOut(table: TableClient, userId: string, uploadId: string): Promise<void> {
  await orNullIfMissing(table.deleteEntity(directUploads, countKeyOf(userId, uploadId)));
}

export interface IntentTable {
  readonly table: TableClient;
  readonly sealed: SealedText;
  readonly clock: SharedClock;
}

/** `intent` is JSON. The URL of the session grants the user's rights on the file, so it is encrypted. */
export interface IntentRow {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly etag: string;
  readonly intent: string;
  readonly uploadUrl?: string;
  readonly sessionExpiresAt?: Date;
  readonly sessionEndSeenAt?: Date;
  readonly aliveAt?: Date;
  readonly isCommitting?: boolean;
  /** Names the request that has begun or claimed the upload, also to distinguish a lost response from another write. */
  readonly writtenBy?: string;
}

export interface PendingSession {
  /** Null if it can no longer be decrypted. */
  readonly uploadUrl: string | null;
  /** The last expiry that the library has reported; fragments extend it. Milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** When the library first reported its end after an expiry; milliseconds since 1970. Null if it never has. */
  readonly endSeenAtMs: number | null;
}

/** The columns of the session of an upload, with the heartbeat of the process that opened it. */
export async function sessionColumns(
  within: IntentTable,
  rowKey: string,
  session: UploadSession | null,
): Promise<Pick<IntentRow, 'uploadUrl' | 'sessionExpiresAt' | 'aliveAt'>> {
  const aliveAt = new Date(await certainNowBy(within));
  if (!session) return { aliveAt };
  const uploadUrl = within.sealed.seal(session.uploadUrl, rowKey);
  return { uploadUrl, sessionExpiresAt: new Date(session.expiresAt), aliveAt };
}

/**
 * The intent of an upload that has not ended. Its process sends heartbeats; that of a direct upload is the one of the
 * request that has claimed the creation of its file.
 */
export class PendingIntent {
  readonly id: string;
  readonly intent: UploadIntent;
  /** The last heartbeat; milliseconds since 1970. */
  readonly aliveAtMs: number;
  /** The session of the upload; null for an empty file. */
  readonly session: PendingSession | null;
  /** Whether a request has started to create the file of a direct upload. */
  readonly isCommitting: boolean;
  readonly #in: IntentTable;
  readonly #row: IntentRow;

  constructor(within: IntentTable, row: IntentRow) {
    const { rowKey, uploadUrl, sessionExpiresAt, sessionEndSeenAt, aliveAt, isCommitting = false } = row;
    this.id = rowKey;
    this.intent = uploadIntentIn(row.intent);
    this.aliveAtMs = aliveAt?.getTime() ?? 0;
    this.session =
      uploadUrl === undefined || !sessionExpiresAt
        ? null
        : {
            uploadUrl: within.sealed.open(uploadUrl, rowKey),
            expiresAtMs: sessionExpiresAt.getTime(),
            endSeenAtMs: sessionEndSeenAt?.getTime() ?? null,
          };
    this.isCommitting = isCommitting;
    this.#in = within;
    this.#row = row;
  }

  /** The upload continues in another session. */
  async moveTo(session: UploadSession): Promise<void> {
    await this.#merge(await sessionColumns(this.#in, this.id, session), '*');
  }

  /** Writes the expiry that the library has reported. Does nothing if another request has written the intent since. */
  withExpiry(expiresAtMs: number): Promise<PendingIntent> {
    return this.#writeIfUnchanged({ sessionExpiresAt: new Date(expiresAtMs) });
  }

  /** Writes that the library has reported the end of the session, as {@link withExpiry}. */
  withEndSeen(atMs: number): Promise<PendingIntent> {
    return this.#writeIfUnchanged({ sessionEndSeenAt: new Date(atMs) });
  }

  /**
   * Does nothing if another request has claimed the upload since.
   *
   * @param sessionExpiresAtMs the last expiry that the library has reported, if a fragment has extended it
   */
  async beat(sessionExpiresAtMs?: number): Promise<void> {
    await this.#writeIfOwn({
      aliveAt: new Date(await certainNowBy(this.#in)),
      ...(sessionExpiresAtMs !== undefined && { sessionExpiresAt: new Date(sessionExpiresAtMs) }),
    });
  }

  /** Lets the next request proceed without waiting for the heartbeat to expire. */
  release(): Promise<void> {
    return this.#writeIfOwn({ aliveAt: new Date(0) });
  }

  /**
   * Claims the creation of the file. @returns null if another request has written the intent since it was read
   *
   * @param before what exists under the name now, if this is the first claim
   */
  async claim(before: Before | undefined): Promise<PendingIntent | null> {
    const written = {
      isCommitting: true,
      aliveAt: new Date(await certainNowBy(this.#in)),
      intent: JSON.stringify(before ? { ...this.intent, before } : this.intent),
      writtenBy: randomUUID(),
    };
    const write = await conditionalWrite(
      this.#merge(written, this.#row.etag),
      columnWriter(this.#in.table, this.#row, 'writtenBy', written.writtenBy),
    );
    return write && new PendingIntent(this.#in, { ...this.#row, ...written, ...write });
  }

  /** Removes it. */
  async end(): Promise<void> {
    const { partitionKey, rowKey } = this.#row;
    await Promise.all([orNullIfMissing(this.#in.table.deleteEntity(partitionKey, rowKey)), this.#countOut()]);
  }

  /** Removes it. @returns false if another request has removed or written it since it was read */
  async endIfUnchanged(): Promise<boolean> {
    const { partitionKey, rowKey, etag } = this.#row;
    const deletion = this.#in.table.deleteEntity(partitionKey, rowKey, { etag });
    if ((await conditionalWrite(deletion)) === null) return false;
    await this.#countOut();
    return true;
  }

  async #countOut(): Promise<void> {
    const { directUploadId, uploadedByUserId } = this.intent;
    if (directUploadId !== undefined) await countOut(this.#in.table, uploadedByUserId, directUploadId);
  }

  async #writeIfUnchanged(columns: Partial<IntentRow>): Promise<PendingIntent> {
    const written = await conditionalWrite(this.#merge(columns, this.#row.etag));
    return written ? new PendingIntent(this.#in, { ...this.#row, ...columns, ...written }) : this;
  }

  async #writeIfOwn(columns: Partial<IntentRow>): Promise<void> {
    const own = await columnWriter(this.#in.table, this.#row, 'writtenBy', this.#row.writtenBy)();
    if (own) await conditionalWrite(this.#merge(columns, own.etag));
  }

  #merge(columns: Partial<IntentRow>, etag: string): Promise<object> {
    const { partitionKey, rowKey } = this.#row;
    return this.#in.table.updateEntity({ partitionKey, rowKey, ...columns }, 'Merge', { etag });
  }
}
