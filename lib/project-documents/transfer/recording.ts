import type { FinishedUpload } from '../../uploads/send-fragments.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { OutcomeUnknown } from '../../uploads/send-file.ts';
import { orLater } from '../../base/or-later.ts';
import type { Displaced } from '../records/document-records.ts';
import type { UploadedDocument } from '../records/document.ts';
import { setAsideIfGone } from '../presence/gone-files.ts';
import type { DocumentParts } from './document-parts.ts';
import { recordFieldsOf, type UploadIntent } from '../intents/upload-intent.ts';

/**
 * Writes the record of a file that has just been finished, or deletes the file.
 *
 * @throws OutcomeUnknown when the record cannot be written and the file remains; otherwise the error of the storage
 */
export async function recordFile(
  parts: DocumentParts,
  intent: UploadIntent,
  { item, isNew }: FinishedUpload,
): Promise<UploadedDocument> {
  try {
    const {
      document,
      isNew: hadNoRecord,
      displaced,
    } = await parts.records.save({
      ...recordFieldsOf(intent, item),
      size: intent.size,
      uploadedAt: new Date(parts.clock.now()).toISOString(),
    });
    if (displaced) await removeIfGone(parts, displaced);
    const isUnrecorded =
      hadNoRecord &&
      intent.conflictBehavior === 'replace' &&
      intent.before.contentTag !== null &&
      !(await wasSetAside(parts, document.id));
    return isUnrecorded ? { ...document, replacedUnrecorded: true } : document;
  } catch (cause) {
    // A file that replaced an older one remains, and so does the intent: the repair writes the record later.
    if (isNew && (await undone(parts, item))) throw cause;
    throw new OutcomeUnknown('', { cause });
  }
}

/** Another caller's request may have set aside the record that this upload has just rewritten. */
async function wasSetAside(parts: DocumentParts, documentId: string): Promise<boolean> {
  const wasSetAside = await orLater(parts.log, 'end of a record that was set aside', async () => {
    const setAside = await parts.setAside.find(documentId);
    await setAside?.end();
    return setAside !== null;
  });
  return wasSetAside ?? false;
}

/** Deletes the file only if its content is unchanged: other content would be deleted with it. */
async function undone(parts: DocumentParts, { id, eTag }: FinishedUpload['item']): Promise<boolean> {
  if (eTag === undefined) return false;
  try {
    await parts.library.delete(id, eTag);
    return true;
  } catch (error) {
    if (isLibraryError(error, 'notFound')) return true;
    parts.log.error('unrecorded_file_not_deleted', {}, error);
    return false;
  }
}

/** If the file that had this name before was only renamed or moved in the library, its record is still valid. */
async function removeIfGone(parts: DocumentParts, { documentId, itemId }: Displaced): Promise<void> {
  try {
    await parts.library.item(itemId);
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) return;
    await orLater(parts.log, 'removal of a record without a file', async () => {
      const record = await parts.records.find(documentId);
      if (record) await setAsideIfGone(parts, record);
    });
  }
}
