import type { Clock } from '../../../lib/contract/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly ring: () => void;
}

/** A clock whose time passes as fast as the machine computes what happens. */
export class SimulatedClock implements Clock {
  /** A binary heap: the earliest timer first. */
  readonly #timers: Timer[] = [];
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  wait(ms: number): Promise<void> {
    return new Promise((ring) => {
      const timer = { dueMs: this.#nowMs + ms, ring };
      let at = this.#timers.push(timer) - 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (this.#timers[parent]!.dueMs <= timer.dueMs) break;
        this.#timers[at] = this.#timers[parent]!;
        at = parent;
      }
      this.#timers[at] = timer;
    });
  }

  /** Advances to `untilMs`; whatever becomes due runs before the next timer. */
  async run(untilMs: number): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.#timers;
      if (!next || next.dueMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      // Rounded to a millisecond, so that one pass runs everything that is due together.
      while (this.#timers[0] && this.#timers[0].dueMs < this.#nowMs + 1) this.#take().ring();
    }
    this.#nowMs = untilMs;
  }

  #take(): Timer {
    const [first] = this.#timers;
    const last = this.#timers.pop()!;
    const { length } = this.#timers;
    if (length === 0) return last;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#timers[child + 1]!.dueMs < this.#timers[child]!.dueMs) child += 1;
      if (this.#timers[child]!.dueMs >= last.dueMs) break;
      this.#timers[at] = this.#timers[child]!;
      at = child;
    }
    this.#timers[at] = last;
    return first!;
  }
}
