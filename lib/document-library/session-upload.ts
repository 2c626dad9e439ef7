import type { DriveItem } from './drive-item.ts';
import type { FragmentMemory } from './fragment-memory.ts';
import type { UploadSession } from './library.ts';
import { isRefusal, LibraryError, type RefusalReason } from './library-error.ts';
import { PendingBytes, type IncomingFile } from './pending-bytes.ts';
import { realPace, waitBeforeRetryMs, type Pace } from './retries.ts';
import { cancelSession, nextOffset, putFragment, type FragmentAnswer } from './upload-session.ts';

export interface SessionUpload {
  readonly createSession: () => Promise<UploadSession>;
  /** Looks whether the file is there although the last answer never came. */
  readonly findFinished: () => Promise<DriveItem | null>;
  readonly size: number;
  /** Reads the file from its beginning. */
  readonly open: () => IncomingFile;
  /** Whether `open` may be called again (a staged file), or is the client's one body. */
  readonly canReopen: boolean;
  readonly memory: FragmentMemory;
  readonly pace?: Pace;
}

export interface FinishedUpload {
  readonly item: DriveItem;
  /** Whether the file was not there before; undefined when that can't be told any more. */
  readonly isNew: boolean | undefined;
}

const maxAttempts = 5;
const maxSessions = 3;

/** The session is over although the file is not: expired, cancelled, or never really there (fresh Office files). */
class SessionLost extends Error {
  override readonly name = 'SessionLost';
}

/**
 * Sends a file of at least one byte through an upload session: fragment by fragment, each again after a broken
 * connection from where the library says, with a new session when the old one is lost and the beginning of the file
 * can still be had. Whatever fails, no session is left open.
 */
export async function uploadThroughSession(upload: SessionUpload): Promise<FinishedUpload> {
  const leave = upload.memory.enter();
  let bytes = new PendingBytes(upload.open(), upload.size, upload.memory);
  try {
    for (let sessions = 1; ; sessions += 1) {
      const { uploadUrl } = await upload.createSession();
      try {
        return await sendFragments(uploadUrl, bytes, upload);
      } catch (error) {
        await cancelQuietly(uploadUrl);
        if (!(error instanceof SessionLost)) throw error;
        if (sessions === maxSessions || !(bytes.isWhole || upload.canReopen)) {
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

async function sendFragments(
  uploadUrl: string,
  bytes: PendingBytes,
  { pace = realPace, findFinished }: SessionUpload,
): Promise<FinishedUpload> {
  let failures = 0;
  for (;;) {
    const fragment = await bytes.next();
    const isLast = fragment.start + fragment.length === bytes.size;
    let answer: FragmentAnswer;
    try {
      answer = await putFragment(uploadUrl, fragment, bytes.size);
    } catch (error) {
      failures += 1;
      answer = await afterFailure(error, failures, {
        uploadUrl,
        pace,
        findFinished: isLast ? findFinished : null,
      });
    }
    if (answer.kind === 'finished') return answer;
    // All bytes accepted and yet no file: a deferred commit nobody asked for.
    const offset = answer.nextOffset ?? bytes.size;
    if (offset === bytes.size || !bytes.advanceTo(offset)) throw new SessionLost();
    if (offset > fragment.start) failures = 0;
  }
}

interface Recovery {
  readonly uploadUrl: string;
  readonly pace: Pace;
  /** Null where the file can't be finished yet. */
  readonly findFinished: SessionUpload['findFinished'] | null;
}

/** Where to go on after a fragment failed, having waited as is right for the failure; or throws. */
async function afterFailure(error: unknown, failures: number, recovery: Recovery): Promise<FragmentAnswer> {
  if (!(error instanceof LibraryError)) throw error;
  if (sessionIsGone.has(error.reason)) {
    // The bytes may all have arrived and only the answer be lost: then the session is gone and the file is there.
    const item = await recovery.findFinished?.();
    if (item) return { kind: 'finished', item, isNew: undefined };
    throw new SessionLost('', { cause: new LibraryError('other', { cause: error }) });
  }
  const waitMs = sameAgain.has(error.reason)
    ? waitBeforeRetryMs(failures, maxAttempts, error.wire?.retryAfterSeconds, recovery.pace.random)
    : null;
  if (waitMs === null) throw error;
  await recovery.pace.wait(waitMs);
  try {
    // Bytes of a broken request may or may not count: only the library knows.
    return { kind: 'accepted', nextOffset: await nextOffset(recovery.uploadUrl) };
  } catch (next) {
    return afterFailure(next, failures + 1, recovery);
  }
}

// 401 and 403: the token inside the upload URL has run out, which says nothing about the user.
const sessionIsGone: ReadonlySet<RefusalReason> = new Set(['notFound', 'unauthenticated', 'denied']);
// `changed`: SharePoint refuses Office files so at the end of their session, of its own doing; again usually passes.
const sameAgain: ReadonlySet<RefusalReason> = new Set(['busy', 'badRange', 'changed']);

/** Also of a session that is finished or gone: 404 then. A session that can't be deleted expires by itself. */
async function cancelQuietly(uploadUrl: string): Promise<void> {
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    try {
      return await cancelSession(uploadUrl);
    } catch (error) {
      if (!isRefusal(error, 'busy')) return;
    }
  }
}
