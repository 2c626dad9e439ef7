import type { Clock } from '../../lib/contract/clock.ts';

interface Timer {
  dueMs: number;
  readonly ring: () => void;
}

/**
 * A clock that a test advances. `rushing`: every wait ends immediately and advances the clock by its duration, for loops
 * with one wait at a time.
 */
export class VirtualClock implements Clock {
  /** Every requested wait, in milliseconds. */
  readonly waits: number[] = [];
  readonly #rushing: boolean;
  readonly #timers = new Set<Timer>();
  #nowMs: number;

  constructor({ rushing = false, nowMs = Date.now() } = {}) {
    this.#rushing = rushing;
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(ms);
    if (signal?.aborted) return;
    if (this.#rushing) {
      this.#nowMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    await new Promise<void>((resolve) => {
      const ring = () => {
        this.#timers.delete(timer);
        signal?.removeEventListener('abort', ring);
        resolve();
      };
      const timer = { dueMs: this.#nowMs + ms, ring };
      this.#timers.add(timer);
      signal?.addEventListener('abort', ring);
    });
  }

  /** Number of pending waits. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the clock; the waits that are due end in the order of their times. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs);
    for (const { ring } of due.sort((a, b) => a.dueMs - b.dueMs)) ring();
  }

  /** The time changes, and no wait ends sooner or later by it: the machine has slept, or somebody has set the clock. */
  jump(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#timers) timer.dueMs += ms;
  }

  /** Resolves when a wait is pending. */
  async untilWaiting(): Promise<void> {
    while (this.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
