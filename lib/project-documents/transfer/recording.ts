import type { FinishedUpload } from '../../uploads/send-fragments.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { OutcomeUnknown } from '../../uploads/send-file.ts';
import { orLater } from '../../base/or-later.ts';
import type { ProjectDocument, UploadedDocument } from '../records/document.ts';
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
    const { document, isNew: hadNoRecord } = await parts.records.save({
      ...recordFieldsOf(intent, item),
      size: intent.size,
      uploadedAt: new Date(parts.clock.now()).toISOString(),
    });
    if (hadNoRecord) await setGoneNamesakesAside(parts, document);
    const isUnrecorded =
      hadNoRecord && intent.conflictBehavior === 'replace' && intent.before.contentTag !== null;
    return isUnrecorded ? { ...document, replacedUnrecorded: true } : document;
  } catch (cause) {
    // A file that replaced an older one remains, and so does the intent: the repair writes the record later.
    if (isNew && (await undone(parts, item))) throw cause;
    throw new OutcomeUnknown('', { cause });
  }
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

/** If a file that had this name before was only renamed or moved in the library, its record is still valid. */
async function setGoneNamesakesAside(parts: DocumentParts, document: ProjectDocument): Promise<void> {
  await orLater(parts.log, 'records of the same name', async () => {
    for (const record of await parts.records.namesakesOf(document)) {
      if (!(await parts.library.itemOrNull(record.itemId))) await setAsideIfGone(parts, record);
    }
  });
}
