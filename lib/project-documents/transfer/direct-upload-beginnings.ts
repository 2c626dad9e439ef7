import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import type * as z from 'zod';
import { orLater } from '../../base/or-later.ts';
import { idempotencyKeyReused } from '../../base/idempotency.ts';
import { ServiceError } from '../../base/service-error.ts';
import type { Project } from '../../projects/project.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import type { DocumentParts } from './document-parts.ts';
import { settle, settleIfStored } from '../intents/upload-repair.ts';
import { countIn } from '../intents/own-uploads.ts';
import { countOut } from '../intents/pending-intent.ts';
import { uploadInProgress } from '../intents/open-uploads.ts';
import { readSession, sessionInDoubt } from '../intents/session-life.ts';
import type { UploadIntent } from '../intents/upload-intent.ts';
import { begunSession, type BegunSession, type newDirectUpload } from './direct-upload.ts';
import { nameInUse, UploadTarget } from './upload-target.ts';

type DirectUploadFacts = Pick<
  UploadIntent,
  'folderName' | 'folderPath' | 'fileName' | 'size' | 'conflictBehavior'
>;

interface BegunUpload {
  readonly upload: BegunSession;
  /** False if an earlier request with the same key began it. */
  readonly isNew: boolean;
}

/** SharePoint's limit for one file: 250 GB. */
const maxFileBytes = 250 * 1024 ** 3;
const keyNamespace = '6f1a8c0e-4f0b-4b7e-9d39-0a6f0f5d6d7c';

/**
 * Begins direct uploads: creates the session, and writes the intent that leads to it.
 *
 * Without an `Idempotency-Key`, no request takes a name from an upload of the same user. An upload that has received no
 * byte may be one whose response was lost, but also one to which another tab is about to send.
 *
 * @param key the caller's `Idempotency-Key`: a repeated request with the same key returns the upload of the first one
 * while its session lives
 * @throws ServiceError `file_too_large`, `too_many_uploads`, `file_exists`, `upload_in_progress`, `idempotency_key_reused` …; LibraryError
 */
export async function beginDirectUpload(
  parts: DocumentParts,
  project: Project,
  given: z.output<typeof newDirectUpload>,
  key: string | undefined,
): Promise<BegunUpload> {
  const { conflictBehavior = parts.defaultConflictBehavior, folderPath = '' } = given;
  const facts = { ...given, conflictBehavior, folderPath };
  if (facts.size > maxFileBytes) throw tooLarge();
  // The id follows from the key, so the intent is also what an Idempotency-Key needs stored.
  const uploadId = key === undefined ? randomUUID() : keyedUploadId(parts.user.oid, project.id, key);
  const earlier = async () => (key === undefined ? null : resumeBeginning(parts, project, facts, uploadId));
  const first = await earlier();
  if (first) return { upload: first, isNew: false };
  try {
    return { upload: await begin(parts, project, facts, uploadId), isNew: true };
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'upload_in_progress')) throw error;
    // Perhaps another request with the same key has the name or the intent already.
    const other = await earlier();
    if (other) return { upload: other, isNew: false };
    throw error;
  }
}

/** The upload that an earlier request with the same key began; null if there is none that can continue. */
async function resumeBeginning(
  parts: DocumentParts,
  project: Project,
  facts: DirectUploadFacts,
  uploadId: string,
): Promise<BegunSession | null> {
  const found = await parts.intents.find(project.id, uploadId);
  if (!found) return requireNotCompleted(parts, uploadId);
  requireSame(facts, found.intent);
  if (found.isCommitting) throw beingCompleted();
  const { life, pending } = await readSession(found, parts);
  if (life.state === 'open') return begunSession(uploadId, life.uploadUrl, life.expiresAtMs);
  if (life.state === 'unreachable') throw life.cause;
  if (life.state === 'doubtful') {
    if (!(await settleIfStored(parts, pending))) throw sessionInDoubt(life.retryAfterMs);
    return requireNotCompleted(parts, uploadId);
  }
  if (life.state === 'unreadable') {
    // Only its expiry frees the name.
    const retryAfterMs = life.expiresAtMs - (await certainNowBy(parts));
    if (retryAfterMs > 0) throw nameInUse(facts.fileName, { retryAfterMs, ownDirectUploadId: uploadId });
  }
  await settle(parts, pending);
  return requireNotCompleted(parts, uploadId);
}

async function requireNotCompleted({ keys }: DocumentParts, uploadId: string): Promise<null> {
  if ((await keys.outcomeOf(uploadId)) === null) return null;
  throw new ServiceError('idempotency_key_reused', {
    detail: `The upload of this Idempotency-Key, ${uploadId}, is complete; completing it again returns its document.`,
  });
}

async function begin(
  parts: DocumentParts,
  project: Project,
  facts: DirectUploadFacts,
  uploadId: string,
): Promise<BegunSession> {
  await countIn(parts, project.id, uploadId);
  try {
    const target = await UploadTarget.find(parts, project, {
      ...facts,
      contentType: null,
      directUploadId: uploadId,
    });
    const { session } = await target.open();
    return begunSession(uploadId, session.uploadUrl, Date.parse(session.expiresAt));
  } catch (error) {
    // Unless another request with the same key has begun it.
    await orLater(parts.log, 'count of direct uploads', async () => {
      const other = await parts.intents.find(project.id, uploadId);
      if (!other) await countOut(parts.table, parts.user.oid, uploadId);
    });
    throw error;
  }
}

/** One id for a key of a user in a project: a UUID version 5 (RFC 9562), from which none of them can be read. */
const keyedUploadId = (...of: readonly string[]): string => v5(JSON.stringify(of), keyNamespace);

function requireSame(facts: DirectUploadFacts, first: UploadIntent): void {
  if (facts.folderName !== first.folderName) throw idempotencyKeyReused('folderName');
  if ((facts.folderPath ?? '') !== (first.folderPath ?? '')) throw idempotencyKeyReused('folderPath');
  if (facts.fileName !== first.fileName) throw idempotencyKeyReused('file name');
  if (facts.conflictBehavior !== first.conflictBehavior) throw idempotencyKeyReused('conflictBehavior');
  if (facts.size !== first.size) throw idempotencyKeyReused('file size');
}

const tooLarge = (): ServiceError =>
  new ServiceError('file_too_large', {
    params: { max: maxFileBytes },
    detail: `The library accepts files of up to ${maxFileBytes} bytes (250 GB).`,
  });

export const beingCompleted = (): ServiceError =>
  uploadInProgress('Another request is completing this upload; try again later.', 5000);
