import type { User } from '../callers/caller.ts';
import { isSameName, type DriveItem } from '../document-library/drive-item.ts';
import type { Library } from '../document-library/library.ts';
import { isRefusal } from '../document-library/library-error.ts';
import type { EventLog } from '../http/event-log.ts';
import type { DocumentRecords } from './document-records.ts';
import type { StandingIntent, UploadIntent, UploadIntents } from './upload-intents.ts';

// An upload that is still running is left alone; looking at it would be harmless, but it costs round trips.
const restMs = 2 * 60_000;
// The token inside an upload URL ends after 24 hours: from then on nothing can be finished any more.
const lastChanceMs = 25 * 60 * 60_000;
// The library's clock against ours.
const clockToleranceMs = 5 * 60_000;

/**
 * Gives files their record where a crash came between the library's last answer and the record's transaction. Runs
 * with the rights of whoever provisions or uploads next in the project: nobody else's token is at hand. Two repairs
 * at once, or one beside the upload itself, write the same record.
 */
export class UploadRepair {
  readonly #library: Library;
  readonly #records: DocumentRecords;
  readonly #intents: UploadIntents;
  readonly #now: () => number;

  constructor(
    library: Library,
    records: DocumentRecords,
    intents: UploadIntents,
    now: () => number = () => Date.now(),
  ) {
    this.#library = library;
    this.#records = records;
    this.#intents = intents;
    this.#now = now;
  }

  /** Never throws: it is nothing the caller asked for. */
  async run(user: User, projectId: string, log: EventLog): Promise<void> {
    try {
      for (const standing of await this.#intents.ofProject(projectId)) {
        const ageMs = this.#now() - Date.parse(standing.intent.startedAt);
        if (ageMs > restMs) await this.#settle(user, standing, ageMs, log);
      }
    } catch (error) {
      log.warn('uploads_not_repaired', { reason: error instanceof Error ? error.name : 'unknown' });
    }
  }

  async #settle(user: User, standing: StandingIntent, ageMs: number, log: EventLog): Promise<void> {
    const item = await this.finished(user, standing.intent);
    if (item) {
      await this.#adopt(standing.intent, item, log);
      await standing.end();
    } else if (ageMs > lastChanceMs) {
      await standing.end();
    }
  }

  async #adopt(intent: UploadIntent, item: DriveItem, log: EventLog): Promise<void> {
    const record = await this.#records.find(intent.projectId, item.id);
    if (record && record.document.uploadedAt >= intent.startedAt) return;
    const { folderId: _folderId, conflictBehavior: _behavior, startedAt, ...fields } = intent;
    const { document } = await this.#records.save({
      ...fields,
      fileName: item.name.normalize('NFC'),
      itemId: item.id,
      librarySize: item.size ?? intent.size,
      webUrl: item.webUrl ?? '',
      uploadedAt: item.lastModifiedDateTime ? new Date(item.lastModifiedDateTime).toISOString() : startedAt,
    });
    log.warn('upload_repaired', { documentId: document.id, projectId: intent.projectId });
  }

  /** The file an upload made although its answer never came, or null. */
  async finished(user: User, intent: UploadIntent): Promise<DriveItem | null> {
    if (intent.conflictBehavior !== 'rename') {
      const item = await this.#library.childOf(user, intent.folderId, intent.fileName);
      return item && isOf(intent, item) ? item : null;
    }
    try {
      for await (const item of this.#library.childrenOf(user, intent.folderId)) {
        if (!isNumbered(item.name, intent.fileName) || !isOf(intent, item)) continue;
        // Of several copies the one nobody has a record of is the one that is missing one.
        if (!(await this.#records.find(intent.projectId, item.id))) return item;
      }
    } catch (error) {
      if (!isRefusal(error, 'notFound')) throw error;
    }
    return null;
  }
}

// SharePoint rewrites these after an upload (reported for years, and never documented); for them size is no evidence.
const isRewritten = /\.(docx?|docm|dotx?|xlsx?|xlsm|pptx?|pptm|pdf|html?|jpe?g)$/i;

const isOf = (intent: UploadIntent, item: DriveItem): boolean =>
  item.folder === undefined &&
  (item.size === intent.size || isRewritten.test(intent.fileName)) &&
  item.lastModifiedBy?.user?.id === intent.uploadedByUserId &&
  Date.parse(item.lastModifiedDateTime ?? '') >= Date.parse(intent.startedAt) - clockToleranceMs;

/** `Plan.pdf` or, renamed by the library, `Plan 1.pdf`. */
function isNumbered(name: string, asked: string): boolean {
  const dot = asked.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [asked.slice(0, dot), asked.slice(dot)] : [asked, ''];
  const given = name.normalize('NFC');
  const middle = given.slice(stem.length, given.length - extension.length);
  return /^( \d+)?$/.test(middle) && isSameName(stem + middle + extension, given);
}
