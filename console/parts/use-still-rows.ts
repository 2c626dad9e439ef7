import { useEventCallback } from '@fluentui/react-components';
import { useCallback, useMemo, useState } from 'react';
import { allShown, keptStill, type StillRows } from '../base/still-rows.ts';

interface Held<T> {
  readonly list: string;
  /** The rows that were shown. */
  readonly rows: readonly T[];
}

/**
 * From a move of the mouse over the rows until it leaves them or a key is pressed, no row moves, so that a click hits what the
 * user sees: new ones are left out and counted, those that have gone remain. Changed rows change.
 *
 * @param list names the list: the rows of another one are shown immediately
 * @returns `ref` is of the element with the rows
 */
export function useStillRows<T>(rows: readonly T[], idOf: (row: T) => string, list: string) {
  const [held, setHeld] = useState<Held<T>>();
  const showAll = useEventCallback(() => setHeld({ list, rows }));
  if (held && held.list !== list) setHeld({ list, rows });
  const still = useMemo<StillRows<T>>(
    () => (held?.list === list ? keptStill(rows, held.rows, idOf) : allShown(rows)),
    [rows, held, list, idOf],
  );
  // A finger is over a row only as long as it touches it. A mouse that does not move, for instance after a dialog has closed
  // above the rows, chooses none: what the user has just made is shown.
  const hold = useEventCallback(({ pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse' && !held) showAll();
  });
  // Not by properties of the element: React's events also come from the dialogs of a row.
  const ref = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined;
      const release = (): void => setHeld(undefined);
      element.addEventListener('pointermove', hold);
      element.addEventListener('pointerleave', release);
      // Who uses the keyboard is not about to click, and the dialog of a row that goes ends with it.
      addEventListener('keydown', release);
      return () => {
        removeEventListener('keydown', release);
        element.removeEventListener('pointermove', hold);
        element.removeEventListener('pointerleave', release);
      };
    },
    [hold],
  );
  return { ...still, ref, showAll };
}
