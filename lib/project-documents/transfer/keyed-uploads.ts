import { idempotencyKeyContended, idempotencyKeyReused } from '../../base/idempotency.ts';
import { orLater } from '../../base/or-later.ts';
import type { ServiceError } from '../../base/service-error.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import { endIfDead, uploadInProgress } from '../intents/open-uploads.ts';
import { settleCertain } from '../intents/upload-repair.ts';
import type { Project } from '../../projects/project.ts';
import type { DocumentParts } from './document-parts.ts';
import { withHeartbeat } from '../../storage/heartbeat.ts';
import { firstUploadIn, type FirstUpload, type UploadIntent } from '../intents/upload-intent.ts';
import type { OwnKey } from '../../storage/idempotency-keys.ts';

export interface Uploaded {
  readonly document: UploadedDocument;
  /** False if an earlier upload with the same key has stored it. */
  readonly isNew: boolean;
}

/** What a repeated upload is compared by. */
type AskedUpload = Pick<UploadIntent, 'folderName' | 'folderPath' | 'fileName' | 'conflictBehavior' | 'size'>;

/**
 * Uploads with an `Idempotency-Key`: one document for each key of a user in a project. A repeated upload stores nothing;
 * it is compared with the first one by folder, file name, conflict behavior, and size.
 *
 * @param store the upload itself; it completes the key before it removes its intent, and leaves the key when the outcome
 * is unknown
 * @throws ServiceError `idempotency_key_reused`, `upload_in_progress`; errors of `store`
 */
export async function uploadWithKey(
  parts: DocumentParts,
  project: Project,
  given: string,
  asked: AskedUpload,
  store: (key: OwnKey) => Promise<UploadedDocument>,
): Promise<Uploaded> {
  const scoped = { userId: parts.user.oid, scope: project.id, key: given };
  const claimed = await parts.keys.claim(scoped, asked.fileName, 'file name');
  if (claimed.state === 'done') return respondAgain(asked, firstUploadIn(claimed.outcome));
  if (claimed.state === 'running') throw stillRunning(claimed.retryAfterMs);
  if (claimed.state === 'interrupted') {
    const first = await outcomeOf(parts, project, claimed.id);
    if (first) return respondAgain(asked, first);
  }
  const key = claimed.state === 'own' ? claimed.key : await claimed.takeOver();
  if (!key) throw idempotencyKeyContended();
  try {
    return { document: await withHeartbeat(parts.clock, key, () => store(key)), isNew: true };
  } catch (error) {
    // Without heartbeats, the key is free within seconds.
    await orLater(parts.log, 'release of an Idempotency-Key', () => key.release());
    throw error;
  }
}

/** The outcome of an upload whose process has died; null if it left nothing. */
async function outcomeOf(parts: DocumentParts, project: Project, keyId: string): Promise<FirstUpload | null> {
  const left = (await parts.intents.ofProject(project.id)).filter(({ intent }) => intent.keyId === keyId);
  for (const pending of left) {
    const ended = await endIfDead(parts, pending);
    // The session accepts bytes until it expires.
    if (typeof ended === 'number') throw stillRunning(ended);
    const first = ended === 'over' ? await settleCertain(parts, pending) : null;
    if (first) return first;
  }
  return null;
}

function respondAgain(asked: AskedUpload, first: FirstUpload): Uploaded {
  if (asked.folderName !== first.document.folderName) throw idempotencyKeyReused('folderName');
  if ((asked.folderPath ?? '') !== first.document.folderPath) throw idempotencyKeyReused('folderPath');
  if (asked.conflictBehavior !== first.conflictBehavior) throw idempotencyKeyReused('conflictBehavior');
  if (asked.size !== first.size) throw idempotencyKeyReused('file size');
  return { document: first.document, isNew: false };
}

const stillRunning = (retryAfterMs: number): ServiceError =>
  uploadInProgress(
    'The upload with this Idempotency-Key is still in progress; try again when it has ended.',
    retryAfterMs,
  );
