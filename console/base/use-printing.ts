import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/**
 * Whether the page is being printed, in time for the print to show what then is rendered. For who hands over a project's list on
 * paper or as PDF: documents have no export, and a print of the 30 rows that exist would look complete.
 */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const media = matchMedia('print');
    const set = (isPrinting: boolean) => flushSync(() => setPrinting(isPrinting));
    const begin = () => set(true);
    const end = () => set(false);
    const change = () => set(media.matches);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    media.addEventListener('change', change);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
      media.removeEventListener('change', change);
    };
  }, []);
  return isPrinting;
}
