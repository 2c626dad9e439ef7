import { ServiceError } from '../../base/service-error.ts';
import type { FaultParams } from '../../contract/faults.ts';
import { isSameName } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { cancelSession } from '../../uploads/upload-url.ts';
import { msUntilDead } from '../../storage/heartbeat.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { readSession } from './session-life.ts';
import type { IntentParts } from './intent-parts.ts';
import type { UploadIntent } from './upload-intent.ts';
import type { PendingIntent } from './pending-intent.ts';

export interface Freed {
  /** Whether an upload that held the name was canceled. */
  readonly isFreed: boolean;
  /** How long other uploads may still hold the name, if known. */
  readonly retryAfterMs: number | undefined;
  /** Whether a direct upload holds the name, which is too long to wait for. */
  readonly isHeldDirectly: boolean;
  /** A direct upload of the same user that holds the name. */
  readonly ownDirectUploadId: string | undefined;
}

/**
 * Frees a name that the session of another upload holds, if its process has died. The library itself does so about 15
 * minutes after the last byte. A direct upload has no process that could die: it lives as long as its session.
 */
export async function freeName(
  parts: IntentParts,
  { projectId, folderId, fileName }: Pick<UploadIntent, 'projectId' | 'folderId' | 'fileName'>,
): Promise<Freed> {
  const pending = (await parts.intents.ofProject(projectId)).filter(
    ({ intent }) => intent.folderId === folderId && isSameName(intent.fileName, fileName),
  );
  const ends = await Promise.all(pending.map((each) => endIfDead(parts, each)));
  const waitsMs = ends.filter((end) => typeof end === 'number');
  const direct = pending
    .filter(({ intent }, index) => intent.directUploadId !== undefined && typeof ends[index] === 'number')
    .map(({ intent }) => intent);
  return {
    isFreed: ends.includes('canceled'),
    retryAfterMs: waitsMs.length === 0 ? undefined : waitsMs.reduce((a, b) => Math.max(a, b)),
    isHeldDirectly: direct.length > 0,
    ownDirectUploadId: direct.find((each) => each.uploadedByUserId === parts.user.oid)?.directUploadId,
  };
}

/**
 * Ends an upload whose process has died.
 *
 * @returns for how many milliseconds it may still hold its name; `over` if its session has ended on its own, with or
 * without a file
 */
export async function endIfDead(
  parts: IntentParts,
  pending: PendingIntent,
): Promise<number | 'canceled' | 'over'> {
  const nowMs = await certainNowBy(parts);
  if (pending.intent.directUploadId !== undefined) {
    const { life } = await readSession(pending, parts);
    if (life.state === 'over') return 'over';
    const retryAfterMs = life.state === 'doubtful' ? life.retryAfterMs : 0;
    return Math.max(retryAfterMs, life.expiresAtMs - nowMs);
  }
  const deadInMs = msUntilDead(pending.aliveAtMs, nowMs);
  if (deadInMs > 0) return deadInMs;
  if (!pending.session) return 'over';
  const { uploadUrl, expiresAtMs } = pending.session;
  if (uploadUrl === null) return expiresAtMs > nowMs ? expiresAtMs - nowMs : 'over';
  try {
    await cancelSession(uploadUrl);
  } catch (error) {
    // Its file may exist: the repair needs the intent.
    if (isLibraryError(error, 'notFound')) return 'over';
    return Math.max(0, expiresAtMs - nowMs);
  }
  // It was open, so it has created no file.
  await pending.end();
  return 'canceled';
}

export const uploadInProgress = (
  detail: string,
  retryAfterMs?: number,
  params: FaultParams = {},
): ServiceError =>
  new ServiceError('upload_in_progress', {
    params,
    detail,
    ...(retryAfterMs !== undefined && {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) },
    }),
  });
