import { createReadStream } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { free } from '../../../../lib/base/free.ts';
import type { ContentWriter, StoredContent } from './stored-content.ts';

/** Stores each content in a separate file. */
export class FileWriter implements ContentWriter {
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
    for (const chunk of chunks) free(chunk);
  }

  rewind(size: number): void {
    this.#size = size;
  }

  content(): StoredContent {
    return new FileContent(this.#directory, this.#name, this.#size);
  }

  async close(): Promise<void> {
    // A broken fragment can have left bytes beyond the end.
    await this.#file.truncate(this.#size);
    await this.#file.close();
  }

  async discard(): Promise<void> {
    await this.#file.close();
    await rm(join(this.#directory, this.#name), { force: true });
  }
}

export class FileContent implements StoredContent {
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
    // An active download keeps its open descriptor.
    await rm(this.#path, { force: true });
  }
}
