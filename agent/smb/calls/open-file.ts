import type { Call } from './call.ts';
import type { BasicInfo, Entry } from '../base/entry.ts';
import { readCreate, type CreateResponse } from '../wire/create.ts';
import type { Request } from '../wire/header.ts';
import { bytesToWrite, checkCount, partOf } from '../base/arguments.ts';
import type { BufferPart, FileContents, SmbFile } from './file.ts';
import {
  closeRequest,
  flushRequest,
  readRead,
  readRequest,
  readWrite,
  writeRequest,
} from '../wire/file-io.ts';
import { resumeKeyRequest } from '../wire/ioctl.ts';
import { setBasicRequest, setEndOfFileRequest } from '../wire/info.ts';
import { readSize, sizeRequest } from '../wire/query-info.ts';
import { ahead, pieceBytes, pieces, type Piece } from '../session/pipeline.ts';
import { inContext, protocolError, SmbError } from '../base/smb-error.ts';
import { maxReadBytes } from '../session/session.ts';
import { Status, statusName } from '../base/status.ts';
import { streamsOf } from './streams.ts';
import type { Reply } from '../connection/in-flight.ts';

export class OpenFile implements SmbFile {
  readonly path: string;
  readonly entry: Entry;
  readonly fileId: Buffer;
  readonly allocatedBytes: number;
  readonly #call: Call;
  #closing: Promise<void> | undefined;

  /** Opens or creates the file as `create` specifies. */
  static async by(call: Call, create: Request): Promise<OpenFile> {
    return new OpenFile(call, readCreate(await call.request(create)));
  }

  constructor(call: Call, { fileId, entry, allocatedBytes }: CreateResponse) {
    this.path = call.path;
    this.entry = entry;
    this.fileId = fileId;
    this.allocatedBytes = allocatedBytes;
    this.#call = call;
    call.session.openFiles += 1;
  }

