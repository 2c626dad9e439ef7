import busboy from 'busboy';
import { format, parse } from 'content-disposition';
import { maxFieldBytes } from './form-fields.ts';

/** The headers of a part do not say which part it is, even after a repair. */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart';
}

export const parserOptions = {
  // Browsers send names in UTF-8. A name in another encoding has replacement characters and is rejected.
  defParamCharset: 'utf8',
  // Of a path, baseName takes the name. The parser would make nothing of `..`.
  preservePath: true,
  limits: { fieldNameSize: 100, fieldSize: maxFieldBytes, parts: 8 },
} as const;

const lineBreak = '\r\n';
// As much as busboy reads.
const maxHeaderBytes = 16 * 1024;

/**
 * The bytes of a form, with headers that the parser can read: it drops a part with any other Content-Disposition without
 * an event. Behind the headers of the file, the bytes pass as they are.
 *
 * @param check is given the number of bytes so far, while the file has not begun
 * @throws UnreadablePart; errors of `check`
 */
export async function* withReadableParts(
  bytes: AsyncIterable<Uint8Array>,
  boundary: string,
  check: (bytesBeforeFile: number) => void,
): AsyncGenerator<Uint8Array> {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  let isBeforeFile = true;
  let bytesBeforeFile = 0;
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    if (!isBeforeFile) {
      yield chunk;
      continue;
    }
    held = Buffer.concat([held, chunk]);
    for (let part = firstPart(held, delimiter); part && isBeforeFile; part = firstPart(held, delimiter)) {
      const { headers, kind } = readable(held.toString('latin1', part.start, part.end));
      yield held.subarray(0, part.start);
      yield Buffer.from(headers, 'latin1');
      held = held.subarray(part.end);
      isBeforeFile = kind !== 'file';
    }
    bytesBeforeFile += chunk.byteLength;
    // The end may be the beginning of a delimiter, or of headers.
    const keptBytes = isBeforeFile ? bytesToKeep(held, delimiter) : 0;
    yield held.subarray(0, held.byteLength - keptBytes);
    held = held.subarray(held.byteLength - keptBytes);
    if (isBeforeFile) check(bytesBeforeFile);
  }
  yield held;
}

function bytesToKeep(bytes: Buffer, delimiter: Buffer): number {
  const at = bytes.indexOf(delimiter);
  if (at === -1) return Math.min(bytes.byteLength, delimiter.byteLength - 1);
  // Longer headers are for the parser to reject.
  return bytes.byteLength - at > maxHeaderBytes ? 0 : bytes.byteLength - at;
}

/** Where the headers of the first part are, without their empty line; undefined if they are incomplete, or there is none. */
function firstPart(bytes: Buffer, delimiter: Buffer): { start: number; end: number } | undefined {
  const at = bytes.indexOf(delimiter);
  const behind = at + delimiter.byteLength;
  const isEnd = bytes.toString('latin1', behind, behind + 2) === '--';
  const lineEnd = bytes.indexOf(lineBreak, behind);
  if (at === -1 || isEnd || lineEnd === -1) return undefined;
  const start = lineEnd + lineBreak.length;
  // A part without headers has its empty line immediately.
  const end = bytes.indexOf(lineBreak + lineBreak, lineEnd);
  return end === -1 ? undefined : { start, end: Math.max(start, end) };
}

/** @throws UnreadablePart */
function readable(headers: string): { headers: string; kind: 'file' | 'field' } {
  for (const tried of [headers, repairDisposition(headers)]) {
    const kind = kindOf(tried);
    if (kind) return { headers: tried, kind };
  }
  throw new UnreadablePart();
}

/** With a Content-Disposition of its plain parameters only, unless a good file name is not among them. */
function repairDisposition(headers: string): string {
  return headers.replace(/^content-disposition:(.*)$/im, (line, value: string) => {
    const { type, parameters } = parse(value, { extended: false });
    const { name, filename } = parameters;
    const isFile = filename !== undefined || parameters['filename*'] !== undefined;
    // A backslash can be part of a path, or an escape.
    const isUnclear = isFile && (value.includes('\\') || !filename);
    const isGood = type === 'form-data' && name !== undefined && !isUnclear;
    if (!isGood) return line;
    const plain = { name, ...(filename !== undefined && { filename }) };
    return `Content-Disposition: ${format({ type, parameters: plain }, { multipart: true })}`;
  });
}

/** As what the parser reports a part with these headers; undefined if it drops it. */
function kindOf(headers: string): 'file' | 'field' | undefined {
  let kind: 'file' | 'field' | undefined;
  const parser = busboy({ headers: { 'content-type': 'multipart/form-data; boundary=x' }, ...parserOptions });
  // Despite the types, a part can have no name.
  const report = (name: string | undefined, reported: 'file' | 'field'): void => {
    if (name !== undefined) kind = reported;
  };
  parser.on('file', (name, stream) => {
    report(name, 'file');
    stream.resume();
  });
  parser.on('field', (name) => report(name, 'field'));
  // Of malformed headers.
  parser.on('error', () => undefined);
  parser.end(Buffer.from(`--x\r\n${headers}\r\n\r\n\r\n--x--\r\n`, 'latin1'));
  return kind;
}
