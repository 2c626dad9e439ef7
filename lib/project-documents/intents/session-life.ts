import { ServiceError } from '../../base/service-error.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { sessionStatus, type SessionStatus } from '../../uploads/upload-url.ts';
import type { IntentTable, PendingIntent, PendingSession } from './pending-intent.ts';

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
  /** The library reports its end, and so far nothing else does. */
  | { readonly state: 'doubtful'; readonly expiresAtMs: number; readonly retryAfterMs: number }
  /** The session has created its file, or never will. */
  | { readonly state: 'over' }
  /** The library does not respond. */
  | { readonly state: 'unreachable'; readonly expiresAtMs: number; readonly cause: unknown }
  /** The URL can no longer be decrypted. */
  | { readonly state: 'unreadable'; readonly expiresAtMs: number };

export interface SessionReading {
  readonly life: SessionLife;
  /** The intent with what this reading has written to it. */
  readonly pending: PendingIntent;
}

const confirmEndAfterMs = 10_000;

/**
 * Reads the session of a direct upload, and writes its new expiry to the intent.
 *
 * A rejection proves little: a single faulty response would otherwise cost an upload whose bytes have all arrived. So the
 * session is over only if its last known expiry has passed, and two readings after it agree, ten seconds apart or more.
 */
export async function readSession(
  pending: PendingIntent,
  within: Pick<IntentTable, 'table' | 'clock'>,
): Promise<SessionReading> {
  const { session } = pending;
  // Release 1.0.0 kept the intents of completed uploads for a day, without their session.
  if (!session) return { life: { state: 'over' }, pending };
  const { uploadUrl, expiresAtMs } = session;
  if (uploadUrl === null) return { life: { state: 'unreadable', expiresAtMs }, pending };
  let status: SessionStatus;
  try {
    status = await sessionStatus(uploadUrl);
  } catch (cause) {
    // Expired, canceled, or committed; or the token in its URL has expired, which ends it too.
    const isRejected = isLibraryError(cause, 'notFound', 'unauthenticated', 'denied');
    if (isRejected) return doubt(pending, session, await certainNowBy(within));
    return { life: { state: 'unreachable', expiresAtMs, cause }, pending };
  }
  // It is open now, so it has not expired, whatever the clocks say.
  const knownMs = Math.max(status.expiresAtMs ?? expiresAtMs, await certainNowBy(within));
  return {
    life: { state: 'open', uploadUrl, nextOffset: status.nextOffset, expiresAtMs: knownMs },
    pending: knownMs > expiresAtMs ? await pending.withExpiry(knownMs) : pending,
  };
}

async function doubt(
  pending: PendingIntent,
  { expiresAtMs, endSeenAtMs }: PendingSession,
  nowMs: number,
): Promise<SessionReading> {
  const doubtful = { state: 'doubtful', expiresAtMs, retryAfterMs: confirmEndAfterMs } as const;
  // A reading before the expiry is no witness, and neither is one before a later expiry.
  if (endSeenAtMs === null || endSeenAtMs <= expiresAtMs) {
    return { life: doubtful, pending: await pending.withEndSeen(nowMs) };
  }
  const retryAfterMs = endSeenAtMs + confirmEndAfterMs - nowMs;
  return { life: retryAfterMs > 0 ? { ...doubtful, retryAfterMs } : { state: 'over' }, pending };
}

/** For the caller of an upload whose session may or may not be over. */
export const sessionInDoubt = (retryAfterMs = confirmEndAfterMs): ServiceError =>
  new ServiceError('library_throttled', {
    detail:
      'The library reports that the session of this upload has ended, which is not certain yet; nothing is lost. Try again later, or cancel the upload and begin another.',
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
