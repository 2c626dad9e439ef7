/** Rejects with the signal's reason when aborted. Ends early when the browser is online again. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

// Node has no such events.
const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;

export const pause: Pause = (ms, signal) =>
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
