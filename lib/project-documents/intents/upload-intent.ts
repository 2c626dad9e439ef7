import * as z from 'zod';
import { valueOfJson } from '../../contract/json.ts';
import { folderName } from '../../contract/subfolders.ts';
import { conflictBehavior } from '../../document-library/conflict-behavior.ts';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { uploadedDocument } from '../document-records/document.ts';
import type { NewRecord } from '../document-records/document-row.ts';

/** What existed under the file's name when the upload began, to be compared with what exists later. */
const before = z.object({
  /** The time by the library's own clock; ISO 8601. */
  at: z.string(),
  /** Null if nothing existed; '' if what existed has no tag. */
  contentTag: z.string().nullable(),
});

export type Before = Readonly<z.output<typeof before>>;

/** What an upload is about to do: all data of its record, except the data that only the library's response contains. */
const uploadIntent = z.object({
  projectId: z.string(),
  folderName,
  /** Below it; absent in intents of 1.0.0, which are directly in it. */
  folderPath: z.string().optional(),
  /** Of the folder that contains the file. */
  folderId: z.string(),
  fileName: z.string(),
  conflictBehavior,
  size: z.int(),
  /** Null if the library determines it from the name. */
  contentType: z.string().nullable(),
  /** Set if the caller's own program sends the bytes, so no process of the service is involved. */
  directUploadId: z.string().optional(),
  uploadedByUserId: z.string(),
  uploadedByName: z.string().nullable(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Set if the upload has an `Idempotency-Key` (lib/storage/idempotency-keys.ts). */
  keyId: z.string().optional(),
  before,
});

export type UploadIntent = Readonly<z.output<typeof uploadIntent>>;

/** @param stored JSON @throws ZodError if it is not an intent */
export const uploadIntentIn = (stored: string): UploadIntent => uploadIntent.parse(valueOfJson(stored));

/** @param stored JSON, unless somebody has edited it */
export const isUploadIntent = (stored: unknown): boolean =>
  uploadIntent.safeParse(valueOfJson(stored)).success;

/** The outcome of the first upload with a key. */
const firstUpload = z.object({
  // In an outcome of 1.0.0, the document is without a path.
  document: uploadedDocument.extend({ folderPath: z.string().default('') }),
  conflictBehavior,
  /** Bytes that were sent. */
  size: z.int(),
});

export type FirstUpload = Readonly<z.output<typeof firstUpload>>;

/** @param stored JSON @throws ZodError if it is not an outcome */
export const firstUploadIn = (stored: string): FirstUpload => firstUpload.parse(valueOfJson(stored));

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
