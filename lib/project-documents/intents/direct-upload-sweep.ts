import { inSlices } from '../../base/slices.ts';
import type { Clock } from '../../contract/clock.ts';
import type { DirectUploadIndex, IndexedUpload } from './direct-upload-index.ts';
import { lifeOf } from './session-life.ts';
import { mayStillFinish } from './upload-evidence.ts';
import type { DirectIntent } from './direct-intent.ts';
import type { UploadIntents } from './upload-intents.ts';

const maxChecked = 100;
const parallelChecks = 8;
// A session counts as ended only if it is found ended twice, this far apart: if the library returns a 404 for a session
// that exists, or creates the file with the last byte, the intent must remain until the caller completes the upload.
const graceMs = 15 * 60_000;
const checkAgainMs = 60 * 60_000;
// If the library reports an expiry that has passed by our clock.
const leastPostponementMs = 60_000;

export interface SweepParts {
  readonly index: DirectUploadIndex;
  readonly intents: UploadIntents;
  readonly clock: Clock;
}

/**
 * Removes the intents of direct uploads that were abandoned, after their session has ended, and those of completed ones
 * after a day. Runs without a user: it checks a session by its own URL, and never searches the library. An upload
 * whose process died while completing it may have a file, so its intent is left to upload-repair.ts.
 *
 * @returns how many intents it removed
 */
export async function sweepDirectUploads(parts: SweepParts): Promise<number> {
  const due = await parts.index.due(parts.clock.now(), maxChecked);
  const isRemoved = await inSlices(due, parallelChecks, (upload) => check(parts, upload));
  return isRemoved.filter(Boolean).length;
}

/** @returns whether it removed the intent */
async function check(parts: SweepParts, upload: IndexedUpload): Promise<boolean> {
  const { index, intents, clock } = parts;
  const found = await intents.findDirect(upload.projectId, upload.uploadId);
  if (!found) {
    await index.remove(upload);
    return false;
  }
  if (!found.outcome) return checkPending(parts, upload, found);
  if (clock.now() >= found.keptUntilMs) return remove(parts, upload, found);
  await index.postpone(upload, found.keptUntilMs);
  return false;
}

async function checkPending(
  parts: SweepParts,
  upload: IndexedUpload,
  pending: DirectIntent,
): Promise<boolean> {
  const { index } = parts;
  const nowMs = parts.clock.now();
  const isLost = !mayStillFinish(pending.intent, nowMs);
  if (pending.isCommitting) {
    await (isLost ? index.remove(upload) : index.postpone(upload, nowMs + checkAgainMs));
    return false;
  }
  const expiresAtMs = pending.session?.expiresAtMs ?? 0;
  if (expiresAtMs > nowMs) {
    await index.postpone(upload, expiresAtMs);
    return false;
  }
  const life = await lifeOf(pending.session);
  if (life.state === 'open') {
    const movedToMs = life.expiresAtMs ?? nowMs + graceMs;
    await pending.expiresLater(new Date(movedToMs));
    await index.postpone(upload, Math.max(movedToMs, nowMs + leastPostponementMs));
    return false;
  }
  if (life.state === 'unknown' && !isLost) {
    await index.postpone(upload, nowMs + checkAgainMs);
    return false;
  }
  const { endedAtMs } = upload;
  if (endedAtMs !== null && nowMs - endedAtMs >= graceMs) return remove(parts, upload, pending);
  await index.postpone(upload, nowMs + graceMs, endedAtMs ?? nowMs);
  return false;
}

/** The index row is removed last: a crash in between leaves a row that the next run removes. */
async function remove({ index }: SweepParts, upload: IndexedUpload, intent: DirectIntent): Promise<boolean> {
  if (!(await intent.endIfUnchanged())) return false;
  await index.remove(upload);
  return true;
}
