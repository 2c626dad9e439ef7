/**
 * Records that are read by id, listed in order, and searched by the beginnings of words: projects and contacts
 * (docs/http-contract.md, "Projects and contacts"). All rows of a table are in the partition `~`, which is not a valid id:
 *
 *   `R!<id>`          the record, with the keys of its other rows
 *   `L!<sort>!<id>`   its place in the list
 *   `W!<word>!<id>`   one row for each place where a word begins
 *
 * `!` sorts before every letter and digit, so a word sorts before longer ones. One entity group transaction writes or deletes
 * all rows of a record, so list and search are always consistent with it. Every row has the columns of the record, so a page
 * is one range of keys.
 */
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { orNullIfMissing, rejectedWith } from './rejections.ts';
import { cursorAfterRow, rowKeyOfCursor } from './row-key-cursor.ts';
import { folded, soughtIn, wordsOf } from './search-words.ts';

/** Columns of text. Table Storage has no null; an absent value is an absent column. */
export type Columns = Readonly<Record<string, string>>;

export interface RecordKind {
  /** Names the record in errors. */
  readonly name: string;
  /** What the list is sorted by. */
  readonly sortText: (columns: Columns) => string;
  /** The text that is searched. */
  readonly searchText: (columns: Columns) => string;
}

export interface PageQuery {
  /** Each word of it must be the beginning of a word of the record. */
  readonly search?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export type Found = Columns & { readonly id: string };

interface StoredRecord {
  readonly columns: Columns;
  readonly etag: string;
  readonly indexKeys: readonly string[];
}

const partitionKey = '~';
const indexKeysColumn = 'index_keys';

// A transaction has at most 100 actions: the record, and its old and new rows for list and words.
const maxIndexedWords = 45;
// Length of a word in a key; a search compares the rest with the columns.
const maxKeyWord = 40;
// The most rows that one request returns.
const maxRows = 1000;
// A search for several frequent words stops after this many and returns a short page.
const maxRequestsOfPage = 4;
const maxCrossings = 5;
const maxMoves = 1000;
const parallelMoves = 8;

export class SearchableRecords {
  readonly #table: TableClient;
  readonly #kind: RecordKind;

  constructor(table: TableClient, kind: RecordKind) {
    this.#table = table;
    this.#kind = kind;
  }

