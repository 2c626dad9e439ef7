import { backoffMs } from '../contract/retry.ts';

// The caller is waiting for the response: longer waits are left to the caller (503).
const defaultLongestWaitMs = 15_000;

/**
 * How long to wait before attempt `attempt + 1`, or null to give up: the library's `Retry-After`, or else 0.25 s doubled
 * each time with a random half, so callers that were rejected together do not return together.
 *
 * @param attempt 1 after the first failure
 * @param longestWaitMs the longest accepted `Retry-After`
 */
export function waitBeforeRetryMs(
  attempt: number,
  maxAttempts: number,
  retryAfterSeconds: number | undefined,
  longestWaitMs = defaultLongestWaitMs,
): number | null {
  if (attempt >= maxAttempts) return null;
  if (retryAfterSeconds !== undefined) {
    const askedMs = retryAfterSeconds * 1000;
    return askedMs > longestWaitMs ? null : askedMs;
  }
  return backoffMs(attempt, 250);
}
