import type { TableClient } from '@azure/data-tables';
import { ServiceError } from '../../base/service-error.ts';
import type { Clock } from '../../contract/clock.ts';
import { conditionalWrite, untilSettled, columnWriter } from '../../storage/conditional-write.ts';
import { placeOfCursor } from '../../storage/cursor.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { firstRows, matchingRows, odata } from '../../storage/table-rows.ts';
import {
  foldText,
  hasParts,
  isFoundBy,
  partFormsOf,
  partsIn,
  searchWordsOf,
  type PartForms,
} from '../../master-data/search-words.ts';
import type { Page, PageQuery } from '../../master-data/word-index.ts';
import { DocumentIndex, type IndexedName } from './document-index.ts';
import { keyOfDocumentId, type DocumentKey, documentKey } from './document-key.ts';
import {
  changeOfRow,
  DocumentNames,
  isSameName,
  nameIn,
  nameRowKey,
  type ListedName,
  type NameRow,
  type ProjectNames,
} from './document-names.ts';
import { rowKeys } from '../folders/row-keys.ts';
import type { Place } from '../folders/places.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { newestFirst, pageInOrder, type ListQuery } from './document-order.ts';
import {
  correctedRecord,
  documentIn,
  recordIn,
  type DocumentRecord,
  type LibraryFile,
  type NewRecord,
} from './document-row.ts';
import type { ProjectDocument } from './document.ts';
import { addRecords } from './record-additions.ts';
import {
  actionsOf,
  fileRowKey,
  isListRowKey,
  keyOf,
  listFilter,
  rangeFilter,
  rowsOf,
  setAsideRowKey,
  type FoundRow,
  type Row,
  type SetAsideRow,
} from './record-rows.ts';

// An upload needs to know of few: each costs a request to the library.
const maxNamesakes = 10;
// If the names have these, no release without names has added others since.
const maxComparedRecords = 10;
// A project with fewer documents is searched and sorted from its records, with one request.
const maxReadRecords = 500;
// Of files whose names share a name row.
const maxConcurrentWrites = 50;
const setAsideForMs = 30 * 24 * 60 * 60_000;

export const documentNotFound = (documentId: string): ServiceError =>
  new ServiceError('document_not_found', { detail: `There is no document with the id ${documentId}.` });

/**
 * The document records in Table Storage. Each has two rows in the project's partition, always written in one transaction:
 * `file-<item>` is found by the document id, and `list-<inverted time>-<item>` is a copy in the order of the list, newest
 * first. A page of the list is one query of one partition, and a document is one point read. The same transaction keeps the
 * names of the project (document-names.ts), which a search and any other order read.
 *
 * A file that a caller does not find may be hidden from this caller alone. Its record is therefore set aside for 30 days:
 * `aside-<item>` replaces both rows, until a request of any caller finds the file (set-aside-revival.ts).
 */
export class DocumentRecords {
  readonly #table: TableClient;
  readonly #clock: Clock;
  readonly #index: DocumentIndex;
  readonly #names: DocumentNames;

