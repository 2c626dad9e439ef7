import type { DriveItem } from '../../document-library/drive-item.ts';
import type { ProjectDocument } from '../document-records/document.ts';
import type { Place } from '../folders/places.ts';
import { correctedRecord, documentIn, type DocumentRecord } from '../document-records/document-row.ts';
import type { IntentParts } from '../intents/intent-parts.ts';

/**
 * Rewrites the record of a file that was found, under its old document id.
 *
 * @param place where in the record's project it was found
 */
export async function revive(
  parts: IntentParts,
  setAside: DocumentRecord,
  item: DriveItem,
  place: Place,
): Promise<ProjectDocument> {
  const { projectId, itemId } = setAside;
  // An upload that replaced the file in the meantime has written a newer record.
  const current = await parts.records.findByItem(projectId, itemId);
  if (current) return documentIn(current);
  const { document } = await parts.records.save(correctedRecord(setAside, item, place));
  parts.log.info('document_record_revived', { documentId: document.id, projectId });
  return document;
}
