import type { Clock } from '../contract/clock.ts';
import {
  LibraryError,
  mayHaveTakenEffect,
  type LibraryErrorReason,
} from '../document-library/library-error.ts';
import { waitBeforeRetryMs } from '../document-library/retries.ts';
import { putFragment, sessionStatus, type FinishedUpload, type SessionStatus } from './upload-url.ts';
import type { UploadSession } from '../document-library/library.ts';
import type { UploadWindow } from './upload-window.ts';

export interface Doubt {
  /** The last fragment may have arrived, although its response is missing. */
  mayBeFinished: boolean;
}

const maxAttempts = 5;

/** The session ended before the file was complete: expired, canceled, or never really created (new Office files). */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

export interface FragmentsOf {
  /** The file from its beginning. The caller closes it. */
  readonly window: UploadWindow;
  /** Size of the whole file. */
  readonly size: number;
  readonly clock: Clock;
  /** The latest end of a `Retry-After` wait after the first fragment is accepted; milliseconds since 1970. */
  readonly waitUntilMs: number;
  /** Learns the end of the session when a fragment has extended it; milliseconds since 1970. */
  readonly onExtended?: (expiresAtMs: number) => void;
}

/**
 * Sends the content of the window through one session, and repeats each fragment after a temporary failure.
 *
 * @param doubt set when the last fragment may have arrived, although its response is missing
 * @throws SessionLost; LibraryError; the cause that the window failed with
 */
export async function sendFragments(
  { uploadUrl, expiresAt }: UploadSession,
  { window, size, clock, waitUntilMs, onExtended }: FragmentsOf,
  doubt: Doubt,
): Promise<FinishedUpload> {
  let sessionEndsMs = Date.parse(expiresAt);
  /** Consecutive failures. */
  let failures = 0;
  let isUnderWay = false;

  /** Waits as the failure of a fragment requires. @returns where to resume @throws a permanent failure */
  const afterFailure = async (error: unknown, start: number): Promise<SessionStatus> => {
    if (!(error instanceof LibraryError)) throw error;
    if (sessionIsGone.has(error.reason)) {
      throw new SessionLost('', { cause: new LibraryError('other', { cause: error }) });
    }
    // The session accepted the name, so the fault is in the fragment.
    if (error.reason === 'badName') throw new LibraryError('badRange', { cause: error });
    if (!sameAgain.has(error.reason)) throw error;
    failures += 1;
    // After the first fragment, an upload is worth a longer wait, but not past the end of its session.
    const longestWaitMs = isUnderWay ? Math.min(waitUntilMs, sessionEndsMs) - clock.now() : undefined;
    const retryAfter = error.wire?.retryAfterSeconds;
    const waitMs = waitBeforeRetryMs(failures, maxAttempts, retryAfter, longestWaitMs);
    if (waitMs === null) throw error;
    await clock.wait(waitMs, window.failed);
    // The rest is not needed: next() throws the reason.
    if (window.failed.aborted) return { nextOffset: start, expiresAtMs: undefined };
    try {
      // The library may or may not have kept the bytes of a broken request.
      return await sessionStatus(uploadUrl);
    } catch (next) {
      return afterFailure(next, start);
    }
  };

  for (;;) {
    const fragment = await window.next();
    const isLast = fragment.start + fragment.length === size;
    let result: FinishedUpload | SessionStatus;
    try {
      result = await putFragment(uploadUrl, fragment, size);
    } catch (error) {
      if (isLast && mayHaveTakenEffect(error)) doubt.mayBeFinished = true;
      result = await afterFailure(error, fragment.start);
    }
    if ('item' in result) return result;
    if (result.expiresAtMs !== undefined) {
      sessionEndsMs = result.expiresAtMs;
      onExtended?.(sessionEndsMs);
    }
    // All bytes accepted, but no file: a deferred commit that was not requested.
    const offset = result.nextOffset ?? size;
    if (offset === size || !window.acknowledge(offset)) throw new SessionLost();
    if (offset > fragment.start) {
      failures = 0;
      isUnderWay = true;
    }
  }
}

// 401 and 403: the token in the upload URL has expired, which does not concern the user's own token.
const sessionIsGone: ReadonlySet<LibraryErrorReason> = new Set(['notFound', 'unauthenticated', 'denied']);
// `changed`: SharePoint rejects Office files this way at the end of their session; a retry usually succeeds.
const sameAgain: ReadonlySet<LibraryErrorReason> = new Set(['busy', 'badRange', 'changed']);
