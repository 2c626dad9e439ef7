import { randomUUID } from 'node:crypto';
import { odata, type TableClient } from '@azure/data-tables';
import type { Clock } from '../contract/clock.ts';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import type { UploadSession } from '../document-library/library.ts';
import { orNullIfMissing } from '../storage/refusals.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import { partitionOf } from './document-key.ts';
import type { Subfolder } from './subfolders.ts';

/** What an upload is about to do: everything a record needs but what only the library's answer tells. */
export interface UploadIntent {
  readonly projectId: string;
  readonly folderName: Subfolder;
  readonly folderId: string;
  readonly fileName: string;
  readonly conflictBehavior: ConflictBehavior;
  readonly size: number;
  readonly contentType: string;
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Where the upload has an `Idempotency-Key` (upload-keys.ts). */
  readonly keyId?: string;
  readonly before: Before;
}

/** What was under the file's name when the upload began: what it is there now is measured against. */
export interface Before {
  /** By the library's own clock; ISO 8601. */
  readonly at: string;
  /** Null when nothing was there; '' when what was there can't be told from anything else. */
  readonly contentTag: string | null;
}

/** An intent that is written down; `end` takes it away. */
export interface StandingIntent {
  readonly id: string;
  readonly intent: UploadIntent;
  /** When its process was last known to be at work; milliseconds since 1970. */
  readonly aliveAtMs: number;
  /** The session it sends through; null for an empty file. */
  readonly session: StandingSession | null;
  /** The upload goes on in another session. */
  moveTo(session: UploadSession): Promise<void>;
  beat(): Promise<void>;
  end(): Promise<void>;
}

export interface StandingSession {
  /** Null when it can't be read any more. */
  readonly uploadUrl: string | null;
  /** Known when it was written; fragments have moved it on. Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** `intent` is JSON. The URL of the session is as good as the user's rights on the file, so it is sealed. */
interface Row {
  readonly intent: string;
  readonly uploadUrl?: string;
  readonly sessionExpiresAt?: Date;
  readonly aliveAt?: Date;
}

/**
 * Intents of uploads, written before the first byte goes to the library and taken away when record and file agree. One
 * that stays behind is the trace of a crash between the two (upload-repair.ts), and leads to the session that keeps the
 * name from others (open-uploads.ts).
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

  async begin(intent: UploadIntent, session: UploadSession | null): Promise<StandingIntent> {
    const partitionKey = partitionOf(intent.projectId);
    const rowKey = `upload-${randomUUID()}`;
    const row = { intent: JSON.stringify(intent), ...this.#columnsOf(rowKey, session) };
    await this.#table.createEntity({ partitionKey, rowKey, ...row });
    return this.#standing({ partitionKey, rowKey }, row);
  }

  async ofProject(projectId: string): Promise<readonly StandingIntent[]> {
    const partitionKey = partitionOf(projectId);
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${'upload-'} and RowKey lt ${'upload.'}`;
    const standing: StandingIntent[] = [];
    for await (const row of this.#table.listEntities<Row>({ queryOptions: { filter } })) {
      const each = this.#standing({ partitionKey, rowKey: row.rowKey ?? '' }, row);
      if (each.intent.projectId === projectId) standing.push(each);
    }
    return standing;
  }

  #columnsOf(rowKey: string, session: UploadSession | null): Omit<Row, 'intent'> {
    const aliveAt = new Date(this.#clock.now());
    if (!session) return { aliveAt };
    const uploadUrl = this.#sealed.seal(session.uploadUrl, rowKey);
    return { uploadUrl, sessionExpiresAt: new Date(session.expiresAt), aliveAt };
  }

  #sessionOf(rowKey: string, { uploadUrl, sessionExpiresAt }: Row): StandingSession | null {
    if (uploadUrl === undefined || !sessionExpiresAt) return null;
    return { uploadUrl: this.#sealed.open(uploadUrl, rowKey), expiresAtMs: sessionExpiresAt.getTime() };
  }

  #standing(key: { partitionKey: string; rowKey: string }, row: Row): StandingIntent {
    const { rowKey } = key;
    return {
      id: rowKey,
      intent: JSON.parse(row.intent) as UploadIntent,
      aliveAtMs: row.aliveAt?.getTime() ?? 0,
      session: this.#sessionOf(rowKey, row),
      moveTo: async (session) => {
        await this.#table.updateEntity({ ...key, ...this.#columnsOf(rowKey, session) }, 'Merge');
      },
      beat: async () => {
        await this.#table.updateEntity({ ...key, aliveAt: new Date(this.#clock.now()) }, 'Merge');
      },
      end: async () => {
        await orNullIfMissing(this.#table.deleteEntity(key.partitionKey, rowKey));
      },
    };
  }
}
