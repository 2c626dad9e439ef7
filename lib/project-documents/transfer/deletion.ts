import { pause } from '../../contract/retry.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { setAsideIfGone } from '../presence/gone-files.ts';
import { documentNotFound } from '../document-records/document-records.ts';
import type { DocumentRecord } from '../document-records/document-row.ts';
import { findRecord, type DocumentParts } from './document-parts.ts';

const maxAttempts = 4;

/**
 * Deletes the file, then its record. A crash between the two leaves a record without a file, which the next download
 * or deletion sets aside. A file that has left the project remains; its record goes (`document_left_project` in the log).
 *
 * @returns whether the file remains
 * @throws ServiceError `document_not_found`; LibraryError `locked`, `denied` …
 */
export async function deleteDocument(
  parts: DocumentParts,
  documentId: string,
): Promise<{ readonly fileRemains: boolean }> {
  const record = await findRecord(parts, documentId);
  let fileRemains = false;
  try {
    fileRemains = !(await deleteFile(parts, record));
    if (fileRemains) {
      if (record.setAsideAt !== undefined) throw documentNotFound(documentId);
      parts.log.info('document_left_project', { documentId, projectId: record.projectId });
    }
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) throw error;
    if (record.setAsideAt !== undefined) throw documentNotFound(documentId);
    await setAsideIfGone(parts, record);
    return { fileRemains };
  }
  await parts.records.remove(documentId);
  return { fileRemains };
}

/** @returns false if the file is not in the record's project; then it remains */
async function deleteFile(
  { library, provisioning }: DocumentParts,
  record: DocumentRecord,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const item = await library.item(record.itemId);
    if ((await provisioning.subfolderOf(record.projectId, item)) === null) return false;
    try {
      // With its tag: a file that is moved in between has another one.
      await library.delete(item.id, item.eTag);
      return true;
    } catch (error) {
      if (!isLibraryError(error, 'changed') || attempt === maxAttempts) throw error;
    }
    await pause(attempt, 200);
  }
}
