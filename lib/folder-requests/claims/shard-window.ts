import type { Indexed } from '../table/rows.ts';

/** Waiting requests of one shard, oldest first, as recently read. */
export class ShardWindow {
  readonly shard: number;
  #requests: readonly Indexed[];
  #mayHaveMore: boolean;

  constructor(
    shard: number,
    { requests, mayHaveMore }: { readonly requests: readonly Indexed[]; readonly mayHaveMore: boolean },
  ) {
    this.shard = shard;
    this.#requests = requests;
    this.#mayHaveMore = mayHaveMore;
  }

  get requests(): readonly Indexed[] {
    return this.#requests;
  }

  /** The shard has more that some call can serve, or, after a conflict, other rows than were read. */
  get mayHaveMore(): boolean {
    return this.#mayHaveMore;
  }

  /** Removes what a batch has tried to claim. */
  drop(tried: readonly Indexed[]): void {
    const gone = new Set(tried);
    this.#requests = this.#requests.filter((waiting) => !gone.has(waiting));
  }

  /** Some of what was tried is not claimed: the shard is read again. */
  noteUnclaimed(): void {
    this.#mayHaveMore = true;
  }
}
