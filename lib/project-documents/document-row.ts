import type { ProjectDocument } from './document.ts';

/** What the service keeps of a document; its id follows from project and library item (document-key.ts). */
export interface NewRecord extends Omit<ProjectDocument, 'id'> {
  /** Id of the file in the library. */
  readonly itemId: string;
  /** Bytes in the library when it was last seen there: another number than `size` where SharePoint rewrites Office files. */
  readonly librarySize: number;
  /** Of the upload that wrote it, if that had an `Idempotency-Key` (upload-keys.ts). */
  readonly keyId?: string;
  /** Of the direct upload that wrote it (direct-uploads.ts). */
  readonly directUploadId?: string;
}

/** A record as columns of Table Storage, which has no null. */
export type RecordColumns = Omit<NewRecord, 'uploadedByName'> & { readonly uploadedByName?: string };

export const columnsOf = ({ uploadedByName, ...record }: NewRecord): RecordColumns => ({
  ...record,
  ...(uploadedByName !== null && { uploadedByName }),
});

/** The record in a row, without what the storage adds to it. */
export const recordIn = (row: RecordColumns): NewRecord => ({
  projectId: row.projectId,
  folderName: row.folderName,
  fileName: row.fileName,
  size: row.size,
  contentType: row.contentType,
  webUrl: row.webUrl,
  uploadedByUserId: row.uploadedByUserId,
  uploadedByName: row.uploadedByName ?? null,
  uploadedAt: row.uploadedAt,
  itemId: row.itemId,
  librarySize: row.librarySize,
  ...(row.keyId !== undefined && { keyId: row.keyId }),
  ...(row.directUploadId !== undefined && { directUploadId: row.directUploadId }),
});
