import { useEventCallback } from '@fluentui/react-components';
import { useCallback, useMemo, useState } from 'react';
import { withoutNew, type StillRows } from '../base/new-rows.ts';

interface Held {
  readonly list: string;
  /** Ids of the rows that are shown. */
  readonly known: ReadonlySet<string>;
}

/**
 * From a move of the mouse over the rows until it leaves them, new ones are left out and counted, so that a click hits what
 * the user sees. Changed rows change, and removed ones go.
 *
 * @param list names the list: the rows of another one are shown immediately
 * @returns `ref` is of the element with the rows
 */
export function useStillRows<T>(rows: readonly T[], idOf: (row: T) => string, list: string) {
  const [held, setHeld] = useState<Held>();
  const showAll = useEventCallback(() => setHeld({ list, known: new Set(rows.map(idOf)) }));
  if (held && held.list !== list) setHeld({ list, known: new Set(rows.map(idOf)) });
  const still = useMemo<StillRows<T>>(
    () => (held?.list === list ? withoutNew(rows, held.known, idOf) : { shown: rows, hidden: 0 }),
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
      return () => {
        element.removeEventListener('pointermove', hold);
        element.removeEventListener('pointerleave', release);
      };
    },
    [hold],
  );
  return { ...still, ref, showAll };
}
