import type { DriveItem } from '../../document-library/drive-item.ts';
import type { Subfolder } from '../../contract/subfolders.ts';
import type { ProjectDocument } from '../document-records/document.ts';
import { correctedBy, documentIn, type DocumentRecord } from '../document-records/document-row.ts';
import type { IntentParts } from '../intents/intent-parts.ts';

/**
 * Rewrites the record of a file that was found, under its old document id.
 *
 * @param folderName the subfolder of the record's project in which it was found
 */
export async function revive(
  parts: IntentParts,
  setAside: DocumentRecord,
  item: DriveItem,
  folderName: Subfolder,
): Promise<ProjectDocument> {
  const { projectId, itemId } = setAside;
  // An upload that replaced the file in the meantime has written a newer record.
  const current = await parts.records.findByItem(projectId, itemId);
  if (current) return documentIn(current);
  const { document } = await parts.records.save(correctedBy(setAside, item, folderName));
  parts.log.info('document_record_revived', { documentId: document.id, projectId });
  return document;
}
