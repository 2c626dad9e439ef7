import { randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { FileContent, FileWriter } from './file-content.ts';
import { MemoryWriter } from './memory-content.ts';

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

export interface ContentStore {
  create(): Promise<ContentWriter>;
  existing(name: string, size: number): StoredContent;
}

export async function contentStore(directory: string | undefined): Promise<ContentStore> {
  if (directory === undefined) {
    return {
      create: () => Promise.resolve(new MemoryWriter()),
      existing: () => {
        throw new Error('Contents in memory do not outlive the emulator.');
      },
    };
  }
  await mkdir(directory, { recursive: true });
  return {
    create: async () => {
      const name = randomUUID();
      return new FileWriter(directory, name, await open(join(directory, name), 'wx'));
    },
    existing: (name, size) => new FileContent(directory, name, size),
  };
}
