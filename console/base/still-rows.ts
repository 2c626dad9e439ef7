/** The rows of a list as they are shown while none may move. */
export interface StillRows<T> {
  readonly shown: readonly T[];
  /** How many new rows are left out. */
  readonly hidden: number;
  /** Ids of rows that are shown, and are not in the list any more. */
  readonly gone: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

export const allShown = <T>(rows: readonly T[]): StillRows<T> => ({ shown: rows, hidden: 0, gone: none });

/**
 * Each held row at its place, as it is now or was last; without new rows before or between them. What follows the last of
 * them is shown too: it moves nothing. Of a list without any held row, all are shown.
 */
export function keptStill<T>(rows: readonly T[], held: readonly T[], idOf: (row: T) => string): StillRows<T> {
  const isHeld = new Set(held.map(idOf));
  const end = rows.findLastIndex((row) => isHeld.has(idOf(row)));
  if (end === -1) return allShown(rows);
  const now = new Map(rows.map((row) => [idOf(row), row]));
  return {
    shown: [...held.map((row) => now.get(idOf(row)) ?? row), ...rows.slice(end + 1)],
    hidden: rows.slice(0, end).filter((row) => !isHeld.has(idOf(row))).length,
    gone: new Set([...isHeld].filter((id) => !now.has(id))),
  };
}
