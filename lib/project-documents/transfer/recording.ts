import type { User } from '../../callers/caller.ts';
import type { FinishedUpload } from '../../uploads/send-fragments.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { OutcomeUnknown } from '../../uploads/send-file.ts';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import type { Displaced } from '../records/document-records.ts';
import type { UploadedDocument } from '../records/document.ts';
import type { DocumentParts } from './document-parts.ts';
import { recordFieldsOf, type UploadIntent } from '../intents/upload-intent.ts';

/** Writes the record of a file that has just been finished, or deletes the file. */
export class Recording {
  readonly #parts: DocumentParts;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /** @throws OutcomeUnknown when the record cannot be written and the file remains; otherwise the error of the storage */
  async record(
    user: User,
    intent: UploadIntent,
    { item, isNew }: FinishedUpload,
    log: EventLog,
  ): Promise<UploadedDocument> {
    try {
      const {
        document,
        isNew: hadNoRecord,
        displaced,
      } = await this.#parts.records.save({
        ...recordFieldsOf(intent, item),
        size: intent.size,
        uploadedAt: new Date(this.#parts.clock.now()).toISOString(),
      });
      if (displaced) await this.#removeIfGone(user, displaced, log);
      const isUnrecorded =
        hadNoRecord &&
        intent.conflictBehavior === 'replace' &&
        intent.before.contentTag !== null &&
        !(await this.#wasSetAside(document.id, log));
      return isUnrecorded ? { ...document, replacedUnrecorded: true } : document;
    } catch (cause) {
      // A file that replaced an older one remains, and so does the intent: the repair writes the record later.
      if (isNew && (await this.#undone(user, item, log))) throw cause;
      throw new OutcomeUnknown('', { cause });
    }
  }

  /** Another caller's request may have set aside the record that this upload has just rewritten. */
  async #wasSetAside(documentId: string, log: EventLog): Promise<boolean> {
    const wasSetAside = await orLater(log, 'end of a record that was set aside', async () => {
      const setAside = await this.#parts.setAside.find(documentId);
      await setAside?.end();
      return setAside !== null;
    });
    return wasSetAside ?? false;
  }

  /** Deletes the file only if its content is unchanged: other content would be deleted with it. */
  async #undone(user: User, { id, eTag }: FinishedUpload['item'], log: EventLog): Promise<boolean> {
    if (eTag === undefined) return false;
    try {
      await this.#parts.library.delete(user, id, eTag);
      return true;
    } catch (error) {
      if (isLibraryError(error, 'notFound')) return true;
      log.error('unrecorded_file_not_deleted', {}, error);
      return false;
    }
  }

  /** If the file that had this name before was only renamed or moved in the library, its record is still valid. */
  async #removeIfGone(user: User, { documentId, itemId }: Displaced, log: EventLog): Promise<void> {
    try {
      await this.#parts.library.item(user, itemId);
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) return;
      await orLater(log, 'removal of a record without a file', async () => {
        const record = await this.#parts.records.find(documentId);
        if (record) await this.#parts.goneFiles.setAside(user, record);
      });
    }
  }
}
