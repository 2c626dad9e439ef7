import { announcedLength } from '../../http/announced-length.ts';
import { faultAt, ServiceError } from '../../base/service-error.ts';
import { SizeMismatch, UploadWindow } from '../../uploads/upload-window.ts';
import type { UploadedDocument } from '../records/document.ts';
import { settleProject, type DocumentParts, type Requester } from './document-parts.ts';
import { DocumentStore, type FileFacts, type Source } from './document-store.ts';
import type { UploadFields } from '../form/form-fields.ts';
import { KeyedUploads, type Uploaded } from './keyed-uploads.ts';
import { UploadForm, type FormRequest } from '../form/upload-form.ts';
import type { OwnKey } from '../intents/upload-keys.ts';
import { fileTooLarge } from '../form/upload-staging.ts';

// An upload must end before `functionTimeout` (host.json: 30 minutes) ends its process; until then it waits if the library
// requests it. Its caller may have disconnected (gateways time out after 230 s), and gets the result by repeating the
// request with the Idempotency-Key.
const longestRunMs = 28 * 60_000;
// For files that the service makes while their caller waits for the response.
const longestWaitMs = 30_000;
// The rest of a form besides its file: two fields, part headers, boundaries.
const formOverheadBytes = 64 * 1024;

interface Reading {
  readonly requester: Requester;
  readonly form: UploadForm;
  readonly waitUntilMs: number;
  readonly key?: OwnKey;
}

/** Uploads into a project's subfolder: streams, holds, or stages the file, depending on order and headers of the form. */
export class Uploads {
  readonly #parts: DocumentParts;
  readonly #store: DocumentStore;
  readonly #keyed: KeyedUploads;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    this.#store = new DocumentStore(parts);
    this.#keyed = new KeyedUploads(parts);
  }

  /**
   * @param key the caller's `Idempotency-Key`
   * @throws ServiceError every row of the contract's upload; LibraryError
   */
  async upload(requester: Requester, request: FormRequest, key: string | undefined): Promise<Uploaded> {
    const waitUntilMs = this.#parts.clock.now() + longestRunMs;
    const { maxBytes } = this.#parts;
    const form = await UploadForm.open(request, this.#parts);
    const reading = { requester, form, waitUntilMs };
    try {
      if ((announcedLength(request.headers)?.bytes ?? 0) > maxBytes + formOverheadBytes) {
        throw fileTooLarge(maxBytes);
      }
      void this.#parts.staging.sweep(requester.log);
      if ((form.file.exactSize ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
      if (key === undefined) return { document: await this.#stored(reading), isNew: true };
      return await this.#keyed.upload(requester, key, form, (key) => this.#stored({ ...reading, key }));
    } catch (error) {
      throw await explained(error, form, request);
    } finally {
      form.discard();
    }
  }

  /** Stores a file that is in memory. @throws as {@link upload} */
  async put(requester: Requester, facts: FileFacts, bytes: Uint8Array): Promise<UploadedDocument> {
    const window = new UploadWindow(this.#parts.pool, bytes.byteLength);
    const waitUntilMs = this.#parts.clock.now() + longestWaitMs;
    void Promise.resolve(window.write(bytes)).then(() => window.end());
    try {
      return await this.#store.put(requester, facts, { size: bytes.byteLength, window, waitUntilMs });
    } finally {
      window.close();
    }
  }

  async #stored(reading: Reading): Promise<UploadedDocument> {
    const { form } = reading;
    const { window } = form.file;
    const { maxBytes } = this.#parts;
    if (window.size !== null) {
      try {
        return await this.#put(reading, form.fieldsBeforeFile, { size: window.size, window });
      } catch (error) {
        // Something follows the file after all, or its sender ends a form in an unusual way.
        if (!(error instanceof SizeMismatch && window.forgetSize())) throw error;
      }
    }
    if (!(await window.holdsAll())) return this.#staged(reading);
    if (window.total > maxBytes) throw fileTooLarge(maxBytes);
    return this.#put(reading, await form.fields, { size: window.total, window });
  }

  #staged(reading: Reading): Promise<UploadedDocument> {
    const { requester, form } = reading;
    return this.#parts.staging.with(form.file.window, requester.log, async ({ size, open }) => {
      const fields = await form.fields;
      const window = open();
      try {
        return await this.#put(reading, fields, { size, window, reopen: open });
      } finally {
        window.close();
      }
    });
  }

  async #put(
    { requester, form, waitUntilMs, key }: Reading,
    fields: UploadFields,
    source: Omit<Source, 'waitUntilMs'>,
  ): Promise<UploadedDocument> {
    const { name: fileName, contentType } = form.file;
    const facts = { ...fields, fileName, contentType };
    const document = await this.#store.put(requester, facts, { ...source, waitUntilMs }, key);
    await settleProject(this.#parts, requester);
    return document;
  }
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
  return lengthMismatch(error, announcedLength(headers)?.header ?? 'content-length');
}

const lengthMismatch = (cause: SizeMismatch, header: string): ServiceError =>
  new ServiceError('invalid_request', {
    detail: `${header} does not match the body: send all fields before the file, and end the body with the closing boundary and one line break.`,
    errors: [faultAt(`headers.${header}`, 'wrong_length')],
    cause,
  });
