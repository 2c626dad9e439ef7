import { useSyncExternalStore } from 'react';

type ColorScheme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
/** The choice for this tab; overrides the system's. */
let chosen: ColorScheme | undefined;

const scheme = (): ColorScheme => chosen ?? (system.matches ? 'dark' : 'light');

export function chooseColorScheme(next: ColorScheme): void {
  chosen = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  system.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener('change', listener);
  };
}

export const useColorScheme = (): ColorScheme => useSyncExternalStore(subscribe, scheme);
