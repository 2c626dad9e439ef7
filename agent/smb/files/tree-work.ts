import { ahead } from '../session/pipeline.ts';
import { Semaphore } from '../base/semaphore.ts';

/** Calls in flight at the same time, over all directories of a tree. */
const callsInFlight = 64;

/**
 * Work on the entries of a tree, many at the same time. The first failure aborts `signal` and is the one that `end`
 * throws, after all calls in flight have ended.
 */
export class TreeWork {
  readonly signal: AbortSignal;
  readonly #ending = new AbortController();
  readonly #calls = new Semaphore(callsInFlight);
  #failure: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]);
  }

  /** Performs one call on the server when it is its turn. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#calls.run(call);
    } catch (error) {
      this.#failure ??= { error };
      this.#ending.abort();
      throw error;
    }
  }

  /** Acts on all items, which may be directories that act on their own entries. */
  async all<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
    for await (const _ of ahead(items, act, callsInFlight));
  }

  async end(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      throw this.#failure === undefined ? error : this.#failure.error;
    }
  }
}
