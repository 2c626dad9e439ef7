import { systemClock, type Clock } from '../../contract/clock.ts';
import type { User } from '../../callers/caller.ts';
import type { Library } from '../../document-library/library.ts';
import type { DocumentRecord, DocumentRecords } from '../records/document-records.ts';
import { mayBeHidden, requireGone } from '../folders/folder-view.ts';
import type { Provisioning } from '../folders/provisioning.ts';

/**
 * Decides whether a file is gone after the library has returned 404 for it.
 *
 * 404 alone proves little: the library also returns it for items on which the caller has no permission, for files that
 * another user has checked out and never checked in (sp-dev-docs#1687), and occasionally for items that exist
 * (microsoft-graph-docs#4931). A file counts as gone only if its folder hides nothing from this caller and does not contain
 * it (folder-view.ts). A library that trims the number of children may still hide it from this caller alone, so the record
 * is set aside, not deleted.
 */
export class GoneFiles {
  readonly #library: Library;
  readonly #provisioning: Provisioning;
  readonly #records: DocumentRecords;
  readonly #clock: Clock;

  constructor(
    library: Library,
    provisioning: Provisioning,
    records: DocumentRecords,
    clock: Clock = systemClock,
  ) {
    this.#library = library;
    this.#provisioning = provisioning;
    this.#records = records;
    this.#clock = clock;
  }

  /**
   * Sets aside the record of a file that is gone.
   *
   * @throws LibraryError `denied` if the file may be hidden from the caller, `busy` if it exists after all; then nothing
   * has changed
   */
  async setAside(user: User, record: DocumentRecord): Promise<void> {
    const { projectId, folderName } = record.document;
    const folderId = await this.#provisioning.visibleSubfolder(user, projectId, folderName);
    if (folderId === null) throw mayBeHidden();
    await requireGone(this.#library, user, folderId, record.itemId);
    await this.#records.setAside(record, new Date(this.#clock.now()));
  }
}
