import type { User } from '../callers/caller.ts';
import type { Library } from '../document-library/library.ts';
import { isRefusal } from '../document-library/library-error.ts';
import type { DocumentRecords } from './document-records.ts';
import { requireGone } from './gone-files.ts';

/**
 * Deletes the file, then its record. A crash between the two leaves a record without a file, which the next download
 * or deletion removes.
 *
 * @throws ServiceError `document_not_found`; LibraryError `locked`, `denied` …
 */
export async function deleteDocument(
  library: Library,
  records: DocumentRecords,
  user: User,
  documentId: string,
): Promise<void> {
  const { itemId } = await records.get(documentId);
  try {
    await library.delete(user, itemId);
  } catch (error) {
    if (!isRefusal(error, 'notFound')) throw error;
    await requireGone(library, user, itemId);
  }
  await records.remove(documentId);
}