  /** One request, or two for a record that is missing or was written before records could be listed. */
  async find(id: string): Promise<Found | null> {
    const columns = (await this.#record(id))?.columns ?? (await this.#oldRow(id));
    return columns && foundIn(columns, id);
  }

  /**
   * In the order of the list, or of the matching word of a search. Costs one request per page, and up to four if a search
   * has several words; then a page may be short, or even empty, with a `nextCursor`.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list({ search, limit, cursor }: PageQuery): Promise<Page<Found>> {
    const sought = search === undefined ? [] : soughtIn(search);
    const list = [this.#kind.name, ...sought].join(' ');
    const [first] = sought.toSorted((one, other) => other.length - one.length);
    const longest = first === undefined ? undefined : keyWordOf(first);
    const start = longest === undefined ? 'L!' : `W!${longest}`;
    let after = cursor === undefined ? undefined : rowKeyOfCursor(cursor, list);
    // For one word every row is a match, except further rows of a record that matches several times.
    const size = longest === undefined ? limit + 1 : sought.length === 1 ? 2 * limit + 1 : maxRows;
    const matches: { readonly rowKey: string; readonly found: Found }[] = [];
    for (let request = 0; request < maxRequestsOfPage; request += 1) {
      const rows = await this.#rows(start, after, size);
      for (const { rowKey, ...columns } of rows) {
        if (longest !== undefined && !this.#isMatch(columns, sought, rowKey, longest)) continue;
        matches.push({ rowKey, found: foundIn(columns, String(columns['id'])) });
        if (matches.length > limit) break;
      }
      if (matches.length > limit) {
        const page = matches.slice(0, limit);
        return pageOf(page, cursorAfterRow(page.at(-1)?.rowKey ?? '', list));
      }
      after = rows.at(-1)?.rowKey ?? after;
      if (rows.length < size || after === undefined) return pageOf(matches, null);
    }
    return pageOf(matches, cursorAfterRow(after ?? '', list));
  }

  /** Writes the whole record; columns that are not given are removed. Two requests, three for a new record. */
  async put(id: string, columns: Columns): Promise<{ readonly isNew: boolean }> {
    return (await this.#write(id, () => columns)) === 'created'
      ? { isNew: !(await this.#deleteOldRow(id)) }
      : { isNew: false };
  }

  /** Succeeds also if there is no such record. */
  async delete(id: string): Promise<void> {
    await this.#deleteOldRow(id);
    for (let crossing = 0; crossing < maxCrossings; crossing += 1) {
      const record = await this.#record(id);
      if (!record) return;
      const keys = crossing === 0 ? record.indexKeys : await this.#existing(record.indexKeys);
      const actions: TransactionAction[] = [...keys, recordKeyOf(id)].map((rowKey) => deletion(rowKey));
      if (await this.#commit(actions)) return;
    }
    throw this.#keepsChanging();
  }

  /**
   * Moves records of earlier releases, which had a partition each, to where lists find them, at most 1,000 a call. Until
   * then they are read by id. Costs one request if there are none, and four for each.
   *
   * @returns how many were moved
   */
  async moveOldRows(): Promise<number> {
    const filter = odata`PartitionKey lt ${partitionKey}`;
    const pages = this.#table.listEntities({ queryOptions: { filter, select: ['PartitionKey'] } });
    for await (const rows of pages.byPage({ maxPageSize: maxMoves })) {
      for (let at = 0; at < rows.length; at += parallelMoves) {
        await Promise.all(
          rows.slice(at, at + parallelMoves).map((row) => this.#move(String(row.partitionKey))),
        );
      }
      if (rows.length > 0) return rows.length;
    }
    return 0;
  }

  async #move(id: string): Promise<void> {
    // Read again, since the page may be outdated and a deleted record would reappear. A deletion between this read and the
    // write still has that effect, once in the life of a record; a second deletion is permanent.
    const row = await this.#oldRow(id);
    if (!row) return;
    // A record that was written since is newer than the old row.
    await this.#write(id, (record) => (record ? undefined : columnsOf(row)));
    await this.#deleteOldRow(id);
  }

  /** `next` returns what to write, or undefined to leave the record as it is. */
  async #write(
    id: string,
    next: (record: StoredRecord | null) => Columns | undefined,
  ): Promise<'created' | 'replaced' | 'left'> {
    for (let crossing = 0; crossing < maxCrossings; crossing += 1) {
      const record = await this.#record(id);
      const columns = next(record);
      if (!columns) return 'left';
      const indexKeys = this.#indexKeys(id, columns);
      const given = record?.indexKeys.filter((rowKey) => !indexKeys.includes(rowKey)) ?? [];
      // The first attempt trusts the record; the second allows for rows that were deleted by hand.
      const gone = crossing === 0 ? given : await this.#existing(given);
      const entity = {
        partitionKey,
        rowKey: recordKeyOf(id),
        id,
        ...columns,
        [indexKeysColumn]: JSON.stringify(indexKeys),
      };
      const isWritten = await this.#commit([
        record ? ['update', entity, 'Replace', { etag: record.etag }] : ['create', entity],
        ...gone.map((rowKey) => deletion(rowKey)),
        ...indexKeys.map((rowKey): TransactionAction => [
          'upsert',
          { partitionKey, rowKey, id, ...columns },
          'Replace',
        ]),
      ]);
      if (isWritten) return record ? 'replaced' : 'created';
    }
    throw this.#keepsChanging();
  }

  /** @returns false if another call has changed the record */
  async #commit(actions: TransactionAction[]): Promise<boolean> {
    try {
      await this.#table.submitTransaction(actions);
      return true;
    } catch (error) {
      if ([404, 409, 412].includes(rejectedWith(error) ?? 0)) return false;
      throw error;
    }
  }

  #indexKeys(id: string, columns: Columns): readonly string[] {
    const sort = keyWordOf(folded(this.#kind.sortText(columns)));
    return [`L!${sort}!${id}`, ...this.#indexedWords(columns).map((word) => `W!${word}!${id}`)];
  }

  #indexedWords(columns: Columns): readonly string[] {
    const words = wordsOf(this.#kind.searchText(columns)).map((word) => keyWordOf(word));
    return [...new Set(words)].slice(0, maxIndexedWords);
  }

  /** Only the first row of a record that matches with several words is a match. */
  #isMatch(columns: Columns, sought: readonly string[], rowKey: string, longest: string): boolean {
    const words = wordsOf(this.#kind.searchText(columns));
    const first = this.#indexedWords(columns)
      .filter((word) => word.startsWith(longest))
      .toSorted()[0];
    return (
      rowKey === `W!${first}!${columns['id']}` &&
      sought.every((start) => words.some((word) => word.startsWith(start)))
    );
  }

  async #rows(
    start: string,
    after: string | undefined,
    size: number,
  ): Promise<readonly (Columns & { readonly rowKey: string })[]> {
    const from = after === undefined ? odata`RowKey ge ${start}` : odata`RowKey gt ${after}`;
    // Sorts after every letter and digit.
    const filter = `PartitionKey eq '${partitionKey}' and ${from} and ${odata`RowKey lt ${`${start}\uFFFD`}`}`;
    const rows: (Columns & { readonly rowKey: string })[] = [];
    const pages = this.#table.listEntities<Columns>({ queryOptions: { filter } });
    // A page with fewer rows than requested, or none, is not the end.
    for await (const page of pages.byPage({ maxPageSize: Math.min(size, maxRows) })) {
      for (const row of page as unknown as typeof rows) rows.push(row);
      if (rows.length >= size) return rows.slice(0, size);
    }
    return rows;
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

  #oldRow(id: string): Promise<Columns | null> {
    return orNullIfMissing(this.#table.getEntity<Columns>(id, this.#kind.name));
  }

  async #deleteOldRow(id: string): Promise<boolean> {
    return (await orNullIfMissing(this.#table.deleteEntity(id, this.#kind.name))) !== null;
  }

  #keepsChanging(): ServiceError {
    const detail = `The ${this.#kind.name} kept changing; try again.`;
    return new ServiceError('storage_unavailable', { detail, retryAfterSeconds: 1 });
  }
}

const recordKeyOf = (id: string): string => `R!${id}`;

// A cut through a surrogate pair would leave half a character, which a key cannot contain.
const keyWordOf = (word: string): string => word.slice(0, maxKeyWord).toWellFormed();

const deletion = (rowKey: string): TransactionAction => ['delete', { partitionKey, rowKey }];

const foundIn = (columns: Columns, id: string): Found => ({ ...columns, id });

function pageOf(matches: readonly { readonly found: Found }[], nextCursor: string | null): Page<Found> {
  return { items: matches.map(({ found }) => found), nextCursor };
}

/** The record's own columns of a row as the SDK returns it. */
function columnsOf(row: Readonly<Record<string, unknown>>): Columns {
  const own = Object.entries(row).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && !/^(partitionKey|rowKey|etag|timestamp|odata\..*)$/.test(entry[0]),
  );
  return Object.fromEntries(own);
}
