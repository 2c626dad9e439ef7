import { pause } from '../../contract/retry.ts';
import { ServiceError } from '../../base/service-error.ts';
import { orLater } from '../../base/or-later.ts';
import { inSlices } from '../../base/slices.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError, LibraryError, mayHaveTakenEffect } from '../../document-library/library-error.ts';
import { cancelSession, commitSession, mayHaveReceived } from '../../uploads/upload-url.ts';
import type { UploadedDocument } from '../records/document.ts';
import { beingCompleted } from './direct-upload-beginnings.ts';
import { begunSession, type OpenDirectUpload } from './direct-upload.ts';
import { settleProject, type DocumentParts } from './document-parts.ts';
import type { Uploaded } from './keyed-uploads.ts';
import { msUntilDead, withHeartbeat } from '../../storage/heartbeat.ts';
import { recordFile } from './recording.ts';
import { certainFileOf } from '../intents/finished-files.ts';
import { lifeOf } from '../intents/session-life.ts';
import { recordOutcome, settle } from '../intents/upload-repair.ts';
import { beforeOf, sizeOfSent } from '../intents/upload-evidence.ts';
import type { PendingIntent } from '../intents/pending-intent.ts';
import type { FirstUpload } from '../intents/upload-intent.ts';
import { inTheWay } from './upload-target.ts';

const maxTries = 4;
const parallelChecks = 8;
// Longer than a process without a heartbeat counts as alive: by then, the other request has finished or this one takes
// over.
const longestWaitForOtherMs = 30_000;
const checkAgainMs = 500;

/**
 * Creates the file of an upload whose bytes the caller's program has sent to the library (docs/decisions/0021), and its
 * record. One request claims the intent; others wait for its outcome, and take over when its process has died.
 *
 * @throws ServiceError `upload_not_found`, `upload_incomplete`, `upload_in_progress`, `file_exists` …; LibraryError
 */
export async function completeDirectUpload(
  parts: DocumentParts,
  projectId: string,
  uploadId: string,
): Promise<Uploaded> {
  const found = await settledByOthers(parts, projectId, uploadId);
  if (!found) return completedBefore(parts, projectId, uploadId);
  const life = await lifeOf(found.session);
  if (life.state === 'unknown') throw life.cause ?? notFound(uploadId);
  const { size, folderId, fileName, conflictBehavior } = found.intent;
  // Expired, or a request that died has created the file. Only an empty file may still have to be created.
  if (life.state === 'over' && !(found.isCommitting && size === 0)) {
    await settle(parts, found);
    return completedBefore(parts, projectId, uploadId);
  }
  if (life.state === 'open' && size > 0 && life.nextOffset !== undefined) {
    throw incomplete(
      `The library has ${life.nextOffset} of ${size} bytes; it expects byte ${life.nextOffset} next.`,
    );
  }
  const uploadUrl = life.state === 'open' && size > 0 ? life.uploadUrl : null;
  // Hours may have passed since the upload began.
  const [before, isSized] = await Promise.all([
    found.isCommitting ? undefined : parts.library.seen(folderId, fileName),
    !uploadUrl || mayHaveReceived(uploadUrl, size),
  ]);
  if (!isSized) {
    throw incomplete(
      `The library did not receive a file of the announced ${size} bytes. Cancel this upload, and begin another with the size of the file, which is also the total in Content-Range.`,
    );
  }
  const claimed = await found.claim(before && beforeOf(before));
  // Another request has claimed it first.
  if (!claimed) return completeDirectUpload(parts, projectId, uploadId);
  const document = await withHeartbeat(parts.clock, claimed, () => recorded(parts, claimed)).catch(
    async (error: unknown) => {
      await claimed.release().catch(() => undefined);
      throw error;
    },
  );
  // The record is written; the next repair finds it.
  await orLater(parts.log, 'outcome of a direct upload', async () => {
    await recordOutcome(parts, claimed.intent, { document, conflictBehavior, size });
    await claimed.end();
  });
  await settleProject(parts, projectId);
  return { document, isNew: true };
}

/** The caller's own uploads whose session is open. One request to the library for each. */
export async function ownDirectUploads(
  parts: DocumentParts,
  projectId: string,
): Promise<readonly OpenDirectUpload[]> {
  const pending = await parts.intents.ofProject(projectId);
  const own = pending.filter(({ intent }) => intent.uploadedByUserId === parts.user.oid);
  const open = await inSlices(own, parallelChecks, async ({ intent, session }) => {
    const { directUploadId, folderName, fileName, size } = intent;
    if (directUploadId === undefined) return [];
    const life = await lifeOf(session);
    if (life.state !== 'open') return [];
    const begun = begunSession(directUploadId, life.uploadUrl, life.expiresAtMs);
    return [{ folderName, fileName, size, receivedBytes: life.nextOffset ?? size, ...begun }];
  });
  return open.flat();
}

