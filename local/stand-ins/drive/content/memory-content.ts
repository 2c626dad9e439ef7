import { Readable } from 'node:stream';
import { free } from '../../../../lib/base/free.ts';
import type { ContentWriter, StoredContent } from './stored-content.ts';

/**
 * Stores each content as one buffer per write. TLS delivers 16 KiB at a time, and V8 collects the whole heap after every
 * 64 MiB of such chunks, also of those that are kept.
 */
export class MemoryWriter implements ContentWriter {
  #chunks: Buffer[] = [];
  #size = 0;

  write(chunks: Buffer[]): Promise<void> {
    const joined = Buffer.concat(chunks);
    for (const chunk of chunks) free(chunk);
    if (joined.length > 0) this.#chunks.push(joined);
    this.#size += joined.length;
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
