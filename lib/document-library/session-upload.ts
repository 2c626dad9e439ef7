import type { DriveItem } from './drive-item.ts';
import type { FragmentMemory } from './fragment-memory.ts';
import type { UploadSession } from './library.ts';
import { isRefusal, LibraryError } from './library-error.ts';
import { PendingBytes, type IncomingFile } from './pending-bytes.ts';
import { realPace, type Pace } from './retries.ts';
import { sendFragments, SessionLost, type Doubt, type FinishedUpload } from './fragment-loop.ts';
import { cancelSession } from './upload-session.ts';

export interface SessionUpload {
  readonly createSession: () => Promise<UploadSession>;
  /** Looks whether this very upload's file is there although the last answer never came; null when in doubt. */
  readonly findFinished: () => Promise<DriveItem | null>;
  /** Whether it may be sent once more although it may be there: not where that would make a second file. */
  readonly isRepeatable: boolean;
  readonly size: number;
  /** Reads the file from its beginning. */
  readonly open: () => IncomingFile;
  /** Whether `open` may be called again (a staged file), or is the client's one body. */
  readonly canReopen: boolean;
  readonly memory: FragmentMemory;
  readonly pace?: Pace;
}

const maxSessions = 3;

/** The upload failed in such a way that its file may be there all the same. `cause` is the failure. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The file of an upload that failed with `error`, if the library has it. @throws OutcomeUnknown if that can't be told */
export async function finishedDespite(
  error: unknown,
  findFinished: SessionUpload['findFinished'],
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
 * @throws OutcomeUnknown; LibraryError and whatever the incoming file throws: then there is no file
 */
export async function uploadThroughSession(upload: SessionUpload): Promise<FinishedUpload> {
  const doubt: Doubt = { mayBeFinished: false };
  try {
    return await throughSessions(upload, doubt);
  } catch (error) {
    if (doubt.mayBeFinished) return finishedDespite(error, upload.findFinished);
    throw error;
  }
}

async function throughSessions(upload: SessionUpload, doubt: Doubt): Promise<FinishedUpload> {
  const leave = upload.memory.enter();
  let bytes = new PendingBytes(upload.open(), upload.size, upload.memory);
  try {
    for (let sessions = 1; ; sessions += 1) {
      const { uploadUrl } = await upload.createSession();
      const here: Doubt = { mayBeFinished: false };
      try {
        return await sendFragments(uploadUrl, bytes, upload.pace ?? realPace, here);
      } catch (error) {
        // A session that was still open has made no file.
        const wasOpen = await cancelled(uploadUrl);
        if (here.mayBeFinished && !wasOpen) doubt.mayBeFinished = true;
        if (!(error instanceof SessionLost)) throw error;
        const isRepeatable = upload.isRepeatable || !doubt.mayBeFinished;
        if (sessions === maxSessions || !isRepeatable || !(bytes.isWhole || upload.canReopen)) {
          throw error.cause instanceof LibraryError
            ? error.cause
            : new LibraryError('changed', { cause: error });
        }
      }
      await (upload.pace ?? realPace).wait(250 * 4 ** (sessions - 1));
      if (!bytes.isWhole) {
        bytes.close();
        bytes = new PendingBytes(upload.open(), upload.size, upload.memory);
      }
    }
  } finally {
    leave();
    bytes.close();
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
