import { isRefusal } from '../document-library/library-error.ts';
import { sessionStatus } from '../uploads/upload-url.ts';
import type { StandingSession } from './upload-intents.ts';

/** What the library says of the session of a direct upload, whose bytes nobody here sees. */
export type SessionLife =
  | {
      readonly state: 'open';
      /** The first byte the library does not have yet; undefined when it has all. */
      readonly nextOffset: number | undefined;
      /** Milliseconds since 1970. */
      readonly expiresAtMs: number | undefined;
    }
  /** It has made its file, or never will. */
  | { readonly state: 'over' }
  /** The library does not answer, or the URL can't be read any more. */
  | { readonly state: 'unknown'; readonly expiresAtMs: undefined; readonly cause: unknown };

export async function lifeOf(session: StandingSession | null): Promise<SessionLife> {
  if (!session?.uploadUrl) return { state: 'unknown', expiresAtMs: undefined, cause: undefined };
  try {
    return { state: 'open', ...(await sessionStatus(session.uploadUrl)) };
  } catch (error) {
    // Expired, canceled or committed; or the token in its URL has run out, which ends it too.
    if (isRefusal(error, 'notFound', 'unauthenticated', 'denied')) return { state: 'over' };
    return { state: 'unknown', expiresAtMs: undefined, cause: error };
  }
}
