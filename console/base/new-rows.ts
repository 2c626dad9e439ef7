/** The rows of a list without those that have come between or before the known ones. */
export interface StillRows<T> {
  readonly shown: readonly T[];
  /** Rows that are left out. */
  readonly hidden: number;
}

/** What follows the last known row is shown too: it moves nothing. Of a list without any known row, all are shown. */
export function withoutNew<T>(
  rows: readonly T[],
  known: ReadonlySet<string>,
  idOf: (row: T) => string,
): StillRows<T> {
  const end = rows.findLastIndex((row) => known.has(idOf(row)));
  const shown = rows.filter((row, index) => index > end || known.has(idOf(row)));
  return { shown, hidden: rows.length - shown.length };
}
