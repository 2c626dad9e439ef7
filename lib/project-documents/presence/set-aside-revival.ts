import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { orLater } from '../../base/or-later.ts';
import type { ProjectDocument } from '../records/document.ts';
import { correctedBy, documentIn, type DocumentRecord } from '../records/document-row.ts';
import type { IntentParts } from '../intents/intent-parts.ts';

// Each costs a request to the library. The most recent ones are the most likely to return; a refresh finds all.
const maxChecks = 20;

/** Searches for the files of a project's set-aside records. Never throws: the caller did not request it. */
export function reviveRecords(parts: IntentParts, projectId: string): Promise<void> {
  return orLater(parts.log, 'revival of records', async () => {
    const records = await parts.records.setAsideOf(projectId);
    const newest = records
      .toSorted((a, b) => ((a.setAsideAt ?? '') < (b.setAsideAt ?? '') ? 1 : -1))
      .slice(0, maxChecks);
    await Promise.all(newest.map((record) => reviveIfFound(parts, record)));
  });
}

/** Rewrites the record of a file that was found, under its old document id. */
export async function revive(
  parts: IntentParts,
  setAside: DocumentRecord,
  item: DriveItem,
): Promise<ProjectDocument> {
  const { projectId, itemId } = setAside;
  // An upload that replaced the file in the meantime has written a newer record.
  const current = await parts.records.findByItem(projectId, itemId);
  if (current) return documentIn(current);
  const { document } = await parts.records.save(correctedBy(setAside, item));
  parts.log.info('document_record_revived', { documentId: document.id, projectId });
  return document;
}

async function reviveIfFound(parts: IntentParts, setAside: DocumentRecord): Promise<void> {
  let item: DriveItem;
  try {
    item = await parts.library.item(setAside.itemId);
  } catch (error) {
    if (isLibraryError(error, 'notFound', 'denied')) return;
    throw error;
  }
  await revive(parts, setAside, item);
}
