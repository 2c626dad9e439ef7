import type { TableClient } from '@azure/data-tables';
import type { Clock } from '../../contract/clock.ts';
import type { UploadSession } from '../../document-library/library.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import type { SealedText } from '../../storage/sealed-text.ts';
import type { UploadIntent } from './upload-intent.ts';

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
  /** Names the write, to distinguish a lost response from another write. */
  readonly writtenBy?: string;
}

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

/** The intent of an upload that has not ended, and the life of the process that uploads. */
export class PendingIntent {
  readonly id: string;
  readonly intent: UploadIntent;
  /** The last heartbeat of its process; milliseconds since 1970. */
  readonly aliveAtMs: number;
  /** The session of the upload; null for an empty file. */
  readonly session: PendingSession | null;
  protected readonly within: IntentTable;
  protected readonly key: IntentKey;

  constructor(
    within: IntentTable,
    key: IntentKey,
    intent: UploadIntent,
    { uploadUrl, sessionExpiresAt, aliveAt }: Omit<IntentColumns, 'intent'>,
  ) {
    this.within = within;
    this.key = key;
    this.id = key.rowKey;
    this.intent = intent;
    this.aliveAtMs = aliveAt?.getTime() ?? 0;
    this.session =
      uploadUrl === undefined || !sessionExpiresAt
        ? null
        : { uploadUrl: within.sealed.open(uploadUrl, key.rowKey), expiresAtMs: sessionExpiresAt.getTime() };
  }

  /** The upload continues in another session. */
  moveTo(session: UploadSession): Promise<unknown> {
    return this.within.table.updateEntity(
      { ...this.key, ...sessionColumns(this.within, this.key, session) },
      'Merge',
    );
  }

  beat(): Promise<unknown> {
    return this.within.table.updateEntity(
      { ...this.key, aliveAt: new Date(this.within.clock.now()) },
      'Merge',
    );
  }

  /** Removes it. */
  async end(): Promise<void> {
    const { partitionKey, rowKey } = this.key;
    await orNullIfMissing(this.within.table.deleteEntity(partitionKey, rowKey));
  }
}
