import type { TableClient } from '@azure/data-tables';
import { orNullIfMissing, refusedWith } from './refusals.ts';

/** Columns of text. Table Storage has no null: an absent value is an absent column. */
export type Columns = Readonly<Record<string, string>>;

/**
 * Records that are only ever read and written one by one, by their id: a partition each, one row in it. What the
 * system of record writes (docs/http-contract.md, "Projects and contacts") is kept so.
 */
export class PointRecords<Row extends object> {
  readonly #table: TableClient;
  readonly #rowKey: string;

  /** @param rowKey what a record is, e.g. `contact` */
  constructor(table: TableClient, rowKey: string) {
    this.#table = table;
    this.#rowKey = rowKey;
  }

  find(id: string): Promise<Row | null> {
    return orNullIfMissing(this.#table.getEntity<Row>(id, this.#rowKey));
  }

  /** Writes the whole record; columns that are not given go. */
  async put(id: string, columns: Columns): Promise<{ isNew: boolean }> {
    const entity = { partitionKey: id, rowKey: this.#rowKey, ...columns };
    try {
      await this.#table.createEntity(entity);
      return { isNew: true };
    } catch (error) {
      if (refusedWith(error) !== 409) throw error;
      // Upsert, not update: the row may have been deleted since.
      await this.#table.upsertEntity(entity, 'Replace');
      return { isNew: false };
    }
  }

  /** Deleting what is not there is fine: the write is idempotent. */
  async delete(id: string): Promise<void> {
    await orNullIfMissing(this.#table.deleteEntity(id, this.#rowKey));
  }
}
