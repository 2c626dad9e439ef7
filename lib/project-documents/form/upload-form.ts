import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { baseName, fileNameFault } from '../../document-library/file-name.ts';
import { free } from '../../base/free.ts';
import { announcedLength } from '../../http/announced-length.ts';
import { faultAt, ServiceError } from '../../base/service-error.ts';
import { reason } from '../../contract/faults.ts';
import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import { blockBytes, type BlockPool } from '../../uploads/block-pool.ts';
import { UploadWindow } from '../../uploads/upload-window.ts';
import { boundaryOf, endsRegularly } from './form-boundary.ts';
import { FormFields, maxFieldBytes, type UploadFields } from './form-fields.ts';

export interface FormRequest {
  readonly headers: { get(name: string): string | null };
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface FormFile {
  readonly name: string;
  readonly contentType: string;
  /** Its bytes as they arrive. The window ends with a valid form, and fails with the faults of an invalid one. */
  readonly window: UploadWindow;
  /**
   * Its size, if the file is the last part, the length of the body is announced, and the sender is known to end a form
   * in the usual way. Null if the size is unknown until the end.
   */
  readonly exactSize: number | null;
}

const noFileName = reason('no_file_name');

/** Browsers escape only these three characters in a file name (HTML, "multipart/form-data encoding algorithm"). */
const unescaped = (name: string): string =>
  name.replaceAll(/%22/g, '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n');

// A form besides its file: more than required for two fields, part headers, boundaries, and a file name of 255
// characters. busboy limits the headers of a part to 16 KiB.
const maxBytesBesidesFile = 64 * 1024;

export interface FormSettings {
  readonly pool: BlockPool;
  /** The largest file that passes through the service. */
  readonly maxBytes: number;
  /** Applies to uploads without a conflictBehavior. */
  readonly defaultConflictBehavior: ConflictBehavior;
}

/** An upload as `multipart/form-data`, read as a stream. {@link open} resolves when the file begins. */
export class UploadForm {
  /** Set when {@link open} resolves. */
  file!: FormFile;
  /** All fields, after the end of the body. Rejects if the file must not be stored. */
  readonly fields: Promise<UploadFields>;
  /** Why the file must not be stored, once that is known. */
  failure: ServiceError | undefined;
  readonly #end = Promise.withResolvers<UploadFields>();
  readonly #opened = Promise.withResolvers<this>();
  readonly #fields: FormFields;
  readonly #parser: busboy.Busboy;
  readonly #contentLength: number | null;
  readonly #boundary: string;
  readonly #pool: BlockPool;
  readonly #maxBytes: number;
  #window: UploadWindow | undefined;
  /** Resolves when the window has the whole file. */
  #written: Promise<void> | undefined;
  /** The body up to the chunk in which busboy emits the file. */
  #beginning: Uint8Array[] = [];
  #partsBeforeFile = 0;
  #fileBytes = 0;

  private constructor(request: FormRequest, { pool, maxBytes, defaultConflictBehavior }: FormSettings) {
    this.#pool = pool;
    this.#maxBytes = maxBytes;
    this.#fields = new FormFields(defaultConflictBehavior);
    const contentType = request.headers.get('content-type') ?? '';
    this.#boundary = boundaryOf(contentType);
    this.#contentLength = announcedLength(request.headers)?.bytes ?? null;
    this.#parser = parserFor(contentType);
    this.#parser.on('field', (name, value, info) => this.#onField(name, value, info));
    this.#parser.on('file', (name, stream, info) => this.#onFile(name, stream, info));
    this.#parser.on('partsLimit', () => this.#fields.fault('body', reason('too_many', { max: 3 })));
    this.#parser.on('error', (error) => this.#fail(failureOf(error)));
    this.fields = this.#end.promise;
    // Without a caller waiting for either, the process must not crash.
    for (const { promise } of [this.#end, this.#opened]) promise.catch(() => undefined);
    void this.#read(request.bytes);
  }

  /** @throws ServiceError `unsupported_media_type`, `invalid_request`, `unknown_folder`, `file_too_large` */
  static async open(request: FormRequest, settings: FormSettings): Promise<UploadForm> {
    const form = new UploadForm(request, settings);
    try {
      return await form.#opened.promise;
    } catch (error) {
      form.discard();
      throw error;
    }
  }

  /** The fields before the file. Valid if `exactSize` is known. */
  get fieldsBeforeFile(): UploadFields {
    return this.#fields.get();
  }

  /** Discards the rest of the body. */
  discard(): void {
    this.#fail(badForm('was discarded'));
    this.#window?.close();
  }

  async #read(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await pipeline(this.#limited(bytes), this.#parser);
      await this.#written;
      this.#fields.end();
      this.#end.resolve(this.#fields.get());
      this.#window?.end();
    } catch (error) {
      this.#fail(failureOf(error));
    }
  }

