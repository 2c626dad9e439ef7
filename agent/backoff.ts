import { type Backoff, backoffMs } from '../lib/contract/retry.ts';

/** A failing gateway may request any wait; agents that sleep long after an outage would be another outage. */
export const longestRetryAfterMs = 3_600_000;

/** How far an idle delay may differ from the interval: enough to spread agents within minutes; the mean is the interval. */
const idleSpread = 0.2;

/** The wait after a claim that found nothing: the interval ± 20 %, or less if the response is valid for less. */
export function idleDelayMs(pollIntervalMs: number, random: number, idleMs = Infinity): number {
  return Math.min(Math.round(pollIntervalMs * (1 - idleSpread + 2 * idleSpread * random)), idleMs);
}

/**
 * The wait after a failure, with full jitter: the ceiling is base, 2 base, 4 base … up to the maximum.
 *
 * @param delay `retryAfterMs` is what the response's `Retry-After` requests: a lower bound that the jitter is added to, so
 *   that agents rejected together do not return together
 */
export function failureDelayMs(
  { retryAfterMs = 0, ...backoff }: Omit<Backoff, 'jitter'> & { retryAfterMs?: number | undefined },
  random: number,
): number {
  return Math.min(retryAfterMs, longestRetryAfterMs) + backoffMs({ ...backoff, jitter: 'full' }, random);
}
