import type { Clock } from '../contract/clock.ts';
import {
  LibraryError,
  mayHaveTakenEffect,
  type LibraryErrorReason,
} from '../document-library/library-error.ts';
import { waitBeforeRetryMs } from '../document-library/retries.ts';
import { putFragment, sessionStatus, type FinishedUpload, type SessionStatus } from './upload-url.ts';
import type { UploadSession } from '../document-library/library.ts';
import type { UploadContent } from './upload-content.ts';

export interface Doubt {
  /** The last fragment may have arrived, although its response is missing. */
  mayBeFinished: boolean;
}

const maxAttempts = 5;
/** A multiple of 320 KiB (Microsoft's rules). Microsoft recommends 5 to 10 MiB; a request must be smaller than 60 MiB. */
export const fragmentBytes = 10 * 1024 * 1024;

/** The session ended before the file was complete: expired, canceled, or never really created (new Office files). */
export class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

export interface FragmentsOf {
  readonly content: UploadContent;
  readonly clock: Clock;
  /** The latest end of a `Retry-After` wait after the first fragment is accepted; milliseconds since 1970. */
  readonly waitUntilMs: number;
  /** Learns the end of the session when a fragment has extended it; milliseconds since 1970. */
  readonly onExtended?: (expiresAtMs: number) => void;
}

/**
 * Sends a file through one session, from the byte that the library lacks, and repeats each fragment after a temporary
 * failure.
 *
 * @param doubt set when the last fragment may have arrived, although its response is missing
 * @throws SessionLost; LibraryError; what reading the content throws
 */
export async function sendFragments(
  { uploadUrl, expiresAt }: UploadSession,
  { content, clock, waitUntilMs, onExtended }: FragmentsOf,
  doubt: Doubt,
): Promise<FinishedUpload> {
  const { size } = content;
  let sessionEndsMs = Date.parse(expiresAt);
  /** Since the library had more bytes than ever before. */
  let failures = 0;
  let isUnderWay = false;

  /** Waits as the failure of a fragment requires. @returns where to resume @throws a permanent failure */
  const afterFailure = async (error: unknown): Promise<SessionStatus> => {
    if (!(error instanceof LibraryError)) throw error;
    if (sessionIsGone.has(error.reason)) {
      throw new SessionLost('', { cause: new LibraryError('other', { cause: error }) });
    }
    // The session accepted the name, so the fault is in the fragment.
    if (error.wire?.status === 400 && unknownHere.has(error.reason))
      throw new LibraryError('badRange', { cause: error });
    if (!sameAgain.has(error.reason)) throw error;
    failures += 1;
    // After the first fragment, an upload is worth a longer wait, but not past the end of its session.
    const longestWaitMs = isUnderWay ? Math.min(waitUntilMs, sessionEndsMs) - clock.now() : undefined;
    const retryAfter = error.wire?.retryAfterSeconds;
    const waitMs = waitBeforeRetryMs(failures, maxAttempts, retryAfter, longestWaitMs);
    if (waitMs === null) throw error;
    await clock.wait(waitMs);
    return statusAfter();
  };

  /** The library may or may not have kept the bytes of a broken request. */
  const statusAfter = async (): Promise<SessionStatus> => {
    try {
      return await sessionStatus(uploadUrl);
    } catch (error) {
      return afterFailure(error);
    }
  };

  const sendFragment = async (start: number, end: number): Promise<FinishedUpload | SessionStatus> => {
    let result: SessionStatus;
    try {
      const bytes = content.read(start, end);
      const sent = await putFragment(uploadUrl, { start, length: end - start, bytes }, size);
      if ('item' in sent) return sent;
      result = sent;
    } catch (error) {
      if (end === size && mayHaveTakenEffect(error)) doubt.mayBeFinished = true;
      return afterFailure(error);
    }
    if (result.nextOffset === undefined && end < size) {
      // Some responses lack the ranges, and some statuses, too. If this guess is wrong, the next fragment is rejected.
      const status = await statusAfter();
      result = { ...status, nextOffset: status.nextOffset ?? end };
    }
    const isMissing = result.nextOffset !== undefined && result.nextOffset <= start;
    return isMissing ? afterFailure(new LibraryError('badRange')) : result;
  };

  // How far the library has been: a session that goes back again and again makes no progress.
  let furthest = 0;
  for (let start = 0; ;) {
    const result = await sendFragment(start, Math.min(start + fragmentBytes, size));
    if ('item' in result) return result;
    if (result.expiresAtMs !== undefined) {
      sessionEndsMs = result.expiresAtMs;
      onExtended?.(sessionEndsMs);
    }
    // All bytes accepted, but no file: a deferred commit that was not requested.
    const offset = result.nextOffset ?? size;
    if (offset >= size) throw new SessionLost();
    if (offset > furthest) {
      failures = 0;
      isUnderWay = true;
      furthest = offset;
    }
    start = offset;
  }
}

// 401 and 403: the token in the upload URL has expired, which does not concern the user's own token.
const sessionIsGone: ReadonlySet<LibraryErrorReason> = new Set(['notFound', 'unauthenticated', 'denied']);
// `changed`: SharePoint rejects Office files this way at the end of their session; a retry usually succeeds.
const unknownHere: ReadonlySet<LibraryErrorReason> = new Set(['badName', 'other']);
const sameAgain: ReadonlySet<LibraryErrorReason> = new Set(['busy', 'badRange', 'changed']);
