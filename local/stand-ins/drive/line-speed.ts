import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps one transfer at the speed of a line: whoever has moved bytes waits until the line would have moved them. */
export class LineSpeed {
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
    // Timers are no finer than this; what is left over is waited for with the next bytes.
    if (aheadMs >= 1) await sleep(aheadMs);
  }
}
