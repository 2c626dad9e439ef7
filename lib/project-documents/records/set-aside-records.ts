import { odata, type TableClient } from '@azure/data-tables';
import type { Clock } from '../../contract/clock.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { documentIdOf, documentKey, keyOfDocumentId, setAsideRowKey } from './document-key.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { recordIn, type NewRecord, type RecordColumns } from './document-row.ts';

/** A record that was removed from the list because its file was not in its folder. */
export interface SetAsideRecord {
  readonly documentId: string;
  readonly record: NewRecord;
  /** ISO 8601. */
  readonly setAsideAt: string;
  end(): Promise<void>;
}

type Row = RecordColumns & { readonly setAsideAt: string };

const keptMs = 30 * 24 * 60 * 60_000;

/**
 * Purged records, kept for 30 days: a file that a caller does not find may be hidden from this caller alone. A request of
 * any caller that finds it restores the record under the same document id (set-aside-revival.ts).
 */
export class SetAsideRecords {
  readonly #table: TableClient;
  readonly #clock: Clock;

  constructor(table: TableClient, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  async find(documentId: string): Promise<SetAsideRecord | null> {
    const key = keyOfDocumentId(documentId);
    const row =
      key && (await orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, setAsideRowKey(key))));
    if (!row) return null;
    const record = this.#recordOf(row);
    return this.#isOver(record) ? null : record;
  }

  /** The set-aside records of a project. Removes those older than 30 days. */
  async ofProject(projectId: string): Promise<readonly SetAsideRecord[]> {
    const filter = odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${'aside-'} and RowKey lt ${'aside.'} and projectId eq ${projectId}`;
    const kept: SetAsideRecord[] = [];
    for await (const row of this.#table.listEntities<Row>({ queryOptions: { filter } })) {
      const record = this.#recordOf(row);
      if (this.#isOver(record)) await record.end();
      else kept.push(record);
    }
    return kept;
  }

  #isOver({ setAsideAt }: SetAsideRecord): boolean {
    return this.#clock.now() - Date.parse(setAsideAt) > keptMs;
  }

  #recordOf(row: Row): SetAsideRecord {
    const key = documentKey(row.projectId, row.itemId);
    return {
      documentId: documentIdOf(key),
      setAsideAt: row.setAsideAt,
      record: recordIn(row),
      end: async () => {
        await orNullIfMissing(this.#table.deleteEntity(key.partitionKey, setAsideRowKey(key)));
      },
    };
  }
}