  constructor(table: TableClient, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
    this.#index = new DocumentIndex(table);
    this.#names = new DocumentNames(table);
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
   * The documents of a project, newest first unless the query has another order. A search finds any part of a name. A page of
   * the list is one storage request, and so is a search or another order among up to 500 documents; among more, these are
   * two, and one read for each document of the page.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this list
   */
  async list(projectId: string, query: ListQuery): Promise<Page<ProjectDocument>> {
    const { limit, cursor } = query;
    if (!isWholeList(query)) return this.#pageInOrder(projectId, query);
    const after = cursor === undefined ? undefined : placeOfCursor(cursor, isListRowKey);
    // One row more than requested shows whether there is a next page.
    const rows = await firstRows<Row>(this.#table, listFilter(projectId, after), limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1)?.rowKey : undefined;
    return {
      items: shown.map(documentOfRow),
      nextCursor: last ?? null,
    };
  }

  /**
   * How many documents are directly in each folder that has some, and how many each person has uploaded. One storage request
   * for up to 500 documents; two for more, as a rule.
   */
  async count(projectId: string): Promise<DocumentCounts> {
    const newest = await firstRows<Row>(this.#table, listFilter(projectId), maxReadRecords);
    if (newest.length < maxReadRecords) return countsOf(newest.map(recordIn));
    const names = await this.#names.ofProject(projectId);
    return countsOf(currentNames(names, newest) ?? (await this.#readFully(projectId, names)));
  }

  /**
   * The ids of a project's documents that have each part of a search in their file name or in the name of who uploaded them,
   * newest first, without those that {@link search} finds. Two storage requests.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this search
   */
  async searchParts(
    projectId: string,
    { search, limit, cursor }: PageQuery & { readonly search: string },
  ): Promise<Page<string>> {
    const [newest, names] = await Promise.all([
      firstRows<Row>(this.#table, listFilter(projectId), maxComparedRecords),
      this.#names.ofProject(projectId),
    ]);
    if (newest.length === 0) return { items: [], nextCursor: null };
    const listed =
      currentNames(names, newest) ??
      (await this.#readFully(projectId, names)).map((record) => nameIn(record));
    const { items, nextCursor } = await pageInOrder(listed.filter(isFoundInside(search)), { limit, cursor });
    return { items: items.map(({ id }) => id), nextCursor };
  }

  async #pageInOrder(projectId: string, query: ListQuery): Promise<Page<ProjectDocument>> {
    const newest = await firstRows<Row>(this.#table, listFilter(projectId), maxReadRecords);
    if (newest.length < maxReadRecords) return pageOf(newest.map(recordIn), query);
    const names = await this.#names.ofProject(projectId);
    const page = await this.#pageByNames(names, newest, query);
    if (page) return page;
    return pageOf(await this.#readFully(projectId, names), query);
  }

  /** Null if the names do not have every record: the service has not written them all, or not read them all again. */
  async #pageByNames(
    projectNames: ProjectNames,
    newest: readonly Row[],
    query: ListQuery,
  ): Promise<Page<ProjectDocument> | null> {
    const names = currentNames(projectNames, newest);
    if (!names) return null;
    const { items, nextCursor } = await pageInOrder(names, query);
    const records = await Promise.all(items.map(({ id }) => this.find(id)));
    const isCurrent = items.every((name, at) => records[at] && isSameName(name, nameIn(records[at])));
    return isCurrent
      ? { items: records.flatMap((record) => (record ? [documentIn(record)] : [])), nextCursor }
      : null;
  }

  /**
   * Documents of all projects, by the beginnings of words in their file names. Four sequential storage requests at most for
   * one word, and one more for each 50 rows that documents share.
   *
   * @throws ServiceError `invalid_request` for a cursor that was not issued for this search
   */
  async search(query: PageQuery & { readonly search: string }): Promise<Page<ProjectDocument>> {
    const { items, nextCursor } = await this.#index.search(query);
    const rows = await Promise.all(
      items.map(async ({ id, wordBatch }) => {
        const key = keyOfDocumentId(id);
        const row = key && (await this.#row(key));
        // A record that was written again has rows of its own: the shared one would be a second match.
        return row?.wordBatch === wordBatch ? row : null;
      }),
    );
    const sought = searchWordsOf(query.search);
    const found = rows.flatMap((row) => (row ? [documentOfRow(row)] : []));
    return { items: found.filter(({ fileName }) => isFoundBy(sought, foldText(fileName))), nextCursor };
  }

  /** Other records of the same file name, whose files were deleted, renamed, or moved in the library. */
  async namesakesOf({
    id,
    projectId,
    folderName,
    folderPath,
    fileName,
  }: ProjectDocument): Promise<DocumentRecord[]> {
    // Once for a project that an earlier release has filled.
    if (!(await this.#names.isComplete(projectId))) await this.readAll(projectId);
    const { names } = await this.#names.rowOf(projectId, fileName);
    const others = (names ?? []).filter(
      (name) =>
        name.id !== id &&
        name.folderName === folderName &&
        (name.folderPath ?? folderPath) === folderPath &&
        name.fileName === fileName,
    );
    const records = await Promise.all(others.slice(0, maxNamesakes).map((other) => this.find(other.id)));
    return records.flatMap((record) =>
      record?.folderName === folderName && record.folderPath === folderPath && record.fileName === fileName
        ? [record]
        : [],
    );
  }

  /** A record that was set aside within the last 30 days. */
  async findSetAside(documentId: string): Promise<DocumentRecord | null> {
    const key = keyOfDocumentId(documentId);
    const row = key && (await this.#setAsideRow(key));
    return row && !this.#isOver(row) ? recordIn(row) : null;
  }

  /** Removes the records of a project that were set aside more than 30 days ago, and returns the other ones that are. */
  async expireSetAside(projectId: string): Promise<readonly DocumentRecord[]> {
    const filter = rangeFilter(projectId, rowKeys.aside.all);
    const kept: DocumentRecord[] = [];
    for await (const row of matchingRows<SetAsideRow>(this.#table, filter)) {
      if (!this.#isOver(row)) kept.push(recordIn(row));
      else await orNullIfMissing(this.#table.deleteEntity(partitionOf(projectId), row.rowKey ?? ''));
    }
    return kept;
  }

  /** All records of a project, newest first. Repairs the names of the project if they differ. */
  async readAll(projectId: string): Promise<readonly DocumentRecord[]> {
    return this.#readAndRepair(projectId, await this.#names.ofProject(projectId));
  }

  /** Repairing rows that stay overfull would pack all names for each page. */
  #readFully(projectId: string, names: ProjectNames): Promise<readonly DocumentRecord[]> {
    return names.isOverfull ? this.#read(projectId) : this.#readAndRepair(projectId, names);
  }

  /** @param names read before the records */
  async #readAndRepair(projectId: string, names: ProjectNames): Promise<readonly DocumentRecord[]> {
    const records = await this.#read(projectId);
    await this.#names.repair(projectId, names, records.map(nameIn));
    return records;
  }

  async #read(projectId: string): Promise<readonly DocumentRecord[]> {
    const rows = matchingRows<Row>(this.#table, listFilter(projectId));
    const records: DocumentRecord[] = [];
    for await (const row of rows) records.push(recordIn(row));
    return records;
  }

  /** Whether the service has anything of this project: folders, documents, uploads. */
  async hasAnything(projectId: string): Promise<boolean> {
    const filter = odata`PartitionKey eq ${partitionOf(projectId)}`;
    return (await firstRows(this.#table, filter, 1)).length > 0;
  }

  /**
   * Creates the records of items of one project that have none.
   *
   * @param onWritten called with the number of records after each transaction
   */
  async add(
    records: readonly NewRecord[],
    onWritten: (count: number) => Promise<void> | void = () => {},
  ): Promise<void> {
    const [first] = records;
    if (!first) return;
    const all = records.map(recordIn);
    const wordBatch = await this.#index.addTogether(all);
    await addRecords(
      {
        table: this.#table,
        names: this.#names,
        projectId: first.projectId,
        wordBatch,
        save: (record) => this.save(record),
        onWritten,
      },
      all,
    );
  }

  /**
   * Creates or replaces the record of the item, also one that is set aside. Writing it twice results in one record.
   *
   * @returns the document, and the record that the item had before, also one that was set aside
   */
  async save(given: NewRecord): Promise<{ document: ProjectDocument; before: DocumentRecord | null }> {
    const record = { ...recordIn(given), setAsideAt: undefined };
    const before = await this.#change(keyOf(record), () => storing(record), record);
    return { document: documentIn(record), before };
  }

  /** Updates a record from its file in the library, unless it is no longer listed. */
  async correct(record: NewRecord, file: LibraryFile, place?: Place): Promise<void> {
    await this.#change(
      keyOf(record),
      (old) => (old && !old.setAsideAt ? storing(correctedRecord(old, file, place)) : keeping),
      recordIn(correctedRecord(record, file)),
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
   * Replaces the rows of a record and its name in one transaction, and then its words in the index.
   *
   * @param given added to the index while the record is read
   * @returns the record that was replaced or removed; null if there was none
   */
  async #change(
    key: DocumentKey,
    change: (old: DocumentRecord | null) => RecordChange,
    given?: DocumentRecord,
  ): Promise<DocumentRecord | null> {
    // Of an earlier attempt too, which may have removed it and lost the response.
    let before = null as DocumentRecord | null;
    const attempt = async () => {
      const [listed, aside, givenNameRow] = await Promise.all([
        this.#row(key),
        this.#setAsideRow(key),
        given && this.#names.rowOf(given.projectId, given.fileName),
        given && this.#index.add([given]),
      ]);
      const row = listed ?? aside;
      const old = row && recordIn(row);
      const wanted = change(old);
      if (wanted.kind === 'keep') return { record: null };
      before = old;
      const record = wanted.kind === 'store' ? wanted.record : null;
      const rows = record ? rowsOf(record) : [];
      const [first] = rows;
      const trace = first && columnWriter(this.#table, first, 'writtenBy', first.writtenBy);
      const actions = [
        ...actionsOf(key, listed, aside, rows),
        ...(await this.#nameActions(listed && recordIn(listed), record, givenNameRow)),
      ];
      const written = await conditionalWrite(this.#table.submitTransaction(actions), trace);
      return written && { record };
    };
    const now = await untilSettled('record', attempt, maxConcurrentWrites);
    if (before) await this.#unindex(before, now.record?.setAsideAt === undefined ? now.record : null);
    return before;
  }

  /** @param read a name row that has been read */
  async #nameActions(was: DocumentRecord | null, now: DocumentRecord | null, read?: NameRow) {
    const listed = now?.setAsideAt === undefined ? now : null;
    const either = was ?? now;
    if (!either) return [];
    const { id, projectId } = either;
    const names = [was, listed].flatMap((record) => (record ? [record.fileName] : []));
    const byKey = new Map(names.map((fileName) => [nameRowKey(projectId, fileName), fileName]));
    const changes = await Promise.all(
      [...byKey].map(async ([rowKey, fileName]) => {
        const row = read?.rowKey === rowKey ? read : await this.#names.rowOf(projectId, fileName);
        const added = listed && nameRowKey(projectId, listed.fileName) === rowKey ? [nameIn(listed)] : [];
        return changeOfRow(projectId, row, new Set([id]), added);
      }),
    );
    return changes.flatMap((each) => (each ? [each.action] : []));
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

/** Whether a search finds a document by a part of a word or of a person's name, and not by the beginnings of words. */
function isFoundInside(search: string): (name: ListedName) => boolean {
  const parts = partsIn(search);
  const words = searchWordsOf(search);
  const people = new Map<string, PartForms>();
  const formsOf = (person: string): PartForms => {
    const forms = people.get(person) ?? partFormsOf(person);
    people.set(person, forms);
    return forms;
  };
  return ({ forms, uploadedByName }) =>
    !isFoundBy(words, forms.folded) &&
    parts.every(
      (part) =>
        hasParts([part], forms) || (uploadedByName !== null && hasParts([part], formsOf(uploadedByName))),
    );
}

/** Whether a query has neither a filter nor an order of its own. */
const isWholeList = ({
  folderName,
  folderPath,
  uploadedBy,
  search,
  sort = newestFirst,
}: ListQuery): boolean =>
  [folderName, folderPath, uploadedBy, search].every((filter) => filter === undefined) &&
  sort === newestFirst;

/** Null if the rows do not have the name of every record, as `newest` shows, or not all that a list needs of it. */
function currentNames(
  { isComplete, isOverfull, rows }: ProjectNames,
  newest: readonly Row[],
): readonly ListedName[] | null {
  const all = [...rows.values()].map(({ names }) => names);
  if (!isComplete || isOverfull || all.includes(null)) return null;
  const names = all.flatMap((some) => some ?? []);
  if (names.some(({ folderPath }) => folderPath === undefined)) return null;
  const byId = new Map(names.map((name) => [name.id, name]));
  // A release without names, to which the service went back for a while, has added its records as the newest.
  const areKnown = newest.map(nameIn).every((name) => {
    const known = byId.get(name.id);
    // Another request may have written the record since it was read.
    return known !== undefined && (isSameName(known, name) || known.uploadedAt > name.uploadedAt);
  });
  return areKnown ? names : null;
}

interface DocumentCounts {
  /** The folders of a project that have documents directly in them. */
  readonly folders: readonly {
    readonly folderName: string;
    readonly folderPath: string;
    readonly documentCount: number;
  }[];
  /** Who has uploaded them. */
  readonly people: readonly {
    readonly userId: string;
    readonly name: string | null;
    readonly documentCount: number;
  }[];
}

function countsOf(
  listed: readonly Pick<
    DocumentRecord | ListedName,
    'folderName' | 'folderPath' | 'uploadedByUserId' | 'uploadedByName'
  >[],
): DocumentCounts {
  const byFolder = Map.groupBy(listed, ({ folderName, folderPath = '' }) => `${folderName}/${folderPath}`);
  const byPerson = Map.groupBy(listed, ({ uploadedByUserId = '' }) => uploadedByUserId);
  return {
    folders: [...byFolder.values()].map((its) => {
      const [{ folderName, folderPath = '' }] = its as [(typeof its)[0]];
      return { folderName, folderPath, documentCount: its.length };
    }),
    people: [...byPerson].map(([userId, its]) => ({
      userId,
      name: its.find(({ uploadedByName }) => uploadedByName !== null)?.uploadedByName ?? null,
      documentCount: its.length,
    })),
  };
}

const documentOfRow = (row: NewRecord): ProjectDocument => documentIn(recordIn(row));

const pageOf = async (
  records: readonly DocumentRecord[],
  query: ListQuery,
): Promise<Page<ProjectDocument>> => {
  const listed = records.map((record) => ({ ...nameIn(record), record }));
  const { items, nextCursor } = await pageInOrder(listed, query);
  return { items: items.map(({ record }) => documentIn(record)), nextCursor };
};
