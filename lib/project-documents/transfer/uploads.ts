import { inMemory, type UploadContent } from '../../uploads/upload-content.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { correctRecord } from '../presence/correction.ts';
import type { DocumentRecord } from '../document-records/document-row.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import type { Project } from '../../projects/project.ts';
import { repairUploads } from '../intents/upload-repair.ts';
import type { DocumentParts } from './document-parts.ts';
import { storeFile, type FileFacts } from './document-store.ts';
import { uploadWithKey, type Uploaded } from './keyed-uploads.ts';
import { withForm, type FormRequest, type ReceivedForm } from '../form/upload-form.ts';
import type { OwnKey } from '../../storage/idempotency-keys.ts';

// An upload must end before `functionTimeout` (host.json: 30 minutes) ends its process; until then it waits if the library
// requests it. Its caller may have disconnected (gateways time out after 230 s), and gets the result by repeating the
// request with the Idempotency-Key.
const longestRunMs = 28 * 60_000;
// For files that the service makes while their caller waits for the response.
const longestWaitMs = 30_000;

/**
 * Uploads into a project's subfolder: receives the whole form, and then sends its file to the library.
 *
 * @param key the caller's `Idempotency-Key`
 * @throws ServiceError every row of the contract's upload; LibraryError
 */
export function uploadDocument(
  parts: DocumentParts,
  project: Project,
  request: FormRequest,
  key: string | undefined,
): Promise<Uploaded> {
  const upload = { parts, project, waitUntilMs: parts.clock.now() + longestRunMs };
  return withForm(request, parts, (form) => uploadReceived(upload, form, key));
}

interface Upload {
  readonly parts: DocumentParts;
  readonly project: Project;
  readonly waitUntilMs: number;
}

async function uploadReceived(
  upload: Upload,
  { fields, file: { name: fileName, contentType, content } }: ReceivedForm,
  key: string | undefined,
): Promise<Uploaded> {
  const facts = { ...fields, fileName, contentType };
  const store = (own?: OwnKey): Promise<UploadedDocument> => storeAndRepair(upload, facts, content, own);
  if (key === undefined) return { document: await store(), isNew: true };
  return uploadWithKey(upload.parts, upload.project, key, { ...facts, size: content.size }, store);
}

async function storeAndRepair(
  { parts, project, waitUntilMs }: Upload,
  facts: FileFacts,
  content: UploadContent,
  key: OwnKey | undefined,
): Promise<UploadedDocument> {
  const document = await storeFile(parts, project, facts, { content, waitUntilMs }, key);
  await repairUploads(parts, project.id);
  return document;
}

/** Stores a file that is in memory. @throws as {@link uploadDocument} */
export function putDocument(
  parts: DocumentParts,
  project: Project,
  facts: FileFacts,
  bytes: Uint8Array,
): Promise<UploadedDocument> {
  const waitUntilMs = parts.clock.now() + longestWaitMs;
  return storeFile(parts, project, facts, { content: inMemory(bytes), waitUntilMs });
}

/**
 * The record of a file that nobody but its uploader has changed, as the file is now, wherever it lies in the project: by now
 * it can have been renamed or sorted into another folder, and another file can have its name.
 *
 * @returns null if somebody else has changed the file, or it is not in the project any more
 */
export async function uploadersOwn(
  parts: DocumentParts,
  record: DocumentRecord,
): Promise<DocumentRecord | null> {
  try {
    const { item, place } = await parts.places.locate(record);
    const isOwn = place !== null && item.lastModifiedBy?.user?.id === record.uploadedByUserId;
    return isOwn ? await correctRecord(parts, record, item, place) : null;
  } catch (error) {
    if (isLibraryError(error, 'notFound')) return null;
    throw error;
  }
}
