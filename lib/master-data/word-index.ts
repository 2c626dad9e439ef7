/**
 * Rows that lead from the beginnings of words to records, in one partition of a table:
 *
 *   `L!<sort>!<id>`   the place of a record in the list, if there is one
 *   `W!<word>!<id>`   one row for each place where a word begins
 *
 * Their keys begin with a scope, which separates lists of one partition; the scope is empty unless a query names one.
 * `!` sorts before every letter and digit, so a word sorts before longer ones. Every row has the columns of the record, so a
 * page is one range of keys. Who owns the records writes the rows.
 */
import { setImmediate } from 'node:timers/promises';
import type { TableClient } from '@azure/data-tables';
import { firstRows, matchingRows, odata } from '../storage/table-rows.ts';
import { placeOfCursor } from '../storage/cursor.ts';
import { rowKeys } from './row-keys.ts';
import { foldText, isFoundBy, searchWordsOf, wordsOf } from './search-words.ts';

/** Columns of text. Table Storage has no null; an absent value is an absent column. */
export type Columns = Readonly<Record<string, string>>;

export interface IndexKind {
  readonly partitionKey: string;
  /** The text that is searched. */
  readonly searchText: (columns: Columns) => string;
}

export interface PageQuery {
  /** Each word of it must be the beginning of a word of the record. */
  readonly search?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Of the rows; ends in `!` if it is not empty. */
  readonly scope?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

type Found = Columns & { readonly id: string };

// A transaction has at most 100 actions: a record, and its old and new rows for list and words.
const maxIndexedWords = 45;
// Length of a word in a key; a search compares the rest with the columns.
const maxKeyWord = 40;
// The most rows that one request returns.
const maxRows = 1000;
// A search for several frequent words stops after this many and returns a short page.
const maxRequestsOfPage = 4;
// Other calls are served in between.
const rowsPerTurn = 250;
// The folded text of a record. Rows of release 1.0.0 are without it.
const formColumn = 'folded_text';

export interface IndexedWords {
  readonly keys: readonly string[];
  readonly columns: Columns;
}

export class WordIndex {
  readonly #table: TableClient;
  readonly #kind: IndexKind;

  constructor(table: TableClient, kind: IndexKind) {
    this.#table = table;
    this.#kind = kind;
  }

  /**
   * In the order of the list, or of the matching word of a search. Costs one request per page, and up to four if a search
   * has several words; then a page may be short, or even empty, with a `nextCursor`.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list({ search, limit, cursor, scope = '' }: PageQuery): Promise<Page<Found>> {
    const sought = search === undefined ? [] : searchWordsOf(search);
    const first = longestOf(sought);
    const longest = first === undefined ? undefined : keyWordOf(first);
    const start =
      scope + (longest === undefined ? rowKeys.listed.prefix : rowKeys.word.startOf({ word: longest }));
    let after =
      cursor === undefined ? undefined : placeOfCursor(cursor, (rowKey) => rowKey.startsWith(start));
    // For one word every row is a match, except further rows of a record that matches several times.
    const size = longest === undefined ? limit + 1 : sought.length === 1 ? 2 * limit + 1 : maxRows;
    const items: Found[] = [];
    let lastMatch = '';
    for (let request = 0; request < maxRequestsOfPage; request += 1) {
      const rows = await this.#rows(start, after, size);
      for (const [at, { rowKey = '', ...columns }] of rows.entries()) {
        if (at % rowsPerTurn === rowsPerTurn - 1) await setImmediate();
        if (longest !== undefined && !this.#isMatch(columns, sought, rowKey.slice(scope.length), longest)) {
          continue;
        }
        if (items.length === limit) return { items, nextCursor: lastMatch };
        items.push({ ...columns, id: String(columns['id']) });
        lastMatch = rowKey;
      }
      after = rows.at(-1)?.rowKey ?? after;
      if (rows.length < size || after === undefined) return { items, nextCursor: null };
    }
    return { items, nextCursor: after ?? null };
  }

  /**
   * The list from its end. Table Storage reads forwards only: the keys of all rows before the cursor, 1,000 with each request,
   * and one more request for the page.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async listBackwards({ limit, cursor, scope = '' }: Omit<PageQuery, 'search'>): Promise<Page<Found>> {
    const start = scope + rowKeys.listed.prefix;
    const end =
      cursor === undefined ? `${start}\uFFFD` : placeOfCursor(cursor, (rowKey) => rowKey.startsWith(start));
    const { partitionKey } = this.#kind;
    const before = odata`PartitionKey eq ${partitionKey} and RowKey ge ${start} and RowKey lt ${end}`;
    let count = 0;
    let last: string[] = [];
    const pages = matchingRows(this.#table, before, { select: ['RowKey'] }).byPage({ maxPageSize: maxRows });
    for await (const page of pages) {
      count += page.length;
      last = [...last, ...page.map(({ rowKey = '' }) => rowKey)].slice(-limit);
    }
    const [first] = last;
    if (first === undefined) return { items: [], nextCursor: null };
    const shown = odata`PartitionKey eq ${partitionKey} and RowKey ge ${first} and RowKey lt ${end}`;
    const rows = await firstRows<Columns>(this.#table, shown, limit);
    return {
      items: rows
        .toReversed()
        .map(({ rowKey: _rowKey, ...columns }) => ({ ...columns, id: String(columns['id']) })),
      nextCursor: count > last.length ? first : null,
    };
  }

  /** What the rows of a record have for its words: their keys, and the columns that a search compares. */
  wordsOf(id: string, columns: Columns): IndexedWords {
    const form = foldText(this.#kind.searchText(columns));
    return {
      keys: indexedWords(form).map((word) => rowKeys.word.of({ word, id })),
      columns: { [formColumn]: form },
    };
  }

  /** Only the first row of a record that matches with several words is a match; `rowKey` is without the scope. */
  #isMatch(columns: Columns, sought: readonly string[], rowKey: string, longest: string): boolean {
    const form = columns[formColumn] ?? foldText(this.#kind.searchText(columns));
    if (!isFoundBy(sought, form)) return false;
    const [first] = indexedWords(form)
      .filter((word) => word.startsWith(longest))
      .toSorted();
    return first !== undefined && rowKey === rowKeys.word.of({ word: first, id: String(columns['id']) });
  }

  #rows(start: string, after: string | undefined, size: number) {
    const from = after === undefined ? odata`RowKey ge ${start}` : odata`RowKey gt ${after}`;
    // Sorts after every letter and digit.
    const filter = odata`PartitionKey eq ${this.#kind.partitionKey} and ${from} and RowKey lt ${`${start}\uFFFD`}`;
    return firstRows<Columns>(this.#table, filter, size);
  }
}

export const indexedWords = (form: string): readonly string[] => wordsOf(form, maxIndexedWords, keyWordOf);

// A cut through a surrogate pair would leave half a character, which a key cannot contain.
export const keyWordOf = (word: string): string => word.slice(0, maxKeyWord).toWellFormed();

/** Of the words of a search, the one that the fewest records have. */
export const longestOf = (sought: readonly string[]): string | undefined =>
  sought.toSorted((one, other) => other.length - one.length)[0];
