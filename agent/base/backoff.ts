/** A failing gateway may request any wait; agents that sleep long after an outage would be another outage. */
export const longestRetryAfterMs = 3_600_000;

/** How far an idle delay may differ from the interval: enough to spread agents within minutes; the mean is the interval. */
const idleSpread = 0.2;

/** The wait after a claim that found nothing: the interval ± 20 %, or less if the response is valid for less. */
export function idleDelayMs(pollIntervalMs: number, random: number, idleMs = Infinity): number {
  return Math.min(Math.round(pollIntervalMs * (1 - idleSpread + 2 * idleSpread * random)), idleMs);
}

export interface FailureDelay {
  /** Consecutive ones: 1 after the first. */
  readonly failures: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** What the response's `Retry-After` requests. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The wait after a failure, random up to base, 2 base, 4 base … and at most the maximum, for endless loops. `Retry-After` is a
 * lower bound that the jitter is added to, so that agents rejected together do not return together.
 */
export function failureDelayMs(
  { failures, baseMs, maxMs, retryAfterMs = 0 }: FailureDelay,
  random: number,
): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** (failures - 1));
  return Math.min(retryAfterMs, longestRetryAfterMs) + random * ceilingMs;
}
