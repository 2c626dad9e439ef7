import { useEffect } from 'react';

/** Tells the tabs and the history of projects apart, as long as the project is shown. */
export function useProjectTitle(name: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${name} – ${before}`;
    return () => void (document.title = before);
  }, [name]);
}
