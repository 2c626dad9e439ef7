import type { BasicInfo, Entry } from '../base/entry.ts';

/** What a file is written from; text becomes UTF-8. */
export type FileContents = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** Which part of a buffer, and where in the file; left out: all of the buffer. */
export interface BufferPart {
  offset?: number | undefined;
  length?: number | undefined;
  position: number;
}

/**
 * An open file, bound to the connection it was opened on: after a reconnect its calls fail with `CONNECTION_LOST`.
 * Positions are explicit, so calls may run concurrently.
 */
export interface SmbFile extends AsyncDisposable {
  readonly path: string;
  /** The entry at the time of opening. */
  readonly entry: Entry;
  /**
   * As in `fs`, except that `position` is required. Fills the buffer or its part, of any length; less only at the end of
   * the file.
   */
  read<B extends NodeJS.ArrayBufferView>(
    buffer: B,
    offset: number | null | undefined,
    length: number | null | undefined,
    position: number,
  ): Promise<{ bytesRead: number; buffer: B }>;
  read<B extends NodeJS.ArrayBufferView>(
    buffer: B,
    options: BufferPart,
  ): Promise<{ bytesRead: number; buffer: B }>;
  read<B extends NodeJS.ArrayBufferView>(
    options: BufferPart & { buffer: B },
  ): Promise<{ bytesRead: number; buffer: B }>;
  /** As in `fs`, except that `position` is required. Writes everything, split and pipelined as the server requires. */
  write<B extends NodeJS.ArrayBufferView>(
    buffer: B,
    offset: number | null | undefined,
    length: number | null | undefined,
    position: number,
  ): Promise<{ bytesWritten: number; buffer: B }>;
  write<B extends NodeJS.ArrayBufferView>(
    buffer: B,
    options: BufferPart,
  ): Promise<{ bytesWritten: number; buffer: B }>;
  write(
    text: string,
    position: number,
    encoding?: BufferEncoding,
  ): Promise<{ bytesWritten: number; buffer: string }>;
  /** Requests that the server write everything to its disk. */
  sync(): Promise<void>;
  /** Times and attributes. */
  setInfo(info: BasicInfo): Promise<void>;
  truncate(size?: number): Promise<void>;
  /** Closing twice is harmless. */
  close(): Promise<void>;
}
