import { isLibraryError } from '../../document-library/library-error.ts';
import { sessionStatus } from '../../uploads/upload-url.ts';
import type { PendingIntent, PendingSession } from './pending-intent.ts';

/** The state of a direct upload's session as the library reports it: its bytes do not pass through the service. */
export type SessionLife =
  | {
      readonly state: 'open';
      /** The first byte that the library lacks; undefined when it has all. */
      readonly nextOffset: number | undefined;
      /** Milliseconds since 1970. */
      readonly expiresAtMs: number | undefined;
    }
  /** The session has created its file, or never will. */
  | { readonly state: 'over' }
  /** The library does not respond, or the URL can no longer be decrypted. */
  | { readonly state: 'unknown'; readonly expiresAtMs: undefined; readonly cause: unknown };

export async function lifeOf(session: PendingSession | null): Promise<SessionLife> {
  // Release 1.0.0 kept the intents of completed uploads for a day, without their session.
  if (!session) return { state: 'over' };
  if (session.uploadUrl === null) return { state: 'unknown', expiresAtMs: undefined, cause: undefined };
  try {
    return { state: 'open', ...(await sessionStatus(session.uploadUrl)) };
  } catch (error) {
    // Expired, canceled, or committed; or the token in its URL has expired, which ends it too.
    if (isLibraryError(error, 'notFound', 'unauthenticated', 'denied')) return { state: 'over' };
    return { state: 'unknown', expiresAtMs: undefined, cause: error };
  }
}

/** Where the caller's program sends the bytes. */
export interface OpenUpload {
  readonly uploadId: string;
  readonly uploadUrl: string;
  /** ISO 8601. Each fragment extends it. */
  readonly expiresAt: string;
}

/** A direct upload whose session is open; otherwise null. */
export function openUploadOf({ intent, session }: PendingIntent, life: SessionLife): OpenUpload | null {
  const { directUploadId: uploadId } = intent;
  if (life.state !== 'open' || !session?.uploadUrl || uploadId === undefined) return null;
  const expiresAt = new Date(life.expiresAtMs ?? session.expiresAtMs).toISOString();
  return { uploadId, uploadUrl: session.uploadUrl, expiresAt };
}
