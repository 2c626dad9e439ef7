import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { orNullIfMissing, rejectedWith } from '../storage/rejections.ts';
import {
  documentIdOf,
  documentKey,
  keyOfDocumentId,
  nameKeyOf,
  partitionOf,
  setAsideRowKey,
  type DocumentKey,
} from './document-key.ts';
import { columnsOf, recordIn, type NewRecord, type RecordColumns } from './document-row.ts';
import { cursorOf, rowKeyAfter } from './list-cursor.ts';
import type { ProjectDocument } from './document.ts';
import type { Subfolder } from './subfolders.ts';

/** A document with the data that only the service uses. */
export interface DocumentRecord {
  readonly document: ProjectDocument;
  /** Id of the file in the library. */
  readonly itemId: string;
  /** Last known bytes in the library: SharePoint rewrites Office files. */
  readonly librarySize: number;
  /** Id of the key of the upload that wrote the record, if it had an `Idempotency-Key`. */
  readonly keyId: string | undefined;
  /** Id of the direct upload that wrote the record. */
  readonly directUploadId: string | undefined;
}

interface Row extends RecordColumns {
  /** Key of the row for the list. */
  readonly listRowKey: string;
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

const maxTries = 8;
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

  constructor(table: TableClient) {
    this.#table = table;
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
   * Newest first; optionally of one subfolder.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this project
   */
  async list(
    projectId: string,
    limit: number,
    cursor: string | undefined,
    folderName?: Subfolder,
  ): Promise<{ items: readonly ProjectDocument[]; nextCursor: string | null }> {
    const partitionKey = partitionOf(projectId);
    const after = cursor === undefined ? 'list-' : rowKeyAfter(cursor, partitionKey);
    // '.' is the character after '-'.
    const ofProject = odata`PartitionKey eq ${partitionKey} and RowKey gt ${after} and RowKey lt ${'list.'} and projectId eq ${projectId}`;
    const filter = folderName === undefined ? ofProject : ofProject + odata` and folderName eq ${folderName}`;
    const rows: (Row & { rowKey: string })[] = [];
    // One row more than requested shows whether there is a next page. A page is one request, unless the storage returns
    // fewer rows.
    const pages = this.#table
      .listEntities<Row>({ queryOptions: { filter } })
      .byPage({ maxPageSize: limit + 1 });
    for await (const page of pages) {
      for (const row of page) rows.push({ ...row, rowKey: row.rowKey ?? '' });
      if (rows.length > limit) break;
    }
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map((row) => documentOf(documentIdOf(documentKey(row.projectId, row.itemId)), row)),
      nextCursor: rows.length > limit && last ? cursorOf(partitionKey, last.rowKey) : null,
    };
  }

