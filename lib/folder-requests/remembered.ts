import type { Clock } from '../contract/clock.ts';

interface Reading<T> {
  readonly value: Promise<T>;
  readonly startedMs: number;
  /** Set when the reading has completed. */
  arrived?: { readonly value: T };
}

/** A reading that serves all callers until it is too old or known to have changed. */
export class Remembered<T> {
  readonly #read: () => Promise<T>;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  #kept: Reading<T> | undefined;

  constructor(read: () => Promise<T>, maxAgeMs: number, clock: Clock) {
    this.#read = read;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  /** Callers that arrive while it is being read share the reading. A failure is not remembered. */
  get(): Promise<T> {
    const nowMs = this.#clock.now();
    if (this.#kept && nowMs - this.#kept.startedMs < this.#maxAgeMs) return this.#kept.value;
    const kept: Reading<T> = { value: this.#read(), startedMs: nowMs };
    this.#kept = kept;
    kept.value.then(
      (value) => {
        kept.arrived = { value };
      },
      () => {
        if (this.#kept === kept) this.#kept = undefined;
      },
    );
    return kept.value;
  }

  /**
   * Brings the value up to date. If `change` returns false, or a reading is in progress, which may have begun too early, the
   * next caller reads again.
   */
  update(change: (value: T) => boolean): void {
    const arrived = this.#kept?.arrived;
    if (!arrived || !change(arrived.value)) this.forget();
  }

  /** The next caller reads again. */
  forget(): void {
    this.#kept = undefined;
  }
}
