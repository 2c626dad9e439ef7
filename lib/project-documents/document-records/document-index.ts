import type { TableClient, TransactionAction } from '@azure/data-tables';
import { slicesOf } from '../../base/slices.ts';
import { rowKeys } from '../folders/row-keys.ts';
import { placeOfCursor } from '../../storage/cursor.ts';
import { isConflict } from '../../storage/rejections.ts';
import { searchWordsOf } from '../../master-data/search-words.ts';
import { WordIndex, type Page, type PageQuery } from '../../master-data/word-index.ts';
import { SharedWords, type SharedPlace } from './shared-words.ts';

/** What is indexed of a document. */
export interface IndexedName {
  readonly id: string;
  readonly fileName: string;
}

/** A document of which a row of the index has all words of a search. */
export interface IndexedDocument {
  readonly id: string;
  /** Of the row, if it is shared. The record of a document with rows of its own has none. */
  readonly wordBatch?: string | undefined;
}

// Beside the partitions of the projects: a search in all of them is one query.
const partitionKey = 'document-words';
const rowsPerTransaction = 100;
// Fewer have rows of their own.
const minShared = 20;
// Of a cursor that continues among the shared rows; the others are base64.
const sharedMark = '.';

/**
 * The words of all file names, across projects. Rows are written before their record and removed after it, because a
 * transaction is limited to one partition: a crash in between leaves a row without a record, which a search ignores, and
 * never a record that a search does not find. Documents that are added together share rows (shared-words.ts), which remain
 * when a record is removed.
 */
export class DocumentIndex {
  readonly #table: TableClient;
  readonly #words: WordIndex;
  readonly #shared: SharedWords;

  constructor(table: TableClient) {
    this.#table = table;
    this.#words = new WordIndex(table, {
      partitionKey,
      searchText: ({ fileName = '' }) => fileName,
    });
    this.#shared = new SharedWords(table, partitionKey);
  }

  /** Those with rows of their own first, in the order of the matching word. */
  async search(query: PageQuery & { readonly search: string }): Promise<Page<IndexedDocument>> {
    const { search, limit, cursor = '' } = query;
    const sought = searchWordsOf(search);
    if (cursor.startsWith(sharedMark)) {
      const place = placeOfCursor(cursor.slice(sharedMark.length), isSharedPlace);
      return this.#sharedPage(sought, limit, placeIn(place));
    }
    const own = await this.#words.list(query);
    if (own.nextCursor !== null) return own;
    const shared = await this.#sharedPage(sought, limit - own.items.length);
    return {
      items: [...own.items.map(({ id }) => ({ id })), ...shared.items],
      nextCursor: shared.nextCursor,
    };
  }

  async #sharedPage(
    sought: readonly string[],
    limit: number,
    after?: SharedPlace,
  ): Promise<Page<IndexedDocument>> {
    const { items, next } = await this.#shared.search(sought, limit, after);
    const nextCursor = next && `${sharedMark}${next.rowKey}!${next.position}`;
    return { items, nextCursor };
  }

  async add(names: readonly IndexedName[]): Promise<void> {
    const rows = names.flatMap(({ id, fileName }) => {
      const { keys, columns } = this.#words.wordsOf(id, { fileName });
      return keys.map((rowKey) => ({ partitionKey, rowKey, id, fileName, ...columns }));
    });
    for (const some of slicesOf(rows, rowsPerTransaction)) {
      await this.#table.submitTransaction(some.map((row) => ['upsert', row, 'Replace']));
    }
  }

  /** @returns what their records are to have as `wordBatch` */
  async addTogether(names: readonly IndexedName[]): Promise<string | undefined> {
    if (names.length >= minShared) return this.#shared.add(names);
    await this.add(names);
    return undefined;
  }

  /**
   * @param now the document's present name, if it still exists
   * @returns whether there was something to remove
   */
  async remove(was: IndexedName, now: IndexedName | null): Promise<boolean> {
    const kept = now ? this.#keysOf(now) : [];
    const gone = this.#keysOf(was).filter((rowKey) => !kept.includes(rowKey));
    if (gone.length === 0) return false;
    try {
      await this.#table.submitTransaction(
        gone.map((rowKey): TransactionAction => ['delete', { partitionKey, rowKey }]),
      );
    } catch (error) {
      // Another request has removed some of them; a search ignores the others.
      if (!isConflict(error)) throw error;
    }
    return true;
  }

  #keysOf({ id, fileName }: IndexedName): readonly string[] {
    return this.#words.wordsOf(id, { fileName }).keys;
  }
}

const isSharedPlace = (place: string): boolean => {
  const { rowKey, position } = placeIn(place);
  return rowKeys.sharedWords.parse(rowKey) !== undefined && Number.isSafeInteger(position);
};

const placeIn = (place: string): SharedPlace => {
  const end = place.lastIndexOf('!');
  return { rowKey: place.slice(0, end), position: Number(place.slice(end + 1)) };
};
