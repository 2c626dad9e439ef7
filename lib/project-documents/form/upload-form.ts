import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { EventLog } from '../../base/event-log.ts';
import { faultAt, ServiceError } from '../../base/service-error.ts';
import { reason } from '../../contract/faults.ts';
import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import { baseName, fileNameFault } from '../../document-library/file-name.ts';
import { DiskFull, TemporaryFile, type UploadDisk } from '../../uploads/temporary-file.ts';
import { rejectionOf } from '../../http/request-faults.ts';
import { FormFields, type UploadFields } from './form-fields.ts';
import { parserOptions, UnreadablePart, withReadableParts } from './part-headers.ts';

export interface FormRequest {
  readonly headers: { get(name: string): string | null };
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface FormSettings {
  readonly disk: UploadDisk;
  /** The largest file that passes through the service. */
  readonly maxBytes: number;
  /** Applies to uploads without a conflictBehavior. */
  readonly defaultConflictBehavior: ConflictBehavior;
  readonly log: EventLog;
}

interface FormFile {
  readonly name: string;
  readonly contentType: string;
  readonly content: TemporaryFile;
}

export interface ReceivedForm {
  readonly fields: UploadFields;
  readonly file: FormFile;
}

// A form besides its file: more than required for two fields, part headers, boundaries, and a file name of 255
// characters. busboy limits the headers of a part to 16 KiB.
const maxBytesBesidesFile = 64 * 1024;

/**
 * Receives an upload as `multipart/form-data`, its file on the local disk, while `use` runs.
 *
 * @throws ServiceError `unsupported_media_type`, `invalid_request`, `unknown_folder`, `file_too_large`,
 * `storage_unavailable`; errors of `use`
 */
export async function withForm<T>(
  { headers, bytes }: FormRequest,
  settings: FormSettings,
  use: (form: ReceivedForm) => Promise<T>,
): Promise<T> {
  const { parser, boundary } = parserFor(headers.get('content-type') ?? '');
  const fields = new FormFields(settings.defaultConflictBehavior);
  // Not NaN, whatever the header is: the space of the disk would become NaN.
  const announced = Number(/^\d{1,15}$/.exec(headers.get('content-length') ?? '')?.[0] ?? 0);
  let receiving: Promise<FormFile> | undefined;
  let failure: unknown;
  // Rejects immediately: the parser would only end with the next bytes of the body.
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const stop = new AbortController();
  const fail = (error: unknown): void => {
    failure ??= error;
    failed.reject(failure);
    parser.destroy(failure as Error);
    stop.abort();
  };

  const receive = async (name: string, contentType: string, stream: Readable): Promise<FormFile> => {
    const content = await TemporaryFile.create(settings.disk, Math.max(0, announced - maxBytesBesidesFile));
    try {
      await pipeline(stream, content.writable(checkSize(settings.maxBytes)), { signal: stop.signal });
      return { name, contentType, content };
    } catch (error) {
      await content.remove();
      throw error;
    }
  };

  parser.on('field', (name, value, info) => {
    // The parser treats a part without a file name as a field.
    if (name === 'file') fields.fault('body.file', noFileName);
    else if (isAsItIs(info.encoding)) fields.add(name, value, info);
    else fields.fault(`body.${name}`, encodingFault(info.encoding));
  });
  parser.on('file', (part, stream, info) => {
    // The parser reports errors of the body; an error of a stream without a reader must not crash the process.
    stream.on('error', () => undefined);
    if (part !== 'file' || fields.hasFile) {
      fields.fault(`body.${part}`, reason(part === 'file' ? 'repeated' : 'unknown_field'));
      stream.resume();
      return;
    }
    fields.hasFile = true;
    if (!isAsItIs(info.encoding)) fields.fault('body.file', encodingFault(info.encoding));
    const name = fileNameIn(info, fields);
    if (fields.rejection) return fail(fields.rejection);
    if (announced - maxBytesBesidesFile > settings.maxBytes) return fail(fileTooLarge(settings.maxBytes));
    receiving = receive(name, mediaTypeOf(info.mimeType), stream);
    receiving.catch(fail);
  });
  parser.on('error', fail);
  parser.on('partsLimit', () => fields.fault('body', reason('too_many', { max: 3 })));

  try {
    let form: ReceivedForm;
    try {
      await Promise.race([pipeline(withReadableParts(bytes, boundary, beforeFile), parser), failed.promise]);
      const file = await receiving;
      form = { fields: fields.complete(), file: file! };
    } catch (error) {
      fail(error);
      throw formError(failure, settings.log);
    }
    return await use(form);
  } finally {
    await receiving?.then(
      ({ content }) => content.remove(),
      () => undefined,
    );
  }
}

const beforeFile = (bytes: number): void => {
  if (bytes > maxBytesBesidesFile) {
    throw badForm(`has more than ${maxBytesBesidesFile} bytes before the file`);
  }
};

const checkSize =
  (maxBytes: number) =>
  (size: number): void => {
    if (size > maxBytes) throw fileTooLarge(maxBytes);
  };

const noFileName = reason('no_file_name');

/** Browsers escape only these three characters in a file name (HTML, "multipart/form-data encoding algorithm"). */
const unescapeFileName = (name: string): string =>
  name.replaceAll(/%22/g, '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n');

function fileNameIn(info: busboy.FileInfo, fields: FormFields): string {
  // Despite its types, a part of bytes may have no file name.
  const { filename } = info as { filename?: string };
  const name = baseName(unescapeFileName(filename ?? ''));
  const fault = name.includes('\uFFFD') ? reason('not_utf8') : fileNameFault(name);
  if (filename === undefined) fields.fault('body.file', noFileName);
  else if (fault) fields.fault('body.file', { ...fault, message: `has a name that ${fault.message}` });
  return name;
}

const boundaryValue = String.raw`(?:"(?<quoted>[^"]{1,70})"|(?<token>[^\s;"]{1,70}))`;
const multipart = new RegExp(
  String.raw`^multipart\/form-data\s*;(?:.*;)?\s*boundary=${boundaryValue}\s*(?:;|$)`,
  'i',
);

function parserFor(contentType: string): { parser: busboy.Busboy; boundary: string } {
  const { quoted, token } = multipart.exec(contentType)?.groups ?? {};
  const boundary = quoted ?? token;
  if (boundary === undefined) {
    throw new ServiceError('unsupported_media_type', {
      detail: 'Send the upload as Content-Type: multipart/form-data with a boundary.',
    });
  }
  return { parser: busboy({ headers: { 'content-type': contentType }, ...parserOptions }), boundary };
}

/** Whether the bytes of a part are its content. RFC 7578 deprecates the header for forms, and the parser decodes nothing. */
const isAsItIs = (encoding: string): boolean => /^\s*(?:7bit|8bit|binary)\s*$/i.test(encoding);
const encodingFault = (encoding: string) => reason('transfer_encoding', { encoding: encoding.slice(0, 40) });

const badForm = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('invalid_request', {
    detail: `The body ${message}.`,
    errors: [{ ...faultAt('body', 'malformed_form'), message }],
    cause,
  });

function formError(error: unknown, log: EventLog): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof UnreadablePart) {
    const why = reason('unreadable_disposition');
    return rejectionOf([{ path: 'body', ...why }], `The body ${why.message}.`);
  }
  if (!(error instanceof DiskFull)) return badForm('is not a complete multipart/form-data body', error);
  const { code = 'budget' } = (error.cause ?? {}) as NodeJS.ErrnoException;
  log.warn('upload_disk_full', { code });
  return new ServiceError('storage_unavailable', {
    detail: 'The space for uploads that are being received is used up; try again.',
    retryAfterSeconds: 15,
    cause: error,
  });
}

const mediaTypeOf = (given: string): string =>
  /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(given) ? given.toLowerCase() : 'application/octet-stream';

const fileTooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('file_too_large', {
    params: { max: maxBytes },
    detail: `The file is larger than the ${maxBytes} bytes allowed.`,
  });
