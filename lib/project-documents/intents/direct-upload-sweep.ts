import { inSlices } from '../../base/slices.ts';
import type { Clock } from '../../contract/clock.ts';
import type { DirectUploadIndex, IndexedUpload } from './direct-upload-index.ts';
import { lifeOf } from './session-life.ts';
import { mayStillFinish } from './upload-evidence.ts';
import { CompletedUpload, type DirectIntent } from './direct-intent.ts';
import type { UploadIntents } from './upload-intents.ts';

const maxChecked = 100;
const parallelChecks = 8;
// A session counts as ended only if it is found ended twice, this far apart: if the library returns a 404 for a session
// that exists, or creates the file with the last byte, the intent must remain until the caller completes the upload.
const graceMs = 15 * 60_000;
const checkAgainMs = 60 * 60_000;
// If the library reports an expiry that has passed by our clock.
const leastPostponementMs = 60_000;

/**
 * Removes the intents of direct uploads that were abandoned, after their session has ended, and those of completed ones
 * after a day. Runs without a user: it checks a session by its own URL, and never searches the library. An upload
 * whose process died while completing it may have a file, so its intent is left to the next caller in the project
 * ({@link UploadRepair}).
 *
 * Storage requests per run: one query, and for each upload that is due one read and at most two writes; one status
 * request to the library for those not completed. At most 100 uploads per run.
 */
export class DirectUploadSweep {
  readonly #index: DirectUploadIndex;
  readonly #intents: UploadIntents;
  readonly #clock: Clock;

  constructor(index: DirectUploadIndex, intents: UploadIntents, clock: Clock) {
    this.#index = index;
    this.#intents = intents;
    this.#clock = clock;
  }

  /** @returns how many intents it removed */
  async run(): Promise<number> {
    const due = await this.#index.due(this.#clock.now(), maxChecked);
    const isRemoved = await inSlices(due, parallelChecks, (upload) => this.#check(upload));
    return isRemoved.filter(Boolean).length;
  }

  /** @returns whether it removed the intent */
  async #check(upload: IndexedUpload): Promise<boolean> {
    const found = await this.#intents.findDirect(upload.projectId, upload.uploadId);
    if (!found) {
      await upload.remove();
      return false;
    }
    if (!(found instanceof CompletedUpload)) return this.#checkPending(upload, found);
    if (this.#clock.now() >= found.keptUntilMs) return remove(upload, found);
    await upload.postpone(found.keptUntilMs);
    return false;
  }

  async #checkPending(upload: IndexedUpload, pending: DirectIntent): Promise<boolean> {
    const nowMs = this.#clock.now();
    const isLost = !mayStillFinish(pending.intent, nowMs);
    if (pending.isCommitting) {
      await (isLost ? upload.remove() : upload.postpone(nowMs + checkAgainMs));
      return false;
    }
    const expiresAtMs = pending.session?.expiresAtMs ?? 0;
    if (expiresAtMs > nowMs) {
      await upload.postpone(expiresAtMs);
      return false;
    }
    const life = await lifeOf(pending.session);
    if (life.state === 'open') {
      const movedToMs = life.expiresAtMs ?? nowMs + graceMs;
      await pending.expiresLater(new Date(movedToMs));
      await upload.postpone(Math.max(movedToMs, nowMs + leastPostponementMs));
      return false;
    }
    if (life.state === 'unknown' && !isLost) {
      await upload.postpone(nowMs + checkAgainMs);
      return false;
    }
    if (upload.endedAtMs !== null && nowMs - upload.endedAtMs >= graceMs) return remove(upload, pending);
    await upload.postpone(nowMs + graceMs, upload.endedAtMs ?? nowMs);
    return false;
  }
}

/** The index row is removed last: a crash in between leaves a row that the next run removes. */
async function remove(
  upload: IndexedUpload,
  intent: { readonly endIfUnchanged: () => Promise<boolean> },
): Promise<boolean> {
  if (!(await intent.endIfUnchanged())) return false;
  await upload.remove();
  return true;
}
