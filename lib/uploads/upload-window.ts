import { blockBytes, type BlockPool, type PoolMember } from './block-pool.ts';

/** Consecutive bytes of the file. `blocks` can be iterated repeatedly until the window advances; nothing is copied. */
export interface Fragment {
  readonly start: number;
  readonly length: number;
  readonly blocks: Iterable<Uint8Array>;
}

/** The size of the file is not the one announced. */
export class SizeMismatch extends Error {
  override readonly name = 'SizeMismatch';
  /** Whether the file ended early; otherwise it continued past the announced size. */
  readonly isShort: boolean;

  constructor(isShort: boolean, announced: number) {
    super(`the file is ${isShort ? 'shorter' : 'longer'} than the ${announced} bytes announced`);
    this.isShort = isShort;
  }
}

// Microsoft recommends 5 to 10 MiB; a request must be smaller than 60 MiB.
const maxFragmentBlocks = 32;

/**
 * The part of one file that is in memory on its way to the library. Bytes are kept until the library has them, so any
 * fragment can be sent again, and after that until their blocks are needed, in case a new session starts from the
 * beginning. Block i holds the bytes from `kept + i * blockBytes`.
 */
export class UploadWindow {
  #size: number | null;
  readonly #pool: BlockPool;
  readonly #member: PoolMember;
  readonly #blocks: Buffer[] = [];
  /** Offsets in the file: the first byte kept, the first byte that the library lacks, and the end of the bytes held. */
  #kept = 0;
  #start = 0;
  #end = 0;
  /** Bytes written, including those without a block. */
  #written = 0;
  /** Owned by the writer until there is a block for them: the rest of one write, if the writer waits as required. */
  readonly #unplaced: Uint8Array[] = [];
  #hasEnded = false;
  #failure: { readonly cause: unknown } | undefined;
  #isClosed = false;
  #failed = new AbortController();
  #wake: (() => void)[] = [];

