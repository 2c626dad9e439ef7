import { isLibraryError } from '../../document-library/library-error.ts';
import { setAsideIfGone } from '../presence/gone-files.ts';
import { documentNotFound } from '../records/document-records.ts';
import { findRecord, type DocumentParts } from './document-parts.ts';

/**
 * Deletes the file, then its record. A crash between the two leaves a record without a file, which the next download
 * or deletion sets aside.
 *
 * @throws ServiceError `document_not_found`; LibraryError `locked`, `denied` …
 */
export async function deleteDocument(parts: DocumentParts, documentId: string): Promise<void> {
  const record = await findRecord(parts, documentId);
  try {
    await parts.library.delete(record.itemId);
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) throw error;
    if (record.setAsideAt !== undefined) throw documentNotFound(documentId);
    return setAsideIfGone(parts, record);
  }
  await parts.records.remove(documentId);
}
