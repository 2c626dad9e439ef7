import { blockBytes, type BlockPool, type PoolMember } from './block-pool.ts';

/** Consecutive bytes of the file. `blocks` may be read until the window moves on, and again; nothing is copied. */
export interface Fragment {
  readonly start: number;
  readonly length: number;
  readonly blocks: Iterable<Uint8Array>;
}

/** The file turned out to have another size than the one announced. */
export class SizeMismatch extends Error {
  override readonly name = 'SizeMismatch';
  /** Whether the file ended too early; else it went on. */
  readonly isShort: boolean;

  constructor(isShort: boolean, announced: number) {
    super(`the file is ${isShort ? 'shorter' : 'longer'} than the ${announced} bytes that follow from it`);
    this.isShort = isShort;
  }
}

// Microsoft's advice is 5 to 10 MiB; a request must stay below 60 MiB.
const maxFragmentBlocks = 32;

/**
 * The part of one file that is in memory on its way to the library: written at one end as it comes in, taken as
 * fragments at the other, and kept until the library has it, so that any fragment can be sent again. What the library
 * has is kept as well, for a session that has to be begun anew, until its blocks are needed.
 *
 * Block i holds the bytes from `kept + i * blockBytes` on. A window takes a block only when there are bytes for it, and
 * hands out at most half of its share as one fragment: while that is on its way the other half fills.
 */
export class UploadWindow {
  #size: number | null;
  readonly #pool: BlockPool;
  readonly #member: PoolMember;
  readonly #blocks: Buffer[] = [];
  /** Offsets in the file: of the first byte kept, the first byte the library does not have, and the end of those held. */
  #kept = 0;
  #start = 0;
  #end = 0;
  /** Bytes written, those without a place included. */
  #written = 0;
  /** The writer's own, until there is a block for them: the rest of one write, if the writer waits as it should. */
  readonly #unplaced: Uint8Array[] = [];
  #hasEnded = false;
  #failure: { readonly cause: unknown } | undefined;
  #isClosed = false;
  #failed = new AbortController();
  #wake: (() => void)[] = [];

