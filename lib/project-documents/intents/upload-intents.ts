import { randomUUID } from 'node:crypto';
import { odata } from '@azure/data-tables';
import type { UploadSession } from '../../document-library/library.ts';
import { ServiceError } from '../../base/service-error.ts';
import { conditionalWrite, writtenWith } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { PendingIntent, sessionColumns, type IntentColumns, type IntentTable } from './pending-intent.ts';
import type { UploadIntent } from './upload-intent.ts';

const rowKeyPrefix = 'upload-';

/**
 * Intents of uploads, written before the first byte is sent to the library and removed when file and record agree. A
 * remaining intent is the evidence of a crash between the two (upload-repair.ts), and leads to the session that holds
 * the name (open-uploads.ts).
 */
export class UploadIntents {
  readonly #in: IntentTable;

  constructor(within: IntentTable) {
    this.#in = within;
  }

  /** @throws ServiceError `upload_in_progress` if there is an intent for this direct upload */
  async begin(intent: UploadIntent, session: UploadSession | null): Promise<PendingIntent> {
    const partitionKey = partitionOf(intent.projectId);
    const key = { partitionKey, rowKey: rowKeyPrefix + (intent.directUploadId ?? randomUUID()) };
    const columns = sessionColumns(this.#in, key, session);
    const row = { intent: JSON.stringify(intent), ...columns, writtenBy: randomUUID() };
    const { table } = this.#in;
    const written = await conditionalWrite(
      table.createEntity({ ...key, ...row }),
      writtenWith(table, key, 'writtenBy', row.writtenBy),
    );
    if (written) return new PendingIntent(this.#in, key, { ...row, ...written });
    throw new ServiceError('upload_in_progress', { detail: 'Another request has begun this upload.' });
  }

  /** A direct upload. */
  async find(projectId: string, uploadId: string): Promise<PendingIntent | null> {
    const key = { partitionKey: partitionOf(projectId), rowKey: rowKeyPrefix + uploadId };
    const read = this.#in.table.getEntity<IntentColumns>(key.partitionKey, key.rowKey);
    const row = await orNullIfMissing(read);
    const found = row && new PendingIntent(this.#in, key, row);
    return found?.intent.projectId === projectId ? found : null;
  }

  async ofProject(projectId: string): Promise<readonly PendingIntent[]> {
    const partitionKey = partitionOf(projectId);
    // '.' is the character after '-'.
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${'upload-'} and RowKey lt ${'upload.'}`;
    const rows = this.#in.table.listEntities<IntentColumns>({ queryOptions: { filter } });
    const found: PendingIntent[] = [];
    for await (const row of rows) {
      found.push(new PendingIntent(this.#in, { partitionKey, rowKey: row.rowKey ?? '' }, row));
    }
    return found.filter(({ intent }) => intent.projectId === projectId);
  }
}
