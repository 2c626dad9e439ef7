import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until `isDone`, at intervals of a twentieth of the time waited: a long wait ends at most 5 % later than it could, and
 * does not occupy the service with hundreds of requests. The limit only ends a wait that would never end, so it is generous.
 */
export async function until<T>(
  what: string,
  read: () => T | Promise<T>,
  isDone: (value: T) => boolean,
  limitMs = 60_000,
): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > limitMs) {
      throw new Error(
        `${what} did not happen within ${limitMs / 1000} s; last seen: ${JSON.stringify(value)}`,
      );
    }
    await delay(Math.min(Math.max(20, waitedMs / 20), 250));
  }
}
