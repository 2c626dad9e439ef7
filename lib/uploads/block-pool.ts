/** Every fragment of an upload session but the last is a multiple of this (Microsoft's rules). */
export const blockBytes = 320 * 1024;
// Kept for later uploads, however many blocks earlier ones hold and however long the library makes them wait.
const reservedBlocks = 4;

export interface PoolMember {
  /** A block may be available, or the share may be larger. */
  onChange(): void;
  /** Releases the blocks that are kept only for a repetition. */
  spare(): readonly Buffer[];
}

/**
 * The memory of all uploads of the process: a fixed number of blocks, each allocated when it is first needed and then
 * reused. Uploads share them evenly. A window that holds more than its share, because other uploads started later,
 * acquires no block until it holds less.
 */
export class BlockPool {
  readonly #limit: number;
  readonly #idle: Buffer[] = [];
  readonly #members = new Set<PoolMember>();
  #made = 0;
  #isShort = false;

  /** @param limit number of blocks, more than {@link reservedBlocks} */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many blocks one upload may hold now. */
  get share(): number {
    const even = Math.floor(this.#limit / Math.max(1, this.#members.size));
    return Math.max(1, Math.min(even, this.#limit - reservedBlocks));
  }

  enter(member: PoolMember): void {
    this.#members.add(member);
  }

  leave(member: PoolMember): void {
    this.#members.delete(member);
    this.#notifyMembers();
  }

  /** Whether a window waits for a block. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /**
   * @param held how many blocks the upload holds
   * @returns a block with the content of earlier uploads; undefined when none is available
   */
  acquire(held: number): Buffer | undefined {
    if (held >= this.share) return undefined;
    if (this.#idle.length > 0) return this.#idle.pop();
    if (this.#made < this.#limit) {
      this.#made += 1;
      return Buffer.allocUnsafeSlow(blockBytes);
    }
    for (const member of this.#members) {
      for (const block of member.spare()) this.#idle.push(block);
    }
    this.#isShort = this.#idle.length === 0;
    return this.#idle.pop();
  }

  release(blocks: readonly Buffer[]): void {
    if (blocks.length === 0) return;
    for (const block of blocks) this.#idle.push(block);
    this.#notifyMembers();
  }

  #notifyMembers(): void {
    this.#isShort = false;
    for (const member of this.#members) member.onChange();
  }
}
