import type { RetryTiming } from '../contract/retry.ts';
import type { DriveItem } from '../document-library/drive-item.ts';
import { LibraryError, mayHaveTakenEffect, type RefusalReason } from '../document-library/library-error.ts';
import { waitBeforeRetryMs } from '../document-library/retries.ts';
import { nextOffset, putFragment, type FragmentAnswer } from './upload-url.ts';
import type { UploadWindow } from './upload-window.ts';

export interface FinishedUpload {
  readonly item: DriveItem;
  /** Whether the file was not there before; undefined when that can't be told any more. */
  readonly isNew: boolean | undefined;
}

export interface Doubt {
  /** A last fragment may have arrived without its answer. */
  mayBeFinished: boolean;
}

const maxAttempts = 5;

/** The session is over although the file is not: expired, cancelled, or never really there (fresh Office files). */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

/**
 * Sends what comes into the window through one session, each fragment again after a failure that passes.
 *
 * @param size of the whole file
 * @param doubt set as soon as the last fragment may have arrived without its answer
 * @throws SessionLost; LibraryError; what the window failed with
 */
export async function sendFragments(
  uploadUrl: string,
  { window, size }: { window: UploadWindow; size: number },
  timing: RetryTiming,
  doubt: Doubt,
): Promise<FinishedUpload> {
  let failures = 0;
  for (;;) {
    const fragment = await window.next();
    const isLast = fragment.start + fragment.length === size;
    let answer: FragmentAnswer;
    try {
      answer = await putFragment(uploadUrl, fragment, size);
    } catch (error) {
      failures += 1;
      if (isLast && mayHaveTakenEffect(error)) doubt.mayBeFinished = true;
      answer = await afterFailure(error, failures, uploadUrl, timing);
    }
    if (answer.kind === 'finished') return answer;
    // All bytes accepted and yet no file: a deferred commit nobody asked for.
    const offset = answer.nextOffset ?? size;
    if (offset === size || !window.acknowledge(offset)) throw new SessionLost();
    if (offset > fragment.start) failures = 0;
  }
}

/** Where to go on after a fragment failed, having waited as is right for the failure; or throws. */
async function afterFailure(
  error: unknown,
  failures: number,
  uploadUrl: string,
  timing: RetryTiming,
): Promise<FragmentAnswer> {
  if (!(error instanceof LibraryError)) throw error;
  if (sessionIsGone.has(error.reason)) {
    throw new SessionLost('', { cause: new LibraryError('other', { cause: error }) });
  }
  // The name was accepted with the session; what is wrong now is how a part was sent.
  if (error.reason === 'badName') throw new LibraryError('badRange', { cause: error });
  const waitMs = sameAgain.has(error.reason)
    ? waitBeforeRetryMs(failures, maxAttempts, error.wire?.retryAfterSeconds, timing.random)
    : null;
  if (waitMs === null) throw error;
  await timing.clock.wait(waitMs);
  try {
    // Bytes of a broken request may or may not count: only the library knows.
    return { kind: 'accepted', nextOffset: await nextOffset(uploadUrl) };
  } catch (next) {
    return afterFailure(next, failures + 1, uploadUrl, timing);
  }
}

// 401 and 403: the token inside the upload URL has run out, which says nothing about the user.
const sessionIsGone: ReadonlySet<RefusalReason> = new Set(['notFound', 'unauthenticated', 'denied']);
// `changed`: SharePoint refuses Office files so at the end of their session, of its own doing; again usually passes.
const sameAgain: ReadonlySet<RefusalReason> = new Set(['busy', 'badRange', 'changed']);
