import { useSyncExternalStore } from 'react';
import { storedChoice } from '../base/stored-choice.ts';

type ColorScheme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const ofSystem = (): ColorScheme => (system.matches ? 'dark' : 'light');
const choice = storedChoice<ColorScheme>('theme', ['light', 'dark'], () => localStorage);

/** The system's scheme, once chosen, is followed again. */
export function chooseColorScheme(next: ColorScheme): void {
  choice.choose(next === ofSystem() ? undefined : next);
}

function subscribe(listener: () => void): () => void {
  const stop = choice.subscribe(listener);
  system.addEventListener('change', listener);
  return () => {
    stop();
    system.removeEventListener('change', listener);
  };
}

export const useColorScheme = (): ColorScheme =>
  useSyncExternalStore(subscribe, () => choice.current() ?? ofSystem());
