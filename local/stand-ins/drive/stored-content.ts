import type { Readable } from 'node:stream';

/** The bytes of one version of a file. `name` finds them again after a restart (null in memory). */
export interface StoredContent {
  readonly name: string | null;
  readonly size: number;
  /** Bytes `start` to `end` (exclusive). */
  read(start: number, end: number): Readable;
  delete(): Promise<void>;
}

/** Grows at its end only. */
export interface ContentWriter {
  /** The chunks are the writer's from then on. */
  write(chunks: Buffer[]): Promise<void>;
  /** Forgets everything beyond `size`. */
  rewind(size: number): void;
  /** What was written so far; final once the writer is closed. */
  content(): StoredContent;
  close(): Promise<void>;
  discard(): Promise<void>;
}
