import * as z from 'zod';
import { tagOf } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { waitBeforeRetryMs } from '../../document-library/retries.ts';
import type { Elsewhere, Located } from '../folders/places.ts';
import { correctRecord } from '../presence/correction.ts';
import { setAsideIfGone } from '../presence/gone-files.ts';
import { documentNotFound } from '../document-records/document-records.ts';
import type { DocumentRecord } from '../document-records/document-row.ts';
import { findRecord, type DocumentParts } from './document-parts.ts';

const maxAttempts = 4;

export const remainingFile = z
  .object({
    file: z.literal('remains').meta({ description: 'Only the record is removed' }),
    reason: z.enum(['other_project', 'outside']).meta({
      description:
        'Where the file is: below a subfolder of another project, or outside of all; `outside` also for a record of what is no file, as a notebook',
    }),
  })
  .meta({ id: 'RemainingFile' });

export type RemainingFile = z.output<typeof remainingFile>;

/**
 * Deletes the file, then its record. A crash between the two leaves a record without a file, which the next download
 * or deletion sets aside. A file that has left the project remains; its record goes (`document_left_project` in the log).
 *
 * @returns the file that remains; null if there is none any more
 * @throws ServiceError `document_not_found`; LibraryError `locked`, `denied` …
 */
export async function deleteDocument(
  parts: DocumentParts,
  documentId: string,
): Promise<RemainingFile | null> {
  const record = await findRecord(parts, documentId);
  let elsewhere: Elsewhere | null;
  try {
    elsewhere = await deleteFile(parts, record);
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) throw error;
    if (record.setAsideAt !== undefined) throw documentNotFound(documentId);
    await setAsideIfGone(parts, record);
    return null;
  }
  if (elsewhere !== null) {
    if (record.setAsideAt !== undefined) throw documentNotFound(documentId);
    parts.log.info('document_left_project', { documentId, projectId: record.projectId });
  }
  await parts.records.remove(documentId);
  return elsewhere && { file: 'remains', reason: elsewhere };
}

/** @returns where the file is if it is not in the record's project; then it remains */
async function deleteFile(parts: DocumentParts, record: DocumentRecord): Promise<Elsewhere | null> {
  const { library, places } = parts;
  for (let attempt = 1; ; attempt += 1) {
    // Before each attempt: a folder that is moved takes its files along, and they keep their tags.
    const located = await places.locate(record);
    const { item, place } = located;
    if (place === null) return places.elsewhere(item);
    try {
      // With its tag: a file that is moved itself, or renamed, has another one.
      await library.delete(item.id, tagOf(item), { isOnce: true });
      return null;
    } catch (error) {
      const waitMs = isLibraryError(error, 'changed', 'busy')
        ? waitBeforeRetryMs(attempt, maxAttempts, error.wire?.retryAfterSeconds)
        : null;
      if (waitMs === null) {
        await correctKept(parts, record, located);
        throw error;
      }
      await parts.clock.wait(waitMs);
    }
  }
}

/** The list shows what the library has just said of a file that it does not delete. */
async function correctKept(
  parts: DocumentParts,
  record: DocumentRecord,
  { item, place }: Located,
): Promise<void> {
  if (place !== null && record.setAsideAt === undefined) await correctRecord(parts, record, item, place);
}
