/** A bound on work in flight, in the order of the calls, counted in units (operations or bytes). */
export class Semaphore {
  readonly #total: number;
  #free: number;
  readonly #waiting: { readonly units: number; readonly enter: () => void }[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  /** Resolves with the function that releases the units. A request for more than the total acquires all of them. */
  async acquire(units = 1): Promise<() => void> {
    const wanted = Math.min(units, this.#total);
    if (this.#waiting.length > 0 || wanted > this.#free) {
      await new Promise<void>((enter) => this.#waiting.push({ units: wanted, enter }));
    } else {
      this.#free -= wanted;
    }
    return () => this.#release(wanted);
  }

  /** Runs a task that holds the units. */
  async run<T>(task: () => Promise<T>, units = 1): Promise<T> {
    const release = await this.acquire(units);
    try {
      return await task();
    } finally {
      release();
    }
  }

  #release(units: number): void {
    this.#free += units;
    for (let next = this.#waiting[0]; next && next.units <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.units;
      next.enter();
    }
  }
}
