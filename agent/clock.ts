import { setTimeout as delay } from 'node:timers/promises';

/** Time as an argument, so that tests decide how an hour passes. */
export interface Clock {
  /** Milliseconds since 1970, UTC. Wall-clock time: it goes on while the machine sleeps, as the service's leases do. */
  now(): number;
  /** Resolves after `ms`, or at once when `signal` is or becomes aborted; it never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    if (signal?.aborted) return;
    await delay(ms, undefined, signal && { signal }).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
  },
};
