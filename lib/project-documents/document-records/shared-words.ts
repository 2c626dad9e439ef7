import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TableClient } from '@azure/data-tables';
import * as z from 'zod';
import { slicesOf } from '../../base/slices.ts';
import { firstRows, odata } from '../../storage/table-rows.ts';
import { rowKeys } from '../folders/row-keys.ts';
import { foldText, isFoundBy } from '../../master-data/search-words.ts';
import { indexedWords, keyWordOf, longestOf } from '../../master-data/word-index.ts';

/** A document whose name was written together with others. */
export interface SharedName {
  readonly id: string;
  /** Its record has it too, as long as nobody has written the record again. */
  readonly wordBatch: string;
}

/** Where a search continues: behind a name of a row. */
export interface SharedPlace {
  readonly rowKey: string;
  readonly position: number;
}

interface StoredNames {
  readonly wordBatch: string;
  readonly packed: Uint8Array;
}

// Of a word. More would make more rows, fewer more names that a search reads in vain.
const startLength = 2;
// Before they are packed, so that a row has at most 64 KiB and a transaction at most 4 MiB, even if nothing can be packed.
const maxRowBytes = 60_000;
const rowsPerTransaction = 40;
const rowsPerRequest = 50;
// Then a page ends, with a place to continue.
const maxRequestsOfPage = 4;
const packedNames = z.array(z.tuple([z.string(), z.string()]));

/**
 * The words of names that are written together, as a refresh does. A row of its own for each word and document, as a single
 * upload has (lib/master-data/word-index.ts), would cost 1,000 storage requests for 20,000 files; these are 10. For the first two
 * letters of each word, `B!<letters>!<batch>!<number>` has the folded names with such a word, some 900 in a row.
 */
export class SharedWords {
  readonly #table: TableClient;
  readonly #partitionKey: string;

  constructor(table: TableClient, partitionKey: string) {
    this.#table = table;
    this.#partitionKey = partitionKey;
  }

  /** @returns the batch, which the records of these documents are to have */
  async add(names: readonly { readonly id: string; readonly fileName: string }[]): Promise<string> {
    const wordBatch = randomUUID();
    const byStart = new Map<string, [id: string, form: string][]>();
    for (const [at, { id, fileName }] of names.entries()) {
      if (at % namesPerTurn === 0) await setImmediate();
      const form = foldText(fileName);
      for (const start of startsIn(form)) {
        const some = byStart.get(start) ?? [];
        some.push([id, form]);
        byStart.set(start, some);
      }
    }
    const rows = [...byStart].flatMap(([start, some]) =>
      piecesOf(some).map((piece, index) => ({
        partitionKey: this.#partitionKey,
        rowKey: rowKeys.sharedWords.of({
          start,
          batch: wordBatch,
          number: String(index).padStart(4, '0'),
        }),
        wordBatch,
        packed: deflateRawSync(JSON.stringify(piece)),
      })),
    );
    for (const some of slicesOf(rows, rowsPerTransaction)) {
      await this.#table.submitTransaction(some.map((row) => ['upsert', row, 'Replace']));
    }
    return wordBatch;
  }

  /**
   * Names that have all the words, and where to continue, if there is more.
   *
   * @param sought folded words
   * @param after where a page has ended
   */
  async search(
    sought: readonly string[],
    limit: number,
    after?: SharedPlace,
  ): Promise<{ readonly items: readonly SharedName[]; readonly next: SharedPlace | null }> {
    const longest = keyWordOf(longestOf(sought) ?? '');
    const start = startOf(longest);
    const isWhole = start.length === startLength;
    const { sharedWords } = rowKeys;
    const range = isWhole ? sharedWords.within({ start }).from : sharedWords.startOf({ start });
    const items: SharedName[] = [];
    let last = after;
    for (let request = 0; request < maxRequestsOfPage; request += 1) {
      // The row in which a page has ended is read again.
      const filter = odata`PartitionKey eq ${this.#partitionKey} and RowKey ge ${last?.rowKey ?? range} and RowKey lt ${`${range}\uFFFD`}`;
      const rows = await firstRows<StoredNames>(this.#table, filter, rowsPerRequest);
      for (const { rowKey = '', wordBatch, packed } of rows) {
        await setImmediate();
        const from = last?.rowKey === rowKey ? last.position + 1 : 0;
        const names = packedNames.parse(JSON.parse(inflateRawSync(packed).toString('utf8')));
        for (const [position, [id, form]] of names.entries()) {
          if (position < from || !isFoundBy(sought, form)) continue;
          if (startOfFirstMatch(form, longest) !== startIn(rowKey)) continue;
          if (items.length === limit) return { items, next: last ?? { rowKey, position: -1 } };
          items.push({ id, wordBatch });
          last = { rowKey, position };
        }
        last = { rowKey, position: names.length - 1 };
      }
      if (rows.length < rowsPerRequest) return { items, next: null };
    }
    return { items, next: last ?? null };
  }
}

const namesPerTurn = 250;

const startOf = (word: string): string => word.slice(0, startLength).toWellFormed();
const startIn = (rowKey: string): string => rowKeys.sharedWords.parse(rowKey)?.start ?? '';
const startsIn = (form: string): ReadonlySet<string> => new Set(indexedWords(form).map(startOf));

/** A name is in the rows of each of its words: a search for one letter meets it in several, and takes the first. */
const startOfFirstMatch = (form: string, longest: string): string | undefined =>
  indexedWords(form)
    .filter((word) => word.startsWith(longest))
    .map(startOf)
    .toSorted()[0];

function piecesOf(names: readonly [id: string, form: string][]): (readonly [id: string, form: string][])[] {
  const pieces: [id: string, form: string][][] = [];
  let free = 0;
  for (const name of names) {
    const bytes = Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > free) {
      pieces.push([]);
      free = maxRowBytes;
    }
    free -= bytes;
    pieces.at(-1)?.push(name);
  }
  return pieces;
}
