import type { User } from '../../callers/caller.ts';
import type { Library } from '../../document-library/library.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { documentNotFound, type DocumentRecords } from '../records/document-records.ts';
import type { GoneFiles } from '../presence/gone-files.ts';
import type { SetAsideRecords } from '../records/set-aside-records.ts';

/** Deletes files and their records. */
export class Deletion {
  readonly #library: Library;
  readonly #records: DocumentRecords;
  readonly #setAside: SetAsideRecords;
  readonly #goneFiles: GoneFiles;

  constructor(library: Library, records: DocumentRecords, setAside: SetAsideRecords, goneFiles: GoneFiles) {
    this.#library = library;
    this.#records = records;
    this.#setAside = setAside;
    this.#goneFiles = goneFiles;
  }

  /**
   * Deletes the file, then its record. A crash between the two leaves a record without a file, which the next download
   * or deletion sets aside.
   *
   * @throws ServiceError `document_not_found`; LibraryError `locked`, `denied` …
   */
  async delete(user: User, documentId: string): Promise<void> {
    const record = await this.#records.find(documentId);
    if (!record) return this.#deleteSetAside(user, documentId);
    try {
      await this.#library.delete(user, record.itemId);
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) throw error;
      return this.#goneFiles.setAside(user, record);
    }
    await this.#records.remove(documentId);
  }

  /** The file of a record that another caller's request has set aside may be visible to this caller. */
  async #deleteSetAside(user: User, documentId: string): Promise<void> {
    const setAside = await this.#setAside.find(documentId);
    if (!setAside) throw documentNotFound(documentId);
    try {
      await this.#library.delete(user, setAside.record.itemId);
    } catch (error) {
      if (isLibraryError(error, 'notFound')) throw documentNotFound(documentId);
      throw error;
    }
    await setAside.end();
  }
}
