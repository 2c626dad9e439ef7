import { backoffMs } from '../contract/retry.ts';
import type { DriveItem } from '../document-library/drive-item.ts';
import type { UploadSession } from '../document-library/library.ts';
import { isLibraryError, LibraryError } from '../document-library/library-error.ts';
import { sendFragments, SessionLost, type Doubt, type FragmentsOf } from './send-fragments.ts';
import { cancelSession, type FinishedUpload } from './upload-url.ts';

export interface SentFile extends FragmentsOf {
  readonly createSession: () => Promise<UploadSession>;
  /** Finds the file of this upload after its last response was lost; null when in doubt. */
  readonly findFinished: () => Promise<DriveItem | null>;
  /** Whether it can be sent again although it may exist: not if that would create a second file. */
  readonly isRepeatable: boolean;
}

const maxSessions = 3;

/** The upload failed, but its file may exist. `cause` is the failure. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** @returns the file of an upload that failed with `error` @throws OutcomeUnknown if it is uncertain whether it exists */
export async function findFinishedDespite(
  error: unknown,
  findFinished: SentFile['findFinished'],
): Promise<FinishedUpload> {
  const item = await findFinished().catch(() => null);
  if (item) return { item, isNew: undefined };
  throw new OutcomeUnknown('', { cause: error });
}

/**
 * Sends a file of at least one byte. If its session is lost, it starts a new one. On failure, no session remains open.
 *
 * Only the response to the last fragment proves that the file exists. If it is lost together with the session, the file
 * is sent again; if that is impossible, the file is searched for in the library.
 *
 * @throws OutcomeUnknown; LibraryError, or what reading the content throws: then there is no file
 */
export async function sendFile(upload: SentFile): Promise<FinishedUpload> {
  let mayBeFinished = false;
  try {
    for (let sessions = 1; ; sessions += 1) {
      const session = await upload.createSession();
      const doubt: Doubt = { mayBeFinished: false };
      try {
        return await sendFragments(session, upload, doubt);
      } catch (error) {
        // A session that was still open has created no file.
        const wasOpen = await cancelIfOpen(session.uploadUrl);
        if (doubt.mayBeFinished && !wasOpen) mayBeFinished = true;
        if (doubt.mayBeFinished && wasOpen && isServerError(error)) {
          throw new LibraryError('rule', { cause: error });
        }
        if (!(error instanceof SessionLost)) throw error;
        const isRepeatable = upload.isRepeatable || !mayBeFinished;
        if (sessions === maxSessions || !isRepeatable) {
          // It had all bytes, and made no file of them.
          if (doubt.mayBeFinished && wasOpen) throw new LibraryError('rule', { cause: error });
          throw error.cause instanceof LibraryError
            ? error.cause
            : new LibraryError('changed', { cause: error });
        }
      }
      await upload.clock.wait(backoffMs(sessions, 500));
    }
  } catch (error) {
    if (!mayBeFinished) throw error;
    return findFinishedDespite(error, upload.findFinished);
  }
}

/**
 * Whether the library has responded with 500, at each attempt. After the last byte, while the session stays open, it rejects
 * the file by a rule of its own, without a word about it (drive rule A15).
 */
export const isServerError = (error: unknown): boolean =>
  isLibraryError(error, 'busy') && error.wire?.status === 500;

/** Whether the session was certainly open until now. A session that cannot be deleted expires. */
async function cancelIfOpen(uploadUrl: string): Promise<boolean> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    try {
      await cancelSession(uploadUrl);
      return true;
    } catch (error) {
      if (!isLibraryError(error, 'busy')) return false;
    }
  }
  return false;
}
