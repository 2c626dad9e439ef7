import type { FormSettings } from '../form/upload-form.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import { documentNotFound } from '../document-records/document-records.ts';
import type { DocumentRecord } from '../document-records/document-row.ts';

/** What else it works with in this room. */
export interface DocumentParts extends IntentParts, FormSettings {}

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
