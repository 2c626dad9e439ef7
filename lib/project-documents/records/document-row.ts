import type { ProjectDocument } from './document.ts';

/** The stored data of a document; its id follows from project and library item (document-key.ts). */
export interface NewRecord extends Omit<ProjectDocument, 'id'> {
  /** Id of the file in the library. */
  readonly itemId: string;
  /** Last known bytes in the library: differs from `size` if SharePoint has rewritten an Office file. */
  readonly librarySize: number;
  /** Id of the key of the upload that wrote the record, if it had an `Idempotency-Key` (lib/storage/idempotency-keys.ts). */
  readonly keyId?: string;
  /** Id of the direct upload that wrote the record (direct-uploads.ts). */
  readonly directUploadId?: string;
}

/** What a record takes from its file in the library. */
export interface LibraryFile {
  readonly name: string;
  readonly size?: number | undefined;
  readonly webUrl?: string | undefined;
}

/** A record as columns of Table Storage, which has no null. */
export type RecordColumns = Omit<NewRecord, 'uploadedByName'> & { readonly uploadedByName?: string };

export function columnsOf(record: NewRecord): RecordColumns {
  const { uploadedByName, ...columns } = recordIn(record);
  return { ...columns, ...(uploadedByName !== null && { uploadedByName }) };
}

/** What callers see of a record. */
export const documentFieldsIn = (row: RecordColumns | NewRecord): Omit<ProjectDocument, 'id'> => ({
  projectId: row.projectId,
  folderName: row.folderName,
  fileName: row.fileName,
  size: row.size,
  contentType: row.contentType,
  webUrl: row.webUrl,
  uploadedByUserId: row.uploadedByUserId,
  uploadedByName: row.uploadedByName ?? null,
  uploadedAt: row.uploadedAt,
});

/** The record in a row, without the columns that the storage adds. */
export const recordIn = (row: RecordColumns | NewRecord): NewRecord => ({
  ...documentFieldsIn(row),
  itemId: row.itemId,
  librarySize: row.librarySize,
  ...(row.keyId !== undefined && { keyId: row.keyId }),
  ...(row.directUploadId !== undefined && { directUploadId: row.directUploadId }),
});

/**
 * The record with the current name, size, web URL, and folder of its file. The uploaded size remains if the size in the
 * library is the same.
 */
export function correctedBy(
  record: NewRecord,
  { name, size = record.librarySize, webUrl = record.webUrl }: LibraryFile,
  folderName = record.folderName,
): NewRecord {
  const isSameSize = size === record.librarySize;
  return {
    ...record,
    folderName,
    fileName: name.normalize('NFC'),
    webUrl,
    ...(!isSameSize && { size, librarySize: size }),
  };
}

/** Whether two records of a file have the same data of it. */
export const isSameFile = (a: NewRecord, b: NewRecord): boolean =>
  a.fileName === b.fileName &&
  a.librarySize === b.librarySize &&
  a.webUrl === b.webUrl &&
  a.folderName === b.folderName;
