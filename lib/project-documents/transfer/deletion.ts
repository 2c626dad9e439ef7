import type { User } from '../../callers/caller.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { documentNotFound } from '../records/document-records.ts';
import type { DocumentParts } from './document-parts.ts';

/** Deletes files and their records. */
export class Deletion {
  readonly #parts: DocumentParts;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /**
   * Deletes the file, then its record. A crash between the two leaves a record without a file, which the next download
   * or deletion sets aside.
   *
   * @throws ServiceError `document_not_found`; LibraryError `locked`, `denied` …
   */
  async delete(user: User, documentId: string): Promise<void> {
    const record = await this.#parts.records.find(documentId);
    if (!record) return this.#deleteSetAside(user, documentId);
    try {
      await this.#parts.library.delete(user, record.itemId);
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) throw error;
      return this.#parts.goneFiles.setAside(user, record);
    }
    await this.#parts.records.remove(documentId);
  }

  /** The file of a record that another caller's request has set aside may be visible to this caller. */
  async #deleteSetAside(user: User, documentId: string): Promise<void> {
    const setAside = await this.#parts.setAside.find(documentId);
    if (!setAside) throw documentNotFound(documentId);
    try {
      await this.#parts.library.delete(user, setAside.record.itemId);
    } catch (error) {
      if (isLibraryError(error, 'notFound')) throw documentNotFound(documentId);
      throw error;
    }
    await setAside.end();
  }
}