  /** @param size exact, where it is known: more or fewer bytes are a SizeMismatch before the last fragment */
  constructor(pool: BlockPool, size: number | null) {
    this.#pool = pool;
    this.#size = size;
    this.#member = { onChange: () => this.#place(), spare: () => this.#spare() };
    pool.enter(this.#member);
  }

  /** As it was announced; null where it is not known. */
  get size(): number | null {
    return this.#size;
  }

  /** Bytes of the file, once it has ended. */
  get total(): number {
    return this.#size ?? this.#written;
  }

  /** Aborted once there is nothing more to take. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Whether a writer may stop: nobody will read any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Copies bytes in.
   *
   * @returns undefined when all are copied; else a promise that resolves when they are, or nobody wants them any more.
   * The writer keeps them unchanged and writes no more until then.
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    this.#written += bytes.byteLength;
    if (this.#size !== null && this.#written > this.#size) this.#mismatch(false, this.#size);
    // After a mismatch the file goes on, for whoever forgets the size.
    if (this.#failure && !this.#isMismatch) return undefined;
    this.#unplaced.push(bytes);
    this.#place();
    return this.#unplaced.length === 0 ? undefined : this.#placed();
  }

  /** All bytes are written, and the file may be kept: only now the last fragment can be taken. */
  end(): void {
    this.#hasEnded = true;
    if (this.#size !== null && this.#written < this.#size) this.#mismatch(true, this.#size);
    this.#changed();
  }

  /** The file can't or must not be kept; whoever takes a fragment learns of the first cause. */
  fail(cause: unknown): void {
    if (!this.#failure || this.#isMismatch) this.#failure = { cause };
    this.#unplaced.length = 0;
    this.#failed.abort();
    this.#changed();
  }

  /**
   * Whether all of the file is here, once that is known: when it has ended, or when there is no room for more of it.
   *
   * @throws what the window failed with
   */
  async holdsAll(): Promise<boolean> {
    for (;;) {
      if (this.#failure) throw this.#failure.cause;
      if (this.#isComplete) return this.#kept === 0;
      if (this.#isFull) return false;
      await this.#change();
    }
  }

  /**
   * The next bytes the library needs, waiting for them; the same again until they are acknowledged. Every fragment but
   * the last is a multiple of {@link blockBytes}; after the last comes an empty one.
   *
   * @throws what the window failed with
   */
  async next(): Promise<Fragment> {
    for (;;) {
      if (this.#failure) throw this.#failure.cause;
      const length = this.#fragmentLength();
      if (length > 0 || this.#isComplete) {
        const start = this.#start;
        return { start, length, blocks: { [Symbol.iterator]: () => this.#views(start, length) } };
      }
      await this.#change();
    }
  }

  /**
   * The library has what comes before `offset`.
   *
   * @returns false when it asks for bytes that are gone or that never were
   */
  acknowledge(offset: number): boolean {
    if (offset < this.#start || offset > this.#end) return false;
    this.#start = offset;
    // After a broken connection the library may go on anywhere.
    if (offset < this.#end && (offset - this.#kept) % blockBytes !== 0) this.#realign();
    else if (this.#pool.isShort) this.#pool.give(this.#spare());
    this.#place();
    return true;
  }

  /** Begins again with the first byte; false when that is no longer kept. */
  rewind(): boolean {
    if (this.#kept > 0 || this.#isClosed) return false;
    this.#start = 0;
    return true;
  }

  /**
   * Begins again with a file of unknown size, also after a SizeMismatch.
   *
   * @returns false when its beginning is gone, or something else is wrong with it
   */
  forgetSize(): boolean {
    if ((this.#failure && !this.#isMismatch) || !this.rewind()) return false;
    this.#size = null;
    if (this.#failure) {
      this.#failure = undefined;
      this.#failed = new AbortController();
    }
    return true;
  }

  /** Lets go of everything. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.fail(new Error('closed'));
    this.#pool.leave(this.#member);
    this.#pool.give(this.#blocks.splice(0));
  }

  #mismatch(isShort: boolean, announced: number): void {
    this.#failure ??= { cause: new SizeMismatch(isShort, announced) };
    this.#failed.abort();
    this.#changed();
  }

  get #isMismatch(): boolean {
    return this.#failure?.cause instanceof SizeMismatch;
  }

  get #isComplete(): boolean {
    return this.#hasEnded && this.#unplaced.length === 0;
  }

  get #isFull(): boolean {
    return this.#unplaced.length > 0 && this.#blocks.length >= this.#pool.share;
  }

  /** Zero as long as there is none. */
  #fragmentLength(): number {
    const ahead = this.#end - this.#start;
    const whole = Math.floor(ahead / blockBytes);
    const wanted = Math.min(maxFragmentBlocks, Math.max(1, Math.floor(this.#pool.share / 2)));
    if (this.#isComplete) return Math.min(ahead, wanted * blockBytes);
    // What there is, where the writer can't go on before some of it is sent.
    const blocks = whole >= wanted ? wanted : this.#unplaced.length > 0 ? whole : 0;
    const length = blocks * blockBytes;
    return this.#start + length === this.#size ? 0 : length;
  }

  *#views(start: number, length: number): Generator<Uint8Array> {
    for (let at = 0; at < length; at += blockBytes) {
      const block = this.#blocks[(start - this.#kept + at) / blockBytes];
      // The blocks may be another upload's by now.
      if (this.#start !== start || !block) throw new Error('a fragment read after its window moved on');
      yield block.subarray(0, Math.min(blockBytes, length - at));
    }
  }

  /** Takes out the blocks of which the library has everything. */
  #spare(most = Infinity): Buffer[] {
    const acknowledged = Math.floor((this.#start - this.#kept) / blockBytes);
    const spare = this.#blocks.splice(0, Math.min(acknowledged, most));
    this.#kept += spare.length * blockBytes;
    return spare;
  }

  /** Moves what is held forward by less than a block, so that the first byte to send is a block's first again. */
  #realign(): void {
    const spare = this.#spare();
    const by = this.#start - this.#kept;
    for (const [index, block] of this.#blocks.entries()) {
      block.copyWithin(0, by);
      const next = this.#blocks[index + 1];
      if (next) block.set(next.subarray(0, by), blockBytes - by);
    }
    this.#kept = this.#start;
    const left = this.#blocks.splice(Math.ceil((this.#end - this.#kept) / blockBytes));
    this.#pool.give([...spare, ...left]);
  }

  /** Copies as much as there are blocks for. */
  #place(): void {
    for (let bytes = this.#unplaced[0]; bytes !== undefined; bytes = this.#unplaced[0]) {
      const used = (this.#end - this.#kept) % blockBytes;
      if (this.#end - this.#kept === this.#blocks.length * blockBytes) {
        const block = this.#pool.take(this.#blocks.length) ?? this.#spare(1)[0];
        if (!block) break;
        this.#blocks.push(block);
      }
      const part = bytes.subarray(0, blockBytes - used);
      this.#blocks.at(-1)!.set(part, used);
      this.#end += part.byteLength;
      if (part.byteLength === bytes.byteLength) this.#unplaced.shift();
      else this.#unplaced[0] = bytes.subarray(part.byteLength);
    }
    this.#changed();
  }

  async #placed(): Promise<void> {
    while (this.#unplaced.length > 0) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }

  #changed(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
