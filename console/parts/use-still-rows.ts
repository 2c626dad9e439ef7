import { useMemo, useState, type PointerEvent } from 'react';
import { withoutNew, type StillRows } from '../base/new-rows.ts';

interface Held {
  readonly list: string;
  /** Ids of the rows that are shown. */
  readonly known: ReadonlySet<string>;
}

/**
 * While a mouse is over the rows, new ones are left out and counted, so that a click hits what the user sees. Changed rows
 * change, and removed ones go.
 *
 * @param list names the list: the rows of another one are shown immediately
 */
export function useStillRows<T>(rows: readonly T[], idOf: (row: T) => string, list: string) {
  const [held, setHeld] = useState<Held>();
  const hold = (): void => setHeld({ list, known: new Set(rows.map(idOf)) });
  if (held && held.list !== list) hold();
  const still = useMemo<StillRows<T>>(
    () => (held?.list === list ? withoutNew(rows, held.known, idOf) : { shown: rows, hidden: 0 }),
    [rows, held, list, idOf],
  );
  const handlers = {
    onPointerEnter: ({ pointerType }: PointerEvent): void => {
      // A finger is over a row only as long as it touches it.
      if (pointerType === 'mouse') hold();
    },
    onPointerLeave: (): void => setHeld(undefined),
  };
  return { ...still, handlers, showAll: hold };
}
