import type { TableClient, TransactionAction } from '@azure/data-tables';
import { slicesOf } from '../../base/slices.ts';
import { isConflict } from '../../storage/conditional-write.ts';
import { WordIndex, type Page, type PageQuery } from '../../storage/word-index.ts';

/** What is indexed of a document. */
export interface IndexedName {
  readonly id: string;
  readonly fileName: string;
}

// Beside the partitions of the projects: a search in all of them is one query.
const partitionKey = 'document-words';
const rowsPerTransaction = 100;

/**
 * The words of all file names, across projects. Rows are written before their record and removed after it, because a
 * transaction is limited to one partition: a crash in between leaves a row without a record, which a search ignores, and
 * never a record that a search does not find.
 */
export class DocumentIndex {
  readonly #table: TableClient;
  readonly #words: WordIndex;

  constructor(table: TableClient) {
    this.#table = table;
    this.#words = new WordIndex(table, {
      name: 'file name',
      partitionKey,
      searchText: ({ fileName = '' }) => fileName,
    });
  }

  search(query: PageQuery): Promise<Page<{ readonly id: string }>> {
    return this.#words.list(query);
  }

  async add(names: readonly IndexedName[]): Promise<void> {
    const rows = names.flatMap(({ id, fileName }) =>
      this.#keysOf({ id, fileName }).map((rowKey) => ({ partitionKey, rowKey, id, fileName })),
    );
    for (const some of slicesOf(rows, rowsPerTransaction)) {
      await this.#table.submitTransaction(some.map((row) => ['upsert', row, 'Replace']));
    }
  }

  /**
   * @param now the document's present name, if it still exists
   * @returns whether there was something to remove
   */
  async remove(was: IndexedName, now?: IndexedName): Promise<boolean> {
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
    return this.#words.wordKeysOf(id, { fileName });
  }
}
