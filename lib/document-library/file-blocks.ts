import { Readable } from 'node:stream';
import { fragmentUnitBytes } from './fragment-memory.ts';

/**
 * A file's bytes in blocks of one fragment unit that belong to whoever reads them, copied from the pieces that a parser
 * finds. The pieces are views of buffers that are not the parser's to keep.
 */
export class FileBlocks extends Readable {
  readonly #pieces: Readable;
  readonly #blockBytes: number;
  #block: Buffer | undefined;
  #length = 0;
  #isFull = false;
  #room: (() => void) | undefined;

  /**
   * @param pieces the file as the parser gives it; its breaking off is passed on
   * @param size where it is known: a small file needs no whole block
   */
  constructor(pieces: Readable, size: number | null) {
    // Objects, or the stream would join blocks.
    super({ objectMode: true, highWaterMark: 1 });
    this.#pieces = pieces;
    this.#blockBytes = Math.max(1, Math.min(size ?? fragmentUnitBytes, fragmentUnitBytes));
    pieces.on('data', (piece: Uint8Array) => this.#append(piece));
    pieces.once('end', () => this.#end());
    pieces.once('close', () => {
      if (!pieces.readableEnded) this.destroy(pieces.errored ?? new Error('the form ended within the file'));
    });
  }

  /** Whether every piece found so far is copied; a stream may hand out its first ones late. */
  get hasAll(): boolean {
    return this.#pieces.readableLength === 0;
  }

  /** Resolves when whoever reads wants more. */
  async room(): Promise<void> {
    if (!this.#isFull || this.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#room = resolve;
    });
  }

  override _read(): void {
    this.#isFull = false;
    this.#room?.();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#room?.();
    done(error);
  }

  #append(piece: Uint8Array): void {
    for (let at = 0; at < piece.byteLength && !this.destroyed;) {
      const block = (this.#block ??= Buffer.allocUnsafeSlow(this.#blockBytes));
      const part = piece.subarray(at, at + block.byteLength - this.#length);
      block.set(part, this.#length);
      this.#length += part.byteLength;
      at += part.byteLength;
      if (this.#length === block.byteLength) this.#pass(block);
    }
  }

  #end(): void {
    if (this.#block) this.#pass(this.#block.subarray(0, this.#length));
    this.push(null);
  }

  #pass(block: Buffer): void {
    this.#block = undefined;
    this.#length = 0;
    this.#isFull = !this.push(block);
  }
}
