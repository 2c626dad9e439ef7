import { odata, type TableClient } from '@azure/data-tables';
import { inSlices } from '../../base/slices.ts';
import type { Clock } from '../../contract/clock.ts';
import { conditionalWrite } from '../../storage/conditional-write.ts';
import { firstRows } from '../../storage/first-rows.ts';
import { lifeOf } from './session-life.ts';
import { lastChanceMs, mayStillFinish } from './upload-evidence.ts';
import type { UploadIntents } from './upload-intents.ts';

interface Row {
  readonly projectId: string;
  readonly dueAt: Date;
}

interface AbandonedParts {
  readonly table: TableClient;
  readonly intents: UploadIntents;
  readonly clock: Clock;
}

// One partition beside those of the projects, so a query for the rows that are due reads no other row of the table. It
// holds the direct uploads of about a day; a partition accepts 2,000 writes a second.
const partitionKey = 'direct-uploads';
const maxChecked = 100;
const parallelChecks = 8;

/** Rows that lead the timer to direct uploads, when they can no longer be finished. */
export class AbandonedUploads {
  readonly #parts: AbandonedParts;

  constructor(parts: AbandonedParts) {
    this.#parts = parts;
  }

  /** To be called before the upload has an intent. */
  async add(uploadId: string, projectId: string): Promise<void> {
    const row: Row = { projectId, dueAt: new Date(this.#parts.clock.now() + lastChanceMs) };
    await this.#parts.table.upsertEntity({ partitionKey, rowKey: uploadId, ...row }, 'Replace');
  }

  /**
   * Removes the intents of direct uploads that were abandoned, a day after their begin. Runs without a user: it checks a
   * session by its own URL, and never searches the library.
   *
   * @returns how many intents it removed
   */
  async sweep(): Promise<number> {
    const { table, clock } = this.#parts;
    const filter = odata`PartitionKey eq ${partitionKey} and dueAt le ${new Date(clock.now())}`;
    const due = await firstRows<Row>(table, filter, maxChecked);
    const found = await inSlices(due, parallelChecks, async ({ rowKey = '', projectId, etag }) => {
      const isRemoved = await this.#removed(projectId, rowKey);
      // After the intent: a crash in between leaves a row that the next run removes. With the ETag: the same upload may
      // have begun again.
      if (isRemoved !== null) await conditionalWrite(table.deleteEntity(partitionKey, rowKey, { etag }));
      return isRemoved;
    });
    return found.filter((isRemoved) => isRemoved === true).length;
  }

  /** @returns whether this removed the intent; null if the upload may still be finished */
  async #removed(projectId: string, uploadId: string): Promise<boolean | null> {
    const { intents, clock } = this.#parts;
    const pending = await intents.find(projectId, uploadId);
    // An upload whose process died while completing it may have a file: the next caller in the project finds it.
    if (!pending || pending.isCommitting) return false;
    if (mayStillFinish(pending.intent, clock.now())) return null;
    // The clock may be wrong, and so may a 404 of the library: only both together are enough.
    const life = await lifeOf(pending.session);
    if (life.state === 'open' || (life.state === 'unknown' && life.cause !== undefined)) return null;
    return (await pending.endIfUnchanged()) || null;
  }
}
