import { once } from 'node:events';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { baseName, fileNameFault } from '../document-library/file-name.ts';
import { free } from '../base/free.ts';
import { announcedLength } from '../http/announced-length.ts';
import { ServiceError } from '../base/service-error.ts';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import { blockBytes, type BlockPool } from '../uploads/block-pool.ts';
import { UploadWindow } from '../uploads/upload-window.ts';
import { boundaryOf, endsRegularly } from './form-boundary.ts';
import { FormFields, maxFieldBytes, type UploadFields } from './form-fields.ts';

/** A request whose body is a form. */
export interface FormRequest {
  readonly headers: { get(name: string): string | null };
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The file part of a form. */
export interface FormFile {
  readonly name: string;
  readonly contentType: string;
  /** Its bytes as they arrive. It ends with the form, if all is well with it, and fails with what is wrong. */
  readonly window: UploadWindow;
  /**
   * Its size, where the file is all that still comes, the length of the body is announced and the sender is known to
   * end a form as most do. Null where nothing tells it before the end.
   */
  readonly exactSize: number | null;
}

const noFileName = 'has no file name: expected filename in the Content-Disposition of the part';

/** Browsers escape these three in a file name (HTML, "multipart/form-data encoding algorithm"), and nothing else. */
const unescaped = (name: string): string =>
  name.replaceAll(/%22/g, '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n');

// More than two fields, their part headers and a file name of 255 characters need. The part headers themselves are
// bounded by busboy, at 16 KiB each.
const maxBytesBeforeFile = 64 * 1024;

export interface FormSettings {
  readonly pool: BlockPool;
  /** Where the form says nothing. */
  readonly defaultConflictBehavior: ConflictBehavior;
}

/**
 * An upload as `multipart/form-data`, read as a stream: {@link open} returns when the file begins, with the fields
 * before it; {@link fields} resolves when the body has ended and all is well.
 */
export class UploadForm {
  readonly file: FormFile;
  readonly #parse: FormParse;

  private constructor(file: FormFile, parse: FormParse) {
    this.file = file;
    this.#parse = parse;
  }

  /** @throws ServiceError `unsupported_media_type`, `invalid_request`, `unknown_folder` */
  static async open(request: FormRequest, settings: FormSettings): Promise<UploadForm> {
    const parse = new FormParse(request, settings);
    try {
      return new UploadForm(await parse.file(), parse);
    } catch (error) {
      parse.discard();
      throw error;
    }
  }

  /** All fields, once the body has ended. Rejects when the file must not be kept. */
  get fields(): Promise<UploadFields> {
    return this.#parse.ended;
  }

  /** What became of the fields before the file, where `exactSize` is known. */
  get fieldsBeforeFile(): UploadFields {
    return this.#parse.fields.get();
  }

  /** Why the body can't be read any further, once that is so. */
  get failure(): ServiceError | undefined {
    return this.#parse.failure;
  }

  /** Whatever is still to come is not wanted. */
  discard(): void {
    this.#parse.discard();
  }
}

class FormParse {
  /** Settles when busboy has seen the end of the form, or nothing good can come of it any more. */
  readonly ended: Promise<UploadFields>;
  failure: ServiceError | undefined;
  readonly #end = Promise.withResolvers<UploadFields>();
  readonly #file = Promise.withResolvers<FormFile>();
  readonly fields: FormFields;
  readonly #parser: busboy.Busboy;
  readonly #contentLength: number | null;
  readonly #boundary: string;
  #hasFile = false;
  #stream: Readable | undefined;
  #window: UploadWindow | undefined;
  /** Of the window, for what it was given last. */
  #written: Promise<void> | undefined;
  #fileBytes = 0;
  #previous: Uint8Array | undefined;
  readonly #pool: BlockPool;
  #isOver = false;
  /** The beginning of the body, up to the byte that made busboy announce the file. */
  #beginning = Buffer.alloc(maxBytesBeforeFile);
  #read = 0;

  constructor(request: FormRequest, { pool, defaultConflictBehavior }: FormSettings) {
    this.#pool = pool;
    this.fields = new FormFields(defaultConflictBehavior);
    const contentType = request.headers.get('content-type') ?? '';
    this.#boundary = boundaryOf(contentType);
    this.#contentLength = announcedLength(request.headers)?.bytes ?? null;
    this.#parser = parserFor(contentType);
    this.#parser.on('field', (name, value, info) => this.#onField(name, value, info));
    this.#parser.on('file', (name, stream, info) => this.#onFile(name, stream, info));
    this.#parser.on('partsLimit', () =>
      this.fields.fault('body', 'has more parts than a file and two fields'),
    );
    this.#parser.on('error', (error) => this.#break('is not a complete multipart/form-data body', error));
    this.#parser.on('close', () => this.#onEnd());
    this.ended = this.#end.promise;
    // Who waits for the file learns of a broken body that way too; who does not wait must not crash the process.
    this.ended.catch((error: unknown) => this.#file.reject(error));
    this.#file.promise.catch(() => undefined);
    void this.#feed(request.bytes);
  }

  file(): Promise<FormFile> {
    return this.#file.promise;
  }

  discard(): void {
    this.#break('was not wanted any more');
    this.#window?.close();
  }

