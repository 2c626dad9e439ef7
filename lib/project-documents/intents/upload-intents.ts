import { randomUUID } from 'node:crypto';
import { odata } from '@azure/data-tables';
import type { UploadSession } from '../../document-library/library.ts';
import { ServiceError } from '../../base/service-error.ts';
import { conditionalWrite, writtenWith } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { DirectIntent, type DirectColumns } from './direct-intent.ts';
import { PendingIntent, sessionColumns, type IntentKey, type IntentTable } from './pending-intent.ts';
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
    if (written) return new PendingIntent(this.#in, key, intent, row);
    throw new ServiceError('upload_in_progress', { detail: 'Another request has begun this upload.' });
  }

  async findDirect(projectId: string, uploadId: string): Promise<DirectIntent | null> {
    const key = { partitionKey: partitionOf(projectId), rowKey: rowKeyPrefix + uploadId };
    const row = await orNullIfMissing(this.#in.table.getEntity<DirectColumns>(key.partitionKey, key.rowKey));
    const found = row && this.#read(key, row);
    if (found?.intent.projectId !== projectId) return null;
    return found instanceof DirectIntent ? found : null;
  }

  /** The pending intents of a project. Removes the outcomes of direct uploads that are no longer kept. */
  async ofProject(projectId: string): Promise<readonly PendingIntent[]> {
    const { table, clock } = this.#in;
    const partitionKey = partitionOf(projectId);
    // '.' is the character after '-'.
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${'upload-'} and RowKey lt ${'upload.'}`;
    const pending: PendingIntent[] = [];
    for await (const row of table.listEntities<DirectColumns>({ queryOptions: { filter } })) {
      const found = this.#read({ partitionKey, rowKey: row.rowKey ?? '' }, row);
      if (found.intent.projectId !== projectId) continue;
      if (!(found instanceof DirectIntent && found.outcome)) pending.push(found);
      else if (clock.now() > found.keptUntilMs) await found.endIfUnchanged();
    }
    return pending;
  }

  #read(key: IntentKey, row: DirectColumns & { readonly etag: string }): PendingIntent {
    const intent = JSON.parse(row.intent) as UploadIntent;
    const Kind = intent.directUploadId === undefined ? PendingIntent : DirectIntent;
    return new Kind(this.#in, key, intent, row);
  }
}
