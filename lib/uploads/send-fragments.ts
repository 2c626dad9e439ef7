import type { RetryTiming } from '../contract/retry.ts';
import type { DriveItem } from '../document-library/drive-item.ts';
import { LibraryError, mayHaveTakenEffect, type RefusalReason } from '../document-library/library-error.ts';
import { waitBeforeRetryMs } from '../document-library/retries.ts';
import { putFragment, sessionStatus, type FragmentAnswer } from './upload-url.ts';
import type { UploadSession } from '../document-library/library.ts';
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

export interface FragmentsOf {
  readonly window: UploadWindow;
  /** Of the whole file. */
  readonly size: number;
  /** Until when a `Retry-After` is waited for once some bytes are through; milliseconds since 1970. */
  readonly waitUntilMs: number;
  readonly timing: RetryTiming;
}

/**
 * Sends what comes into the window through one session, each fragment again after a failure that passes.
 *
 * @param doubt set as soon as the last fragment may have arrived without its answer
 * @throws SessionLost; LibraryError; what the window failed with
 */
export function sendFragments(
  session: UploadSession,
  file: FragmentsOf,
  doubt: Doubt,
): Promise<FinishedUpload> {
  return new FragmentLoop(session, file).run(doubt);
}

class FragmentLoop {
  readonly #uploadUrl: string;
  readonly #file: FragmentsOf;
  #sessionEndsMs: number;
  /** In a row. */
  #failures = 0;
  #isUnderWay = false;

  constructor({ uploadUrl, expiresAt }: UploadSession, file: FragmentsOf) {
    this.#uploadUrl = uploadUrl;
    this.#sessionEndsMs = Date.parse(expiresAt);
    this.#file = file;
  }

  async run(doubt: Doubt): Promise<FinishedUpload> {
    const { window, size } = this.#file;
    for (;;) {
      const fragment = await window.next();
      const isLast = fragment.start + fragment.length === size;
      let answer: FragmentAnswer;
      try {
        answer = await putFragment(this.#uploadUrl, fragment, size);
      } catch (error) {
        if (isLast && mayHaveTakenEffect(error)) doubt.mayBeFinished = true;
        answer = await this.#afterFailure(error, fragment.start);
      }
      if (answer.kind === 'finished') return answer;
      this.#sessionEndsMs = answer.expiresAtMs ?? this.#sessionEndsMs;
      // All bytes accepted and yet no file: a deferred commit nobody asked for.
      const offset = answer.nextOffset ?? size;
      if (offset === size || !window.acknowledge(offset)) throw new SessionLost();
      if (offset > fragment.start) {
        this.#failures = 0;
        this.#isUnderWay = true;
      }
    }
  }

  /** Where to go on after a fragment failed, having waited as is right for the failure; or throws. */
  async #afterFailure(error: unknown, start: number): Promise<FragmentAnswer> {
    if (!(error instanceof LibraryError)) throw error;
    if (sessionIsGone.has(error.reason)) {
      throw new SessionLost('', { cause: new LibraryError('other', { cause: error }) });
    }
    // The name was accepted with the session; what is wrong now is how a part was sent.
    if (error.reason === 'badName') throw new LibraryError('badRange', { cause: error });
    if (!sameAgain.has(error.reason)) throw error;
    const { timing, window } = this.#file;
    this.#failures += 1;
    const waitMs = waitBeforeRetryMs(
      this.#failures,
      maxAttempts,
      error.wire?.retryAfterSeconds,
      timing.random,
      this.#longestWaitMs(),
    );
    if (waitMs === null) throw error;
    await timing.clock.wait(waitMs, window.failed);
    // Nobody wants the rest any more: the window says why.
    if (window.failed.aborted) return { kind: 'accepted', nextOffset: start, expiresAtMs: undefined };
    try {
      // Bytes of a broken request may or may not count: only the library knows.
      return { kind: 'accepted', ...(await sessionStatus(this.#uploadUrl)) };
    } catch (next) {
      return this.#afterFailure(next, start);
    }
  }

  /** An upload that has come some way is worth a longer wait, but not one that outlasts the session. */
  #longestWaitMs(): number | undefined {
    if (!this.#isUnderWay) return undefined;
    return Math.min(this.#file.waitUntilMs, this.#sessionEndsMs) - this.#file.timing.clock.now();
  }
}

// 401 and 403: the token inside the upload URL has run out, which says nothing about the user.
const sessionIsGone: ReadonlySet<RefusalReason> = new Set(['notFound', 'unauthenticated', 'denied']);
// `changed`: SharePoint refuses Office files so at the end of their session, of its own doing; again usually passes.
const sameAgain: ReadonlySet<RefusalReason> = new Set(['busy', 'badRange', 'changed']);