  async #feed(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of bytes) {
        await this.#write(chunk);
        if (this.#isOver) return;
      }
      if (!this.#isOver) this.#parser.end();
    } catch (cause) {
      if (cause instanceof ServiceError) this.#breakWith(cause);
      else this.#break('ended before it was complete', cause);
    }
  }

  /**
   * Up to the file byte by byte, a few hundred of them, then whole chunks: busboy works synchronously, so it is known
   * which byte made it announce the file, and with that where the file begins (see {@link #exactSize}).
   */
  async #write(chunk: Uint8Array): Promise<void> {
    let at = 0;
    while (!this.#hasFile && !this.#isOver && at < chunk.byteLength) {
      if (this.#read === maxBytesBeforeFile) {
        return this.#break(`has more than ${maxBytesBeforeFile} bytes before the file`);
      }
      this.#beginning[this.#read] = chunk[at] ?? 0;
      this.#read += 1;
      this.#parser.write(chunk.subarray(at, at + 1));
      at += 1;
    }
    if (at === chunk.byteLength || this.#isOver) return;
    const bytesBefore = this.#fileBytes;
    const isTaken = this.#parser.write(at === 0 ? chunk : chunk.subarray(at));
    if (!isTaken) await Promise.race([once(this.#parser, 'drain'), this.ended]).catch(() => undefined);
    await this.#written;
    // The file has gone on, so the chunk before was all of the file, and its stream, which hands out its first pieces
    // late, has no more of that. busboy copies what it keeps of a file, but not of a field.
    if (this.#fileBytes > bytesBefore && this.#stream?.readableLength === 0 && this.#previous)
      free(this.#previous);
    this.#previous = at === 0 ? chunk : undefined;
  }

  #onEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.fields.end();
    if (this.fields.refusal) return this.#fail(this.fields.refusal);
    this.#end.resolve(this.fields.get());
    this.#window?.end();
  }

  #fail(error: unknown): void {
    this.#end.reject(error);
    this.#window?.fail(error);
  }

  #break(message: string, cause?: unknown): void {
    this.#breakWith(badForm(message, cause));
  }

  #breakWith(failure: ServiceError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.failure = failure;
    this.#fail(this.failure);
    this.#parser.destroy();
  }

  #onField(name: string, value: string, info: busboy.FieldInfo): void {
    // Without a file name the part is a field to the parser.
    if (name === 'file') this.fields.fault('body.file', noFileName);
    else this.fields.add(name, value, info);
  }

  #onFile(part: string, stream: Readable, info: busboy.FileInfo): void {
    if (part !== 'file' || this.#hasFile) {
      stream.resume();
      const fault = part === 'file' ? 'is given more than once' : 'is not a known file part here';
      return this.fields.fault(`body.${part}`, fault);
    }
    this.#hasFile = true;
    this.fields.fileBegins();
    // Breaks of the body are told by `ended`; a stream nobody reads yet must not crash the process.
    stream.on('error', () => undefined);
    // Its types say otherwise, but a part of bytes may come without one.
    const { filename } = info as { filename?: string };
    const name = baseName(unescaped(filename ?? ''));
    const fault = name.includes('\uFFFD') ? 'must be UTF-8' : fileNameFault(name);
    if (filename === undefined) this.fields.fault('body.file', noFileName);
    else if (fault) this.fields.fault('body.file', `has a name that ${fault}`);
    if (this.fields.refusal) {
      stream.resume();
      return this.#file.reject(this.fields.refusal);
    }
    const exactSize = this.#exactSize();
    // The size of a file that is read whole before anything else need not be announced by anybody.
    const window = new UploadWindow(
      this.#pool,
      exactSize !== null && exactSize > blockBytes ? exactSize : null,
    );
    stream.on('data', (piece: Uint8Array) => {
      this.#fileBytes += piece.byteLength;
      this.#written = window.write(piece);
    });
    this.#stream = stream;
    this.#window = window;
    this.#file.resolve({ name, contentType: mediaTypeOf(info.mimeType), window, exactSize });
  }

  #exactSize(): number | null {
    if (this.#contentLength === null || !this.fields.areSettled || !endsRegularly(this.#boundary))
      return null;
    // busboy holds back what may be the beginning of a delimiter, the end of the part header among it: it announces the
    // file some bytes late, but before an empty line could have come in the file.
    const start = this.#beginning.subarray(0, this.#read).lastIndexOf('\r\n\r\n') + 4;
    this.#beginning = Buffer.alloc(0);
    // CR LF -- boundary -- CR LF
    const size = this.#contentLength - start - Buffer.byteLength(this.#boundary) - 8;
    return size < 0 ? null : size;
  }
}

function parserFor(contentType: string): busboy.Busboy {
  return busboy({
    headers: { 'content-type': contentType },
    // Browsers send names as UTF-8; a name in another encoding shows up as replacement characters and is refused.
    defParamCharset: 'utf8',
    limits: { fieldNameSize: 100, fieldSize: maxFieldBytes, parts: 8 },
  });
}

const badForm = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('invalid_request', {
    detail: `The body ${message}.`,
    errors: [{ path: 'body', message }],
    cause,
  });

const mediaTypeOf = (given: string): string =>
  /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(given) ? given.toLowerCase() : 'application/octet-stream';
