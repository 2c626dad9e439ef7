import type { Readable, Writable } from 'node:stream';
import type { BasicInfo, Entry } from './entry.ts';

/**
 * An open file. It lives and dies with the connection it was opened on: after a reconnect its calls fail with
 * `CONNECTION_LOST`. Positions are explicit, so calls may run side by side.
 */
export interface SmbFile {
  readonly path: string;
  /** As of the opening. */
  readonly entry: Entry;
  /** Up to `length` bytes from `position`, fewer only at the end of the file, empty behind it. Any length. */
  read(position: number, length: number): Promise<Buffer>;
  /** Writes all of `data`, split and pipelined as the server needs it. */
  write(position: number, data: Uint8Array): Promise<void>;
  /** The contents in order, with several reads under way. `end` is exclusive. */
  readable(range?: { start?: number | undefined; end?: number | undefined }): Readable;
  /** Writes from `start` (default 0) on, with several writes under way; `finish` comes when all are acknowledged. */
  writable(range?: { start?: number | undefined }): Writable;
  /** Asks the server to put everything on its disk. */
  flush(): Promise<void>;
  /** Times and attributes. */
  setInfo(info: BasicInfo): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Closing twice is harmless. */
  close(): Promise<void>;
}
