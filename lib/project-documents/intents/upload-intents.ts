import { randomUUID } from 'node:crypto';
import type { UploadSession } from '../../document-library/library.ts';
import { ServiceError } from '../../base/service-error.ts';
import { conditionalWrite, columnWriter } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import { matchingRows, odata } from '../../storage/table-rows.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { rowKeys } from '../folders/row-keys.ts';
import {
  directUploads,
  PendingIntent,
  sessionColumns,
  type IntentRow,
  type IntentTable,
} from './pending-intent.ts';
import { lastChanceMs } from './upload-evidence.ts';
import { isUploadIntent, type UploadIntent } from './upload-intent.ts';

/** Intents of uploads, written before the first byte is sent to the library and removed when file and record agree. */
export class UploadIntents {
  readonly #in: IntentTable;

  constructor(within: IntentTable) {
    this.#in = within;
  }

  /** @throws ServiceError `upload_in_progress` if there is an intent for this direct upload */
  async begin(intent: UploadIntent, session: UploadSession | null): Promise<PendingIntent> {
    const { table } = this.#in;
    const { projectId, directUploadId } = intent;
    // Before the intent: a crash in between leaves a row that leads to nothing, and that the timer removes.
    if (directUploadId !== undefined) {
      const dueAt = new Date((await certainNowBy(this.#in)) + lastChanceMs);
      const index = { partitionKey: directUploads, rowKey: directUploadId, projectId, dueAt };
      await table.upsertEntity(index, 'Replace');
    }
    const rowKey = rowKeys.upload.of({ uploadId: directUploadId ?? randomUUID() });
    const row = {
      partitionKey: partitionOf(projectId),
      rowKey,
      intent: JSON.stringify(intent),
      ...(await sessionColumns(this.#in, rowKey, session)),
      writtenBy: randomUUID(),
    };
    const written = await conditionalWrite(
      table.createEntity(row),
      columnWriter(table, row, 'writtenBy', row.writtenBy),
    );
    if (written) return new PendingIntent(this.#in, { ...row, ...written });
    throw new ServiceError('upload_in_progress', { detail: 'Another request has begun this upload.' });
  }

  /** A direct upload. */
  async find(projectId: string, uploadId: string): Promise<PendingIntent | null> {
    const [partitionKey, rowKey] = [partitionOf(projectId), rowKeys.upload.of({ uploadId })];
    const row = await orNullIfMissing(this.#in.table.getEntity<IntentRow>(partitionKey, rowKey));
    const found = row ? this.#pendingIn(row) : undefined;
    return found?.intent.projectId === projectId ? found : null;
  }

  /** @param onUnreadable is called with the key of each row that is no upload of this release */
  async ofProject(
    projectId: string,
    onUnreadable?: (rowKey: string) => void,
  ): Promise<readonly PendingIntent[]> {
    const { from, to } = rowKeys.upload.all;
    const filter = odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${from} and RowKey lt ${to}`;
    const rows = await Array.fromAsync(matchingRows<IntentRow>(this.#in.table, filter));
    const found: PendingIntent[] = [];
    for (const row of rows) {
      const pending = this.#pendingIn(row);
      if (pending) found.push(pending);
      else onUnreadable?.(row.rowKey);
    }
    return found.filter(({ intent }) => intent.projectId === projectId);
  }

  /**
   * Undefined for a row that somebody has added or damaged, or another release has written: a refresh finds the file of its
   * upload.
   */
  #pendingIn(row: IntentRow): PendingIntent | undefined {
    return isUploadIntent(row.intent) ? new PendingIntent(this.#in, row) : undefined;
  }
}
