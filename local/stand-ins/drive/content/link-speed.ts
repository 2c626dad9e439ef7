import { setTimeout as sleep } from 'node:timers/promises';

/** Null for no limit. */
export type BytesPerSecond = () => number | null;

const longestSleepMs = 100;

/**
 * Limits one transfer to the bandwidth of a link: after moving bytes, the caller waits as long as the link would need. A
 * change of the bandwidth applies to a wait that has begun.
 */
export class LinkSpeed {
  readonly #bytesPerSecond: BytesPerSecond;
  /** Bytes that the link has not moved yet; negative after a pause of the sender. */
  #waiting = 0;
  #countedAt = performance.now();

  constructor(bytesPerSecond: BytesPerSecond) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async waitFor(bytes: number): Promise<void> {
    this.#waiting += bytes;
    for (;;) {
      const bytesPerMs = (this.#bytesPerSecond() ?? Infinity) / 1000;
      const now = performance.now();
      if (bytesPerMs === Infinity) this.#waiting = 0;
      else this.#waiting -= (now - this.#countedAt) * bytesPerMs;
      this.#countedAt = now;
      const aheadMs = this.#waiting / bytesPerMs;
      // Timers are not more precise than this; the rest is added to the wait after the next bytes.
      if (aheadMs < 1) return;
      await sleep(Math.min(aheadMs, longestSleepMs));
    }
  }
}
