import { backoffMs } from '../contract/retry.ts';

// A caller is waiting for an answer: what the library asks to wait beyond this is the caller's decision (503).
const defaultLongestWaitMs = 15_000;

/**
 * How long to wait before try `attempt + 1`, or null to give up: what the library asks for, or 0.25 s doubled each
 * time with half of it random, so that callers refused together do not come back together.
 *
 * @param attempt 1 after the first failure
 * @param longestWaitMs what the library may ask for
 */
export function waitBeforeRetryMs(
  attempt: number,
  maxAttempts: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
  longestWaitMs = defaultLongestWaitMs,
): number | null {
  if (attempt >= maxAttempts) return null;
  if (retryAfterSeconds !== undefined) {
    const askedMs = retryAfterSeconds * 1000;
    return askedMs > longestWaitMs ? null : askedMs;
  }
  return backoffMs({ failures: attempt, baseMs: 250, jitter: 'equal' }, random());
}
