import type { DriveItem } from '../../document-library/drive-item.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import { isSamePlace, settleNamesakes } from '../presence/correction.ts';
import type { DocumentParts } from './document-parts.ts';
import { checkIn } from '../intents/check-in.ts';
import { recordFieldsOf, type UploadIntent } from '../intents/upload-intent.ts';

/** Writes the record of a file that has just been finished. */
export async function recordFile(
  parts: DocumentParts,
  intent: UploadIntent,
  item: DriveItem,
): Promise<UploadedDocument> {
  const staysCheckedOut = await checkIn(parts, item);
  const { document, before } = await parts.records.save({
    ...recordFieldsOf(intent, item),
    ...(staysCheckedOut && { checkedOut: true }),
    size: intent.size,
    uploadedAt: new Date(await certainNowBy(parts)).toISOString(),
  });
  if (!before || !isSamePlace(before, document)) await settleNamesakes(parts, document);
  const isUnrecorded = !before && intent.conflictBehavior === 'replace' && intent.before.contentTag !== null;
  return isUnrecorded ? { ...document, replacedUnrecorded: true } : document;
}
