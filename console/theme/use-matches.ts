import { useSyncExternalStore } from 'react';

/** Whether the window matches the media query (with or without `@media`). */
export function useMatches(query: string): boolean {
  const media = matchMedia(query.replace('@media', '').trim());
  return useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => media.matches,
  );
}
