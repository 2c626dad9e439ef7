import type { Readable } from 'node:stream';

/** The bytes of one version of a file. `name` identifies them after a restart (null in memory). */
export interface StoredContent {
  readonly name: string | null;
  readonly size: number;
  /** Bytes `start` to `end` (exclusive). */
  read(start: number, end: number): Readable;
  delete(): Promise<void>;
}

/** An append-only writer. */
export interface ContentWriter {
  /** Appends the chunks, which the caller must not modify afterwards. */
  write(chunks: Buffer[]): Promise<void>;
  /** Discards everything beyond `size`. */
  rewind(size: number): void;
  /** The content written so far; final after the writer is closed. */
  content(): StoredContent;
  close(): Promise<void>;
  discard(): Promise<void>;
}
