import { isLibraryError } from '../../document-library/library-error.ts';
import { sessionStatus } from '../../uploads/upload-url.ts';
import type { PendingSession } from './pending-intent.ts';

/** The state of a direct upload's session as the library reports it: its bytes do not pass through the service. */
export type SessionLife =
  | {
      readonly state: 'open';
      readonly uploadUrl: string;
      /** The first byte that the library lacks; undefined when it has all. */
      readonly nextOffset: number | undefined;
      /** Milliseconds since 1970. */
      readonly expiresAtMs: number;
    }
  /** The session has created its file, or never will. */
  | { readonly state: 'over' }
  /** The library does not respond (`cause`), or the URL can no longer be decrypted. */
  | { readonly state: 'unknown'; readonly expiresAtMs: number; readonly cause?: unknown };

export async function lifeOf(session: PendingSession | null): Promise<SessionLife> {
  // Release 1.0.0 kept the intents of completed uploads for a day, without their session.
  if (!session) return { state: 'over' };
  const { uploadUrl, expiresAtMs } = session;
  if (uploadUrl === null) return { state: 'unknown', expiresAtMs };
  try {
    const status = await sessionStatus(uploadUrl);
    return { state: 'open', uploadUrl, ...status, expiresAtMs: status.expiresAtMs ?? expiresAtMs };
  } catch (cause) {
    // Expired, canceled, or committed; or the token in its URL has expired, which ends it too.
    if (isLibraryError(cause, 'notFound', 'unauthenticated', 'denied')) return { state: 'over' };
    return { state: 'unknown', expiresAtMs, cause };
  }
}
