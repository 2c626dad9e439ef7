import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import type { EventLog } from '../base/event-log.ts';
import type { DocumentRecords } from './document-records.ts';
import type { ProjectDocument } from './document.ts';
import { msUntilDead } from './heartbeat.ts';
import type { FinishedFile, FinishedFiles } from './finished-files.ts';
import { lifeOf } from './session-life.ts';
import { lastChanceMs, mayStillFinish, uploadIsOverMs } from './upload-evidence.ts';
import {
  recordFieldsOf,
  type PendingIntent,
  type UploadIntent,
  type UploadIntents,
} from './upload-intents.ts';
import type { FirstUpload, UploadKeys } from './upload-keys.ts';

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
      for (const pending of await this.#intents.ofProject(projectId)) {
        if (pending.intent.directUploadId) await this.#settleDirect(user, pending, log);
        else if (!this.#mayStillFinish(pending)) await this.#settle(user, pending, log);
      }
    } catch (error) {
      log.warn('uploads_not_repaired', { reason: error instanceof Error ? error.name : 'unknown' });
    }
  }

  /** For the caller of an upload whose process has died: its document, if its file is there beyond doubt. */
  async settleCertain(user: User, pending: PendingIntent, log: EventLog): Promise<FirstUpload | null> {
    const item = await this.#files.certain(user, pending);
    if (!item) return null;
    const first = await this.#adopt(pending.intent, { item, evidence: 'sure' }, log);
    await pending.end();
    return first;
  }

  /**
   * Gives the file of a direct upload its record, or takes the traces of one away that ended without a file. One whose
   * session is open, or that somebody is completing, is left alone.
   */
  async #settleDirect(user: User, pending: PendingIntent, log: EventLog): Promise<void> {
    const nowMs = this.#clock.now();
    const { session, intent, aliveAtMs, isCommitting } = pending;
    if (session && session.expiresAtMs > nowMs && !isCommitting) return;
    if (isCommitting && msUntilDead(aliveAtMs, nowMs) > 0) return;
    const life = await lifeOf(session);
    if (life.state === 'unknown' && mayStillFinish(intent, nowMs)) return;
    if (life.state === 'open') {
      // Fragments have moved its end on; until then nobody has to ask again.
      const { expiresAtMs } = life;
      if (expiresAtMs !== undefined && session) await pending.expiresLater(new Date(expiresAtMs));
      return;
    }
    await this.settleOver(user, pending, log);
  }

  /** The same for one whose session is over. */
  async settleOver(user: User, pending: PendingIntent, log: EventLog): Promise<void> {
    const { intent, aliveAtMs, isCommitting } = pending;
    const file = await this.#left(user, pending);
    if (!file) {
      // What was being made may take the library a while to show.
      const isFresh = isCommitting && this.#clock.now() - aliveAtMs <= uploadIsOverMs;
      if (!isFresh) await pending.endIfUntouched();
      return;
    }
    const { document } = await this.#adopt(intent, file, log);
    await pending.complete({ documentId: document.id, replacedUnrecorded: false });
  }

  #mayStillFinish({ intent }: PendingIntent): boolean {
    return mayStillFinish(intent, this.#clock.now());
  }

  #left(user: User, { id, intent }: PendingIntent): Promise<FinishedFile | null> {
    const isRunning = (other: PendingIntent) => other.id !== id && this.#mayStillFinish(other);
    return this.#files.left(user, intent, isRunning);
  }

  async #settle(user: User, pending: PendingIntent, log: EventLog): Promise<void> {
    const file = await this.#left(user, pending);
    if (file) {
      await this.#adopt(pending.intent, file, log);
      await pending.end();
    } else if (this.#clock.now() - Date.parse(pending.intent.startedAt) > lastChanceMs) {
      await pending.end();
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
    const fields = recordFieldsOf(intent, item);
    const { document } = await this.#records.save({
      ...fields,
      size: evidence === 'sure' ? intent.size : fields.librarySize,
      uploadedAt: new Date(item.lastModifiedDateTime ?? intent.startedAt).toISOString(),
    });
    return document;
  }
}
