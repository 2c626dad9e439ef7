import { randomUUID } from 'node:crypto';
import { odata, type TableClient } from '@azure/data-tables';
import type { Clock } from '../contract/clock.ts';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import type { DriveItem } from '../document-library/drive-item.ts';
import type { UploadSession } from '../document-library/library.ts';
import { orNullIfMissing, rejectedWith } from '../storage/rejections.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import { partitionOf } from './document-key.ts';
import type { NewRecord } from './document-row.ts';
import type { Subfolder } from './subfolders.ts';

/** What an upload is about to do: all data of its record, except the data that only the library's response contains. */
export interface UploadIntent {
  readonly projectId: string;
  readonly folderName: Subfolder;
  readonly folderId: string;
  readonly fileName: string;
  readonly conflictBehavior: ConflictBehavior;
  readonly size: number;
  /** Null if the library determines it from the name. */
  readonly contentType: string | null;
  /** Set if the caller's own program sends the bytes (direct-uploads.ts), so no process of the service is involved. */
  readonly directUploadId?: string;
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Set if the upload has an `Idempotency-Key` (upload-keys.ts). */
  readonly keyId?: string;
  readonly before: Before;
}

/** What existed under the file's name when the upload began, to be compared with what exists later. */
export interface Before {
  /** The time by the library's own clock; ISO 8601. */
  readonly at: string;
  /** Null if nothing existed; '' if what existed has no tag. */
  readonly contentTag: string | null;
}

/** The fields of a file's record that follow from the intent of its upload and from the library. */
export function recordFieldsOf(
  intent: UploadIntent,
  item: DriveItem,
): Omit<NewRecord, 'size' | 'uploadedAt'> {
  const { keyId, directUploadId } = intent;
  return {
    projectId: intent.projectId,
    folderName: intent.folderName,
    uploadedByUserId: intent.uploadedByUserId,
    uploadedByName: intent.uploadedByName,
    contentType: intent.contentType ?? item.file?.mimeType ?? 'application/octet-stream',
    // The name in the library: a number may have been added.
    fileName: item.name.normalize('NFC'),
    itemId: item.id,
    librarySize: item.size ?? intent.size,
    webUrl: item.webUrl ?? '',
    ...(keyId !== undefined && { keyId }),
    ...(directUploadId !== undefined && { directUploadId }),
  };
}

export interface UploadOutcome {
  readonly documentId: string;
  readonly replacedUnrecorded: boolean;
}

/** A direct upload whose file has its record. Kept for a day, for a caller who did not get the response. */
export interface CompletedUpload extends UploadOutcome {
  readonly uploadedByUserId: string;
  /** Milliseconds since 1970. */
  readonly keptUntilMs: number;
  /** Removes it. @returns false if another request has removed or written it since it was read */
  endIfUnchanged(): Promise<boolean>;
}

/** An intent in the table; `end` removes it. */
export interface PendingIntent {
  readonly id: string;
  readonly intent: UploadIntent;
  /** The last heartbeat of its process; milliseconds since 1970. */
  readonly aliveAtMs: number;
  /** The session of the upload; null for an empty file. */
  readonly session: PendingSession | null;
  /** The upload continues in another session. */
  moveTo(session: UploadSession): Promise<void>;
  beat(): Promise<void>;
  end(): Promise<void>;
  /** Fragments that did not pass through the service have extended the session. */
  expiresLater(at: Date): Promise<void>;
  /** Whether a request has started to create the file of a direct upload; its process sends heartbeats with `beat`. */
  readonly isCommitting: boolean;
  /**
   * Claims the creation of the file. @returns null if another request has written the intent since it was read
   *
   * @param before what exists under the name now, if this is the first claim
   */
  claim(before: Before | undefined): Promise<PendingIntent | null>;
  /** Lets the next request proceed without waiting for the heartbeat to expire. */
  release(): Promise<void>;
  /** @returns false if another request has completed or removed it */
  complete(outcome: UploadOutcome): Promise<boolean>;
  /** Removes it. @returns false if another request has removed or written it since it was read */
  endIfUnchanged(): Promise<boolean>;
}

export interface PendingSession {
  /** Null if it can no longer be decrypted. */
  readonly uploadUrl: string | null;
  /** The expiry as of the last write; fragments extend it. Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** `intent` is JSON. The URL of the session grants the user's rights on the file, so it is encrypted. */
interface Row {
  readonly intent: string;
  readonly uploadUrl?: string;
  readonly sessionExpiresAt?: Date;
  readonly aliveAt?: Date;
  readonly isCommitting?: boolean;
  readonly completedAt?: Date;
  readonly documentId?: string;
  readonly replacedUnrecorded?: boolean;
}

const rowKeyPrefix = 'upload-';
const keptCompletedMs = 24 * 60 * 60_000;
const maxTries = 5;

/**
 * Intents of uploads, written before the first byte is sent to the library and removed when file and record agree. A
 * remaining intent is the evidence of a crash between the two (upload-repair.ts), and leads to the session that holds
 * the name (open-uploads.ts).
 */
export class UploadIntents {
  readonly #table: TableClient;
  readonly #sealed: SealedText;
  readonly #clock: Clock;

  constructor(table: TableClient, sealed: SealedText, clock: Clock) {
    this.#table = table;
    this.#sealed = sealed;
    this.#clock = clock;
  }

