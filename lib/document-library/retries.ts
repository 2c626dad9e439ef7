import { setTimeout as delay } from 'node:timers/promises';

/** Waits between tries. Time and chance are arguments. */
export interface Pace {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  readonly random: () => number;
}

export const realPace: Pace = {
  wait: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {});
  },
  random: () => Math.random(),
};

// A caller is waiting for an answer: what the library asks to wait beyond this is the caller's decision (503).
const longestWaitMs = 15_000;

/**
 * How long to wait before try `attempt + 1`, or null to give up: what the library asks for, or 0.25 s doubled each
 * time with half of it random, so that callers refused together do not come back together.
 *
 * @param attempt 1 after the first failure
 */
export function waitBeforeRetryMs(
  attempt: number,
  maxAttempts: number,
  retryAfterSeconds: number | undefined,
  random: () => number,
): number | null {
  if (attempt >= maxAttempts) return null;
  if (retryAfterSeconds !== undefined) {
    const askedMs = retryAfterSeconds * 1000;
    return askedMs > longestWaitMs ? null : askedMs;
  }
  return 250 * 2 ** (attempt - 1) * (0.5 + random() / 2);
}
