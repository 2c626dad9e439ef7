import { randomUUID } from 'node:crypto';
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../../base/service-error.ts';
import { slicesOf } from '../../base/slices.ts';
import { conditionalWrite, isConflict, untilSettled, writtenWith } from '../../storage/conditional-write.ts';
import { cursorAfterRow, rowKeyOfCursor } from '../../storage/cursor.ts';
import { firstRows } from '../../storage/first-rows.ts';
import { orNullIfMissing, rejectedWith } from '../../storage/rejections.ts';
import { isFoundBy, soughtIn } from '../../storage/search-words.ts';
import type { Page, PageQuery } from '../../storage/word-index.ts';
import { DocumentIndex, type IndexedName } from './document-index.ts';
import {
  documentIdOf,
  documentKey,
  keyOfDocumentId,
  nameKeyOf,
  setAsideRowKey,
  type DocumentKey,
} from './document-key.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { newestFirst, pageInOrder, type ListQuery } from './document-order.ts';
import { columnsOf, documentFieldsIn, recordIn, type NewRecord, type RecordColumns } from './document-row.ts';
import type { ProjectDocument } from './document.ts';
import type { Subfolder } from '../../contract/subfolders.ts';

/** A document with the data that only the service uses. */
export interface DocumentRecord extends NewRecord {
  readonly document: ProjectDocument;
}

interface Row extends RecordColumns {
  /** Key of the row for the list. */
  readonly listRowKey: string;
  /** Names the write, to distinguish a lost response from another write. */
  readonly writtenBy?: string;
}

/** Current data of a file in the library; absent values do not change the record. */
export interface SeenFile {
  readonly fileName: string;
  readonly size?: number | undefined;
  readonly webUrl?: string | undefined;
  readonly folderName?: Subfolder;
}

/** A record whose file no longer has its name. */
export interface Displaced {
  readonly documentId: string;
  readonly itemId: string;
}

// A transaction has at most 100 rows.
const recordsPerTransaction = 33;
const fileRowKey = ({ itemKey }: DocumentKey): string => `file-${itemKey}`;

export const documentNotFound = (documentId: string): ServiceError =>
  new ServiceError('document_not_found', { detail: `There is no document with the id ${documentId}.` });

/** The item that the record of a file name belongs to. */
interface NameRow {
  readonly itemKey: string;
  readonly itemId: string;
}

/**
 * The document records in Table Storage. Each has three rows in the project's partition, always written in one
 * transaction: `file-<item>` is found by the document id, `list-<inverted time>-<item>` is a copy in the order of the
 * list, newest first, and `name-<digest>` leads from a file name to its record. A page of the list is one query of one
 * partition, and a document is one point read.
 */
export class DocumentRecords {
  readonly #table: TableClient;
  readonly #index: DocumentIndex;

  constructor(table: TableClient) {
    this.#table = table;
    this.#index = new DocumentIndex(table);
  }

