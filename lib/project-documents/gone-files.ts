import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import type { Library } from '../document-library/library.ts';
import { LibraryError } from '../document-library/library-error.ts';
import type { DocumentRecord, DocumentRecords } from './document-records.ts';
import type { Provisioning } from './provisioning.ts';

/**
 * Decides whether a file is gone after the library has returned 404 for it.
 *
 * 404 alone proves little: the library also returns it for items on which the caller has no permission, for files that
 * another user has checked out and never checked in (sp-dev-docs#1687), and occasionally for items that exist
 * (microsoft-graph-docs#4931). A file counts as gone only if its folder is visible to this caller and does not contain
 * it. Even then it may be hidden from this caller alone, so the record is set aside, not deleted.
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
   * @throws LibraryError `denied` if the folder is not visible to the caller, `busy` if the file exists after all; then
   * nothing has changed
   */
  async setAside(user: User, record: DocumentRecord): Promise<void> {
    await this.#requireGone(user, record);
    await this.#records.setAside(record, new Date(this.#clock.now()));
  }

  async #requireGone(user: User, { document, itemId }: DocumentRecord): Promise<void> {
    const { projectId, folderName } = document;
    const folder = await this.#provisioning.visibleSubfolder(user, projectId, folderName);
    if (!folder) {
      throw new LibraryError('denied', { cause: new Error(`the folder ${folderName} is not visible`) });
    }
    for await (const { id } of this.#library.childrenOf(user, folder.id)) {
      if (id === itemId) {
        throw new LibraryError('busy', { cause: new Error('the library lost and found a file') });
      }
    }
  }
}
