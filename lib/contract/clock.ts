/** The injected clock: tests control how time passes. */
export interface Clock {
  /** Milliseconds since 1970, UTC. Wall-clock time, which continues while the machine sleeps, as the service's leases do. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', settle);
        resolve();
      };
      const timer = setTimeout(settle, ms);
      signal?.addEventListener('abort', settle);
    }),
};
