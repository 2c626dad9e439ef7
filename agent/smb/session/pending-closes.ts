/**
 * Closes of files that were only read, whose callers go on without them. The server deletes or renames an entry only
 * when no handle is left: until then a directory is not empty, and a deleted file still has its name.
 */
export class PendingCloses {
  readonly #pending = new Set<Promise<unknown>>();

  /** Resolves when `close` has ended, also after its failure. */
  async add(close: Promise<unknown>): Promise<void> {
    this.#pending.add(close);
    await close.catch(() => {});
    this.#pending.delete(close);
  }

  /** Resolves when all that are pending now have ended. */
  async settled(): Promise<void> {
    if (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }
}
