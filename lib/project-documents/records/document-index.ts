import type { TableClient, TransactionAction } from '@azure/data-tables';
import { slicesOf } from '../../base/slices.ts';
import { isConflict } from '../../storage/conditional-write.ts';
import { firstRows, odata } from '../../storage/table-rows.ts';
import { WordIndex, type Page, type PageQuery } from '../../records/word-index.ts';
import { projectPartOf } from './document-key.ts';

/** What is indexed of a document. */
export interface IndexedName {
  readonly id: string;
  readonly fileName: string;
}

// Beside the partitions of the projects: a search in all of them is one query.
const partitionKey = 'document-words';
const rowsPerTransaction = 100;
// Of the word in a key.
const hasDigit = /^W![^!]*\d/;

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

  /**
   * The ids of up to `limit` other documents of the same project and file name. Reads the project's documents that share a
   * word with the name: one with digits, because numbers distinguish the files of a series, or else the longest.
   */
  async namesakesOf({ id, fileName }: IndexedName, limit: number): Promise<readonly string[]> {
    const [narrowest] = this.#keysOf({ id: projectPartOf(id), fileName }).toSorted(
      (a, b) => Number(hasDigit.test(b)) - Number(hasDigit.test(a)) || b.length - a.length,
    );
    if (narrowest === undefined) return [];
    // '.' is the character after '-'.
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${`${narrowest}-`} and RowKey lt ${`${narrowest}.`} and fileName eq ${fileName}`;
    const rows = await firstRows<IndexedName>(this.#table, filter, limit);
    return rows.map((row) => row.id).filter((each) => each !== id);
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
