import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError, LibraryError } from '../../document-library/library-error.ts';
import { orLater } from '../../base/or-later.ts';
import type { Located, Place } from '../folders/places.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import type { ProjectDocument } from '../document-records/document.ts';
import {
  correctedRecord,
  documentIn,
  isSameFile,
  type DocumentRecord,
} from '../document-records/document-row.ts';

// Each costs a request to the library.
const maxNamesakes = 10;

/**
 * Writes what the library says of an item that was just read into its record: whoever reads an item corrects its record. If
 * the record changes its name or place, others that had these are corrected, too ({@link settleNamesakes}). Never throws: the
 * next who reads the item does it again.
 *
 * @returns the record as it should be
 */
export async function correctRecord(
  parts: IntentParts,
  record: DocumentRecord,
  item: DriveItem,
  place: Place,
): Promise<DocumentRecord> {
  const known = await withPublication(parts, record, item);
  const corrected = correctedRecord(record, known, place);
  if (isSameFile(record, corrected)) return corrected;
  await orLater(parts.log, 'correction of a record', async () => {
    await parts.records.correct(record, known, place);
    if (!isSamePlace(record, corrected)) await settleNamesakes(parts, documentIn(corrected));
  });
  return corrected;
}

/**
 * The item, with whether it is checked in if its record says that it was not: one request for its uploader. Whoever else sees
 * the content that was uploaded sees that it is.
 */
export async function withPublication(
  { library, user }: IntentParts,
  record: DocumentRecord,
  item: DriveItem,
): Promise<DriveItem> {
  if (!record.checkedOut || item.publication) return item;
  if (user.oid !== record.uploadedByUserId) {
    return item.size === record.librarySize ? { ...item, publication: { level: 'published' } } : item;
  }
  try {
    return { ...item, publication: { level: await library.publicationLevelOf(item.id) } };
  } catch (error) {
    if (error instanceof LibraryError) return item;
    throw error;
  }
}

/**
 * Two files of the library cannot have one place and name. Called when a document has been seen there: what other records
 * say of the same place is out of date, because their files were renamed, moved, or deleted in the library. They are
 * corrected from their files, which may show that a third record is out of date, and so on. A record whose file this caller
 * does not see is set aside.
 */
export async function settleNamesakes(parts: IntentParts, document: ProjectDocument): Promise<void> {
  await orLater(parts.log, 'records of the same name', async () => {
    const seen = [document];
    const settled = new Set([document.id]);
    for (let next = seen.pop(); next !== undefined; next = seen.pop()) {
      for (const record of await parts.records.namesakesOf(next)) {
        if (settled.has(record.id) || settled.size > maxNamesakes) continue;
        settled.add(record.id);
        const corrected = await correctOrSetAside(parts, record);
        if (corrected) seen.push(documentIn(corrected));
      }
    }
  });
}

/** @returns null if the record is not in the list any more, or was right */
async function correctOrSetAside(parts: IntentParts, record: DocumentRecord): Promise<DocumentRecord | null> {
  // The library occasionally loses an item that exists for one request.
  const located = (await locateOrNull(parts, record)) ?? (await locateOrNull(parts, record));
  const { item, place } = located ?? { item: null, place: null };
  if (!item || !place) {
    await parts.records.setAside(record);
    return null;
  }
  const corrected = correctedRecord(record, item, place);
  if (!isSameFile(record, corrected)) await parts.records.correct(record, item, place);
  // The same: names that differ only in their Unicode form can be two files.
  return isSamePlace(record, corrected) ? null : corrected;
}

async function locateOrNull({ places }: IntentParts, record: DocumentRecord): Promise<Located | null> {
  try {
    return await places.locate(record);
  } catch (error) {
    if (isLibraryError(error, 'notFound', 'denied', 'policy')) return null;
    throw error;
  }
}

export const isSamePlace = (a: ProjectDocument, b: ProjectDocument): boolean =>
  a.folderName === b.folderName && a.folderPath === b.folderPath && a.fileName === b.fileName;
