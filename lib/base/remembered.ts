import type { Clock } from '../contract/clock.ts';

interface Known<T> {
  readonly value: T;
  /** When the reading began. */
  readonly readAtMs: number;
}

/** A reading that serves all callers until it is too old for them or known to have changed. */
export class Remembered<T> {
  readonly #read: () => Promise<T>;
  readonly #clock: Clock;
  #last: Known<T> | undefined;
  #reading: Promise<T> | undefined;

  /** @param read must end in bounded time, since all callers wait for one reading */
  constructor(read: () => Promise<T>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** What was read last, of any age. */
  get last(): Known<T> | undefined {
    return this.#last;
  }

  /**
   * Callers share a reading in progress. A failure is not remembered.
   *
   * @param freshMs a younger value is not read again
   * @param maxAgeMs a value between the two is read again in the background
   */
  get(freshMs: number, maxAgeMs = freshMs): Promise<T> {
    const last = this.#last;
    const ageMs = last ? this.#clock.now() - last.readAtMs : Infinity;
    if (last && ageMs < freshMs) return Promise.resolve(last.value);
    this.#reading ??= this.#begin();
    return last && ageMs < maxAgeMs ? Promise.resolve(last.value) : this.#reading;
  }

  #begin(): Promise<T> {
    const readAtMs = this.#clock.now();
    const reading = this.#read();
    const end = (last: Known<T> | undefined): void => {
      // Else it has been forgotten.
      if (this.#reading !== reading) return;
      this.#reading = undefined;
      this.#last = last;
    };
    reading.then(
      (value) => end({ value, readAtMs }),
      () => end(this.#last),
    );
    return reading;
  }

  /**
   * Brings the value up to date. If `change` returns false, or a reading is in progress, which may have begun too early, the
   * next caller reads again.
   */
  update(change: (value: T) => boolean): void {
    if (!this.#last || this.#reading || !change(this.#last.value)) this.forget();
  }

  /** The next caller reads again. */
  forget(): void {
    this.#reading = undefined;
    if (this.#last) this.#last = { ...this.#last, readAtMs: -Infinity };
  }
}
