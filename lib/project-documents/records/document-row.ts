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

/** A record as columns of Table Storage, which has no null. */
export type RecordColumns = Omit<NewRecord, 'uploadedByName'> & { readonly uploadedByName?: string };

export const columnsOf = ({ uploadedByName, ...record }: NewRecord): RecordColumns => ({
  ...record,
  ...(uploadedByName !== null && { uploadedByName }),
});

/** What callers see of the record in a row. */
export const documentFieldsIn = (row: RecordColumns): Omit<ProjectDocument, 'id'> => ({
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
export const recordIn = (row: RecordColumns): NewRecord => ({
  ...documentFieldsIn(row),
  itemId: row.itemId,
  librarySize: row.librarySize,
  ...(row.keyId !== undefined && { keyId: row.keyId }),
  ...(row.directUploadId !== undefined && { directUploadId: row.directUploadId }),
});
