/**
 * The history of a request, in columns of its record: `history_00` has the first entry, and the newest 49 follow each other in
 * `history_01` to `history_49` as in a ring. A transition thus writes its own entries, without having read the others.
 */
import * as z from 'zod';
import { valueOfJson } from '../../contract/json.ts';
import { folderRequestWithHistory, type FolderRequestHistoryEntry } from '../../contract/folder-requests.ts';

const storedEntry = folderRequestWithHistory.shape.history.element
  .omit({ at: true })
  .extend({ atMs: z.number().max(8.64e15) });

/** One transition of a request. */
export type HistoryEntry = Readonly<z.output<typeof storedEntry>>;

export type History = readonly HistoryEntry[];

const maxEntries = 50;
const maxMessageLength = 500;

/** The column of the entry with this number, from 0. */
function columnOf(number: number): string {
  const place = number === 0 ? 0 : 1 + ((number - 1) % (maxEntries - 1));
  return `history_${String(place).padStart(2, '0')}`;
}

/** The columns that a transition writes: the entries that it adds to the `transitions - added.length` before it. */
export function historyColumns({
  transitions,
  added,
}: {
  readonly transitions: number;
  readonly added: History;
}): Record<string, string> {
  const first = transitions - added.length;
  return Object.fromEntries(
    added.map(({ message, ...entry }, at) => [
      columnOf(first + at),
      JSON.stringify({
        ...entry,
        ...(message !== undefined && { message: cutText(message, maxMessageLength) }),
      }),
    ]),
  );
}

/**
 * The wire form of the history of a record with this number of transitions: the first entry and the newest ones. An invalid edit
 * by hand is left out.
 */
export function historyIn(
  row: Readonly<Record<string, unknown>>,
  transitions: number,
): FolderRequestHistoryEntry[] {
  const newest = Math.max(1, transitions - (maxEntries - 1));
  const numbers = [0, ...Array.from({ length: Math.max(0, transitions - newest) }, (_, at) => newest + at)];
  return numbers.flatMap((number) => {
    const stored = storedEntry.safeParse(valueOfJson(row[columnOf(number)]));
    if (!stored.success) return [];
    const { atMs, ...entry } = stored.data;
    return [{ at: new Date(atMs).toISOString(), ...entry }];
  });
}

/** Cut at a whole character, with an ellipsis inside the limit; line separators break Azurite's transactions. */
export function cutText(text: string, maxLength: number): string {
  const whole = text.replaceAll(/[\u2028\u2029]/g, '\n').toWellFormed();
  if (whole.length <= maxLength) return whole;
  return `${whole.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
