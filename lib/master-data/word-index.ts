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
import type { TableClient, TableEntityResult } from '@azure/data-tables';
import { textOfColumn } from '../storage/column-values.ts';
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
// In a cursor. No key has it.
const betweenKeys = '\n';
// Other calls are served in between.
const rowsPerTurn = 250;
// The folded text of a record. Rows of release 1.0.0 are without it.
const formColumn = 'folded_text';

/** Undefined for a row that somebody has added: it leads to no record. */
const idIn = (columns: object): string | undefined =>
  'id' in columns ? textOfColumn(columns.id) : undefined;

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
        const id = idIn(columns);
        if (id === undefined) continue;
        if (items.length === limit) return { items, nextCursor: lastMatch };
        items.push({ ...columns, id });
        lastMatch = rowKey;
      }
      after = rows.at(-1)?.rowKey ?? after;
      if (rows.length < size || after === undefined) return { items, nextCursor: null };
    }
    return { items, nextCursor: after ?? null };
  }

  /**
   * The list from its end; each item has the cursor of the page that begins after it. Table Storage reads forwards only, so
   * the keys of the rows before the page are read, 1,000 with each request, and one more request is for the page. A cursor
   * has the key 1,000 rows before its place, where the next page begins to read: of 10 pages with 100 rows, one reads from the
   * start of the list.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async listBackwards({
    limit,
    cursor,
    scope = '',
  }: Omit<PageQuery, 'search'>): Promise<Page<Found & { readonly cursor: string }>> {
    const start = scope + rowKeys.listed.prefix;
    const places = (cursor ?? `${start}\uFFFD`).split(betweenKeys);
    const [end = '', near] = places.map((place) => placeOfCursor(place, (key) => key.startsWith(start)));
    const keysFrom = (from: string) => this.#lastRows(from, end, limit + maxRows, ['RowKey']);
    let keys = near === undefined ? [] : await keysFrom(near);
    if (keys.length <= limit) keys = await keysFrom(start);
    const first = keys.at(-limit)?.rowKey ?? keys[0]?.rowKey;
    if (first === undefined) return { items: [], nextCursor: null };
    // Not only as many as have been counted: a row that was added in between would take the place of the last one.
    const rows = await this.#lastRows<Columns>(first, end, limit + 1);
    const cursorAfter = (rowKey: string): string => [rowKey, keys[0]!.rowKey].join(betweenKeys);
    const shown = rows.slice(-limit);
    return {
      items: shown.toReversed().flatMap(({ rowKey = '', ...columns }) => {
        const id = idIn(columns);
        return id === undefined ? [] : [{ ...columns, id, cursor: cursorAfter(rowKey) }];
      }),
      nextCursor: keys.length > limit || rows.length > limit ? cursorAfter(shown[0]?.rowKey ?? first) : null,
    };
  }

  /** Up to `count` rows of a range of keys, without its end. Reads the whole range. */
  async #lastRows<T extends object = object>(
    from: string,
    end: string,
    count: number,
    select?: readonly string[],
  ) {
    const filter = odata`PartitionKey eq ${this.#kind.partitionKey} and RowKey ge ${from} and RowKey lt ${end}`;
    const pages = matchingRows<T>(this.#table, filter, select && { select });
    let last: TableEntityResult<T>[] = [];
    for await (const page of pages.byPage({ maxPageSize: maxRows })) last = [...last, ...page].slice(-count);
    return last;
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
