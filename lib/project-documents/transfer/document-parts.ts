import type { FormSettings } from '../form/upload-form.ts';
import type { StagingParts } from '../form/upload-staging.ts';
import { repairUploads } from '../intents/upload-repair.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import { reviveRecords } from '../presence/set-aside-revival.ts';
import { documentNotFound } from '../records/document-records.ts';
import type { DocumentRecord } from '../records/document-row.ts';

/** What else it works with in this room. */
export interface DocumentParts extends IntentParts, FormSettings, StagingParts {}

/** What an earlier crash or another caller's request has left in the project. Never throws. */
export async function settleProject(parts: DocumentParts, projectId: string): Promise<void> {
  await Promise.all([repairUploads(parts, projectId), reviveRecords(parts, projectId)]);
}

/**
 * The record of a document, or the one that another caller's request has set aside: this caller may see its file.
 *
 * @throws ServiceError `document_not_found`
 */
export async function findRecord({ records }: DocumentParts, documentId: string): Promise<DocumentRecord> {
  const record = (await records.find(documentId)) ?? (await records.findSetAside(documentId));
  if (!record) throw documentNotFound(documentId);
  return record;
}
