import type { EventLog } from '../base/event-log.ts';

const windowMs = 300_000;

/** Counts responses that are not logged one by one. When an instance ends, the counts since its last line are lost. */
export class UnloggedRequests {
  readonly #status: number;
  #sinceMs: number | undefined;
  #count = 0;
  #totalMs = 0;
  #maxMs = 0;

  constructor(status: number) {
    this.#status = status;
  }

  /** @param nowMs monotonic */
  add(log: EventLog, durationMs: number, nowMs: number): void {
    this.#sinceMs ??= nowMs;
    this.#count += 1;
    this.#totalMs += durationMs;
    this.#maxMs = Math.max(this.#maxMs, durationMs);
    if (nowMs - this.#sinceMs < windowMs) return;
    log.info('requests_unlogged', {
      status: this.#status,
      count: this.#count,
      meanMs: rounded(this.#totalMs / this.#count),
      maxMs: rounded(this.#maxMs),
    });
    this.#sinceMs = nowMs;
    this.#count = 0;
    this.#totalMs = 0;
    this.#maxMs = 0;
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
