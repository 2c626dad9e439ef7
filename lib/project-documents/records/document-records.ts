import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../../base/service-error.ts';
import { slicesOf } from '../../base/slices.ts';
import type { Clock } from '../../contract/clock.ts';
import { conditionalWrite, isConflict, untilSettled, writtenWith } from '../../storage/conditional-write.ts';
import { cursorAfterRow, rowKeyOfCursor } from '../../storage/cursor.ts';
import { orNullIfMissing, rejectedWith } from '../../storage/rejections.ts';
import { firstRows, matchingRows, odata, type Filter } from '../../storage/table-rows.ts';
import { folded, isFoundBy, partFormsOf, soughtIn } from '../../records/search-words.ts';
import type { Page, PageQuery } from '../../records/word-index.ts';
import { DocumentIndex, type IndexedName } from './document-index.ts';
import { documentKey, keyOfDocumentId, type DocumentKey } from './document-key.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { newestFirst, pageInOrder, type ListedDocument, type ListQuery } from './document-order.ts';
import {
  columnsOf,
  correctedBy,
  documentIn,
  recordIn,
  type DocumentRecord,
  type LibraryFile,
  type NewRecord,
} from './document-row.ts';
import type { ProjectDocument } from './document.ts';
import type { Subfolder } from '../../contract/subfolders.ts';

type Row = NewRecord & {
  /** Key of the row for the list. */
  readonly listRowKey: string;
  /** The file name as a search compares it; rows of release 1.0.0 are without both. */
  readonly foldedName?: string;
  readonly spelledOutName?: string;
};

type FoundRow = Row & { readonly etag: string };
type SetAsideRow = NewRecord & { readonly setAsideAt: string };

type StoredRow = (Row | SetAsideRow) & {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Names the write, to distinguish a lost response from another write. */
  readonly writtenBy: string;
};

// A transaction has at most 100 rows.
const recordsPerTransaction = 50;
// An upload needs to know of few: each costs a request to the library.
const maxNamesakes = 10;
const documentsPerTurn = 250;
const setAsideForMs = 30 * 24 * 60 * 60_000;
const fileRowKey = ({ itemKey }: DocumentKey): string => `file-${itemKey}`;
const setAsideRowKey = ({ itemKey }: DocumentKey): string => `aside-${itemKey}`;

export const documentNotFound = (documentId: string): ServiceError =>
  new ServiceError('document_not_found', { detail: `There is no document with the id ${documentId}.` });

/**
 * The document records in Table Storage. Each has two rows in the project's partition, always written in one transaction:
 * `file-<item>` is found by the document id, and `list-<inverted time>-<item>` is a copy in the order of the list, newest
 * first. A page of the list is one query of one partition, and a document is one point read.
 *
 * A file that a caller does not find may be hidden from this caller alone. Its record is therefore set aside for 30 days:
 * `aside-<item>` replaces both rows, until a request of any caller finds the file (set-aside-revival.ts).
 */
export class DocumentRecords {
  readonly #table: TableClient;
  readonly #clock: Clock;
  readonly #index: DocumentIndex;

  constructor(table: TableClient, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
    this.#index = new DocumentIndex(table);
  }

