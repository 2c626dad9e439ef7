import type { Clock } from '../contract/clock.ts';

/** A reading that serves all callers until it is too old or known to have changed. */
export class Remembered<T> {
  readonly #read: () => Promise<T>;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  #kept: { readonly value: Promise<T>; readonly startedMs: number } | undefined;

  constructor(read: () => Promise<T>, maxAgeMs: number, clock: Clock) {
    this.#read = read;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  /** Callers that arrive while it is being read share the reading. A failure is not remembered. */
  get(): Promise<T> {
    const nowMs = this.#clock.now();
    if (this.#kept && nowMs - this.#kept.startedMs < this.#maxAgeMs) return this.#kept.value;
    const kept = { value: this.#read(), startedMs: nowMs };
    this.#kept = kept;
    kept.value.catch(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    return kept.value;
  }

  /** The next caller reads again, also when a reading is under way: it may have begun too early. */
  forget(): void {
    this.#kept = undefined;
  }
}
