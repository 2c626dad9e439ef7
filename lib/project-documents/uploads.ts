import { Readable } from 'node:stream';
import type { ConflictBehavior } from '../document-library/library.ts';
import { SizeMismatch } from '../document-library/pending-bytes.ts';
import { ServiceError } from '../base/service-error.ts';
import type { ProjectDocument } from './document.ts';
import type { Asker, Filing, Source } from './filing.ts';
import { UploadForm, type FormRequest, type UploadFields } from './upload-form.ts';
import type { UploadRepair } from './upload-repair.ts';
import { fileTooLarge, type UploadStaging } from './upload-staging.ts';

export interface UploadParts {
  readonly filing: Filing;
  readonly repair: UploadRepair;
  readonly staging: UploadStaging;
  readonly maxBytes: number;
  readonly defaultConflictBehavior: ConflictBehavior;
}

// Below this a file is read whole before anything else, so that its size need not be announced by anybody.
const smallBytes = 320 * 1024;
// What a form is besides its file: two fields, part headers, boundaries.
const formOverheadBytes = 64 * 1024;

/** Uploads into a project's subfolder: reads the form, by the shortest way that its order and headers allow. */
export class Uploads {
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /** @throws ServiceError every row of the contract's upload; LibraryError */
  async upload(asker: Asker, request: FormRequest): Promise<ProjectDocument> {
    const { maxBytes } = this.#parts;
    const form = await UploadForm.open(request);
    try {
      if (Number(request.headers.get('content-length') ?? 0) > maxBytes + formOverheadBytes) {
        throw fileTooLarge(maxBytes);
      }
      void this.#parts.staging.sweep(asker.log);
      const { exactSize } = form.file;
      if (exactSize === null) return await this.#staged(asker, form);
      if (exactSize <= smallBytes) return await this.#small(asker, form);
      if (exactSize > maxBytes) throw fileTooLarge(maxBytes);
      const source = { size: exactSize, open: () => form.incoming, canReopen: false };
      return await this.#store(asker, form, form.fieldsBeforeFile, source);
    } catch (error) {
      throw await explained(error, form);
    } finally {
      form.discard();
    }
  }

  async #small(asker: Asker, form: UploadForm): Promise<ProjectDocument> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of form.file.stream as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > 2 * smallBytes) throw new SizeMismatch(false, form.file.exactSize ?? 0);
    }
    const fields = await form.fields;
    if (size > this.#parts.maxBytes) throw fileTooLarge(this.#parts.maxBytes);
    const open = () => ({ stream: Readable.from(chunks), isAcceptable: Promise.resolve() });
    return this.#store(asker, form, fields, { size, open, canReopen: true });
  }

  #staged(asker: Asker, form: UploadForm): Promise<ProjectDocument> {
    return this.#parts.staging.with(form.file.stream, asker.log, async (staged) => {
      const fields = await form.fields;
      const open = () => ({ stream: staged.open(), isAcceptable: Promise.resolve() });
      return this.#store(asker, form, fields, { size: staged.size, open, canReopen: true });
    });
  }

  async #store(
    asker: Asker,
    form: UploadForm,
    fields: UploadFields,
    source: Source,
  ): Promise<ProjectDocument> {
    const { filing, repair, defaultConflictBehavior } = this.#parts;
    const { name: fileName, contentType } = form.file;
    const { folderName, conflictBehavior = defaultConflictBehavior } = fields;
    const document = await filing.file(
      asker,
      { folderName, fileName, contentType, conflictBehavior },
      source,
    );
    await repair.run(asker.user, asker.project.id, asker.log);
    return document;
  }
}

/** What broke the body explains better what its reader ran into. */
async function explained(error: unknown, form: UploadForm): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof SizeMismatch)) return form.failure ?? error;
  try {
    // Short of the announced size because something follows the file: wait for what it is.
    if (error.isShort) await form.fields;
  } catch (fault) {
    return fault;
  }
  return contentLengthMismatch(error);
}

const contentLengthMismatch = (cause: SizeMismatch): ServiceError =>
  new ServiceError('invalid_request', {
    detail:
      'Content-Length does not fit the body: with all fields before the file, the body must end with the closing boundary and one line break.',
    errors: [{ path: 'headers.content-length', message: `does not fit the body: ${cause.message}` }],
    cause,
  });
