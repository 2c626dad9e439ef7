import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import type { Library } from '../document-library/library.ts';
import { LibraryError } from '../document-library/library-error.ts';
import type { DocumentRecord, DocumentRecords } from './document-records.ts';
import type { Provisioning } from './provisioning.ts';

/**
 * Decides, after the library answered 404 for a file, whether it is gone.
 *
 * 404 alone says little: the library also answers it for what this caller has no rights on, for files that another user
 * has checked out and never checked in (sp-dev-docs#1687), and now and then for what it has (microsoft-graph-docs#4931).
 * A file counts as gone only when this caller sees the folder that it belongs to and it is not in there. Even then it
 * may be hidden from this caller alone, so the record is set aside, not deleted.
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
   * Sets the record of a file that is gone aside.
   *
   * @throws LibraryError `denied` where the caller does not see the folder, `busy` when the file is there after all;
   * nothing has changed then
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
