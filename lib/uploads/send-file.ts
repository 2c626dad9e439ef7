import { backoffMs, systemTiming, type RetryTiming } from '../contract/retry.ts';
import type { DriveItem } from '../document-library/drive-item.ts';
import type { UploadSession } from '../document-library/library.ts';
import { isRefusal, LibraryError } from '../document-library/library-error.ts';

import { sendFragments, SessionLost, type Doubt, type FinishedUpload } from './send-fragments.ts';
import { cancelSession } from './upload-url.ts';
import type { UploadWindow } from './upload-window.ts';

export interface SentFile {
  readonly createSession: () => Promise<UploadSession>;
  /** Looks whether this very upload's file is there although the last answer never came; null when in doubt. */
  readonly findFinished: () => Promise<DriveItem | null>;
  /** Whether it may be sent once more although it may be there: not where that would make a second file. */
  readonly isRepeatable: boolean;
  readonly size: number;
  /** The file from its beginning; it stays open. */
  readonly window: UploadWindow;
  /** The same in another window, where the file can be read once more (a staged one). */
  readonly reopen?: (() => UploadWindow) | undefined;
  /** Until when a `Retry-After` is waited for once some bytes are through; milliseconds since 1970. */
  readonly waitUntilMs: number;
  readonly timing?: RetryTiming;
}

const maxSessions = 3;

/** The upload failed in such a way that its file may be there all the same. `cause` is the failure. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The file of an upload that failed with `error`, if the library has it. @throws OutcomeUnknown if that can't be told */
export async function finishedDespite(
  error: unknown,
  findFinished: SentFile['findFinished'],
): Promise<FinishedUpload> {
  const item = await findFinished().catch(() => null);
  if (item) return { item, isNew: undefined };
  throw new OutcomeUnknown('', { cause: error });
}

/**
 * Sends a file of at least one byte through an upload session: fragment by fragment, each again after a broken
 * connection from where the library says, with a new session when the old one is lost and the beginning of the file
 * can still be had. Whatever fails, no session is left open.
 *
 * That the file is there is believed only from the answer to the last fragment. Where that never came and the session
 * is gone, the file is sent again; only where it can't be, its traces in the library are looked for.
 *
 * @throws OutcomeUnknown; LibraryError and what the window failed with: then there is no file
 */
export async function sendFile(upload: SentFile): Promise<FinishedUpload> {
  const doubt: Doubt = { mayBeFinished: false };
  try {
    return await throughSessions(upload, doubt);
  } catch (error) {
    if (doubt.mayBeFinished) return finishedDespite(error, upload.findFinished);
    throw error;
  }
}

async function throughSessions(upload: SentFile, doubt: Doubt): Promise<FinishedUpload> {
  const { timing = systemTiming } = upload;
  let { window } = upload;
  try {
    for (let sessions = 1; ; sessions += 1) {
      const session = await upload.createSession();
      const here: Doubt = { mayBeFinished: false };
      try {
        return await sendFragments(session, { ...upload, window, timing }, here);
      } catch (error) {
        // A session that was still open has made no file.
        const wasOpen = await cancelled(session.uploadUrl);
        if (here.mayBeFinished && !wasOpen) doubt.mayBeFinished = true;
        if (!(error instanceof SessionLost)) throw error;
        const isRepeatable = upload.isRepeatable || !doubt.mayBeFinished;
        if (sessions === maxSessions || !isRepeatable || !(window.rewind() || upload.reopen)) {
          throw error.cause instanceof LibraryError
            ? error.cause
            : new LibraryError('changed', { cause: error });
        }
      }
      await timing.clock.wait(
        backoffMs({ failures: sessions, baseMs: 500, jitter: 'equal' }, timing.random()),
      );
      if (!window.rewind() && upload.reopen) {
        if (window !== upload.window) window.close();
        window = upload.reopen();
      }
    }
  } finally {
    if (window !== upload.window) window.close();
  }
}

/** Whether the session was open until now, surely. One that can't be deleted expires by itself. */
async function cancelled(uploadUrl: string): Promise<boolean> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    try {
      await cancelSession(uploadUrl);
      return true;
    } catch (error) {
      if (!isRefusal(error, 'busy')) return false;
    }
  }
  return false;
}
