import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

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

class FileWriter implements ContentWriter {
  readonly #directory: string;
  readonly #name: string;
  readonly #file: FileHandle;
  #size = 0;

  constructor(directory: string, name: string, file: FileHandle) {
    this.#directory = directory;
    this.#name = name;
    this.#file = file;
  }

  async write(chunks: Buffer[]): Promise<void> {
    let bytes = 0;
    for (const chunk of chunks) bytes += chunk.length;
    const position = this.#size;
    const { bytesWritten } = await this.#file.writev(chunks, position);
    if (bytesWritten !== bytes) throw new Error(`Wrote ${bytesWritten} of ${bytes} bytes: is the disk full?`);
    this.#size = position + bytes;
  }

  rewind(size: number): void {
    this.#size = size;
  }

  content(): StoredContent {
    return new FileContent(this.#directory, this.#name, this.#size);
  }

  async close(): Promise<void> {
    // A broken fragment may have left bytes beyond the end.
    await this.#file.truncate(this.#size);
    await this.#file.close();
  }

  async discard(): Promise<void> {
    await this.#file.close();
    await rm(join(this.#directory, this.#name), { force: true });
  }
}

class FileContent implements StoredContent {
  readonly #path: string;
  readonly name: string;
  readonly size: number;

  constructor(directory: string, name: string, size: number) {
    this.#path = join(directory, name);
    this.name = name;
    this.size = size;
  }

  read(start: number, end: number): Readable {
    if (end <= start) return Readable.from([]);
    return createReadStream(this.#path, { start, end: end - 1, highWaterMark: 256 * 1024 });
  }

  async delete(): Promise<void> {
    // A download that is still running keeps its open descriptor.
    await rm(this.#path, { force: true });
  }
}

class MemoryWriter implements ContentWriter {
  #chunks: Buffer[] = [];
  #size = 0;

  write(chunks: Buffer[]): Promise<void> {
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
    }
    return Promise.resolve();
  }

  rewind(size: number): void {
    while (this.#size > size) {
      const last = this.#chunks.pop();
      if (last === undefined) break;
      this.#size -= last.length;
      if (this.#size < size) {
        const kept = last.subarray(0, size - this.#size);
        this.#chunks.push(kept);
        this.#size += kept.length;
        break;
      }
    }
  }

  content(): StoredContent {
    return new MemoryContent(this.#chunks, this.#size);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  discard(): Promise<void> {
    this.#chunks = [];
    return Promise.resolve();
  }
}

class MemoryContent implements StoredContent {
  readonly name = null;
  readonly size: number;
  readonly #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[], size: number) {
    this.#chunks = chunks;
    this.size = size;
  }

  read(start: number, end: number): Readable {
    return Readable.from(slices(this.#chunks, start, end), { objectMode: false });
  }

  delete(): Promise<void> {
    return Promise.resolve();
  }
}

function* slices(chunks: readonly Buffer[], start: number, end: number): Generator<Buffer> {
  let offset = 0;
  for (const chunk of chunks) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, chunk.length);
    if (from < to) yield chunk.subarray(from, to);
    offset += chunk.length;
    if (offset >= end) return;
  }
}
