import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import * as z from 'zod';
import { slicesOf } from '../../base/slices.ts';
import { conditionalWrite } from '../../storage/conditional-write.ts';
import { firstRows, odata } from '../../storage/table-rows.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partFormsOf, type PartForms } from '../../master-data/search-words.ts';
import { partitionOf } from '../folders/project-partition.ts';
import { rowKeys } from '../folders/row-keys.ts';
import { documentIdOf, documentKey, projectPartOf } from './document-key.ts';
import type { NewRecord } from './document-row.ts';

/** What a search or an order needs of a document. */
export interface ListedName {
  readonly id: string;
  readonly folderName: string;
  /** Undefined, like the next, in a row that 1.0.0 has written. */
  readonly folderPath: string | undefined;
  readonly uploadedByUserId: string | undefined;
  readonly uploadedByName: string | null;
  readonly fileName: string;
  readonly size: number;
  /** ISO 8601. */
  readonly uploadedAt: string;
  readonly forms: PartForms;
}

/** One of the rows of a project. */
export interface NameRow {
  readonly rowKey: string;
  /** Null if the table does not have the row. */
  readonly etag: string | null;
  /** Null if the row cannot have them: they are too many, or it was damaged. */
  readonly names: readonly ListedName[] | null;
}

export interface ProjectNames {
  readonly rows: ReadonlyMap<string, NameRow>;
  /** Whether the rows have had all documents of the project; a release that does not know them may have added others. */
  readonly isComplete: boolean;
  /** Whether the names of some row are too many for it. */
  readonly isOverfull: boolean;
}

interface StoredNames {
  readonly packed?: Uint8Array;
  readonly isOverfull?: boolean;
}

// 20,000 names are read with one request (0.6 MB), and 10 concurrent uploads seldom meet in one row.
const rowsPerProject = 64;
// Of Table Storage: 64 KiB for a property. Some 2,500 names, so a project has 150,000.
const maxPackedBytes = 64 * 1024;
// Of Table Storage: 4 MiB for a transaction, in which bytes are base64.
const rowsPerTransaction = 32;
const packedName = [z.string(), z.string(), z.string(), z.int(), z.string(), z.string(), z.string()] as const;
// 1.0.0 reads only the shorter form: to it, a row of the longer one is damaged, and written again from the records.
const packedNames = z.array(
  z.union([z.tuple([...packedName, z.string(), z.string(), z.string()]), z.tuple([...packedName])]),
);

/**
 * The names of a project's documents, packed into at most 64 rows of its partition, so that a search or an order of 20,000
 * documents reads 64 rows. A document has its name there exactly if it has a row for the list: both change in one
 * transaction (document-records.ts), which fails if another one has changed the name row since it was read. The row
 * follows from the file name, so documents of one name share it.
 */
