import type { EventLog } from '../base/event-log.ts';

const windowMs = 300_000;

/** Counts responses that are not logged one by one. When an instance ends, the counts since its last line are lost. */
export class UnloggedRequests {
  readonly #status: number;
  #sinceMs: number | undefined;
  #count = 0;
  #maxMs = 0;

  constructor(status: number) {
    this.#status = status;
  }

  /** @param nowMs monotonic */
  add(log: EventLog, durationMs: number, nowMs: number): void {
    this.#sinceMs ??= nowMs;
    this.#count += 1;
    this.#maxMs = Math.max(this.#maxMs, durationMs);
    if (nowMs - this.#sinceMs < windowMs) return;
    log.info('requests_unlogged', {
      status: this.#status,
      count: this.#count,
      maxMs: Math.round(this.#maxMs * 10) / 10,
    });
    this.#sinceMs = nowMs;
    this.#count = 0;
    this.#maxMs = 0;
  }
}
