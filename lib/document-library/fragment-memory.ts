/** Every fragment but the last is a multiple of this (Microsoft's upload session rules). */
export const fragmentUnitBytes = 320 * 1024;
// Microsoft's advice is 5 to 10 MiB; a request must stay below 60 MiB.
const largestFragmentUnits = 32;

/**
 * What all uploads of the process may hold of their files, shared evenly: an upload holds at most two fragments, one
 * on its way and one filling up. Nobody ever waits here; more uploads make smaller fragments.
 */
export class FragmentMemory {
  readonly #totalBytes: number;
  #uploads = 0;
  #heldBytes = 0;

  constructor(totalBytes: number) {
    this.#totalBytes = totalBytes;
  }

  enter(): () => void {
    this.#uploads += 1;
    return () => {
      this.#uploads -= 1;
    };
  }

  /** Bytes of the next fragment of one upload, at least one unit. */
  get fragmentBytes(): number {
    const share = this.#totalBytes / 2 / Math.max(1, this.#uploads);
    const units = Math.min(largestFragmentUnits, Math.max(1, Math.floor(share / fragmentUnitBytes)));
    return units * fragmentUnitBytes;
  }

  /** What an upload has taken in (positive) or let go of (negative). */
  count(bytes: number): void {
    this.#heldBytes += bytes;
  }

  /**
   * Whether nobody should hold more than the fragment on its way: uploads that began alone, with large fragments, may
   * still hold them when others come.
   */
  get isFull(): boolean {
    return this.#heldBytes >= this.#totalBytes;
  }
}
