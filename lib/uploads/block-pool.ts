/** Every fragment of an upload session but the last is a multiple of this (Microsoft's rules). */
export const blockBytes = 320 * 1024;
// Whoever comes later finds these, however much earlier uploads hold and however long the library makes them wait.
const reservedBlocks = 4;

export interface PoolMember {
  /** There may be a block, or a share, that was not there before. */
  onChange(): void;
  /** Gives up what is only kept in case it is needed again. */
  spare(): readonly Buffer[];
}

/**
 * The memory of all uploads of the process: a fixed number of blocks, each made when it is first needed and reused from
 * then on. Uploads share them evenly; a window that holds more than its share, because others came later, gets no
 * further block until it is below.
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

  /** How many blocks one upload may hold at the moment. */
  get share(): number {
    const even = Math.floor(this.#limit / Math.max(1, this.#members.size));
    return Math.max(1, Math.min(even, this.#limit - reservedBlocks));
  }

  enter(member: PoolMember): void {
    this.#members.add(member);
  }

  leave(member: PoolMember): void {
    this.#members.delete(member);
    this.#changed();
  }

  /** Whether somebody waits for a block. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** A block for an upload that holds so many, or undefined for now. Its content is left over from other uploads. */
  take(held: number): Buffer | undefined {
    if (held >= this.share) return undefined;
    if (this.#idle.length > 0) return this.#idle.pop();
    if (this.#made < this.#limit) {
      this.#made += 1;
      return Buffer.allocUnsafeSlow(blockBytes);
    }
    for (const member of this.#members) for (const block of member.spare()) this.#idle.push(block);
    this.#isShort = this.#idle.length === 0;
    return this.#idle.pop();
  }

  give(blocks: readonly Buffer[]): void {
    if (blocks.length === 0) return;
    for (const block of blocks) this.#idle.push(block);
    this.#changed();
  }

  #changed(): void {
    this.#isShort = false;
    for (const member of this.#members) member.onChange();
  }
}
