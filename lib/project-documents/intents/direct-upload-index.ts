import { odata, type TableClient } from '@azure/data-tables';
import { firstRows } from '../../storage/first-rows.ts';
import { conditionalWrite } from '../../storage/conditional-write.ts';

/** A row that leads the sweep to a direct upload, with what earlier runs found. */
export interface IndexedUpload {
  readonly uploadId: string;
  readonly projectId: string;
  /** When the sweep first found the session ended; milliseconds since 1970, null while it has not. */
  readonly endedAtMs: number | null;
  readonly etag: string;
}

interface Row {
  readonly projectId: string;
  readonly dueAt: Date;
  readonly endedAt?: Date;
}

// One partition beside those of the projects, so a query for the rows that are due reads no other row of the table. It
// holds the direct uploads of about a day; a partition accepts 2,000 writes a second.
const partitionKey = 'direct-uploads';

/** One row for each direct upload, by the time at which its intent may have to be removed. */
export class DirectUploadIndex {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async add(uploadId: string, projectId: string, dueAtMs: number): Promise<void> {
    const row: Row = { projectId, dueAt: new Date(dueAtMs) };
    await this.#table.upsertEntity({ partitionKey, rowKey: uploadId, ...row }, 'Replace');
  }

  /** At most `limit` of the uploads that are due. */
  async due(nowMs: number, limit: number): Promise<readonly IndexedUpload[]> {
    const filter = odata`PartitionKey eq ${partitionKey} and dueAt le ${new Date(nowMs)}`;
    const rows = await firstRows<Row>(this.#table, filter, limit);
    return rows.map(({ rowKey = '', projectId, endedAt, etag }) => {
      return { uploadId: rowKey, projectId, endedAtMs: endedAt?.getTime() ?? null, etag };
    });
  }

  /** Sets when the sweep checks the upload again. Does nothing if another sweep has written the row since. */
  async postpone(
    { uploadId: rowKey, projectId, etag }: IndexedUpload,
    dueAtMs: number,
    endedAtMs: number | null = null,
  ): Promise<void> {
    const row: Row = {
      projectId,
      dueAt: new Date(dueAtMs),
      ...(endedAtMs !== null && { endedAt: new Date(endedAtMs) }),
    };
    const entity = { partitionKey, rowKey, ...row };
    await conditionalWrite(this.#table.updateEntity(entity, 'Replace', { etag }));
  }

  /** Does nothing when another sweep has written the row since. */
  async remove({ uploadId, etag }: IndexedUpload): Promise<void> {
    await conditionalWrite(this.#table.deleteEntity(partitionKey, uploadId, { etag }));
  }
}
