import type { BasicInfo, Entry } from './base/entry.ts';

/** What a file is written from; text becomes UTF-8. */
export type FileContents = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/**
 * An open file, bound to the connection it was opened on: after a reconnect its calls fail with `CONNECTION_LOST`.
 * Positions are explicit, so calls may run concurrently.
 */
export interface SmbFile extends AsyncDisposable {
  readonly path: string;
  /** The entry at the time of opening. */
  readonly entry: Entry;
  /** Up to `length` bytes from `position`; fewer only at the end of the file, none beyond it. Any length. */
  read(position: number, length: number): Promise<Buffer>;
  /** Writes all of `data`, split and pipelined as the server requires. */
  write(position: number, data: Uint8Array): Promise<void>;
  /** Requests that the server write everything to its disk. */
  sync(): Promise<void>;
  /** Times and attributes. */
  setInfo(info: BasicInfo): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Closing twice is harmless. */
  close(): Promise<void>;
}
