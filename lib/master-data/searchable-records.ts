/**
 * Records that are read by id, listed in order, and searched by the beginnings of words: projects and contacts
 * (docs/http-contract.md, "Projects and contacts"). All rows of a table are in the partition `~`, which is not a valid id:
 *
 *   `R!<id>`    the record, with the keys of its other rows
 *   the rest    the rows of its index (word-index.ts): without a scope, or with the scope `A!` if the record is archived; and
 *               with the scope `E!<digest>!` its place among the records with one external id
 *
 * One entity group transaction writes or deletes all rows of a record, so list and search are always consistent with it.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { v5 as uuidOf } from 'uuid';
import * as z from 'zod';
import { valueOfJson } from '../contract/json.ts';
import { ServiceError } from '../base/service-error.ts';
import { inSlices } from '../base/slices.ts';
import { systemClock, type Clock } from '../contract/clock.ts';
import { conditionalWrite, untilSettled } from '../storage/conditional-write.ts';
import { rowKeys, scopes } from './row-keys.ts';
import { KnownRecords } from './known-records.ts';
import { textOfColumn } from '../storage/column-values.ts';
import { orNullIfMissing } from '../storage/rejections.ts';
import { matchingRows, odata } from '../storage/table-rows.ts';
import { foldText } from './search-words.ts';
import { keyWordOf, WordIndex, type Columns, type Page, type PageQuery } from './word-index.ts';

/** What the system of record writes. Table Storage has no null; an absent value is an absent column. */
export type Fields = Readonly<Record<string, string | null>> & { readonly externalId: string | null };

/** A record as it was last written. */
export type Saved<F> = F & {
  readonly id: string;
  readonly updatedAt: string;
  /** Only of kinds that can be archived. */
  readonly isArchived?: boolean;
};

export interface RecordKind<F extends Fields> {
  /** Names the record in errors and in the code of the error if there is none. */
  readonly name: 'project' | 'contact';
  readonly fields: readonly (string & keyof F)[];
  /** What the list is sorted by. */
  readonly sortText: (record: F) => string;
  /** The text that is searched. */
  readonly searchText: (record: F) => string;
  /** An archived record is found by id and external id, but not in the list, unless the query asks for archived ones. */
  readonly canBeArchived?: true;
}

export interface RecordQuery extends Omit<PageQuery, 'scope'> {
  /** The records with this external id instead of the list; excludes the others. */
  readonly externalId?: string | undefined;
  /** The archived records instead of the others. */
  readonly isArchived?: boolean | undefined;
}

export type BackwardsQuery = Omit<RecordQuery, 'search' | 'externalId'>;

/** A record of a list, and the cursor of the page that begins after it. */
export interface Placed<T> {
  readonly record: T;
  readonly cursor: string;
}

/** What becomes of a record. */
export interface Wanted<F extends Fields> {
  readonly id: string;
  /** null deletes it. */
  readonly record: F | null;
  readonly isArchived?: boolean;
  /** Leaves a record that was written at this time (ISO 8601) or later as it is. */
  readonly unlessWrittenSince?: string;
  /** Also if nothing changes but `updatedAt`. */
  readonly isRepeatWritten?: boolean;
  /** By a synchronization. From then on, the record remains marked as one that synchronizations may remove. */
  readonly isSynchronized?: boolean;
}

export type Outcome = 'created' | 'updated' | 'unchanged' | 'deleted';

/** What a synchronization has to know of each record. */
export interface ScannedRecord<F> {
  readonly saved: Saved<F>;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Whether a synchronization has written it. Records of release 1.0.0 are without this mark. */
  readonly isSynchronized: boolean;
}

/** If {@link isDeleted}, only this row remains of the record, until the next scan. */
type RecordRow = Columns & { readonly etag: string };

interface Change<F> {
  readonly outcome: Outcome;
  readonly actions: TransactionAction[];
  /** Absent if the record is deleted. */
  readonly saved?: Saved<F>;
}

/** What is to be written of a record, for the values that are wanted. */
interface PlannedChange<F extends Fields> {
  readonly wanted: Wanted<F>;
  readonly change: Change<F>;
}

