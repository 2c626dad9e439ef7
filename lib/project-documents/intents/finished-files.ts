import type { DriveItem } from '../../document-library/drive-item.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { visibleChildren } from '../folders/folder-view.ts';
import type { DocumentRecord } from '../document-records/document-row.ts';
import { evidenceOf, mayStillFinish, type Evidence } from './upload-evidence.ts';
import type { PendingIntent } from './pending-intent.ts';
import type { UploadIntent } from './upload-intent.ts';
import type { IntentParts } from './intent-parts.ts';

export interface FinishedFile {
  readonly item: DriveItem;
  readonly evidence: Evidence;
}

/** For an upload whose caller waits for a response that was lost: the file that can belong to no other upload, or null. */
export async function certainFileOf(parts: IntentParts, pending: PendingIntent): Promise<DriveItem | null> {
  const sure = (await candidatesOf(parts, pending.intent)).filter(({ evidence }) => evidence === 'sure');
  if (pending.intent.conflictBehavior === 'replace') return sure[0]?.item ?? null;
  const own = await withoutClaimed(parts, pending, sure, () => true);
  return own.length === 1 ? (own[0]?.item ?? null) : null;
}

/** For an upload whose process has died. Other uploads that may still finish may have created a file of another name. */
export async function fileLeftBy(parts: IntentParts, pending: PendingIntent): Promise<FinishedFile | null> {
  const candidates = await candidatesOf(parts, pending.intent);
  if (pending.intent.conflictBehavior !== 'rename') return candidates[0] ?? null;
  const nowMs = await certainNowBy(parts);
  const left = await withoutClaimed(parts, pending, candidates, (other) => mayStillFinish(other, nowMs));
  return left[0] ?? null;
}

async function candidatesOf(
  { library }: IntentParts,
  intent: UploadIntent,
): Promise<readonly FinishedFile[]> {
  const items =
    intent.conflictBehavior === 'rename'
      ? ((await visibleChildren(library, intent.folderId))?.values().toArray() ?? [])
      : [await library.childOf(intent.folderId, intent.fileName)];
  return items.flatMap((item) => {
    const evidence = item && evidenceOf(intent, item);
    return evidence ? [{ item, evidence }] : [];
  });
}

/**
 * The files that no other upload has created: without another upload's intent or record. In this order, because an
 * upload writes its intent before its file, and removes it after its record.
 */
async function withoutClaimed(
  parts: IntentParts,
  { id, intent }: PendingIntent,
  files: readonly FinishedFile[],
  isOther: (other: UploadIntent) => boolean,
): Promise<readonly FinishedFile[]> {
  if (files.length === 0) return [];
  const others = (await parts.intents.ofProject(intent.projectId))
    .filter((other) => other.id !== id)
    .map((other) => other.intent)
    .filter((other) => other.folderId === intent.folderId && isOther(other));
  const free = files.filter(({ item }) => others.every((other) => evidenceOf(other, item) === null));
  const records = await Promise.all(
    free.map(({ item }) => parts.records.findByItem(intent.projectId, item.id)),
  );
  return free.filter((_, index) => {
    const record = records[index];
    return !record || isOwn(intent, record);
  });
}

const isOwn = ({ keyId, directUploadId }: UploadIntent, record: DocumentRecord): boolean =>
  (keyId !== undefined && record.keyId === keyId) ||
  (directUploadId !== undefined && record.directUploadId === directUploadId);
