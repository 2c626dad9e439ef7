import { backoffMs } from '../lib/contract/retry.ts';

// The delays of the agent, as functions of what happened and of a random number from [0, 1), so that agents that were
// started, or sent away, at the same moment spread.

/** A gateway in trouble may ask for any wait; agents that sleep long after an outage are a fault of their own. */
export const longestRetryAfterMs = 3_600_000;

/** How far an idle delay may be from the interval: enough to spread agents within minutes, the mean stays the interval. */
const idleSpread = 0.2;

/** The wait after a claim that found nothing: the interval ± 20 %. */
export function idleDelayMs(pollIntervalMs: number, random: number): number {
  return Math.round(pollIntervalMs * (1 - idleSpread + 2 * idleSpread * random));
}

export interface FailureDelay {
  /** Failures in a row, the present one included: 1 after the first. */
  readonly failures: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** What the other side asked for in `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The wait after a failure, with full jitter: the ceiling is base, 2 base, 4 base … up to the maximum. `Retry-After` is a lower bound that
 * the jitter is added to, so that agents sent away together do not come back together.
 */
export function failureDelayMs(
  { failures, baseMs, maxMs, retryAfterMs = 0 }: FailureDelay,
  random: number,
): number {
  const delayMs = backoffMs({ failures, baseMs, maxMs, jitter: 'full' }, random);
  return Math.min(retryAfterMs, longestRetryAfterMs) + delayMs;
}
