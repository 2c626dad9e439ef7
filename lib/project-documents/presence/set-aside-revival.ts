import type { User } from '../../callers/caller.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import type { DocumentRecord } from '../records/document-records.ts';
import type { SetAsideRecord } from '../records/set-aside-records.ts';
import type { PresenceParts } from './presence-parts.ts';

// Each costs a request to the library. The most recent ones are the most likely to return; a refresh finds all.
const maxChecks = 20;

/** Restores records that were set aside when a request of any caller finds their file. */
export class SetAsideRevival {
  readonly #parts: PresenceParts;

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  /** Searches for the files of a project's set-aside records. Never throws: the caller did not request it. */
  run(user: User, projectId: string, log: EventLog): Promise<void> {
    return orLater(log, 'revival of records', async () => {
      const records = await this.#parts.setAside.ofProject(projectId);
      const newest = records.toSorted((a, b) => (a.setAsideAt < b.setAsideAt ? 1 : -1)).slice(0, maxChecks);
      await Promise.all(newest.map((record) => this.#reviveIfFound(user, record, log)));
    });
  }

  /** Rewrites the record of a file that was found, under its old document id. */
  async revive(setAside: SetAsideRecord, item: DriveItem, log: EventLog): Promise<DocumentRecord> {
    const { projectId, itemId, ...fields } = setAside.record;
    // An upload that replaced the file in the meantime has written a newer record.
    const current = await this.#parts.records.findByItem(projectId, itemId);
    if (current) {
      await setAside.end();
      return current;
    }
    const size = item.size ?? fields.librarySize;
    const { document } = await this.#parts.records.save({
      ...fields,
      projectId,
      itemId,
      fileName: item.name.normalize('NFC'),
      ...(size !== fields.librarySize && { size, librarySize: size }),
      webUrl: item.webUrl ?? fields.webUrl,
    });
    await setAside.end();
    log.info('document_record_revived', { documentId: document.id, projectId });
    const { keyId, directUploadId } = fields;
    return { document, itemId, librarySize: size, keyId, directUploadId };
  }

  async #reviveIfFound(user: User, setAside: SetAsideRecord, log: EventLog): Promise<void> {
    let item: DriveItem;
    try {
      item = await this.#parts.library.item(user, setAside.record.itemId);
    } catch (error) {
      if (isLibraryError(error, 'notFound', 'denied')) return;
      throw error;
    }
    await this.revive(setAside, item, log);
  }
}