  /** Streams all records of a project, in no useful order. */
  async *ofProject(projectId: string): AsyncGenerator<DocumentRecord> {
    const filter = odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${'list-'} and RowKey lt ${'list.'} and projectId eq ${projectId}`;
    for await (const row of this.#table.listEntities<Row>({ queryOptions: { filter } })) {
      yield recordOf(documentIdOf(documentKey(row.projectId, row.itemId)), row);
    }
  }

  /** Creates the records of items of one project that have none, up to 33 in a transaction. */
  async add(records: readonly NewRecord[]): Promise<void> {
    for (let start = 0; start < records.length; start += recordsPerTransaction) {
      const some = records.slice(start, start + recordsPerTransaction);
      try {
        await this.#table.submitTransaction(some.flatMap(adding));
      } catch (error) {
        const status = rejectedWith(error);
        if (status !== 400 && status !== 409) throw error;
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
    const nameRowKey = nameRowKeyOf(row);
    let displaced: Displaced | null = null;
    let isNew = false;
    await this.#untilSettled(async () => {
      const [old, named] = await Promise.all([this.#row(key), this.#nameRow(key, nameRowKey)]);
      await this.#table.submitTransaction([
        ...saving(key, row, old),
        [
          'upsert',
          { partitionKey: key.partitionKey, rowKey: nameRowKey, itemKey: key.itemKey, itemId: row.itemId },
          'Replace',
        ],
      ]);
      isNew = old === null;
      displaced =
        named && named.itemKey !== key.itemKey
          ? { documentId: documentIdOf({ ...key, itemKey: named.itemKey }), itemId: named.itemId }
          : null;
    });
    return { document: documentOf(documentIdOf(key), row), isNew, displaced };
  }

  /**
   * Updates the name, size, web URL, and folder of a record from its file in the library. Everything else is unchanged,
   * including the uploaded size if the size in the library is the same.
   *
   * @returns the updated document; null if its record no longer exists
   */
  async correct(documentId: string, seen: SeenFile): Promise<ProjectDocument | null> {
    const key = keyOfDocumentId(documentId);
    let corrected: ProjectDocument | null = null;
    if (!key) return corrected;
    await this.#untilSettled(async () => {
      const old = await this.#row(key);
      if (!old) return;
      const row = correctedRow(old, seen);
      corrected = documentOf(documentId, row);
      if (isSameFile(old, row)) return;
      const [oldNameRowKey, nameRowKey] = [nameRowKeyOf(old), nameRowKeyOf(row)];
      const isRenamed = oldNameRowKey !== nameRowKey;
      const named = isRenamed ? await this.#nameRow(key, oldNameRowKey) : null;
      const { partitionKey, itemKey } = key;
      const actions = saving(key, row, old);
      if (isRenamed) {
        const entity = { partitionKey, rowKey: nameRowKey, itemKey, itemId: row.itemId };
        actions.push(['upsert', entity, 'Replace']);
      }
      if (named?.itemKey === itemKey) actions.push(['delete', { partitionKey, rowKey: oldNameRowKey }]);
      await this.#table.submitTransaction(actions);
    });
    return corrected;
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
    await this.#untilSettled(async () => {
      const row = await this.#row(key);
      const further = row && besides(key, row);
      if (!row || !further) return;
      const nameRowKey = nameRowKeyOf(row);
      const named = await this.#nameRow(key, nameRowKey);
      const gone = [fileRowKey(key), row.listRowKey];
      if (named?.itemKey === key.itemKey) gone.push(nameRowKey);
      const { partitionKey } = key;
      await this.#table.submitTransaction([
        ...gone.map((rowKey) => ['delete', { partitionKey, rowKey }] satisfies TransactionAction),
        ...further,
      ]);
    });
  }

  #row(key: DocumentKey): Promise<(Row & { etag: string }) | null> {
    return orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, fileRowKey(key)));
  }

  #nameRow({ partitionKey }: DocumentKey, rowKey: string): Promise<NameRow | null> {
    return orNullIfMissing(this.#table.getEntity<NameRow>(partitionKey, rowKey));
  }

  /** Repeats read and write if another request has written in between. */
  async #untilSettled(write: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await write();
      } catch (error) {
        const status = rejectedWith(error);
        const isRace = status === 404 || status === 409 || status === 412;
        if (!isRace || tries === maxTries) throw error;
      }
    }
  }
}

function adding(record: NewRecord): TransactionAction[] {
  const key = documentKey(record.projectId, record.itemId);
  const row = rowOf(record, key);
  const { partitionKey, itemKey } = key;
  const named = { partitionKey, rowKey: nameRowKeyOf(row), itemKey, itemId: row.itemId };
  return [...saving(key, row, null), ['upsert', named, 'Replace']];
}

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

const nameRowKeyOf = ({ folderName, fileName }: RecordColumns): string =>
  `name-${nameKeyOf(folderName, fileName)}`;

const rowOf = (record: NewRecord, key: DocumentKey): Row => ({
  ...columnsOf(record),
  listRowKey: listRowKeyOf(record.uploadedAt, key),
});

const correctedRow = (row: Row, { fileName, size, webUrl, folderName }: SeenFile): Row => ({
  ...columnsOf(recordIn(row)),
  listRowKey: row.listRowKey,
  fileName,
  ...(size !== undefined && size !== row.librarySize && { size, librarySize: size }),
  ...(webUrl !== undefined && { webUrl }),
  ...(folderName !== undefined && { folderName }),
});

const isSameFile = (a: Row, b: Row): boolean =>
  a.fileName === b.fileName &&
  a.librarySize === b.librarySize &&
  a.webUrl === b.webUrl &&
  a.folderName === b.folderName;

const recordOf = (id: string, row: Row): DocumentRecord => ({
  document: documentOf(id, row),
  itemId: row.itemId,
  librarySize: row.librarySize,
  keyId: row.keyId,
  directUploadId: row.directUploadId,
});

function documentOf(id: string, row: Row): ProjectDocument {
  const {
    itemId: _itemId,
    librarySize: _librarySize,
    keyId: _keyId,
    directUploadId: _directUploadId,
    ...fields
  } = recordIn(row);
  return { id, ...fields };
}
