/** Rejects with the signal's reason when aborted. Ends early when the browser is online again. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export const pause: Pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      // Node has no such events.
      globalThis.removeEventListener?.('online', settle);
      signal?.removeEventListener('abort', settle);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(settle, ms);
    globalThis.addEventListener?.('online', settle);
    signal?.addEventListener('abort', settle);
    if (signal?.aborted) settle();
  });
