import { setTimeout as delay } from 'node:timers/promises';

/** Polls until `isDone`; the limit only ends a wait that would never end, so it is generous. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isDone: (value: T) => boolean,
  limitMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await look();
    if (isDone(value)) return value;
    if (Date.now() > deadline) {
      throw new Error(
        `${what} did not happen within ${limitMs / 1000} s; last seen: ${JSON.stringify(value)}`,
      );
    }
    await delay(20);
  }
}
