import type { Clock } from '../contract/clock.ts';
import type { User } from '../callers/caller.ts';
import { isSameName } from '../document-library/drive-item.ts';
import { isRefusal } from '../document-library/library-error.ts';
import { cancelSession } from '../uploads/upload-url.ts';
import { msUntilDead } from './pulse.ts';
import { lifeOf } from './session-life.ts';
import type { StandingIntent, UploadIntents } from './upload-intents.ts';

export interface Freed {
  /** Whether an upload that held the name was canceled. */
  readonly isFreed: boolean;
  /** How long others may still hold it, where that is known. */
  readonly retryAfterMs: number | undefined;
  /** Whether a direct upload holds it: that takes longer than anybody waits. */
  readonly isHeldDirectly: boolean;
  /** A direct upload of this very user that holds it. */
  readonly ownDirectUploadId: string | undefined;
}

/** The file that an upload is about to write. */
export interface TargetFile {
  readonly projectId: string;
  readonly folderId: string;
  readonly fileName: string;
}

/**
 * Uploads whose session in the library keeps others from writing the same file. The library gives the name free only
 * when the session ends, some 15 minutes after its last byte; the session of an upload whose process has died is
 * canceled instead. A direct upload has no process that could die: it lives as long as its session.
 */
export class OpenUploads {
  readonly #intents: UploadIntents;
  readonly #clock: Clock;

  constructor(intents: UploadIntents, clock: Clock) {
    this.#intents = intents;
    this.#clock = clock;
  }

  async free(target: TargetFile, user: User): Promise<Freed> {
    const all = await this.#intents.ofProject(target.projectId);
    const standing = all.filter((each) => isFor(target, each));
    const held = await Promise.all(standing.map((each) => this.end(each)));
    const waitsMs = held.filter((each) => typeof each === 'number');
    const direct = standing.filter(
      ({ intent }, index) => intent.directUploadId && typeof held[index] === 'number',
    );
    const own = direct.find(({ intent }) => intent.uploadedByUserId === user.oid);
    return {
      isFreed: held.includes('canceled'),
      retryAfterMs: waitsMs.length === 0 ? undefined : waitsMs.reduce((a, b) => Math.max(a, b)),
      isHeldDirectly: direct.length > 0,
      ownDirectUploadId: own?.intent.directUploadId,
    };
  }

  /**
   * Ends an upload whose process has died.
   *
   * @returns for how many milliseconds it may still hold its name; `over` where its session has ended by itself, with or
   * without a file
   */
  async end(standing: StandingIntent): Promise<number | 'canceled' | 'over'> {
    const nowMs = this.#clock.now();
    if (standing.intent.directUploadId) return this.#untilItExpires(standing, nowMs);
    const deadInMs = msUntilDead(standing.aliveAtMs, nowMs);
    if (deadInMs > 0) return deadInMs;
    if (!standing.session) return 'over';
    const { uploadUrl, expiresAtMs } = standing.session;
    if (uploadUrl === null) return expiresAtMs > nowMs ? expiresAtMs - nowMs : 'over';
    try {
      await cancelSession(uploadUrl);
    } catch (error) {
      // Its file may be there: the intent is the repair's.
      if (isRefusal(error, 'notFound')) return 'over';
      return Math.max(0, expiresAtMs - nowMs);
    }
    // It was open, so it has made no file.
    await standing.end();
    return 'canceled';
  }

  async #untilItExpires({ session }: StandingIntent, nowMs: number): Promise<number | 'over'> {
    const life = await lifeOf(session);
    if (life.state === 'over') return 'over';
    return Math.max(0, (life.expiresAtMs ?? session?.expiresAtMs ?? nowMs) - nowMs);
  }
}

const isFor = ({ folderId, fileName }: TargetFile, { intent }: StandingIntent): boolean =>
  intent.folderId === folderId && isSameName(intent.fileName, fileName);
