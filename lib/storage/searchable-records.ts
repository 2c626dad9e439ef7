/**
 * Records that are read by id, listed in order, and searched by the beginnings of words: projects and contacts
 * (docs/http-contract.md, "Projects and contacts"). All rows of a table are in the partition `~`, which is not a valid id:
 *
 *   `R!<id>`    the record, with the keys of its other rows
 *   the rest    the rows of its index (word-index.ts)
 *
 * One entity group transaction writes or deletes all rows of a record, so list and search are always consistent with it.
 */
import { randomUUID } from 'node:crypto';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { systemClock, type Clock } from '../contract/clock.ts';
import { conditionalWrite, untilSettled } from './conditional-write.ts';
import { orNullIfMissing } from './rejections.ts';
import { folded } from './search-words.ts';
import { keyWordOf, WordIndex, type Columns, type Page, type PageQuery } from './word-index.ts';

/** What the system of record writes. Table Storage has no null; an absent value is an absent column. */
export type Fields = Readonly<Record<string, string | null>>;

/** A record as it was last written. */
export type Saved<F> = F & { readonly id: string; readonly updatedAt: string };

export interface RecordKind<F extends Fields> {
  /** Names the record in errors and in the code of the error if there is none. */
  readonly name: 'project' | 'contact';
  readonly fields: readonly (string & keyof F)[];
  /** What the list is sorted by. */
  readonly sortText: (record: F) => string;
  /** The text that is searched. */
  readonly searchText: (record: F) => string;
}

interface StoredRecord {
  readonly columns: Columns;
  readonly etag: string;
  readonly indexKeys: readonly string[];
}

const partitionKey = '~';
const indexKeysColumn = 'index_keys';
// Names the write, to distinguish a lost response from another write.
const writerColumn = 'written_by';

export class SearchableRecords<F extends Fields> {
  readonly #table: TableClient;
  readonly #kind: RecordKind<F>;
  readonly #clock: Clock;
  readonly #index: WordIndex;

  constructor(table: TableClient, kind: RecordKind<F>, clock: Clock = systemClock) {
    this.#table = table;
    this.#kind = kind;
    this.#clock = clock;
    this.#index = new WordIndex(table, {
      name: kind.name,
      partitionKey,
      searchText: (columns) => kind.searchText(this.#savedIn(columns)),
    });
  }

  async find(id: string): Promise<Saved<F> | null> {
    const record = await this.#record(id);
    return record && this.#savedIn(record.columns);
  }

  /** @throws ServiceError `project_not_found` or `contact_not_found` */
  async get(id: string): Promise<Saved<F>> {
    const found = await this.find(id);
    if (found) return found;
    const { name } = this.#kind;
    throw new ServiceError(`${name}_not_found`, { detail: `There is no ${name} with the id ${id}.` });
  }

  /** See {@link WordIndex.list}. */
  async list(query: PageQuery): Promise<Page<Saved<F>>> {
    const { items, nextCursor } = await this.#index.list(query);
    return { items: items.map((columns) => this.#savedIn(columns)), nextCursor };
  }

  /** Replaces the whole record. Two requests. */
  async put(id: string, record: F): Promise<{ readonly saved: Saved<F>; readonly isNew: boolean }> {
    const saved = { ...record, id, updatedAt: new Date(this.#clock.now()).toISOString() };
    const columns = Object.fromEntries(
      Object.entries(saved).filter(([, value]) => value !== null),
    ) as Columns;
    const indexKeys = this.#indexKeys(saved, columns);
    const own = { [indexKeysColumn]: JSON.stringify(indexKeys), [writerColumn]: randomUUID() };
    return untilSettled(this.#kind.name, async (crossings) => {
      const old = await this.#record(id);
      const given = old?.indexKeys.filter((rowKey) => !indexKeys.includes(rowKey)) ?? [];
      // The first attempt trusts the record; the second allows for rows that were deleted by hand.
      const gone = crossings === 0 ? given : await this.#existing(given);
      const entity = { partitionKey, rowKey: recordKeyOf(id), ...columns, ...own };
      const written = await conditionalWrite(
        this.#table.submitTransaction([
          old ? ['update', entity, 'Replace', { etag: old.etag }] : ['create', entity],
          ...gone.map((rowKey) => deletion(rowKey)),
          ...indexKeys.map((rowKey): TransactionAction => [
            'upsert',
            { partitionKey, rowKey, ...columns },
            'Replace',
          ]),
        ]),
        async () => {
          const now = await this.#record(id);
          return now?.columns[writerColumn] === own[writerColumn] ? now : null;
        },
      );
      return written && { saved, isNew: old === null };
    });
  }

  /** Succeeds also if there is no such record. */
  async delete(id: string): Promise<void> {
    await untilSettled(this.#kind.name, async (crossings) => {
      const record = await this.#record(id);
      if (!record) return true;
      const keys = crossings === 0 ? record.indexKeys : await this.#existing(record.indexKeys);
      const actions = [...keys, recordKeyOf(id)].map((rowKey) => deletion(rowKey));
      return conditionalWrite(this.#table.submitTransaction(actions));
    });
  }

  #savedIn(columns: Columns): Saved<F> {
    const names = [...this.#kind.fields, 'id', 'updatedAt'];
    return Object.fromEntries(names.map((name) => [name, columns[name] ?? null])) as Saved<F>;
  }

  #indexKeys(saved: Saved<F>, columns: Columns): readonly string[] {
    const sort = keyWordOf(folded(this.#kind.sortText(saved)));
    return [`L!${sort}!${saved.id}`, ...this.#index.wordKeysOf(saved.id, columns)];
  }

  async #record(id: string): Promise<StoredRecord | null> {
    const row = await orNullIfMissing(this.#table.getEntity<Columns>(partitionKey, recordKeyOf(id)));
    return (
      row && {
        columns: row,
        etag: row.etag,
        indexKeys: JSON.parse(row[indexKeysColumn] ?? '[]') as string[],
      }
    );
  }

  async #existing(rowKeys: readonly string[]): Promise<readonly string[]> {
    const rows = await Promise.all(
      rowKeys.map((rowKey) => orNullIfMissing(this.#table.getEntity(partitionKey, rowKey))),
    );
    return rowKeys.filter((_, at) => rows[at] !== null);
  }
}

const recordKeyOf = (id: string): string => `R!${id}`;

const deletion = (rowKey: string): TransactionAction => ['delete', { partitionKey, rowKey }];
