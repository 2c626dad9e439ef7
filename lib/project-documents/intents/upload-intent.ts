import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import type { Subfolder } from '../../contract/subfolders.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import type { NewRecord } from '../document-records/document-row.ts';

/** What an upload is about to do: all data of its record, except the data that only the library's response contains. */
export interface UploadIntent {
  readonly projectId: string;
  readonly folderName: Subfolder;
  /** Below it; absent in intents of 1.0.0, which are directly in it. */
  readonly folderPath?: string;
  /** Of the folder that contains the file. */
  readonly folderId: string;
  readonly fileName: string;
  readonly conflictBehavior: ConflictBehavior;
  readonly size: number;
  /** Null if the library determines it from the name. */
  readonly contentType: string | null;
  /** Set if the caller's own program sends the bytes, so no process of the service is involved. */
  readonly directUploadId?: string;
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Set if the upload has an `Idempotency-Key` (lib/storage/idempotency-keys.ts). */
  readonly keyId?: string;
  readonly before: Before;
}

/** The outcome of the first upload with a key. */
export interface FirstUpload {
  readonly document: UploadedDocument;
  readonly conflictBehavior: ConflictBehavior;
  /** Bytes that were sent. */
  readonly size: number;
}

/** @param stored JSON; in an outcome of 1.0.0, the document is without a path */
export function firstUploadIn(stored: string): FirstUpload {
  const first = JSON.parse(stored) as FirstUpload;
  const former = { folderPath: '' };
  return { ...first, document: { ...former, ...first.document } };
}

/** What existed under the file's name when the upload began, to be compared with what exists later. */
export interface Before {
  /** The time by the library's own clock; ISO 8601. */
  readonly at: string;
  /** Null if nothing existed; '' if what existed has no tag. */
  readonly contentTag: string | null;
}

// What programs send that do not know the type of a file.
const unknownTypes: ReadonlySet<string> = new Set(['text/plain', 'application/octet-stream']);

/** The sender's type, unless it says nothing: the library knows the type by the name. */
const contentTypeOf = (given: string | null, ofLibrary: string | undefined): string =>
  given === null || unknownTypes.has(given) ? (ofLibrary ?? given ?? 'application/octet-stream') : given;

/** The fields of a file's record that follow from the intent of its upload and from the library. */
export function recordFieldsOf(
  intent: UploadIntent,
  item: DriveItem,
): Omit<NewRecord, 'size' | 'uploadedAt'> {
  const { keyId, directUploadId } = intent;
  return {
    projectId: intent.projectId,
    folderName: intent.folderName,
    folderPath: intent.folderPath ?? '',
    parentId: intent.folderId,
    uploadedByUserId: intent.uploadedByUserId,
    uploadedByName: intent.uploadedByName,
    contentType: contentTypeOf(intent.contentType, item.file?.mimeType),
    // The name in the library: a number may have been added.
    fileName: item.name.normalize('NFC'),
    itemId: item.id,
    librarySize: item.size ?? intent.size,
    webUrl: item.webUrl ?? '',
    ...(keyId !== undefined && { keyId }),
    ...(directUploadId !== undefined && { directUploadId }),
  };
}