const partitionKey = '~';
const indexKeysColumn = 'index_keys';
const createdColumn = 'created_at';
const archivedColumn = 'is_archived';
const deletedColumn = 'is_deleted';
const synchronizedColumn = 'is_synchronized';
// Names the write, to distinguish a lost response from another write.
const writerColumn = 'written_by';
// Limit of Table Storage.
const maxActions = 100;
const parallelReads = 32;
const parallelTransactions = 8;
// Of the ids of new records that are known by their external ids.
const idNamespace = 'b0b7f7a1-2a9b-4d0e-9d0e-6f2f3c1a7e55';

export class SearchableRecords<F extends Fields> {
  readonly kind: RecordKind<F>;
  readonly #table: TableClient;
  readonly #clock: Clock;
  readonly #index: WordIndex;
  /** What synchronizations in this process know; a write makes them forget the record. */
  readonly #known = new Set<KnownRecords>();

  constructor(table: TableClient, kind: RecordKind<F>, clock: Clock = systemClock) {
    this.#table = table;
    this.kind = kind;
    this.#clock = clock;
    this.#index = new WordIndex(table, {
      partitionKey,
      searchText: (columns) => kind.searchText(this.#savedIn(columns)),
    });
  }

  async find(id: string): Promise<Saved<F> | null> {
    const row = await this.#row(id);
    return row && isRecord(row) ? this.#savedIn(row) : null;
  }

  /** @throws ServiceError `project_not_found` or `contact_not_found` */
  async get(id: string): Promise<Saved<F>> {
    const found = await this.find(id);
    if (found) return found;
    const { name } = this.kind;
    throw new ServiceError(`${name}_not_found`, { detail: `There is no ${name} with the id ${id}.` });
  }

  /** The id of the record with this external id, or else the id that a new record gets. */
  async idOf(externalId: string, known?: KnownRecords): Promise<string> {
    const newId = uuidOf(`${this.kind.name} ${externalId}`, idNamespace);
    const before = known?.idOf(externalId);
    if (before?.isCertain) return before.id ?? newId;
    const { items } = await this.list({ externalId, limit: 1 });
    return items[0]?.id ?? newId;
  }

  /**
   * Reads all records, 1,000 with each request, into a small memory of what they are. A write of another process is not
   * noticed there, hence only for the minutes of a synchronization; {@link forget} ends it.
   */
  async readKnown(): Promise<KnownRecords> {
    const known = new KnownRecords();
    this.#known.add(known);
    try {
      for await (const page of this.#pages()) {
        for (const row of page) {
          if (isDeleted(row)) known.forget(rowKeys.record.parse(row.rowKey ?? '')?.id ?? '');
          else known.add(this.#savedIn(row), fingerprintOf(this.kind, row, row[indexKeysColumn] ?? ''));
        }
      }
    } catch (error) {
      this.forget(known);
      throw error;
    }
    return known;
  }

  forget(known: KnownRecords): void {
    this.#known.delete(known);
  }

  /** See {@link WordIndex.list}. */
  async list({ externalId, isArchived, ...query }: RecordQuery): Promise<Page<Saved<F>>> {
    const scope = externalId !== undefined ? scopes.external(externalId) : scopeOf(isArchived);
    const { items, nextCursor } = await this.#index.list({ ...query, scope });
    return { items: items.map((columns) => this.#savedIn(columns)), nextCursor };
  }

  /** See {@link WordIndex.listBackwards}. */
  async listBackwards({ isArchived, limit, cursor }: BackwardsQuery): Promise<Page<Placed<Saved<F>>>> {
    const scope = scopeOf(isArchived);
    const { items, nextCursor } = await this.#index.listBackwards({ limit, cursor, scope });
    return {
      items: items.map(({ cursor: own, ...columns }) => ({ record: this.#savedIn(columns), cursor: own })),
      nextCursor,
    };
  }

  /** All records in the order of their ids, in pages of up to 1,000. Removes what is left of deleted ones. */
  async *scan(): AsyncGenerator<readonly ScannedRecord<F>[]> {
    for await (const page of this.#pages()) {
      const [rest, rows] = [page.filter(isDeleted), page.filter(isRecord)];
      await inSlices(rest, parallelReads, ({ rowKey = '', etag }) =>
        conditionalWrite(this.#table.deleteEntity(partitionKey, rowKey, { etag })),
      );
      yield rows.map((row) => ({
        saved: this.#savedIn(row),
        createdAt: row[createdColumn] ?? '',
        isSynchronized: isSet(row, synchronizedColumn),
      }));
    }
  }

  #pages() {
    const { from, to } = rowKeys.record.all;
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${from} and RowKey lt ${to}`;
    return matchingRows<Columns>(this.#table, filter).byPage({ maxPageSize: 1000 });
  }

  /** Replaces the whole record, also if nothing changes but `updatedAt`. Two requests. */
  async put(id: string, record: F): Promise<{ readonly saved: Saved<F>; readonly isNew: boolean }> {
    const [change] = await this.#change([{ id, record, isRepeatWritten: true }]);
    return { saved: change!.saved!, isNew: change!.outcome === 'created' };
  }

  /** Succeeds also if there is no such record. */
  async delete(id: string): Promise<void> {
    await this.#change([{ id, record: null }]);
  }

  /**
   * Makes all of these records, with different ids, what is wanted, and writes nothing for those that already are. One
   * request for each record, and one for each transaction of up to 100 rows.
   *
   * @param known saves the requests for records that are as wanted, and for new ones
   * @returns the outcomes in the order of the records
   */
  async write(all: readonly Wanted<F>[], known?: KnownRecords): Promise<readonly Outcome[]> {
    return (await this.#change(all, known)).map(({ outcome }) => outcome);
  }

  async #change(all: readonly Wanted<F>[], known?: KnownRecords): Promise<readonly Change<F>[]> {
    const writer = randomUUID();
    const planned = await inSlices(all, parallelReads, async (wanted) => ({
      wanted,
      change: await this.#firstChangeTo(wanted, writer, known),
    }));
    // Before the writes, and again after them: what is read in between is not certain.
    const toWrite = planned.filter(({ change }) => change.actions.length > 0);
    const forgetWritten = (): void => {
      for (const each of this.#known) {
        for (const { wanted } of toWrite) each.forget(wanted.id, wanted.record?.externalId);
      }
    };
    forgetWritten();
    const written = await inSlices(transactionsOf(toWrite), parallelTransactions, (some) =>
      this.#writeTogether(some, writer),
    );
    forgetWritten();
    const changes = new Map(written.flat().map(({ wanted, change }) => [wanted, change]));
    return planned.map(({ wanted, change }) => changes.get(wanted) ?? change);
  }

  /** @returns the changes as they were written */
  async #writeTogether(
    some: readonly PlannedChange<F>[],
    writer: string,
  ): Promise<readonly PlannedChange<F>[]> {
    const actions = some.flatMap(({ change }) => change.actions);
    if (await conditionalWrite(this.#table.submitTransaction(actions))) return some;
    // Rejected as a whole, because one of its rows was changed in between, or written by an attempt without a response.
    return Promise.all(
      some.map(async ({ wanted, change }) => ({
        wanted,
        change: await this.#settle(wanted, change, writer),
      })),
    );
  }

  async #firstChangeTo(wanted: Wanted<F>, writer: string, known?: KnownRecords): Promise<Change<F>> {
    const { id, record } = wanted;
    // A row that exists after all rejects the transaction, and is then read.
    if (known?.hasNone(id)) return this.#changeTo(wanted, null, writer);
    if (record && known?.fingerprintOf(id) !== undefined) {
      const { columns, indexKeys } = this.#rowsOf(wanted, record);
      const marked = { ...columns, ...(wanted.isSynchronized && { [synchronizedColumn]: 'true' }) };
      const fingerprint = fingerprintOf(this.kind, marked, JSON.stringify(indexKeys));
      if (known.fingerprintOf(id) === fingerprint) return { outcome: 'unchanged', actions: [] };
    }
    return this.#changeTo(wanted, await this.#row(id), writer);
  }

  /** @param planned the change that the first attempt may have written */
  #settle(wanted: Wanted<F>, planned: Change<F>, writer: string): Promise<Change<F>> {
    let attempted = planned;
    return untilSettled(this.kind.name, async () => {
      const old = await this.#row(wanted.id);
      if (old?.[writerColumn] === writer) return attempted;
      // The first attempt has trusted the record; this one allows for rows that were deleted by hand.
      const change = this.#changeTo(wanted, old, writer, await this.#existing(indexKeysIn(old)));
      attempted = change;
      if (change.actions.length === 0) return change;
      return (await conditionalWrite(this.#table.submitTransaction(change.actions))) && change;
    });
  }

  /** @param existing the index rows of the record that exist, if not all of them do */
  #changeTo(
    wanted: Wanted<F>,
    old: RecordRow | null,
    writer: string,
    existing: readonly string[] = indexKeysIn(old),
  ): Change<F> {
    const { id, record, unlessWrittenSince, isSynchronized } = wanted;
    const rowKey = recordKeyOf(id);
    if (!record) {
      if (this.#stepTo(wanted, old) === 'keep') return { outcome: 'unchanged', actions: [] };
      // A transaction of the SDK deletes without a condition, but can replace a row with one.
      const rest = { partitionKey, rowKey, [deletedColumn]: 'true', [writerColumn]: writer };
      const own: TransactionAction =
        unlessWrittenSince === undefined
          ? deletion(rowKey)
          : ['update', rest, 'Replace', { etag: old!.etag }];
      return { outcome: 'deleted', actions: [own, ...existing.map(deletion)] };
    }
    const { nowText, columns: newColumns, words, indexKeys } = this.#rowsOf(wanted, record);
    const indexKeysText = JSON.stringify(indexKeys);
    const step = this.#stepTo(wanted, old, { ...newColumns, [indexKeysColumn]: indexKeysText });
    if (step === 'keep') return { outcome: 'unchanged', actions: [] };
    const columns =
      step === 'mark' ? { ...newColumns, updatedAt: old?.['updatedAt'] ?? nowText } : newColumns;
    const isMarked = isSynchronized === true || (old !== null && isSet(old, synchronizedColumn));
    const own = {
      [indexKeysColumn]: indexKeysText,
      [writerColumn]: writer,
      [createdColumn]: step === 'create' ? nowText : old?.[createdColumn],
      ...(isMarked && { [synchronizedColumn]: 'true' }),
    };
    const entity = { partitionKey, rowKey, ...columns, ...own };
    return {
      outcome: outcomes[step],
      actions: [
        old ? ['update', entity, 'Replace', { etag: old.etag }] : ['create', entity],
        ...existing.filter((rowKey) => !indexKeys.includes(rowKey)).map(deletion),
        ...indexKeys.map((rowKey): TransactionAction => [
          'upsert',
          { partitionKey, rowKey, ...columns, ...words.columns },
          'Replace',
        ]),
      ],
      saved: this.#savedIn(columns),
    };
  }

  /** @param columns what would be stored; undefined for a record that shall not exist */
  #stepTo(
    { record, unlessWrittenSince, isRepeatWritten = false, isSynchronized = false }: Wanted<F>,
    old: RecordRow | null,
    columns?: Columns,
  ): Step {
    if (unlessWrittenSince !== undefined && (old?.['updatedAt'] ?? '') >= unlessWrittenSince) return 'keep';
    const known = old && !isDeleted(old) ? old : null;
    if (!record || !columns) return known ? 'delete' : 'keep';
    if (!known) return 'create';
    const isSame = [indexKeysColumn, ...this.kind.fields].every((name) => known[name] === columns[name]);
    if (!isSame || isRepeatWritten) return 'update';
    // An external id says as much as the mark.
    return isSynchronized && !isSet(known, synchronizedColumn) && record.externalId === null
      ? 'mark'
      : 'keep';
  }

  /** What is stored of a record that is wanted. */
  #rowsOf({ id, isArchived = false }: Wanted<F>, record: F) {
    const nowText = new Date(this.#clock.now()).toISOString();
    const columns = Object.fromEntries(
      [
        ...this.kind.fields.map((name) => [name, record[name]]),
        ['id', id],
        ['updatedAt', nowText],
        [archivedColumn, isArchived ? 'true' : null],
      ].filter(([, value]) => value !== null),
    ) as Columns;
    const words = this.#index.wordsOf(id, columns);
    const indexKeys = this.#indexKeys(this.#savedIn(columns), words.keys);
    return { nowText, columns, words, indexKeys };
  }

  #savedIn(columns: Columns): Saved<F> {
    const names = [...this.kind.fields, 'id', 'updatedAt'];
    return {
      ...Object.fromEntries(names.map((name) => [name, textOfColumn(columns[name]) ?? null])),
      ...(this.kind.canBeArchived && { isArchived: isSet(columns, archivedColumn) }),
    } as Saved<F>;
  }

  #indexKeys(saved: Saved<F>, wordKeys: readonly string[]): readonly string[] {
    const sort = keyWordOf(foldText(this.kind.sortText(saved)));
    const scope = scopeOf(saved.isArchived);
    const inList = [rowKeys.listed.of({ sort, id: saved.id }), ...wordKeys];
    const { externalId } = saved;
    return [
      ...inList.map((key) => scope + key),
      ...(externalId === null ? [] : [scopes.external(externalId) + rowKeys.listedById.of({ id: saved.id })]),
    ];
  }

  #row(id: string): Promise<RecordRow | null> {
    return orNullIfMissing(this.#table.getEntity<Columns>(partitionKey, recordKeyOf(id)));
  }

  async #existing(rowKeys: readonly string[]): Promise<readonly string[]> {
    const rows = await Promise.all(
      rowKeys.map((rowKey) => orNullIfMissing(this.#table.getEntity(partitionKey, rowKey))),
    );
    return rowKeys.filter((_, at) => rows[at] !== null);
  }
}

/** Equal for two rows of one record if a write of the one over the other would change nothing. */
const fingerprintOf = (
  { fields }: { readonly fields: readonly string[] },
  row: Columns,
  indexKeys: string,
): string => {
  const mark = row['externalId'] === undefined ? (row[synchronizedColumn] ?? '') : '';
  const values = fields.map((name) => row[name] ?? null);
  return createHash('sha256')
    .update(JSON.stringify([indexKeys, mark, ...values]))
    .digest('base64url')
    .slice(0, 22);
};

/** What a write does with a record. `mark` notes that it is synchronized, and keeps its content and its time. */
type Step = 'keep' | 'delete' | 'create' | 'update' | 'mark';

const outcomes = { delete: 'deleted', create: 'created', update: 'updated', mark: 'unchanged' } as const;

/** Also if a hand has made a Boolean of it. */
const isSet = (row: Columns, name: string): boolean => textOfColumn(row[name]) === 'true';
const isDeleted = (row: Columns): boolean => isSet(row, deletedColumn);
/** A row that somebody has added can be without an id. */
const isRecord = (row: Columns): boolean => row['id'] !== undefined && !isDeleted(row);

const indexKeys = z.array(z.string()).readonly();

const indexKeysIn = (row: Columns | null): readonly string[] =>
  indexKeys.parse(valueOfJson(row?.[indexKeysColumn] ?? '[]'));

const recordKeyOf = (id: string): string => rowKeys.record.of({ id });
const scopeOf = (isArchived?: boolean): string => (isArchived ? scopes.archived : '');

const deletion = (rowKey: string): TransactionAction => ['delete', { partitionKey, rowKey }];

/** As many changes in each as its limit of rows allows. */
function transactionsOf<F extends Fields>(changes: readonly PlannedChange<F>[]): PlannedChange<F>[][] {
  const transactions: PlannedChange<F>[][] = [];
  let free = 0;
  for (const each of changes) {
    const { length } = each.change.actions;
    if (length > free) {
      transactions.push([]);
      free = maxActions;
    }
    transactions.at(-1)?.push(each);
    free -= length;
  }
  return transactions;
}
