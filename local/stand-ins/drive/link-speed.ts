import { setTimeout as sleep } from 'node:timers/promises';

/** Limits one transfer to the bandwidth of a link: after moving bytes, the caller waits as long as the link would need. */
export class LinkSpeed {
  readonly #bytesPerSecond: number | null;
  readonly #startedAt = performance.now();
  #bytes = 0;

  constructor(bytesPerSecond: number | null) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async moved(bytes: number): Promise<void> {
    if (this.#bytesPerSecond === null) return;
    this.#bytes += bytes;
    const aheadMs = (this.#bytes / this.#bytesPerSecond) * 1000 - (performance.now() - this.#startedAt);
    // Timers are not more precise than this; the rest is added to the wait after the next bytes.
    if (aheadMs >= 1) await sleep(aheadMs);
  }
}
