import { idempotencyKeyContended, idempotencyKeyReused } from '../../base/idempotency.ts';
import { orLater } from '../../base/or-later.ts';
import type { ServiceError } from '../../base/service-error.ts';
import type { UploadWindow } from '../../uploads/upload-window.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import { endIfDead, uploadInProgress } from '../intents/open-uploads.ts';
import { settleCertain } from '../intents/upload-repair.ts';
import type { Project } from '../../projects/project.ts';
import type { DocumentParts } from './document-parts.ts';
import type { UploadFields } from '../form/form-fields.ts';
import { withHeartbeat } from '../../storage/heartbeat.ts';
import type { UploadForm } from '../form/upload-form.ts';
import type { FirstUpload } from '../intents/upload-intent.ts';
import type { OwnKey } from '../../storage/idempotency-keys.ts';

export interface Uploaded {
  readonly document: UploadedDocument;
  /** False if an earlier upload with the same key has stored it. */
  readonly isNew: boolean;
}

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
  form: UploadForm,
  store: (key: OwnKey) => Promise<UploadedDocument>,
): Promise<Uploaded> {
  const scoped = { userId: parts.user.oid, scope: project.id, key: given };
  const claimed = await parts.keys.claim(scoped, form.file.name, 'file name');
  if (claimed.state === 'done') return respondAgain(form, JSON.parse(claimed.outcome) as FirstUpload);
  if (claimed.state === 'running') throw stillRunning(claimed.retryAfterMs);
  if (claimed.state === 'interrupted') {
    const first = await outcomeOf(parts, project, claimed.id);
    if (first) return respondAgain(form, first);
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

async function respondAgain(form: UploadForm, first: FirstUpload): Promise<Uploaded> {
  const { exactSize, window } = form.file;
  // If this already contains all that is compared, the rest is not read. A different size may not be exact after all:
  // something may follow the file.
  if (exactSize === first.size) requireSame(form.fieldsBeforeFile, exactSize, first);
  else {
    const size = await drain(window);
    requireSame(await form.fields, size, first);
  }
  return { document: first.document, isNew: false };
}

/** Reads to the end of the file and discards it. @returns its size */
async function drain(window: UploadWindow): Promise<number> {
  window.forgetSize();
  for (;;) {
    const { start, length } = await window.next();
    if (length === 0) return window.total;
    window.acknowledge(start + length);
  }
}

function requireSame({ folderName, conflictBehavior }: UploadFields, size: number, first: FirstUpload): void {
  if (folderName !== first.document.folderName) throw idempotencyKeyReused('folderName');
  if (conflictBehavior !== first.conflictBehavior) throw idempotencyKeyReused('conflictBehavior');
  if (size !== first.size) throw idempotencyKeyReused('file size');
}

const stillRunning = (retryAfterMs: number): ServiceError =>
  uploadInProgress(
    'The upload with this Idempotency-Key is still in progress; try again when it has ended.',
    retryAfterMs,
  );