  async begin(intent: UploadIntent, session: UploadSession | null): Promise<PendingIntent> {
    const partitionKey = partitionOf(intent.projectId);
    const rowKey = rowKeyPrefix + (intent.directUploadId ?? randomUUID());
    const row = { intent: JSON.stringify(intent), ...this.#columnsOf(rowKey, session) };
    const { etag = '' } = await this.#table.createEntity({ partitionKey, rowKey, ...row });
    return this.#pending({ partitionKey, rowKey }, { ...row, etag });
  }

  async findDirect(projectId: string, uploadId: string): Promise<PendingIntent | CompletedUpload | null> {
    const key = { partitionKey: partitionOf(projectId), rowKey: rowKeyPrefix + uploadId };
    const row = await orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, key.rowKey));
    if (!row) return null;
    const pending = this.#pending(key, row);
    const { intent } = pending;
    if (intent.projectId !== projectId || intent.directUploadId !== uploadId) return null;
    if (row.documentId === undefined) return pending;
    return {
      uploadedByUserId: intent.uploadedByUserId,
      documentId: row.documentId,
      replacedUnrecorded: row.replacedUnrecorded ?? false,
      keptUntilMs: keptUntilMs(row),
      endIfUnchanged: () => pending.endIfUnchanged(),
    };
  }

  /** The pending intents of a project. */
  async ofProject(projectId: string): Promise<readonly PendingIntent[]> {
    const partitionKey = partitionOf(projectId);
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${'upload-'} and RowKey lt ${'upload.'}`;
    const pending: PendingIntent[] = [];
    for await (const row of this.#table.listEntities<Row>({ queryOptions: { filter } })) {
      const each = this.#pending({ partitionKey, rowKey: row.rowKey ?? '' }, row);
      if (each.intent.projectId !== projectId) continue;
      if (!row.completedAt) pending.push(each);
      else if (this.#clock.now() > keptUntilMs(row)) await each.end();
    }
    return pending;
  }

  #columnsOf(rowKey: string, session: UploadSession | null): Omit<Row, 'intent'> {
    const aliveAt = new Date(this.#clock.now());
    if (!session) return { aliveAt };
    const uploadUrl = this.#sealed.seal(session.uploadUrl, rowKey);
    return { uploadUrl, sessionExpiresAt: new Date(session.expiresAt), aliveAt };
  }

  #sessionOf(rowKey: string, { uploadUrl, sessionExpiresAt }: Row): PendingSession | null {
    if (uploadUrl === undefined || !sessionExpiresAt) return null;
    return { uploadUrl: this.#sealed.open(uploadUrl, rowKey), expiresAtMs: sessionExpiresAt.getTime() };
  }

  #pending(
    key: { partitionKey: string; rowKey: string },
    row: Row & { readonly etag: string },
  ): PendingIntent {
    const { partitionKey, rowKey } = key;
    const { etag } = row;
    const intent = JSON.parse(row.intent) as UploadIntent;
    return {
      id: rowKey,
      intent,
      isCommitting: row.isCommitting ?? false,
      aliveAtMs: row.aliveAt?.getTime() ?? 0,
      session: this.#sessionOf(rowKey, row),
      moveTo: async (session) => {
        await this.#table.updateEntity({ ...key, ...this.#columnsOf(rowKey, session) }, 'Merge');
      },
      expiresLater: async (sessionExpiresAt) => {
        await unlessWritten(this.#table.updateEntity({ ...key, sessionExpiresAt }, 'Merge', { etag }));
      },
      beat: async () => {
        await this.#table.updateEntity({ ...key, aliveAt: new Date(this.#clock.now()) }, 'Merge');
      },
      end: async () => {
        await orNullIfMissing(this.#table.deleteEntity(partitionKey, rowKey));
      },
      claim: async (before) => {
        const claimed = {
          intent: JSON.stringify(before ? { ...intent, before } : intent),
          isCommitting: true,
          aliveAt: new Date(this.#clock.now()),
        };
        const written = await unlessWritten(
          this.#table.updateEntity({ ...key, ...claimed }, 'Merge', { etag }),
        );
        return written && this.#pending(key, { ...row, ...claimed, etag: written.etag ?? '' });
      },
      release: async () => {
        await this.#table.updateEntity({ ...key, aliveAt: new Date(0) }, 'Merge');
      },
      complete: (outcome) => this.#complete(key, outcome),
      endIfUnchanged: async () => {
        const deleted = await unlessWritten(this.#table.deleteEntity(partitionKey, rowKey, { etag }));
        return deleted !== null;
      },
    };
  }

  async #complete(key: { partitionKey: string; rowKey: string }, outcome: UploadOutcome): Promise<boolean> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const row = await orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, key.rowKey));
      if (!row || row.documentId !== undefined) return false;
      // Without the session: its URL is no longer needed.
      const completed = { ...key, intent: row.intent, completedAt: new Date(this.#clock.now()), ...outcome };
      if (await unlessWritten(this.#table.updateEntity(completed, 'Replace', { etag: row.etag })))
        return true;
    }
    throw new Error('the intent of an upload keeps changing');
  }
}

const keptUntilMs = ({ completedAt }: Pick<Row, 'completedAt'>): number =>
  (completedAt?.getTime() ?? 0) + keptCompletedMs;

/** Null if the entity was removed or written since it was read. */
async function unlessWritten<T>(write: Promise<T>): Promise<T | null> {
  try {
    return await write;
  } catch (error) {
    const status = rejectedWith(error);
    if (status === 404 || status === 412) return null;
    throw error;
  }
}