  async *#limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytesBeforeFile = 0;
    for await (const chunk of bytes) {
      if (!this.#fields.hasFile) {
        this.#beginning.push(chunk);
        bytesBeforeFile += chunk.byteLength;
      }
      yield chunk;
      if (!this.#fields.hasFile && bytesBeforeFile > maxBytesBesidesFile) {
        throw badForm(`has more than ${maxBytesBesidesFile} bytes before the file`);
      }
    }
  }

  #fail(failure: ServiceError): void {
    this.failure ??= failure;
    this.#opened.reject(this.failure);
    this.#end.reject(this.failure);
    this.#window?.fail(this.failure);
    this.#parser.destroy();
  }

  #onField(name: string, value: string, info: busboy.FieldInfo): void {
    if (!this.#fields.hasFile) this.#partsBeforeFile += 1;
    // The parser treats a part without a file name as a field.
    if (name === 'file') this.#fields.fault('body.file', noFileName);
    else this.#fields.add(name, value, info);
  }

  #onFile(part: string, stream: Readable, info: busboy.FileInfo): void {
    // The parser reports errors of the body; an error of a stream without a reader must not crash the process.
    stream.on('error', () => undefined);
    // After a malformed part, busboy continues with the rest of the chunk. Nothing would end a file that it finds there.
    if (this.failure) return;
    if (part !== 'file' || this.#fields.hasFile) {
      stream.resume();
      return this.#fields.fault(`body.${part}`, reason(part === 'file' ? 'repeated' : 'unknown_field'));
    }
    this.#fields.fileBegins();
    // Despite its types, a part of bytes may have no file name.
    const { filename } = info as { filename?: string };
    const name = baseName(unescaped(filename ?? ''));
    const fault = name.includes('\uFFFD') ? reason('not_utf8') : fileNameFault(name);
    if (filename === undefined) this.#fields.fault('body.file', noFileName);
    else if (fault)
      this.#fields.fault('body.file', { ...fault, message: `has a name that ${fault.message}` });
    if (this.#fields.rejection) {
      stream.resume();
      return this.#opened.reject(this.#fields.rejection);
    }
    const exactSize = this.#exactSize();
    const leastSize = exactSize ?? (this.#contentLength ?? 0) - maxBytesBesidesFile;
    if (leastSize > this.#maxBytes) return this.#fail(fileTooLarge(this.#maxBytes));
    // A file of at most one block is read completely before it is sent, so its announced size is not needed.
    const window = new UploadWindow(
      this.#pool,
      exactSize !== null && exactSize > blockBytes ? exactSize : null,
    );
    this.#window = window;
    this.#written = pipeline(
      stream,
      sink((piece) => this.#write(piece, window)),
    ).catch(() => undefined);
    this.file = { name, contentType: mediaTypeOf(info.mimeType), window, exactSize };
    this.#opened.resolve(this);
  }

  #write(piece: Uint8Array, window: UploadWindow): Promise<void> | undefined {
    this.#fileBytes += piece.byteLength;
    if (this.#fileBytes > this.#maxBytes) this.#fail(fileTooLarge(this.#maxBytes));
    return window.write(piece);
  }

  #exactSize(): number | null {
    if (this.#contentLength === null || !this.#fields.areSettled || !endsRegularly(this.#boundary))
      return null;
    const delimiter = `\r\n--${this.#boundary}`;
    const beginning = Buffer.concat([Buffer.from('\r\n'), ...this.#beginning]);
    this.#beginning = [];
    let at = 0;
    for (let part = 0; part <= this.#partsBeforeFile; part += 1) {
      at = beginning.indexOf(delimiter, at) + delimiter.length;
    }
    const start = beginning.indexOf('\r\n\r\n', at) + 4 - 2;
    // CR LF -- boundary -- CR LF
    const size = this.#contentLength - start - Buffer.byteLength(this.#boundary) - 8;
    return size < 0 ? null : size;
  }
}

const sink = (take: (piece: Uint8Array) => Promise<void> | undefined): Writable =>
  new Writable({
    async write(piece: Buffer, _encoding, done) {
      await take(piece);
      // busboy copies the bytes that it keeps of a file.
      free(piece);
      done();
    },
  });

function parserFor(contentType: string): busboy.Busboy {
  return busboy({
    headers: { 'content-type': contentType },
    // Browsers send names in UTF-8. A name in another encoding has replacement characters and is rejected.
    defParamCharset: 'utf8',
    limits: { fieldNameSize: 100, fieldSize: maxFieldBytes, parts: 8 },
  });
}

const badForm = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('invalid_request', {
    detail: `The body ${message}.`,
    errors: [{ ...faultAt('body', 'malformed_form'), message }],
    cause,
  });

const failureOf = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : badForm('is not a complete multipart/form-data body', error);

const mediaTypeOf = (given: string): string =>
  /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(given) ? given.toLowerCase() : 'application/octet-stream';

const fileTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('file_too_large', {
    params: { max: maxBytes },
    detail: `The file is larger than the ${maxBytes} bytes allowed.`,
  });
