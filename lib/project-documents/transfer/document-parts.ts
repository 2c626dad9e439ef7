import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import type { BlockPool } from '../../uploads/block-pool.ts';
import type { UploadStaging } from '../form/upload-staging.ts';
import type { DirectUploadIndex } from '../intents/direct-upload-index.ts';
import { repairUploads } from '../intents/upload-repair.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import { reviveRecords } from '../presence/set-aside-revival.ts';
import { documentNotFound, type DocumentRecord } from '../records/document-records.ts';
import type { SetAsideRecord } from '../records/set-aside-records.ts';

/** What else it works with in this room. */
export interface DocumentParts extends IntentParts {
  readonly index: DirectUploadIndex;
  readonly staging: UploadStaging;
  readonly pool: BlockPool;
  /** The largest file that passes through the service. */
  readonly maxBytes: number;
  /** Applies to uploads without a conflictBehavior. */
  readonly defaultConflictBehavior: ConflictBehavior;
}

/** What an earlier crash or another caller's request has left in the project. Never throws. */
export async function settleProject(parts: DocumentParts, projectId: string): Promise<void> {
  await Promise.all([repairUploads(parts, projectId), reviveRecords(parts, projectId)]);
}

interface FoundRecord {
  readonly itemId: string;
  readonly record: DocumentRecord | null;
  /** If there is no record: one that another caller's request has set aside. This caller may see its file. */
  readonly setAside: SetAsideRecord | null;
}

/** @throws ServiceError `document_not_found` */
export async function findRecord(
  { records, setAside: setAsideRecords }: DocumentParts,
  documentId: string,
): Promise<FoundRecord> {
  const record = await records.find(documentId);
  const setAside = record ? null : await setAsideRecords.find(documentId);
  const itemId = record?.itemId ?? setAside?.record.itemId;
  if (itemId === undefined) throw documentNotFound(documentId);
  return { itemId, record, setAside };
}
