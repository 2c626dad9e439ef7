/** Rejects with the signal's reason when aborted. Ends early when the browser is online again. */
type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface Timing {
  readonly pause: Pause;
  /** Monotonic, in ms. */
  readonly now: () => number;
  readonly random: () => number;
}

// Node has no such events.
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

const pause: Pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      page.removeEventListener?.('online', settle);
      signal?.removeEventListener('abort', settle);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(settle, ms);
    page.addEventListener?.('online', settle);
    signal?.addEventListener('abort', settle);
    if (signal?.aborted) settle();
  });

export const realTiming: Timing = { pause, now: () => performance.now(), random: Math.random };
