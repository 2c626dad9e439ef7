import { ApiProblem } from '../openapi/api-problem.ts';

/** For callers that say nothing about it. */
const defaultWaitSeconds = 5;

/**
 * Repeats a call that exceeds the gateway's limit of calls per minute, each time after the wait that the response demands.
 *
 * @param wait rejects when the signal aborts
 */
export async function patiently<T>(
  call: () => Promise<T>,
  signal?: AbortSignal,
  wait: (ms: number, signal?: AbortSignal) => Promise<void> = delay,
): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 429) throw error;
      await wait((error.retryAfterSeconds ?? defaultWaitSeconds) * 1000, signal);
    }
  }
}

function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