  async find(documentId: string): Promise<DocumentRecord | null> {
    const key = keyOfDocumentId(documentId);
    const row = key && (await this.#row(key));
    return row && recordOf(documentId, row);
  }

  /** The record of a library item in a project, if it has one. */
  async findByItem(projectId: string, itemId: string): Promise<DocumentRecord | null> {
    const key = documentKey(projectId, itemId);
    const row = await this.#row(key);
    return row && recordOf(documentIdOf(key), row);
  }

  /**
   * The documents of a project, newest first unless the query has another order. A page is one storage request; with a
   * search or another order, one for each 1,000 documents of the project.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list(projectId: string, query: ListQuery): Promise<Page<ProjectDocument>> {
    const { folderName, search, sort = newestFirst, limit, cursor } = query;
    if (search !== undefined || sort !== newestFirst) {
      const rows = await Array.fromAsync(this.#listRows(projectId, folderName));
      return pageInOrder(rows.map(listedDocument), listOf(projectId), query);
    }
    const after = cursor === undefined ? undefined : rowKeyOfCursor(cursor, listOf(projectId));
    // One row more than requested shows whether there is a next page.
    const rows = await firstRows<Row>(this.#table, listFilter(projectId, folderName, after), limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1)?.rowKey : undefined;
    return {
      items: shown.map(listedDocument),
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
    const found = records.flatMap((record) => (record ? [record.document] : []));
    return { items: found.filter(({ fileName }) => isFoundBy(sought, fileName)), nextCursor };
  }

  /** Streams all records of a project, in no useful order. */
  async *ofProject(projectId: string): AsyncGenerator<DocumentRecord> {
    for await (const row of this.#listRows(projectId)) yield recordOf(idOfRow(row), row);
  }

  /** Whether the service has anything of this project: folders, documents, uploads. */
  async hasAnything(projectId: string): Promise<boolean> {
    const filter = odata`PartitionKey eq ${partitionOf(projectId)}`;
    return (await firstRows(this.#table, filter, 1)).length > 0;
  }

  #listRows(projectId: string, folderName?: Subfolder) {
    return this.#table.listEntities<Row>({ queryOptions: { filter: listFilter(projectId, folderName) } });
  }

  /** Creates the records of items of one project that have none, up to 33 in a transaction. */
  async add(records: readonly NewRecord[]): Promise<void> {
    await this.#index.add(records.map((record) => ({ ...record, id: idOfRow(record) })));
    for (const some of slicesOf(records, recordsPerTransaction)) {
      try {
        await this.#table.submitTransaction(some.flatMap(adding));
      } catch (error) {
        if (rejectedWith(error) !== 400 && !isConflict(error)) throw error;
        // An item has a record already, or two share a name row: each in its own transaction.
        for (const record of some) await this.save(record);
      }
    }
  }

  /**
   * Creates or replaces the record of the item. Writing it twice results in one record.
   *
   * @returns the document, whether the item had no record before, and the record of another item that had this name
   * before: that file was deleted, renamed, or moved in the library
   */
  async save(
    record: NewRecord,
  ): Promise<{ document: ProjectDocument; isNew: boolean; displaced: Displaced | null }> {
    const key = documentKey(record.projectId, record.itemId);
    const row = rowOf(record, key);
    const name = { id: documentIdOf(key), fileName: row.fileName };
    return untilSettled('record', async () => {
      const [old, named] = await Promise.all([
        this.#row(key),
        this.#nameRow(key, nameRowKeyOf(row)),
        this.#index.add([name]),
      ]);
      const isWritten = await this.#isWritten(key, row, [...saving(key, row, old), naming(key, row)]);
      if (!isWritten) return null;
      if (old) await this.#unindex({ ...name, fileName: old.fileName }, name);
      const displaced =
        named && named.itemKey !== key.itemKey
          ? { documentId: documentIdOf({ ...key, itemKey: named.itemKey }), itemId: named.itemId }
          : null;
      return { document: documentOf(documentIdOf(key), row), isNew: old === null, displaced };
    });
  }

  /**
   * Updates the name, size, web URL, and folder of a record from its file in the library. Everything else is unchanged,
   * including the uploaded size if the size in the library is the same.
   *
   * @returns the updated document; null if its record no longer exists
   */
  async correct(documentId: string, seen: SeenFile): Promise<ProjectDocument | null> {
    const key = keyOfDocumentId(documentId);
    if (!key) return null;
    const { document } = await untilSettled('record', async () => {
      const old = await this.#row(key);
      if (!old) return { document: null };
      const row = correctedRow(old, seen);
      const corrected = { document: documentOf(documentId, row) };
      if (isSameFile(old, row)) return corrected;
      const oldNameRowKey = nameRowKeyOf(old);
      const isRenamed = oldNameRowKey !== nameRowKeyOf(row);
      const named = isRenamed ? await this.#nameRow(key, oldNameRowKey) : null;
      const { partitionKey, itemKey } = key;
      const actions = saving(key, row, old);
      if (isRenamed) actions.push(naming(key, row));
      if (named?.itemKey === itemKey) actions.push(['delete', { partitionKey, rowKey: oldNameRowKey }]);
      const name = { id: documentId, fileName: row.fileName };
      if (isRenamed) await this.#index.add([name]);
      if (!(await this.#isWritten(key, row, actions))) return null;
      if (isRenamed) await this.#unindex({ ...name, fileName: old.fileName }, name);
      return corrected;
    });
    return document;
  }

  /** Removes a record; does nothing if it does not exist. */
  async remove(documentId: string): Promise<void> {
    await this.#take(documentId, () => []);
  }

  /**
   * Removes a record from the list; {@link SetAsideRecords} finds it for 30 days. A record that an upload has rewritten
   * since it was read remains: that upload found the file.
   */
  async setAside({ document: { id, uploadedAt } }: DocumentRecord, at: Date): Promise<void> {
    await this.#take(id, (key, row) => {
      if (row.uploadedAt !== uploadedAt) return null;
      const columns = columnsOf(recordIn(row));
      const entity = { partitionKey: key.partitionKey, rowKey: setAsideRowKey(key), ...columns };
      return [['upsert', { ...entity, setAsideAt: at.toISOString() }, 'Replace']];
    });
  }

  /** @param besides further actions of the transaction; null to keep the record */
  async #take(
    documentId: string,
    besides: (key: DocumentKey, row: Row) => TransactionAction[] | null,
  ): Promise<void> {
    const key = keyOfDocumentId(documentId);
    if (!key) return;
    const taken = { fileName: '' };
    await untilSettled('record', async () => {
      const row = await this.#row(key);
      const further = row && besides(key, row);
      // Without a row, an earlier attempt may have taken it and lost the response.
      if (row) taken.fileName = further ? row.fileName : '';
      if (!row || !further) return true;
      const nameRowKey = nameRowKeyOf(row);
      const named = await this.#nameRow(key, nameRowKey);
      const gone = [fileRowKey(key), row.listRowKey];
      if (named?.itemKey === key.itemKey) gone.push(nameRowKey);
      const { partitionKey } = key;
      const deletions = gone.map((rowKey): TransactionAction => ['delete', { partitionKey, rowKey }]);
      return conditionalWrite(this.#table.submitTransaction([...deletions, ...further]));
    });
    await this.#unindex({ id: documentId, ...taken });
  }

  /** Never throws: the record is written or removed, and a search ignores what remains. */
  async #unindex(was: IndexedName, now?: IndexedName): Promise<void> {
    try {
      if (!(await this.#index.remove(was, now))) return;
      // Another request may have written the record again in the meantime.
      const record = await this.find(was.id);
      if (record) await this.#index.add([record.document]);
    } catch {
      // Rows that remain cost a search one read each.
    }
  }

  #row(key: DocumentKey): Promise<(Row & { etag: string }) | null> {
    return orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, fileRowKey(key)));
  }

  #nameRow({ partitionKey }: DocumentKey, rowKey: string): Promise<NameRow | null> {
    return orNullIfMissing(this.#table.getEntity<NameRow>(partitionKey, rowKey));
  }

  async #isWritten(key: DocumentKey, row: Row, actions: TransactionAction[]): Promise<boolean> {
    const file = { partitionKey: key.partitionKey, rowKey: fileRowKey(key) };
    const trace = writtenWith(this.#table, file, 'writtenBy', row.writtenBy);
    return (await conditionalWrite(this.#table.submitTransaction(actions), trace)) !== null;
  }
}

function adding(record: NewRecord): TransactionAction[] {
  const key = documentKey(record.projectId, record.itemId);
  const row = rowOf(record, key);
  return [...saving(key, row, null), naming(key, row)];
}

const naming = ({ partitionKey, itemKey }: DocumentKey, row: Row): TransactionAction => [
  'upsert',
  { partitionKey, rowKey: nameRowKeyOf(row), itemKey, itemId: row.itemId },
  'Replace',
];

function saving(key: DocumentKey, row: Row, old: (Row & { etag: string }) | null): TransactionAction[] {
  const { partitionKey } = key;
  const file = { partitionKey, rowKey: fileRowKey(key), ...row };
  const listed = { partitionKey, rowKey: row.listRowKey, ...row };
  if (!old) {
    // The first action fails for the second of two writers. The second row may exist in a table that was repaired by hand.
    return [
      ['create', file],
      ['upsert', listed, 'Replace'],
    ];
  }
  return [
    ['update', file, 'Replace', { etag: old.etag }],
    ['upsert', listed, 'Replace'],
    // An entity can be in a transaction only once.
    ...(old.listRowKey === row.listRowKey
      ? []
      : [['delete', { partitionKey, rowKey: old.listRowKey }] satisfies TransactionAction]),
  ];
}

// 13 digits suffice until the year 2286. The time is inverted, so the newest record has the smallest key.
const listRowKeyOf = (uploadedAt: string, { itemKey }: DocumentKey): string =>
  `list-${String(9_999_999_999_999 - Date.parse(uploadedAt)).padStart(13, '0')}-${itemKey}`;

function listFilter(projectId: string, folderName: Subfolder | undefined, after = 'list-'): string {
  // '.' is the character after '-'.
  const ofProject = odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${after} and RowKey lt ${'list.'} and projectId eq ${projectId}`;
  return folderName === undefined ? ofProject : ofProject + odata` and folderName eq ${folderName}`;
}

/** What a cursor of the list is valid for. */
const listOf = (projectId: string): string => `documents ${projectId}`;

const nameRowKeyOf = ({ folderName, fileName }: RecordColumns): string =>
  `name-${nameKeyOf(folderName, fileName)}`;

const rowOf = (record: NewRecord, key: DocumentKey): Row => ({
  ...columnsOf(record),
  listRowKey: listRowKeyOf(record.uploadedAt, key),
  writtenBy: randomUUID(),
});

const correctedRow = (row: Row, { fileName, size, webUrl, folderName }: SeenFile): Row => ({
  ...columnsOf(recordIn(row)),
  listRowKey: row.listRowKey,
  writtenBy: randomUUID(),
  fileName,
  ...(size !== undefined && size !== row.librarySize && { size, librarySize: size }),
  ...(webUrl !== undefined && { webUrl }),
  ...(folderName !== undefined && { folderName }),
});

const idOfRow = ({ projectId, itemId }: Pick<Row, 'projectId' | 'itemId'>): string =>
  documentIdOf(documentKey(projectId, itemId));

const listedDocument = (row: Row): ProjectDocument => documentOf(idOfRow(row), row);

const isSameFile = (a: Row, b: Row): boolean =>
  a.fileName === b.fileName &&
  a.librarySize === b.librarySize &&
  a.webUrl === b.webUrl &&
  a.folderName === b.folderName;

const recordOf = (id: string, row: Row): DocumentRecord => ({
  ...recordIn(row),
  document: documentOf(id, row),
});

const documentOf = (id: string, row: Row): ProjectDocument => ({ id, ...documentFieldsIn(row) });