/** @throws ServiceError `upload_not_found`, `upload_in_progress`; LibraryError `busy`: then the upload continues */
export async function cancelDirectUpload(
  parts: DocumentParts,
  projectId: string,
  uploadId: string,
): Promise<void> {
  const found = await parts.intents.find(projectId, uploadId);
  if (!found) return;
  if (found.intent.uploadedByUserId !== parts.user.oid) throw notFound(uploadId);
  const { session, isCommitting, aliveAtMs } = found;
  if (isCommitting && msUntilDead(aliveAtMs, parts.clock.now()) > 0) throw beingCompleted();
  try {
    if (session?.uploadUrl) await cancelSession(session.uploadUrl);
  } catch (error) {
    if (!isLibraryError(error, 'notFound', 'unauthenticated', 'denied')) throw error;
    // Its file may exist, and then needs a record.
    if (isCommitting) return settle(parts, found);
  }
  await found.end();
}

/** The upload, as soon as no other request is completing it; null if it has ended. */
async function settledByOthers(
  parts: DocumentParts,
  projectId: string,
  uploadId: string,
): Promise<PendingIntent | null> {
  const { clock } = parts;
  const waitUntilMs = clock.now() + longestWaitForOtherMs;
  for (;;) {
    const found = await parts.intents.find(projectId, uploadId);
    if (!found) return null;
    if (found.intent.uploadedByUserId !== parts.user.oid) throw notFound(uploadId);
    if (!found.isCommitting) return found;
    if (msUntilDead(found.aliveAtMs, clock.now()) === 0) return found;
    if (clock.now() >= waitUntilMs) throw beingCompleted();
    await clock.wait(checkAgainMs);
  }
}

async function completedBefore(parts: DocumentParts, projectId: string, uploadId: string): Promise<Uploaded> {
  const outcome = await parts.keys.outcomeOf(uploadId);
  const document = outcome === null ? null : (JSON.parse(outcome) as FirstUpload).document;
  if (document?.projectId !== projectId || document.uploadedByUserId !== parts.user.oid) {
    throw notFound(uploadId);
  }
  return { document, isNew: false };
}

/** If the record cannot be written, the file remains: the caller can complete the upload again, and so does the repair. */
async function recorded(parts: DocumentParts, claimed: PendingIntent): Promise<UploadedDocument> {
  const { intent } = claimed;
  const create = intent.size === 0 ? putEmpty : committed;
  const item = await create(parts, claimed).catch(async (error: unknown) => {
    throw await explained(parts, error, claimed);
  });
  return recordFile(parts, { ...intent, size: sizeOfSent(intent, item) }, item);
}

/** A session does not accept an empty file; this one only held the name. */
async function putEmpty(parts: DocumentParts, claimed: PendingIntent): Promise<DriveItem> {
  const { folderId, fileName, conflictBehavior } = claimed.intent;
  try {
    if (claimed.session?.uploadUrl) await cancelSession(claimed.session.uploadUrl);
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) throw error;
    // Canceled by an earlier request whose process died before or after it had created the file.
    const earlier = await certainFileOf(parts, claimed);
    if (earlier) return earlier;
  }
  try {
    return await parts.library.putFile(folderId, fileName, conflictBehavior, new Uint8Array());
  } catch (error) {
    const item = mayHaveTakenEffect(error) ? await certainFileOf(parts, claimed) : null;
    if (item) return item;
    throw error;
  }
}

async function committed(parts: DocumentParts, claimed: PendingIntent): Promise<DriveItem> {
  const uploadUrl = claimed.session?.uploadUrl;
  if (!uploadUrl) throw notFound(claimed.intent.directUploadId);
  for (let tries = 1; ; tries += 1) {
    try {
      return await commitSession(uploadUrl);
    } catch (error) {
      // `changed`: caused by SharePoint itself, with Office files; temporary.
      if (!isLibraryError(error, 'busy', 'changed', 'notFound')) throw error;
      if (error.reason !== 'changed') {
        const item = await certainFileOf(parts, claimed);
        if (item) return item;
      }
      if (tries === maxTries) throw error;
    }
    await pause(tries, 500);
  }
}

async function explained(parts: DocumentParts, error: unknown, claimed: PendingIntent): Promise<unknown> {
  if (isLibraryError(error, 'notFound')) return notFound(claimed.intent.directUploadId);
  if (!isLibraryError(error, 'nameExists')) return error;
  const existing = await inTheWay(parts.library, claimed.intent).catch(() => null);
  return existing ?? new LibraryError('changed', { cause: error });
}

const notFound = (uploadId = ''): ServiceError =>
  new ServiceError('upload_not_found', {
    detail: `There is no upload ${uploadId} of yours in this project; it may have expired or been canceled. Begin a new upload.`,
  });

const incomplete = (detail: string): ServiceError => new ServiceError('upload_incomplete', { detail });
