import type { Readable, Writable } from 'node:stream';
import type { BasicInfo, Entry } from './base/entry.ts';

/**
 * An open file, bound to the connection it was opened on: after a reconnect its calls fail with `CONNECTION_LOST`.
 * Positions are explicit, so calls may run concurrently.
 */
export interface SmbFile {
  readonly path: string;
  /** The entry at the time of opening. */
  readonly entry: Entry;
  /** Up to `length` bytes from `position`; fewer only at the end of the file, none beyond it. Any length. */
  read(position: number, length: number): Promise<Buffer>;
  /** Writes all of `data`, split and pipelined as the server requires. */
  write(position: number, data: Uint8Array): Promise<void>;
  /** The contents in order, with several reads in flight. `end` is exclusive. */
  readable(range?: { start?: number | undefined; end?: number | undefined }): Readable;
  /**
   * Writes from `start` (default 0), with several writes in flight; `finish` is emitted when all are acknowledged.
   */
  writable(range?: { start?: number | undefined }): Writable;
  /** Requests that the server write everything to its disk. */
  flush(): Promise<void>;
  /** Times and attributes. */
  setInfo(info: BasicInfo): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Closing twice is harmless. */
  close(): Promise<void>;
}
