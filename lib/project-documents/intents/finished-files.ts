import type { User } from '../../callers/caller.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { DocumentRecord } from '../records/document-records.ts';
import { evidenceOf, type Evidence } from './upload-evidence.ts';
import type { PendingIntent } from './pending-intent.ts';
import type { UploadIntent } from './upload-intent.ts';
import type { IntentParts } from './intent-parts.ts';

export interface FinishedFile {
  readonly item: DriveItem;
  readonly evidence: Evidence;
}

/** Finds the file of an upload after the library's response was lost, or the process that received it has died. */
export class FinishedFiles {
  readonly #parts: IntentParts;

  constructor(parts: IntentParts) {
    this.#parts = parts;
  }

  /** For an upload whose caller waits for the response: the file that can belong to no other upload, or null. */
  async certain(user: User, { id, intent }: PendingIntent): Promise<DriveItem | null> {
    const sure = (await this.#candidates(user, intent)).filter(({ evidence }) => evidence === 'sure');
    if (intent.conflictBehavior === 'replace') return sure[0]?.item ?? null;
    const own = await this.#unclaimed(intent, sure, (other) => other.id !== id);
    return own.length === 1 ? (own[0]?.item ?? null) : null;
  }

  /** For an upload that is over. `isRunning` selects the intents of other uploads that may still finish. */
  async left(
    user: User,
    intent: UploadIntent,
    isRunning: (other: PendingIntent) => boolean,
  ): Promise<FinishedFile | null> {
    const candidates = await this.#candidates(user, intent);
    if (intent.conflictBehavior !== 'rename') return candidates[0] ?? null;
    return (await this.#unclaimed(intent, candidates, isRunning))[0] ?? null;
  }

  async #candidates(user: User, intent: UploadIntent): Promise<readonly FinishedFile[]> {
    const found: FinishedFile[] = [];
    for await (const item of this.#items(user, intent)) {
      const evidence = evidenceOf(intent, item);
      if (evidence) found.push({ item, evidence });
    }
    return found;
  }

  async *#items(user: User, intent: UploadIntent): AsyncGenerator<DriveItem> {
    if (intent.conflictBehavior !== 'rename') {
      const item = await this.#parts.library.childOf(user, intent.folderId, intent.fileName);
      if (item) yield item;
      return;
    }
    try {
      yield* this.#parts.library.childrenOf(user, intent.folderId);
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) throw error;
    }
  }

  /**
   * The files that no other upload has created: without another upload's intent or record. In this order, because an
   * upload writes its intent before its file, and removes it after its record.
   */
  async #unclaimed(
    intent: UploadIntent,
    files: readonly FinishedFile[],
    isOther: (other: PendingIntent) => boolean,
  ): Promise<readonly FinishedFile[]> {
    if (files.length === 0) return [];
    const others = (await this.#parts.intents.ofProject(intent.projectId))
      .filter((other) => other.intent.folderId === intent.folderId && isOther(other))
      .map((other) => other.intent);
    const free = files.filter(({ item }) => others.every((other) => evidenceOf(other, item) === null));
    const records = await Promise.all(
      free.map(({ item }) => this.#parts.records.findByItem(intent.projectId, item.id)),
    );
    return free.filter((_, index) => {
      const record = records[index];
      return !record || isOwn(intent, record);
    });
  }
}

const isOwn = ({ keyId, directUploadId }: UploadIntent, record: DocumentRecord): boolean =>
  (keyId !== undefined && record.keyId === keyId) ||
  (directUploadId !== undefined && record.directUploadId === directUploadId);
