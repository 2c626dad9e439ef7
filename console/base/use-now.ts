import { useSyncExternalStore } from 'react';

const stepMs = 10_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = new Date();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = new Date();
  timer ??= setInterval(() => {
    now = new Date();
    for (const each of listeners) each();
  }, stepMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time, updated every ten seconds by one timer for all components. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
