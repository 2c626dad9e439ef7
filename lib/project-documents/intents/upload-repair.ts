import { orLater } from '../../base/or-later.ts';
import { inSlices } from '../../base/slices.ts';
import type { ProjectDocument } from '../document-records/document.ts';
import { documentIn } from '../document-records/document-row.ts';
import { msUntilDead } from '../../storage/heartbeat.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { certainFileOf, fileLeftBy, type FinishedFile } from './finished-files.ts';
import { checkIn } from './check-in.ts';
import type { IntentParts } from './intent-parts.ts';
import { readSession } from './session-life.ts';
import { lastChanceMs, mayStillFinish, uploadIsOverMs } from './upload-evidence.ts';
import type { PendingIntent } from './pending-intent.ts';
import { recordFieldsOf, type FirstUpload, type UploadIntent } from './upload-intent.ts';

const parallelChecks = 8;

/**
 * Writes the records that a crash has left out, with the permissions of the next caller that provisions or uploads in the
 * project, because no other token is available. Concurrent repairs write the same record. Never throws: the caller did
 * not request the repair.
 */
export function repairUploads(parts: IntentParts, projectId: string): Promise<void> {
  return orLater(parts.log, 'repair of uploads', async () => {
    const pending = await parts.intents.ofProject(projectId, (row) =>
      parts.log.warn('upload_intent_unreadable', { projectId, row }),
    );
    const checked = await inSlices(pending, parallelChecks, (each) => checkEnd(parts, each));
    // One after another: two uploads of the same name must not take the same file.
    for (const { end, pending: each } of checked) {
      if (end === 'over') await settle(parts, each);
      if (end === 'doubtful' && each.isCommitting) await settleIfStored(parts, each);
    }
  });
}

/** The document of an upload whose process has died, if its file certainly exists. */
export async function settleCertain(parts: IntentParts, pending: PendingIntent): Promise<FirstUpload | null> {
  const item = await certainFileOf(parts, pending);
  if (!item) return null;
  const first = await adopt(parts, pending.intent, { item, evidence: 'sure' });
  await pending.end();
  return first;
}

/** The same for a direct upload whose session may be over: without a file, its intent remains. */
export async function settleIfStored(
  parts: IntentParts,
  pending: PendingIntent,
): Promise<FirstUpload | null> {
  const certain = await settleCertain(parts, pending);
  // Only a request that found all bytes in the library starts to create the file.
  if (certain || !pending.isCommitting || pending.intent.conflictBehavior !== 'replace') return certain;
  const file = await fileLeftBy(parts, pending);
  if (!file) return null;
  const first = await adopt(parts, pending.intent, file);
  await pending.end();
  return first;
}

/** Writes the record of the file of an upload that is over, or removes its intent if no file can appear. */
export async function settle(parts: IntentParts, pending: PendingIntent): Promise<void> {
  const { intent, isCommitting, aliveAtMs } = pending;
  const nowMs = await certainNowBy(parts);
  const file = await fileLeftBy(parts, pending);
  if (file) {
    await adopt(parts, intent, file);
    await pending.end();
    return;
  }
  // A file that was just created may not be visible yet.
  const mayAppear =
    intent.directUploadId === undefined
      ? nowMs - Date.parse(intent.startedAt) <= lastChanceMs
      : isCommitting && nowMs - aliveAtMs <= uploadIsOverMs;
  if (!mayAppear) await pending.endIfUnchanged();
}

interface CheckedEnd {
  readonly end: 'running' | 'doubtful' | 'over';
  readonly pending: PendingIntent;
}

/** Whether an upload can no longer be running; for a direct one: its session is over, and no request is completing it. */
async function checkEnd(parts: IntentParts, pending: PendingIntent): Promise<CheckedEnd> {
  const nowMs = await certainNowBy(parts);
  const { session, intent, aliveAtMs, isCommitting } = pending;
  if (intent.directUploadId === undefined) {
    return { end: mayStillFinish(intent, nowMs) ? 'running' : 'over', pending };
  }
  const isCompleting = isCommitting && msUntilDead(aliveAtMs, nowMs) > 0;
  if (isCompleting || (!isCommitting && session && session.expiresAtMs > nowMs)) {
    return { end: 'running', pending };
  }
  const { life, pending: read } = await readSession(pending, parts);
  if (life.state === 'over' || life.state === 'doubtful') return { end: life.state, pending: read };
  const isLost = life.state === 'unreadable' && !mayStillFinish(intent, nowMs);
  return { end: isLost ? 'over' : 'running', pending: read };
}

async function adopt(parts: IntentParts, intent: UploadIntent, file: FinishedFile): Promise<FirstUpload> {
  const { projectId, conflictBehavior, size } = intent;
  const record = await parts.records.findByItem(projectId, file.item.id);
  const isWritten = record !== null && record.uploadedAt >= intent.startedAt;
  const document = isWritten ? documentIn(record) : await writeRecord(parts, intent, file);
  const first = { document, conflictBehavior, size };
  await recordOutcome(parts, intent, first);
  if (!isWritten) parts.log.warn('upload_repaired', { documentId: document.id, projectId });
  return first;
}

/** What a repeated upload with the key, or a repeated completion of the direct upload, returns. */
export async function recordOutcome(
  { keys }: IntentParts,
  { keyId, directUploadId, fileName }: UploadIntent,
  first: FirstUpload,
): Promise<void> {
  const id = keyId ?? directUploadId;
  if (id !== undefined) await keys.complete(id, fileName, JSON.stringify(first));
}

async function writeRecord(
  parts: IntentParts,
  intent: UploadIntent,
  { item, evidence }: FinishedFile,
): Promise<ProjectDocument> {
  const fields = recordFieldsOf(intent, item);
  const staysCheckedOut = parts.user.oid === intent.uploadedByUserId && (await checkIn(parts, item));
  const { document } = await parts.records.save({
    ...fields,
    ...(staysCheckedOut && { checkedOut: true }),
    size: evidence === 'sure' ? intent.size : fields.librarySize,
    uploadedAt: new Date(item.lastModifiedDateTime ?? intent.startedAt).toISOString(),
  });
  return document;
}
