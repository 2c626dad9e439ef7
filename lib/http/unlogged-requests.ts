import type { EventLog } from '../base/event-log.ts';

const windowMs = 300_000;

/**
 * Counts responses that are not logged one by one. When an instance ends, the counts since its last line are lost.
 *
 * @returns adds a response; `nowMs` is monotonic
 */
export function unloggedRequests(status: number) {
  let sinceMs: number | undefined;
  let count = 0;
  let maxMs = 0;
  return (log: EventLog, durationMs: number, nowMs: number): void => {
    sinceMs ??= nowMs;
    count += 1;
    maxMs = Math.max(maxMs, durationMs);
    if (nowMs - sinceMs < windowMs) return;
    log.info('requests_unlogged', { status, count, maxMs: Math.round(maxMs * 10) / 10 });
    sinceMs = nowMs;
    count = 0;
    maxMs = 0;
  };
}
