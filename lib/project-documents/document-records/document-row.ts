import * as z from 'zod';
import { projectDocument, type ProjectDocument } from './document.ts';
import { withWrittenTypes } from '../../storage/column-values.ts';
import type { Place } from '../folders/places.ts';
import { documentIdOf, documentKey } from './document-key.ts';

const columns = projectDocument.omit({ id: true }).extend({
  /** Id of the file in the library. */
  itemId: z.string(),
  /** Id of the folder that directly contains it; absent in records of 1.0.0. */
  parentId: z.string().optional(),
  /** Last known bytes in the library: differs from `size` if SharePoint has rewritten an Office file. */
  librarySize: z.int(),
  /** Id of the key of the upload that wrote the record, if it had an `Idempotency-Key` (lib/storage/idempotency-keys.ts). */
  keyId: z.string().optional(),
  /** Id of the direct upload that wrote the record (direct-uploads.ts). */
  directUploadId: z.string().optional(),
});

/** The stored data of a document; its id follows from project and library item (document-key.ts). */
export type NewRecord = Readonly<z.output<typeof columns>>;

/** A document with the data that only the service uses. */
export interface DocumentRecord extends NewRecord {
  readonly id: string;
  /** ISO 8601. Set if it is not in the list, because its file was not in its folder. */
  readonly setAsideAt?: string | undefined;
}

/** What a record takes from its file in the library. */
export interface LibraryFile {
  readonly name: string;
  readonly size?: number | undefined;
  readonly webUrl?: string | undefined;
  readonly file?: { readonly mimeType?: string | undefined } | undefined;
  /** If it is known. */
  readonly publication?: { readonly level?: string | undefined } | undefined;
}

const columnNames = columns.keyof().options;
const shownNames = projectDocument.keyof().options;

/** These properties, as far as their values are kept. */
function pick<T extends object, K extends keyof T>(
  from: T,
  names: readonly K[],
  isKept: (value: T[K]) => boolean,
): Pick<T, K> {
  const kept: Partial<Pick<T, K>> = {};
  for (const name of names) if (isKept(from[name])) kept[name] = from[name];
  return kept as Pick<T, K>;
}

/** The columns of a record, without anything else that it has. Table Storage has no null. */
export const columnsOf = (record: NewRecord): NewRecord =>
  pick(record, columnNames, (value) => value !== null);

const counts = ['size', 'librarySize'] as const;
const texts = columnNames.filter((name) => name !== 'checkedOut' && !counts.some((count) => count === name));

/** The record in a row. */
export function recordIn(given: NewRecord & { readonly setAsideAt?: string }): DocumentRecord {
  const row = withWrittenTypes(given, { texts, counts });
  return {
    ...columnsOf(row),
    // Absent in records of 1.0.0, which were all directly in a subfolder.
    folderPath: row.folderPath ?? '',
    uploadedByName: row.uploadedByName ?? null,
    id: documentIdOf(documentKey(row.projectId, row.itemId)),
    setAsideAt: row.setAsideAt,
  };
}

/** What callers see of a record. */
export const documentIn = (record: DocumentRecord): ProjectDocument =>
  pick(record, shownNames, (value) => value !== undefined);

/**
 * The record with the current name, size, web URL, and place of its file. The uploaded size remains if the size in the library
 * is the same, and the uploaded type while the name keeps its extension.
 */
export function correctedRecord<R extends NewRecord>(
  record: R,
  { name, size = record.librarySize, webUrl = record.webUrl, file, publication }: LibraryFile,
  { folderName, folderPath, parentId }: Place = record,
): R {
  const isSameSize = size === record.librarySize;
  const isSameType = extensionOf(name) === extensionOf(record.fileName);
  return {
    ...record,
    folderName,
    folderPath,
    ...(parentId !== undefined && { parentId }),
    fileName: name.normalize('NFC'),
    webUrl,
    ...(!isSameSize && { size, librarySize: size }),
    ...(publication && { checkedOut: publication.level === 'checkout' ? true : undefined }),
    ...(!isSameType && file?.mimeType !== undefined && { contentType: file.mimeType }),
  };
}

const extensionOf = (name: string): string => /\.[^.]*$/.exec(name)?.[0].toLowerCase() ?? '';

/** Whether two records of a file have the same data of it. */
export const isSameFile = (a: NewRecord, b: NewRecord): boolean =>
  a.fileName === b.fileName &&
  a.librarySize === b.librarySize &&
  a.webUrl === b.webUrl &&
  a.contentType === b.contentType &&
  a.checkedOut === b.checkedOut &&
  a.folderName === b.folderName &&
  a.folderPath === b.folderPath;