  /** @param size exact, if known: any other number of bytes causes a SizeMismatch before the last fragment */
  constructor(pool: BlockPool, size: number | null) {
    this.#pool = pool;
    this.#size = size;
    this.#member = { onChange: () => this.#place(), spare: () => this.#spare() };
    pool.enter(this.#member);
  }

  /** The announced size; null if unknown. */
  get size(): number | null {
    return this.#size;
  }

  /** Bytes of the file; valid after its end. */
  get total(): number {
    return this.#size ?? this.#written;
  }

  /** Aborted when no further fragment can be read. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Whether a writer can stop, because nothing reads the window any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Copies bytes in.
   *
   * @returns undefined when all bytes are copied; otherwise a promise that resolves when they are, or when the window is
   * closed. Until then the writer must neither change the bytes nor write more
   */
  write(bytes: Uint8Array): Promise<void> | undefined {
    this.#written += bytes.byteLength;
    if (this.#size !== null && this.#written > this.#size) this.#mismatch(false, this.#size);
    // After a mismatch, bytes are still accepted: forgetSize() may follow.
    if (this.#failure && !this.#isMismatch) return undefined;
    this.#unplaced.push(bytes);
    this.#place();
    return this.#unplaced.length === 0 ? undefined : this.#waitUntilPlaced();
  }

  /** Marks the file as complete and valid. The last fragment can be read only after this. */
  end(): void {
    this.#hasEnded = true;
    if (this.#size !== null && this.#written < this.#size) this.#mismatch(true, this.#size);
    this.#notify();
  }

  /** The file cannot or must not be stored: next() throws the first cause. */
  fail(cause: unknown): void {
    if (!this.#failure || this.#isMismatch) this.#failure = { cause };
    this.#unplaced.length = 0;
    this.#failed.abort();
    this.#notify();
  }

  /**
   * Resolves as soon as it is known whether the whole file is in memory: at its end, or when there is no room for more.
   *
   * @throws the cause that the window failed with
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
   * Waits for the next bytes that the library needs, and returns the same bytes until they are acknowledged. The length
   * of every fragment but the last is a multiple of {@link blockBytes}; after the last fragment, an empty one follows.
   *
   * @throws the cause that the window failed with
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
   * Records that the library has all bytes before `offset`.
   *
   * @returns false when the window no longer has, or never had, the byte at `offset`
   */
  acknowledge(offset: number): boolean {
    if (offset < this.#start || offset > this.#end) return false;
    this.#start = offset;
    // After a broken connection, the library may continue at any byte.
    if (offset < this.#end && (offset - this.#kept) % blockBytes !== 0) this.#realign();
    else if (this.#pool.isShort) this.#pool.release(this.#spare());
    this.#place();
    return true;
  }

  /** Restarts at the first byte. @returns false when that is no longer kept */
  rewind(): boolean {
    if (this.#kept > 0 || this.#isClosed) return false;
    this.#start = 0;
    return true;
  }

  /**
   * Restarts as a file of unknown size, also after a SizeMismatch.
   *
   * @returns false when the first byte is no longer kept, or the window failed for another reason
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

  /** Releases all blocks. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.fail(new Error('closed'));
    this.#pool.leave(this.#member);
    this.#pool.release(this.#blocks.splice(0));
  }

  #mismatch(isShort: boolean, announced: number): void {
    this.#failure ??= { cause: new SizeMismatch(isShort, announced) };
    this.#failed.abort();
    this.#notify();
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

  /** Zero while there is no fragment. */
  #fragmentLength(): number {
    const ahead = this.#end - this.#start;
    const whole = Math.floor(ahead / blockBytes);
    // While one half of the share is sent, the other fills.
    const wanted = Math.min(maxFragmentBlocks, Math.max(1, Math.floor(this.#pool.share / 2)));
    if (this.#isComplete) return Math.min(ahead, wanted * blockBytes);
    // If the writer cannot continue before some bytes are sent, a shorter fragment is sent.
    const blocks = whole >= wanted ? wanted : this.#unplaced.length > 0 ? whole : 0;
    const length = blocks * blockBytes;
    return this.#start + length === this.#size ? 0 : length;
  }

  *#views(start: number, length: number): Generator<Uint8Array> {
    for (let at = 0; at < length; at += blockBytes) {
      const block = this.#blocks[(start - this.#kept + at) / blockBytes];
      // The blocks may belong to another upload now.
      if (this.#start !== start || !block)
        throw new Error('a fragment was read after its window had advanced');
      yield block.subarray(0, Math.min(blockBytes, length - at));
    }
  }

  /** Removes the blocks that the library has completely. */
  #spare(most = Infinity): Buffer[] {
    const acknowledged = Math.floor((this.#start - this.#kept) / blockBytes);
    const spare = this.#blocks.splice(0, Math.min(acknowledged, most));
    this.#kept += spare.length * blockBytes;
    return spare;
  }

  /** Moves the content by less than a block, so the first byte to send is the first byte of a block again. */
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
    this.#pool.release([...spare, ...left]);
  }

  /** Copies as many bytes as there are blocks for. */
  #place(): void {
    for (let bytes = this.#unplaced[0]; bytes !== undefined; bytes = this.#unplaced[0]) {
      const used = (this.#end - this.#kept) % blockBytes;
      if (this.#end - this.#kept === this.#blocks.length * blockBytes) {
        const block = this.#pool.acquire(this.#blocks.length) ?? this.#spare(1)[0];
        if (!block) break;
        this.#blocks.push(block);
      }
      const part = bytes.subarray(0, blockBytes - used);
      this.#blocks.at(-1)!.set(part, used);
      this.#end += part.byteLength;
      if (part.byteLength === bytes.byteLength) this.#unplaced.shift();
      else this.#unplaced[0] = bytes.subarray(part.byteLength);
    }
    this.#notify();
  }

  async #waitUntilPlaced(): Promise<void> {
    while (this.#unplaced.length > 0) await this.#change();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }

  #notify(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
