import type { User } from '../../callers/caller.ts';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import type { ProjectDocument } from '../records/document.ts';
import { msUntilDead } from './heartbeat.ts';
import type { FinishedFile, FinishedFiles } from './finished-files.ts';
import type { IntentParts } from './intent-parts.ts';
import { lifeOf } from './session-life.ts';
import { lastChanceMs, mayStillFinish, uploadIsOverMs } from './upload-evidence.ts';
import { DirectIntent } from './direct-intent.ts';
import type { PendingIntent } from './pending-intent.ts';
import { recordFieldsOf, type UploadIntent } from './upload-intent.ts';
import type { FirstUpload } from './upload-keys.ts';

/**
 * Writes the records of files after a crash between the library's last response and the record's transaction. Runs with
 * the permissions of the next caller that provisions or uploads in the project, because no other token is available.
 * Concurrent repairs write the same record. Uploads that may still be running are skipped.
 */
export class UploadRepair {
  readonly #parts: IntentParts;
  readonly #files: FinishedFiles;

  constructor(parts: IntentParts, files: FinishedFiles) {
    this.#parts = parts;
    this.#files = files;
  }

  /** Never throws: the caller did not request the repair. */
  run(user: User, projectId: string, log: EventLog): Promise<void> {
    return orLater(log, 'repair of uploads', async () => {
      for (const pending of await this.#parts.intents.ofProject(projectId)) {
        if (pending instanceof DirectIntent) await this.#settleDirect(user, pending, log);
        else if (!this.#mayStillFinish(pending)) await this.#settle(user, pending, log);
      }
    });
  }

  /** The document of an upload whose process has died, if its file certainly exists. */
  async settleCertain(user: User, pending: PendingIntent, log: EventLog): Promise<FirstUpload | null> {
    const item = await this.#files.certain(user, pending);
    if (!item) return null;
    const first = await this.#adopt(pending.intent, { item, evidence: 'sure' }, log);
    await pending.end();
    return first;
  }

  /**
   * Writes the record of a direct upload's file, or removes the intent of a direct upload that ended without a file. Skips
   * uploads whose session is open, or that another request is completing.
   */
  async #settleDirect(user: User, pending: DirectIntent, log: EventLog): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const { session, intent, aliveAtMs, isCommitting } = pending;
    if (session && session.expiresAtMs > nowMs && !isCommitting) return;
    if (isCommitting && msUntilDead(aliveAtMs, nowMs) > 0) return;
    const life = await lifeOf(session);
    if (life.state === 'unknown' && mayStillFinish(intent, nowMs)) return;
    if (life.state === 'open') {
      // Fragments have extended the session; it need not be checked before its new end.
      const { expiresAtMs } = life;
      if (expiresAtMs !== undefined && session) await pending.expiresLater(new Date(expiresAtMs));
      return;
    }
    await this.settleOver(user, pending, log);
  }

  /** Settles a direct upload whose session is over. */
  async settleOver(user: User, pending: DirectIntent, log: EventLog): Promise<void> {
    const { intent, aliveAtMs, isCommitting } = pending;
    const file = await this.#left(user, pending);
    if (!file) {
      // A file that was just created may not be visible yet.
      const isFresh = isCommitting && this.#parts.clock.now() - aliveAtMs <= uploadIsOverMs;
      if (!isFresh) await pending.endIfUnchanged();
      return;
    }
    const { document } = await this.#adopt(intent, file, log);
    await pending.complete({ documentId: document.id, replacedUnrecorded: false });
  }

  #mayStillFinish({ intent }: PendingIntent): boolean {
    return mayStillFinish(intent, this.#parts.clock.now());
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
    } else if (this.#parts.clock.now() - Date.parse(pending.intent.startedAt) > lastChanceMs) {
      await pending.end();
    }
  }

  async #adopt(intent: UploadIntent, file: FinishedFile, log: EventLog): Promise<FirstUpload> {
    const { projectId, conflictBehavior, size, keyId } = intent;
    const record = await this.#parts.records.findByItem(projectId, file.item.id);
    const isWritten = record !== null && record.document.uploadedAt >= intent.startedAt;
    const document = isWritten ? record.document : await this.#write(intent, file);
    const first = { document, conflictBehavior, size };
    if (keyId !== undefined) await this.#parts.keys.complete(keyId, first);
    if (!isWritten) log.warn('upload_repaired', { documentId: document.id, projectId });
    return first;
  }

  async #write(intent: UploadIntent, { item, evidence }: FinishedFile): Promise<ProjectDocument> {
    const fields = recordFieldsOf(intent, item);
    const { document } = await this.#parts.records.save({
      ...fields,
      size: evidence === 'sure' ? intent.size : fields.librarySize,
      uploadedAt: new Date(item.lastModifiedDateTime ?? intent.startedAt).toISOString(),
    });
    return document;
  }
}
