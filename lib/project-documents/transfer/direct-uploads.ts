import { pause } from '../../contract/retry.ts';
import { ServiceError } from '../../base/service-error.ts';
import { orLater } from '../../base/or-later.ts';
import { inSlices } from '../../base/slices.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError, LibraryError, mayHaveTakenEffect } from '../../document-library/library-error.ts';
import { isServerError } from '../../uploads/send-file.ts';
import { cancelSession, commitSession, mayHaveReceived } from '../../uploads/upload-url.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import { beingCompleted } from './direct-upload-beginnings.ts';
import { begunSession, type OpenDirectUpload } from './direct-upload.ts';
import type { DocumentParts } from './document-parts.ts';
import type { Uploaded } from './keyed-uploads.ts';
import { msUntilDead, withHeartbeat } from '../../storage/heartbeat.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { recordFile } from './recording.ts';
import { certainFileOf } from '../intents/finished-files.ts';
import { readSession, sessionInDoubt, type SessionLife } from '../intents/session-life.ts';
import { recordOutcome, repairUploads, settle, settleIfStored } from '../intents/upload-repair.ts';
import { beforeOf, sizeOfSent } from '../intents/upload-evidence.ts';
import type { PendingIntent } from '../intents/pending-intent.ts';
import { firstUploadIn, type Before } from '../intents/upload-intent.ts';
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
  for (;;) {
    const found = await waitForOthers(parts, projectId, uploadId);
    if (!found) return findCompleted(parts, projectId, uploadId);
    const readiness = await readinessOf(parts, found, uploadId);
    if (readiness.state === 'ended') return findCompleted(parts, projectId, uploadId);
    const claimed = await readiness.pending.claim(readiness.before);
    // Otherwise another request has claimed it first, or written what it read.
    if (claimed) return { document: await finish(parts, claimed), isNew: true };
  }
}

type Readiness =
  /** Its file can be created. `before` is what exists under its name, unless an earlier request has recorded that. */
  | { readonly state: 'ready'; readonly pending: PendingIntent; readonly before: Before | undefined }
  /** It has no intent any more; it has an outcome if its file was found. */
  | { readonly state: 'ended' };

/** @throws ServiceError `upload_incomplete`, `upload_not_found`, or 503 while its session is in doubt; LibraryError */
async function readinessOf(parts: DocumentParts, found: PendingIntent, uploadId: string): Promise<Readiness> {
  const { life, pending } = await readSession(found, parts);
  const { isCommitting, intent } = pending;
  const isEmpty = intent.size === 0;
  if (life.state === 'unreachable') throw life.cause;
  if (life.state === 'unreadable') throw notFound(uploadId);
  // Perhaps a request that died has created the file.
  if (life.state === 'doubtful') {
    if (await settleIfStored(parts, pending)) return { state: 'ended' };
    if (!isEmpty) throw sessionInDoubt(life.retryAfterMs);
  }
  // Only an empty file may still have to be created, when a request has ended its session and then died.
  if (life.state === 'over' && !(isEmpty && isCommitting)) {
    await settle(parts, pending);
    return { state: 'ended' };
  }
  const [before] = await Promise.all([
    // Hours may have passed since the upload began.
    isCommitting ? undefined : parts.library.seen(intent.folderId, intent.fileName),
    life.state === 'open' && !isEmpty ? requireAllBytes(life, intent.size) : undefined,
  ]);
  return { state: 'ready', pending, before: before && beforeOf(before) };
}

/** @throws ServiceError `upload_incomplete` */
async function requireAllBytes(
  { uploadUrl, nextOffset }: Extract<SessionLife, { state: 'open' }>,
  size: number,
): Promise<void> {
  if (nextOffset !== undefined) {
    throw incomplete(`The library has ${nextOffset} of ${size} bytes; it expects byte ${nextOffset} next.`);
  }
  if (await mayHaveReceived(uploadUrl, size)) return;
  throw incomplete(
    `The library did not receive a file of the announced ${size} bytes. Cancel this upload, and begin another with the size of the file, which is also the total in Content-Range.`,
  );
}