  async find(documentId: string): Promise<DocumentRecord | null> {
    const key = keyOfDocumentId(documentId);
    const row = key && (await this.#row(key));
    return row && recordIn(row);
  }

  /** The record of a library item in a project, if it has one. */
  async findByItem(projectId: string, itemId: string): Promise<DocumentRecord | null> {
    const row = await this.#row(documentKey(projectId, itemId));
    return row && recordIn(row);
  }

  /**
   * The documents of a project, newest first unless the query has another order. A search finds any part of a name. A page is
   * one storage request; with a search or another order, one for each 1,000 documents of the project.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list(projectId: string, query: ListQuery): Promise<Page<ProjectDocument>> {
    const { folderName, search, sort = newestFirst, limit, cursor } = query;
    if (search !== undefined || sort !== newestFirst) {
      return pageInOrder(this.#listedDocuments(projectId, folderName), listOf(projectId), query);
    }
    const after = cursor === undefined ? undefined : rowKeyOfCursor(cursor, listOf(projectId), isListRowKey);
    // One row more than requested shows whether there is a next page.
    const rows = await firstRows<Row>(this.#table, listFilter(projectId, folderName, after), limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1)?.rowKey : undefined;
    return {
      items: shown.map(shownIn),
      nextCursor: last === undefined ? null : cursorAfterRow(last, listOf(projectId)),
    };
  }

  /**
   * Documents of all projects, by the beginnings of words in their file names. Three sequential storage requests at most
   * for one word.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this search
   */
  async search(query: PageQuery & { readonly search: string }): Promise<Page<ProjectDocument>> {
    const { items, nextCursor } = await this.#index.search(query);
    const records = await Promise.all(items.map(({ id }) => this.find(id)));
    const sought = soughtIn(query.search);
    const found = records.flatMap((record) => (record ? [documentIn(record)] : []));
    return { items: found.filter(({ fileName }) => isFoundBy(sought, folded(fileName))), nextCursor };
  }

  /** Other records of the same file name, whose files were deleted, renamed, or moved in the library. */
  async namesakesOf(document: ProjectDocument): Promise<DocumentRecord[]> {
    const ids = await this.#index.namesakesOf(document, maxNamesakes);
    const records = await Promise.all(ids.map((id) => this.find(id)));
    return records.flatMap((record) =>
      record?.folderName === document.folderName && record.fileName === document.fileName ? [record] : [],
    );
  }

  /** A record that was set aside within the last 30 days. */
  async findSetAside(documentId: string): Promise<DocumentRecord | null> {
    const key = keyOfDocumentId(documentId);
    const row = key && (await this.#setAsideRow(key));
    return row && !this.#isOver(row) ? recordIn(row) : null;
  }

  /** The records of a project that are set aside. Removes those older than 30 days. */
  async setAsideOf(projectId: string): Promise<readonly DocumentRecord[]> {
    const filter = rangeFilter(projectId, 'aside-', 'aside.');
    const kept: DocumentRecord[] = [];
    for await (const row of matchingRows<SetAsideRow>(this.#table, filter)) {
      if (!this.#isOver(row)) kept.push(recordIn(row));
      else await orNullIfMissing(this.#table.deleteEntity(partitionOf(projectId), row.rowKey ?? ''));
    }
    return kept;
  }

  /** Streams all records of a project, in no useful order. */
  async *ofProject(projectId: string): AsyncGenerator<DocumentRecord> {
    for await (const row of this.#listRows(projectId)) yield recordIn(row);
  }

  /** Whether the service has anything of this project: folders, documents, uploads. */
  async hasAnything(projectId: string): Promise<boolean> {
    const filter = odata`PartitionKey eq ${partitionOf(projectId)}`;
    return (await firstRows(this.#table, filter, 1)).length > 0;
  }

  async *#listedDocuments(projectId: string, folderName?: Subfolder): AsyncGenerator<ListedDocument> {
    let read = 0;
    for await (const row of this.#listRows(projectId, folderName)) {
      read += 1;
      // Other calls are served in between.
      if (read % documentsPerTurn === 0) await setImmediate();
      const { foldedName, spelledOutName } = row;
      const isStored = foldedName !== undefined && spelledOutName !== undefined;
      const forms = isStored ? { folded: foldedName, spelledOut: spelledOutName } : partFormsOf(row.fileName);
      yield { document: shownIn(row), forms };
    }
  }

  #listRows(projectId: string, folderName?: Subfolder) {
    return matchingRows<Row>(this.#table, listFilter(projectId, folderName));
  }

  /** Creates the records of items of one project that have none, up to 50 in a transaction. */
  async add(records: readonly NewRecord[]): Promise<void> {
    await this.#index.add(records.map(recordIn));
    for (const some of slicesOf(records, recordsPerTransaction)) {
      try {
        await this.#table.submitTransaction(
          some.flatMap((record) => actionsOf(keyOf(record), null, null, rowsOf(recordIn(record)))),
        );
      } catch (error) {
        if (rejectedWith(error) !== 400 && !isConflict(error)) throw error;
        // An item has a record already: each in its own transaction.
        for (const record of some) await this.save(record);
      }
    }
  }

  /**
   * Creates or replaces the record of the item, also one that is set aside. Writing it twice results in one record.
   *
   * @returns the document, and whether the item had no record before
   */
  async save(given: NewRecord): Promise<{ document: ProjectDocument; isNew: boolean }> {
    const record = { ...recordIn(given), setAsideAt: undefined };
    const before = await this.#change(keyOf(record), () => storing(record), record);
    return { document: documentIn(record), isNew: !before };
  }

  /** Updates the name, size, web URL, and folder of a record from its file in the library, unless it is no longer listed. */
  async correct(record: NewRecord, file: LibraryFile, folderName?: Subfolder): Promise<void> {
    await this.#change(
      keyOf(record),
      (old) => (old && !old.setAsideAt ? storing(correctedBy(old, file, folderName)) : keeping),
      recordIn(correctedBy(record, file)),
    );
  }

  /** Removes a record, also one that is set aside; does nothing if it does not exist. */
  async remove(documentId: string): Promise<void> {
    const key = keyOfDocumentId(documentId);
    if (key) await this.#change(key, (old) => (old ? removing : keeping));
  }

  /**
   * Removes a record from the list; {@link findSetAside} finds it for 30 days. A record that an upload has rewritten since
   * it was read remains: that upload found the file.
   */
  async setAside(record: DocumentRecord): Promise<void> {
    const setAsideAt = new Date(this.#clock.now()).toISOString();
    await this.#change(keyOf(record), (old) =>
      old && !old.setAsideAt && old.uploadedAt === record.uploadedAt
        ? storing({ ...old, setAsideAt })
        : keeping,
    );
  }

  /**
   * Replaces the rows of a record in one transaction, and then its words in the index.
   *
   * @param name added to the index while the record is read
   * @returns the record that was replaced or removed; null if there was none
   */
  async #change(
    key: DocumentKey,
    change: (old: DocumentRecord | null) => RecordChange,
    name?: IndexedName,
  ): Promise<DocumentRecord | null> {
    // Of an earlier attempt too, which may have removed it and lost the response.
    let before = null as DocumentRecord | null;
    const now = await untilSettled('record', async () => {
      const [listed, aside] = await Promise.all([
        this.#row(key),
        this.#setAsideRow(key),
        name && this.#index.add([name]),
      ]);
      const row = listed ?? aside;
      const old = row && recordIn(row);
      const wanted = change(old);
      if (wanted.kind === 'keep') return { record: null };
      before = old;
      const record = wanted.kind === 'store' ? wanted.record : null;
      const rows = record ? rowsOf(record) : [];
      const [first] = rows;
      const trace = first && writtenWith(this.#table, first, 'writtenBy', first.writtenBy);
      const actions = actionsOf(key, listed, aside, rows);
      const written = await conditionalWrite(this.#table.submitTransaction(actions), trace);
      return written && { record };
    });
    if (before) await this.#unindex(before, now.record?.setAsideAt === undefined ? now.record : null);
    return before;
  }

  #isOver({ setAsideAt }: SetAsideRow): boolean {
    return this.#clock.now() - Date.parse(setAsideAt) > setAsideForMs;
  }

  /** Never throws: the record is written or removed, and a search ignores what remains. */
  async #unindex(was: IndexedName, now: IndexedName | null): Promise<void> {
    try {
      if (!(await this.#index.remove(was, now))) return;
      // Another request may have written the record again in the meantime.
      const record = await this.find(was.id);
      if (record) await this.#index.add([record]);
    } catch {
      // Rows that remain cost a search one read each.
    }
  }

  #row(key: DocumentKey): Promise<FoundRow | null> {
    return orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, fileRowKey(key)));
  }

  #setAsideRow(key: DocumentKey): Promise<SetAsideRow | null> {
    return orNullIfMissing(this.#table.getEntity<SetAsideRow>(key.partitionKey, setAsideRowKey(key)));
  }
}

/** What becomes of a record. */
type RecordChange =
  | { readonly kind: 'keep' | 'remove' }
  | { readonly kind: 'store'; readonly record: DocumentRecord };

const keeping: RecordChange = { kind: 'keep' };
const removing: RecordChange = { kind: 'remove' };
const storing = (record: DocumentRecord): RecordChange => ({ kind: 'store', record });

const keyOf = ({ projectId, itemId }: NewRecord): DocumentKey => documentKey(projectId, itemId);

/** The rows of a record; the first one decides which of two writers was first. */
function rowsOf(record: DocumentRecord): readonly StoredRow[] {
  const key = keyOf(record);
  const { setAsideAt } = record;
  const row = { partitionKey: key.partitionKey, ...columnsOf(record), writtenBy: randomUUID() };
  if (setAsideAt !== undefined) return [{ ...row, rowKey: setAsideRowKey(key), setAsideAt }];
  const listRowKey = listRowKeyOf(record.uploadedAt, key);
  const forms = partFormsOf(record.fileName);
  const names = { foldedName: forms.folded, spelledOutName: forms.spelledOut };
  return [
    { ...row, rowKey: fileRowKey(key), listRowKey },
    { ...row, ...names, rowKey: listRowKey, listRowKey },
  ];
}

function actionsOf(
  key: DocumentKey,
  listed: FoundRow | null,
  aside: SetAsideRow | null,
  rows: readonly StoredRow[],
): TransactionAction[] {
  const { partitionKey } = key;
  const former = listed ? [fileRowKey(key), listed.listRowKey] : [];
  if (aside) former.push(setAsideRowKey(key));
  const gone = former.filter((rowKey) => rows.every((row) => row.rowKey !== rowKey));
  return [
    ...rows.map((row): TransactionAction => {
      // The row for the list may exist in a table that was repaired by hand.
      if (row.rowKey !== fileRowKey(key)) return ['upsert', row, 'Replace'];
      return listed ? ['update', row, 'Replace', { etag: listed.etag }] : ['create', row];
    }),
    ...gone.map((rowKey): TransactionAction => ['delete', { partitionKey, rowKey }]),
  ];
}

// 13 digits suffice until the year 2286. The time is inverted, so the newest record has the smallest key.
const listRowKeyOf = (uploadedAt: string, { itemKey }: DocumentKey): string =>
  `list-${String(9_999_999_999_999 - Date.parse(uploadedAt)).padStart(13, '0')}-${itemKey}`;

const isListRowKey = (rowKey: string): boolean => /^list-\d{13}-[^']+$/.test(rowKey);

const rangeFilter = (projectId: string, after: string, before: string): Filter =>
  odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${after} and RowKey lt ${before} and projectId eq ${projectId}`;

function listFilter(projectId: string, folderName: Subfolder | undefined, after = 'list-'): Filter {
  // '.' is the character after '-'.
  const ofProject = rangeFilter(projectId, after, 'list.');
  return folderName === undefined ? ofProject : odata`${ofProject} and folderName eq ${folderName}`;
}

/** What a cursor of the list is valid for. */
const listOf = (projectId: string): string => `documents ${projectId}`;

const shownIn = (row: NewRecord): ProjectDocument => documentIn(recordIn(row));
