import { Readable } from 'node:stream';
import type { ContentWriter, StoredContent } from './stored-content.ts';

/** Stores each content as the received chunks, without copying. */
export class MemoryWriter implements ContentWriter {
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
