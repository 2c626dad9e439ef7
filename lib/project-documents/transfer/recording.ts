import type { DriveItem } from '../../document-library/drive-item.ts';
import { orLater } from '../../base/or-later.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import type { ProjectDocument, UploadedDocument } from '../document-records/document.ts';
import { setAsideIfGone } from '../presence/gone-files.ts';
import type { DocumentParts } from './document-parts.ts';
import { recordFieldsOf, type UploadIntent } from '../intents/upload-intent.ts';

/** Writes the record of a file that has just been finished. */
export async function recordFile(
  parts: DocumentParts,
  intent: UploadIntent,
  item: DriveItem,
): Promise<UploadedDocument> {
  const { document, isNew: hadNoRecord } = await parts.records.save({
    ...recordFieldsOf(intent, item),
    size: intent.size,
    uploadedAt: new Date(await certainNowBy(parts)).toISOString(),
  });
  if (hadNoRecord) await setGoneNamesakesAside(parts, document);
  const isUnrecorded =
    hadNoRecord && intent.conflictBehavior === 'replace' && intent.before.contentTag !== null;
  return isUnrecorded ? { ...document, replacedUnrecorded: true } : document;
}

/** If a file that had this name before was only renamed or moved within its project, its record is still valid. */
async function setGoneNamesakesAside(parts: DocumentParts, document: ProjectDocument): Promise<void> {
  await orLater(parts.log, 'records of the same name', async () => {
    for (const record of await parts.records.namesakesOf(document)) {
      const item = await parts.library.itemOrNull(record.itemId);
      if (!item) await setAsideIfGone(parts, record);
      else if ((await parts.provisioning.subfolderOf(record.projectId, item)) === null) {
        await parts.records.setAside(record);
      }
    }
  });
}