export class DocumentNames {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** The row of a file name. */
  async rowOf(projectId: string, fileName: string): Promise<NameRow> {
    const rowKey = nameRowKey(projectId, fileName);
    return rowIn(
      projectId,
      rowKey,
      await orNullIfMissing(this.#table.getEntity<StoredNames>(partitionOf(projectId), rowKey)),
    );
  }

  async isComplete(projectId: string): Promise<boolean> {
    const row = this.#table.getEntity(partitionOf(projectId), completeRowKey(projectId));
    return (await orNullIfMissing(row)) !== null;
  }

  async ofProject(projectId: string): Promise<ProjectNames> {
    const { from, to } = rowKeys.names.within({ projectId });
    const filter = odata`PartitionKey eq ${partitionOf(projectId)} and RowKey gt ${from} and RowKey lt ${to}`;
    const stored = await firstRows<StoredNames>(this.#table, filter, rowsPerProject + 1);
    const isMarker = ({ rowKey }: { rowKey?: string }): boolean => rowKey === completeRowKey(projectId);
    const rows = stored.filter((row) => !isMarker(row));
    return {
      rows: new Map(rows.map((row) => [row.rowKey!, rowIn(projectId, row.rowKey!, row)])),
      isComplete: stored.some(isMarker),
      isOverfull: rows.some(({ isOverfull }) => isOverfull === true),
    };
  }

  /**
   * Makes the rows have these names, and no others, unless another request changes one of them.
   *
   * @param present read before the names
   */
  async repair(
    projectId: string,
    { rows, isComplete }: ProjectNames,
    names: readonly ListedName[],
  ): Promise<void> {
    const wanted = Map.groupBy(names, ({ fileName }) => nameRowKey(projectId, fileName));
    const actions = [...new Set([...rows.keys(), ...wanted.keys()])].flatMap((rowKey) => {
      const row = rows.get(rowKey) ?? missingRow(rowKey);
      const its = wanted.get(rowKey) ?? [];
      return row.names !== null && areSame(row.names, its) ? [] : [writing(projectId, row, its)];
    });
    if (!isComplete) {
      const marker = { partitionKey: partitionOf(projectId), rowKey: completeRowKey(projectId) };
      actions.push(['upsert', marker, 'Replace']);
    }
    for (const some of slicesOf(actions, rowsPerTransaction)) {
      if (!(await conditionalWrite(this.#table.submitTransaction(some)))) return;
    }
  }
}

export const nameRowKey = (projectId: string, fileName: string): string => {
  const [byte = 0] = createHash('sha256').update(fileName, 'utf8').digest();
  return rowKeys.names.of({ projectId, row: String(byte % rowsPerProject).padStart(2, '0') });
};

export function nameIn(record: NewRecord): ListedName {
  const { projectId, itemId, folderName, folderPath, uploadedByUserId, fileName, size, uploadedAt } = record;
  const id = documentIdOf(documentKey(projectId, itemId));
  const uploader = { uploadedByUserId, uploadedByName: record.uploadedByName ?? null };
  return {
    id,
    folderName,
    folderPath,
    ...uploader,
    fileName,
    size,
    uploadedAt,
    forms: partFormsOf(fileName),
  };
}

export const isSameName = (a: ListedName, b: ListedName): boolean =>
  a.id === b.id &&
  a.folderName === b.folderName &&
  a.folderPath === b.folderPath &&
  a.uploadedByUserId === b.uploadedByUserId &&
  a.uploadedByName === b.uploadedByName &&
  a.fileName === b.fileName &&
  a.size === b.size &&
  a.uploadedAt === b.uploadedAt;

export const missingRow = (rowKey: string): NameRow => ({ rowKey, etag: null, names: [] });

/**
 * What makes a row have `added`, and nothing else of the documents `ids`. Null if it already is so, or if the row cannot
 * have its names.
 */
export function changeOfRow(
  projectId: string,
  row: NameRow,
  ids: ReadonlySet<string>,
  added: readonly ListedName[],
): { readonly names: readonly ListedName[]; readonly action: TransactionAction } | null {
  if (row.names === null) return null;
  const names = [...row.names.filter(({ id }) => !ids.has(id)), ...added];
  return areSame(row.names, names) ? null : { names, action: writing(projectId, row, names) };
}

function writing(
  projectId: string,
  { rowKey, etag }: NameRow,
  names: readonly ListedName[],
): TransactionAction {
  const packed = pack(names);
  const content = packed.length > maxPackedBytes ? { isOverfull: true } : { packed };
  const row = { partitionKey: partitionOf(projectId), rowKey, ...content };
  return etag === null ? ['create', row] : ['update', row, 'Replace', { etag }];
}

const areSame = (some: readonly ListedName[], others: readonly ListedName[]): boolean => {
  const byId = new Map(others.map((name) => [name.id, name]));
  return (
    some.length === others.length &&
    some.every((name) => {
      const other = byId.get(name.id);
      return other !== undefined && isSameName(name, other);
    })
  );
};

function pack(names: readonly ListedName[]): Uint8Array {
  const rows = names.map(
    ({ id, folderName, folderPath, uploadedByUserId, uploadedByName, uploadedAt, size, fileName, forms }) => [
      id.slice(projectPartOf(id).length),
      folderName,
      uploadedAt,
      size,
      fileName,
      forms.folded,
      forms.spelledOut,
      ...(folderPath === undefined || uploadedByUserId === undefined
        ? []
        : [folderPath, uploadedByUserId, uploadedByName ?? '']),
    ],
  );
  return deflateRawSync(JSON.stringify(rows));
}

function rowIn(
  projectId: string,
  rowKey: string,
  row: (StoredNames & { readonly etag: string }) | null,
): NameRow {
  if (row === null) return missingRow(rowKey);
  const { etag, packed } = row;
  return { rowKey, etag, names: packed === undefined ? null : namesIn(projectId, packed) };
}

function rowsIn(packed: Uint8Array): z.output<typeof packedNames> | null {
  try {
    return packedNames.parse(JSON.parse(inflateRawSync(packed).toString('utf8')));
  } catch {
    return null;
  }
}

/**
 * Packed names with `mark` in the place of id and name of a user. Null if they have nothing of the user, or are damaged: the
 * next search writes those again from the records.
 */
export function packedWithoutUser(packed: Uint8Array, userId: string, mark: string): Uint8Array | null {
  const rows = rowsIn(packed);
  const isOf = (row: readonly unknown[]): boolean => row[packedName.length + 1] === userId;
  if (!rows?.some(isOf)) return null;
  const marked = rows.map((row) => (isOf(row) ? [...row.slice(0, packedName.length + 1), mark, mark] : row));
  return deflateRawSync(JSON.stringify(marked));
}

function namesIn(projectId: string, packed: Uint8Array): readonly ListedName[] | null {
  const projectPart = projectPartOf(documentIdOf(documentKey(projectId, '')));
  const rows = rowsIn(packed);
  // An upload does not fail because somebody has damaged the row; a search reads the records and repairs it.
  if (rows === null) return null;
  return rows.map(([idPart, folderName, uploadedAt, size, fileName, folded, spelledOut, ...later]) => ({
    id: projectPart + idPart,
    folderName,
    folderPath: later[0],
    uploadedByUserId: later[1],
    // No person has an empty name.
    uploadedByName: later[2] || null,
    fileName,
    size,
    uploadedAt,
    forms: { folded, spelledOut },
  }));
}

const completeRowKey = (projectId: string): string => rowKeys.names.of({ projectId, row: 'complete' });
