import { orLater } from '../../base/or-later.ts';
import type { ProjectDocument } from '../records/document.ts';
import { msUntilDead } from '../../storage/heartbeat.ts';
import { certainFileOf, fileLeftBy, type FinishedFile } from './finished-files.ts';
import type { IntentParts } from './intent-parts.ts';
import { lifeOf } from './session-life.ts';
import { lastChanceMs, mayStillFinish, uploadIsOverMs } from './upload-evidence.ts';
import { DirectIntent } from './direct-intent.ts';
import type { PendingIntent } from './pending-intent.ts';
import { recordFieldsOf, type FirstUpload, type UploadIntent } from './upload-intent.ts';

/**
 * Writes the records of files after a crash between the library's last response and the record's transaction. Runs with
 * the permissions of the next caller that provisions or uploads in the project, because no other token is available.
 * Concurrent repairs write the same record. Uploads that may still be running are skipped. Never throws: the caller did not
 * request the repair.
 */
export function repairUploads(parts: IntentParts, projectId: string): Promise<void> {
  return orLater(parts.log, 'repair of uploads', async () => {
    for (const pending of await parts.intents.ofProject(projectId)) {
      if (pending instanceof DirectIntent) await settleDirect(parts, pending);
      else if (!mayStillFinish(pending.intent, parts.clock.now())) await settle(parts, pending);
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

/**
 * Writes the record of a direct upload's file, or removes the intent of a direct upload that ended without a file. Skips
 * uploads whose session is open, or that another request is completing.
 */
async function settleDirect(parts: IntentParts, pending: DirectIntent): Promise<void> {
  const nowMs = parts.clock.now();
  const { session, intent, aliveAtMs, isCommitting } = pending;
  if (session && session.expiresAtMs > nowMs && !isCommitting) return;
  if (isCommitting && msUntilDead(aliveAtMs, nowMs) > 0) return;
  const life = await lifeOf(session);
  if (life.state === 'unknown' && mayStillFinish(intent, nowMs)) return;
  if (life.state === 'open') {
    // Fragments have extended the session; it need not be checked before its new end.
    const { expiresAtMs } = life;
    if (expiresAtMs !== undefined && session) await pending.expiresLater(new Date(expiresAtMs));
    return;
  }
  await settleOver(parts, pending);
}

/** Settles a direct upload whose session is over. */
export async function settleOver(parts: IntentParts, pending: DirectIntent): Promise<void> {
  const { intent, aliveAtMs, isCommitting } = pending;
  const file = await leftBy(parts, pending);
  if (!file) {
    // A file that was just created may not be visible yet.
    const isFresh = isCommitting && parts.clock.now() - aliveAtMs <= uploadIsOverMs;
    if (!isFresh) await pending.endIfUnchanged();
    return;
  }
  const { document } = await adopt(parts, intent, file);
  await pending.complete({ documentId: document.id, replacedUnrecorded: false });
}

function leftBy(parts: IntentParts, { id, intent }: PendingIntent): Promise<FinishedFile | null> {
  const isRunning = (other: PendingIntent) =>
    other.id !== id && mayStillFinish(other.intent, parts.clock.now());
  return fileLeftBy(parts, intent, isRunning);
}

async function settle(parts: IntentParts, pending: PendingIntent): Promise<void> {
  const file = await leftBy(parts, pending);
  if (file) {
    await adopt(parts, pending.intent, file);
    await pending.end();
  } else if (parts.clock.now() - Date.parse(pending.intent.startedAt) > lastChanceMs) {
    await pending.end();
  }
}

async function adopt(parts: IntentParts, intent: UploadIntent, file: FinishedFile): Promise<FirstUpload> {
  const { projectId, conflictBehavior, size, keyId } = intent;
  const record = await parts.records.findByItem(projectId, file.item.id);
  const isWritten = record !== null && record.document.uploadedAt >= intent.startedAt;
  const document = isWritten ? record.document : await written(parts, intent, file);
  const first = { document, conflictBehavior, size };
  if (keyId !== undefined) await parts.keys.complete(keyId, JSON.stringify(first));
  if (!isWritten) parts.log.warn('upload_repaired', { documentId: document.id, projectId });
  return first;
}

async function written(
  parts: IntentParts,
  intent: UploadIntent,
  { item, evidence }: FinishedFile,
): Promise<ProjectDocument> {
  const fields = recordFieldsOf(intent, item);
  const { document } = await parts.records.save({
    ...fields,
    size: evidence === 'sure' ? intent.size : fields.librarySize,
    uploadedAt: new Date(item.lastModifiedDateTime ?? intent.startedAt).toISOString(),
  });
  return document;
}
