import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import type { EventLog } from '../base/event-log.ts';
import type { DocumentRecords } from './document-records.ts';
import type { ProjectDocument } from './document.ts';
import type { FinishedFile, FinishedFiles } from './finished-files.ts';
import { uploadIsOverMs } from './upload-evidence.ts';
import type { StandingIntent, UploadIntent, UploadIntents } from './upload-intents.ts';
import type { FirstUpload, UploadKeys } from './upload-keys.ts';

// The token inside an upload URL ends after 24 hours: from then on nothing can be finished any more.
const lastChanceMs = 25 * 60 * 60_000;

/**
 * Gives files their record where a crash came between the library's last answer and the record's transaction. Runs
 * with the rights of whoever provisions or uploads next in the project: nobody else's token is at hand. Two repairs
 * at once write the same record. An upload that may still be running is left alone.
 */
export class UploadRepair {
  readonly #files: FinishedFiles;
  readonly #records: DocumentRecords;
  readonly #intents: UploadIntents;
  readonly #keys: UploadKeys;
  readonly #clock: Clock;

  constructor(
    files: FinishedFiles,
    records: DocumentRecords,
    intents: UploadIntents,
    keys: UploadKeys,
    clock: Clock = systemClock,
  ) {
    this.#files = files;
    this.#records = records;
    this.#intents = intents;
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Never throws: it is nothing the caller asked for. */
  async run(user: User, projectId: string, log: EventLog): Promise<void> {
    try {
      for (const standing of await this.#intents.ofProject(projectId)) {
        if (this.#ageMs(standing) > uploadIsOverMs) await this.#settle(user, standing, log);
      }
    } catch (error) {
      log.warn('uploads_not_repaired', { reason: error instanceof Error ? error.name : 'unknown' });
    }
  }

  /** For the caller of an upload whose process has died: its document, if its file is there beyond doubt. */
  async settleCertain(user: User, standing: StandingIntent, log: EventLog): Promise<FirstUpload | null> {
    const item = await this.#files.certain(user, standing);
    if (!item) return null;
    const first = await this.#adopt(standing.intent, { item, evidence: 'sure' }, log);
    await standing.end();
    return first;
  }

  #ageMs({ intent }: StandingIntent): number {
    return this.#clock.now() - Date.parse(intent.startedAt);
  }

  async #settle(user: User, standing: StandingIntent, log: EventLog): Promise<void> {
    const isRunning = (other: StandingIntent) => this.#ageMs(other) <= uploadIsOverMs;
    const file = await this.#files.left(user, standing.intent, isRunning);
    if (file) {
      await this.#adopt(standing.intent, file, log);
      await standing.end();
    } else if (this.#ageMs(standing) > lastChanceMs) {
      await standing.end();
    }
  }

  async #adopt(intent: UploadIntent, file: FinishedFile, log: EventLog): Promise<FirstUpload> {
    const { projectId, conflictBehavior, size, keyId } = intent;
    const record = await this.#records.findByItem(projectId, file.item.id);
    const isWritten = record !== null && record.document.uploadedAt >= intent.startedAt;
    const document = isWritten ? record.document : await this.#write(intent, file);
    const first = { document, conflictBehavior, size };
    if (keyId !== undefined) await this.#keys.complete(keyId, first);
    if (!isWritten) log.warn('upload_repaired', { documentId: document.id, projectId });
    return first;
  }

  async #write(intent: UploadIntent, { item, evidence }: FinishedFile): Promise<ProjectDocument> {
    const {
      folderId: _folderId,
      conflictBehavior: _behavior,
      before: _before,
      startedAt,
      ...fields
    } = intent;
    const librarySize = item.size ?? intent.size;
    const { document } = await this.#records.save({
      ...fields,
      size: evidence === 'sure' ? intent.size : librarySize,
      fileName: item.name.normalize('NFC'),
      itemId: item.id,
      librarySize,
      webUrl: item.webUrl ?? '',
      uploadedAt: item.lastModifiedDateTime ? new Date(item.lastModifiedDateTime).toISOString() : startedAt,
    });
    return document;
  }
}
