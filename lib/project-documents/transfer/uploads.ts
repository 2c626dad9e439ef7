import { announcedLength } from '../../http/announced-length.ts';
import { faultAt, ServiceError } from '../../base/service-error.ts';
import { SizeMismatch, UploadWindow } from '../../uploads/upload-window.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { correctRecord } from '../presence/correction.ts';
import type { DocumentRecord } from '../document-records/document-row.ts';
import type { UploadedDocument } from '../document-records/document.ts';
import type { Project } from '../../projects/project.ts';
import { repairUploads } from '../intents/upload-repair.ts';
import type { DocumentParts } from './document-parts.ts';
import { storeFile, type FileFacts, type Source } from './document-store.ts';
import type { UploadFields } from '../form/form-fields.ts';
import { uploadWithKey, type Uploaded } from './keyed-uploads.ts';
import { UploadForm, type FormRequest } from '../form/upload-form.ts';
import type { OwnKey } from '../../storage/idempotency-keys.ts';
import { stageFile } from '../form/upload-staging.ts';

// An upload must end before `functionTimeout` (host.json: 30 minutes) ends its process; until then it waits if the library
// requests it. Its caller may have disconnected (gateways time out after 230 s), and gets the result by repeating the
// request with the Idempotency-Key.
const longestRunMs = 28 * 60_000;
// For files that the service makes while their caller waits for the response.
const longestWaitMs = 30_000;

/**
 * Uploads into a project's subfolder: streams, holds, or stages the file, depending on order and headers of the form.
 *
 * @param key the caller's `Idempotency-Key`
 * @throws ServiceError every row of the contract's upload; LibraryError
 */
export async function uploadDocument(
  parts: DocumentParts,
  project: Project,
  request: FormRequest,
  key: string | undefined,
): Promise<Uploaded> {
  const waitUntilMs = parts.clock.now() + longestRunMs;
  const form = await UploadForm.open(request, parts);
  const store = (key?: OwnKey): Promise<UploadedDocument> =>
    passFile(parts, form, async (fields, source) => {
      const { name: fileName, contentType } = form.file;
      const facts = { ...fields, fileName, contentType };
      const document = await storeFile(parts, project, facts, { ...source, waitUntilMs }, key);
      await repairUploads(parts, project.id);
      return document;
    });
  try {
    if (key === undefined) return { document: await store(), isNew: true };
    return await uploadWithKey(parts, project, key, form, store);
  } catch (error) {
    throw await explained(error, form, request);
  } finally {
    form.discard();
  }
}

/** Stores a file that is in memory. @throws as {@link uploadDocument} */
export async function putDocument(
  parts: DocumentParts,
  project: Project,
  facts: FileFacts,
  bytes: Uint8Array,
): Promise<UploadedDocument> {
  const window = new UploadWindow(parts.pool, bytes.byteLength);
  const waitUntilMs = parts.clock.now() + longestWaitMs;
  void Promise.resolve(window.write(bytes)).then(() => window.end());
  try {
    return await storeFile(parts, project, facts, { size: bytes.byteLength, window, waitUntilMs });
  } finally {
    window.close();
  }
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

/** Calls `put` with the file as it arrives, or as it was held or staged. */
async function passFile(
  parts: DocumentParts,
  form: UploadForm,
  put: (fields: UploadFields, source: Omit<Source, 'waitUntilMs'>) => Promise<UploadedDocument>,
): Promise<UploadedDocument> {
  const { window } = form.file;
  if (window.size !== null) {
    try {
      return await put(form.fieldsBeforeFile, { size: window.size, window });
    } catch (error) {
      // Something follows the file after all, or its sender ends a form in an unusual way.
      if (!(error instanceof SizeMismatch && window.forgetSize())) throw error;
    }
  }
  if (await window.holdsAll()) return put(await form.fields, { size: window.total, window });
  return stageFile(parts, window, async ({ size, open }) => {
    const fields = await form.fields;
    const first = open();
    try {
      return await put(fields, { size, window: first, reopen: open });
    } finally {
      first.close();
    }
  });
}

/** Prefers the fault of the body to the error that it caused in its reader. */
async function explained(error: unknown, form: UploadForm, { headers }: FormRequest): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof SizeMismatch)) return form.failure ?? error;
  try {
    // Shorter than announced because something follows the file: wait for its fault.
    if (error.isShort) await form.fields;
  } catch (fault) {
    return fault;
  }
  const header = announcedLength(headers)?.header ?? 'content-length';
  return new ServiceError('invalid_request', {
    detail: `${header} does not match the body: send all fields before the file, and end the body with the closing boundary and one line break.`,
    errors: [faultAt(`headers.${header}`, 'wrong_length')],
    cause: error,
  });
}