/** Creates the file and its record while other requests wait; if that fails, the next one need not. */
async function finish(parts: DocumentParts, claimed: PendingIntent): Promise<UploadedDocument> {
  const { projectId, conflictBehavior, size } = claimed.intent;
  const document = await withHeartbeat(parts.clock, claimed, () => createRecorded(parts, claimed)).catch(
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
  await repairUploads(parts, projectId);
  return document;
}

/** The caller's own uploads whose session is open. One request to the library for each. */
export async function ownDirectUploads(
  parts: DocumentParts,
  projectId: string,
): Promise<readonly OpenDirectUpload[]> {
  const pending = await parts.intents.ofProject(projectId);
  const own = pending.filter(({ intent }) => intent.uploadedByUserId === parts.user.oid);
  const open = await inSlices(own, parallelChecks, async (each) => {
    const { directUploadId, folderName, folderPath = '', fileName, size } = each.intent;
    if (directUploadId === undefined) return [];
    const { life } = await readSession(each, parts);
    if (life.state !== 'open') return [];
    const begun = begunSession(directUploadId, life.uploadUrl, life.expiresAtMs);
    return [{ folderName, folderPath, fileName, size, receivedBytes: life.nextOffset ?? size, ...begun }];
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
  if (isCommitting && msUntilDead(aliveAtMs, await certainNowBy(parts)) > 0) throw beingCompleted();
  try {
    if (session?.uploadUrl) await cancelSession(session.uploadUrl);
  } catch (error) {
    if (!isLibraryError(error, 'notFound', 'unauthenticated', 'denied')) throw error;
    // One rejection does not end it: its name would stay taken.
    const { life, pending } = await readSession(found, parts);
    if (life.state === 'unreachable') throw life.cause;
    if (life.state === 'open') throw sessionInDoubt();
    // Its file may exist, and then needs a record.
    if (isCommitting) return settle(parts, pending);
  }
  await found.end();
}

/** The upload, as soon as no other request is completing it; null if it has ended. */
async function waitForOthers(
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
    if (msUntilDead(found.aliveAtMs, await certainNowBy(parts)) === 0) return found;
    if (clock.now() >= waitUntilMs) throw beingCompleted();
    await clock.wait(checkAgainMs);
  }
}

async function findCompleted(parts: DocumentParts, projectId: string, uploadId: string): Promise<Uploaded> {
  const outcome = await parts.keys.outcomeOf(uploadId);
  const document = outcome === null ? null : firstUploadIn(outcome).document;
  if (document?.projectId !== projectId || document.uploadedByUserId !== parts.user.oid) {
    throw notFound(uploadId);
  }
  return { document, isNew: false };
}

/** If the record cannot be written, the file remains: the caller can complete the upload again, and so does the repair. */
async function createRecorded(parts: DocumentParts, claimed: PendingIntent): Promise<UploadedDocument> {
  const { intent } = claimed;
  const create = intent.size === 0 ? putEmpty : commit;
  const item = await create(parts, claimed).catch(async (error: unknown) => {
    throw await explainFailure(parts, error, claimed);
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

async function commit(parts: DocumentParts, claimed: PendingIntent): Promise<DriveItem> {
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
      if (tries === maxTries) throw isServerError(error) ? new LibraryError('rule', { cause: error }) : error;
    }
    await pause(tries, 500);
  }
}

async function explainFailure(
  parts: DocumentParts,
  error: unknown,
  claimed: PendingIntent,
): Promise<unknown> {
  // The session was open a moment ago.
  if (isLibraryError(error, 'notFound', 'unauthenticated')) return sessionInDoubt();
  if (!isLibraryError(error, 'nameExists')) return error;
  const existing = await inTheWay(parts.library, claimed.intent).catch(() => null);
  return existing ?? new LibraryError('changed', { cause: error });
}

const notFound = (uploadId = ''): ServiceError =>
  new ServiceError('upload_not_found', {
    detail: `There is no upload ${uploadId} of yours in this project; it may have expired or been canceled. Begin a new upload.`,
  });

const incomplete = (detail: string): ServiceError => new ServiceError('upload_incomplete', { detail });