  async read<B extends NodeJS.ArrayBufferView>(
    given: B | (BufferPart & { buffer: B }),
    offset?: number | BufferPart | null,
    length?: number | null,
    position?: number,
  ): Promise<{ bytesRead: number; buffer: B }> {
    // The one form without a buffer in front.
    const { buffer, ...options } = ArrayBuffer.isView(given) ? { buffer: given } : given;
    const { bytes, position: start } = ArrayBuffer.isView(given)
      ? partOf('read', buffer, offset, length, position)
      : partOf('read', buffer, options, undefined, undefined);
    const size = pieceBytes(this.#call.session, 'read', maxReadBytes);
    const counts = ahead(pieces(start, start + bytes.length, size), (piece) =>
      this.#fill(bytes.subarray(piece.position - start).subarray(0, piece.length), piece.position),
    );
    let bytesRead = 0;
    for await (const count of counts) {
      bytesRead += count;
      // The file ends here.
      if (count < size) break;
    }
    return { bytesRead, buffer: buffer as B };
  }

  async write<B extends NodeJS.ArrayBufferView | string>(
    buffer: B,
    offset?: number | BufferPart | null,
    length?: number | BufferEncoding | null,
    position?: number,
  ): Promise<{ bytesWritten: number; buffer: B }> {
    const isText = typeof buffer === 'string';
    const data = isText ? bytesToWrite(buffer, (length ?? 'utf8') as BufferEncoding) : buffer;
    // Text is followed by the position and the encoding.
    const { bytes, position: start } = isText
      ? partOf('write', data, undefined, undefined, offset)
      : partOf('write', data, offset, length, position);
    await this.writeAt(start, bytes);
    return { bytesWritten: bytes.length, buffer };
  }

  async writeAt(position: number, data: Uint8Array): Promise<void> {
    const end = position + data.length;
    const writes = ahead(pieces(position, end, pieceBytes(this.#call.session, 'write')), (piece) => {
      const start = piece.position - position;
      return this.#writePiece(piece.position, data.subarray(start, start + piece.length));
    });
    for await (const _ of writes);
  }

  /** Writes from a position, with several pieces in flight. */
  async writeAll(contents: Exclude<FileContents, string>, start = 0): Promise<void> {
    if (contents instanceof Uint8Array) return this.writeAt(start, contents);
    let position = start;
    const writes = ahead(contents, (chunk) => {
      const data = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const at = position;
      position += data.length;
      return this.writeAt(at, data);
    });
    for await (const _ of writes);
  }

  async sync(): Promise<void> {
    await this.request('sync', (call) => call.request(flushRequest(this.fileId)));
  }

  async setInfo(info: BasicInfo): Promise<void> {
    await this.request('set info of', (call) => call.request(setBasicRequest(this.fileId, info)));
  }

  async truncate(size = 0): Promise<void> {
    checkCount('truncate', 'the size', size);
    await this.request('truncate', (call) => call.request(setEndOfFileRequest(this.fileId, size)));
  }

  close(): Promise<void> {
    this.#closing ??= this.#release();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The response, of any status, to a request that names the file. */
  async control(request: Request): Promise<Reply> {
    const [reply] = await this.#call.send([request]);
    return reply!;
  }

  /** The response to the request for the key that identifies the file as a source. */
  resumeKey(): Promise<Reply> {
    return this.control(resumeKeyRequest(this.fileId));
  }

  /** Names of its alternate data streams, as far as the share supports them and the server lists them. */
  alternateStreams(): Promise<string[]> {
    return streamsOf(this.#call, this.fileId);
  }

  /** Another request closes the file: a compound, or the end of its tree. */
  closesElsewhere(): void {
    if (this.#closing === undefined) this.#call.session.openFiles -= 1;
    this.#closing ??= Promise.resolve();
  }

  /**
   * For a file that was only read: on failure the server closes it when the session ends. A caller need not wait; a
   * later `rm` or `rename` does.
   */
  async closeRead(): Promise<void> {
    this.closesElsewhere();
    const call = this.#call.with({ signal: undefined });
    await this.#call.session.closes.add(call.sendShared(closeRequest(this.fileId)));
  }

  async #release(): Promise<void> {
    const { session } = this.#call;
    session.openFiles -= 1;
    // The end of the connection closes the file as well; an abort must not leave it open.
    if (!session.connection.isOpen) return;
    const call = this.#call.with({ operation: 'close', signal: undefined });
    await this.#inContext('close', () => call.request(closeRequest(this.fileId)));
  }

  /** The bytes from `start` to `end` or to the end of the file. */
  async *contents(start = 0, end = this.entry.size): AsyncGenerator<Buffer> {
    const bytes = pieceBytes(this.#call.session, 'read');
    let position = start;
    for await (const part of ahead(pieces(start, end, bytes), (piece) => this.#readPiece(piece))) {
      if (part.length > 0) yield part;
      position += part.length;
      // A short piece: the file ends here, even if its size was different when it was opened.
      if (part.length < bytes && position < end) return;
    }
  }

  #readPiece({ position, length }: Piece): Promise<Buffer> {
    return this.request('read', async (call) => {
      const parts: Buffer[] = [];
      let missing = length;
      // Short responses are legal anywhere; only END_OF_FILE marks the end.
      while (missing > 0) {
        const at = position + length - missing;
        const request = readRequest(this.fileId, at, missing);
        const [reply] = await call.link.bulk.run(() => call.send([request]), missing);
        if (reply!.status === Status.endOfFile) {
          await this.#expectEnd(call, at);
          break;
        }
        const data = readRead(call.expect(reply), missing);
        if (data.length === 0 || data.length > missing) throw protocolError('more or less than requested');
        parts.push(data);
        missing -= data.length;
      }
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    });
  }

  /**
   * The server says that the file ends at `position`. Of bytes that the file had when it was opened, that is believed only if
   * the size of the file agrees: otherwise a failure behind the server would make a shorter copy that looks complete.
   * @throws {SmbError} retryable, for a file that is longer
   */
  async #expectEnd(call: Call, position: number): Promise<void> {
    if (position >= this.entry.size) return;
    const size = readSize(await call.request(sizeRequest(this.fileId)));
    if (size <= position) return;
    const { operation, path } = call;
    const status = Status.endOfFile;
    const name = statusName(status);
    const message = `${operation} ${path}: ${name} (0xC0000011) after ${position} of ${size} bytes`;
    throw new SmbError('SERVER_ERROR', message, {
      operation,
      path,
      status,
      statusName: name,
      retryable: true,
    });
  }

  /** Returns how many bytes there were: less than the target holds only at the end of the file. */
  #fill(target: Uint8Array, position: number): Promise<number> {
    return this.request('read', async (call) => {
      let filled = 0;
      while (filled < target.length) {
        const part = new ResponsePart(target.subarray(filled));
        const request = {
          ...readRequest(this.fileId, position + filled, target.length - filled),
          take: part.take,
        };
        const [reply] = await call.link.bulk.run(() => call.send([request]), target.length - filled);
        if (reply!.status === Status.endOfFile) {
          await this.#expectEnd(call, position + filled);
          break;
        }
        call.expect(reply);
        filled += part.count();
      }
      return filled;
    });
  }

  #writePiece(position: number, data: Uint8Array): Promise<void> {
    return this.request('write', async (call) => {
      for (let written = 0; written < data.length;) {
        const piece = data.subarray(written);
        const count = await call.link.bulk.run(
          async () =>
            readWrite(await call.request(writeRequest(this.fileId, position + written, piece)), piece.length),
          piece.length,
        );
        if (count === 0) throw protocolError('a write that wrote nothing');
        written += count;
      }
    });
  }

  /** Sends requests for this file under the name of an operation. */
  request<T>(operation: string, body: (call: Call) => Promise<T>): Promise<T> {
    return this.#inContext(operation, () => body(this.#call.with({ operation })));
  }

  async #inContext<T>(operation: string, body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw inContext(error, operation, this.path);
    }
  }
}

/** Copies the contents in a response to READ to where the caller wants them. */
class ResponsePart {
  readonly #target: Uint8Array;
  #count = 0;

  constructor(target: Uint8Array) {
    this.#target = target;
  }

  readonly take = (message: Buffer): void => {
    try {
      const data = readRead(message, this.#target.length);
      this.#target.set(data);
      this.#count = data.length;
    } catch {
      // Counts as nothing. Thrown here, it would end the connection.
    }
  };

  /** @throws {SmbError} `PROTOCOL` unless the response had contents */
  count(): number {
    if (this.#count === 0) throw protocolError('more or less than requested');
    return this.#count;
  }
}
