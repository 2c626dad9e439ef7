import type { FolderRequestHistoryEntry } from '../contract/folder-requests.ts';

/** One transition of a request. */
export interface HistoryEntry {
  readonly atMs: number;
  readonly event: FolderRequestHistoryEntry['event'];
  readonly agentId?: string;
  readonly userId?: string;
  readonly message?: string;
}

export type History = readonly HistoryEntry[];

const maxEntries = 50;
const maxMessageLength = 500;
// A column holds 32,768 UTF-16 units. With ids of 200 and messages of 500 characters, fewer than 50 entries exceed that.
const maxTextLength = 30_000;

/** Appends an entry. When the history becomes too long, the first entry and the newest ones are kept. */
export function withEntry(history: History, { message, ...entry }: HistoryEntry): History {
  const next = [...history, { ...entry, ...(message !== undefined && { message: shortened(message) }) }];
  while (next.length > maxEntries || (next.length > 2 && textOf(next).length > maxTextLength))
    next.splice(1, 1);
  return next;
}

/** The form stored in a row. Names are short because every transition writes the whole history. */
export const textOf = (history: History): string =>
  JSON.stringify(
    history.map(({ atMs, event, agentId, userId, message }) => ({
      t: atMs,
      e: event,
      a: agentId,
      u: userId,
      m: message,
    })),
  );

/** Reads the column of a row. Empty for requests of releases without a history, and after an invalid edit by hand. */
export function historyOf(text: unknown): History {
  if (typeof text !== 'string' || text === '') return [];
  try {
    const entries = JSON.parse(text) as {
      t: number;
      e: HistoryEntry['event'];
      a?: string;
      u?: string;
      m?: string;
    }[];
    return entries.map(({ t, e, a, u, m }) => ({
      atMs: t,
      event: e,
      ...(a !== undefined && { agentId: a }),
      ...(u !== undefined && { userId: u }),
      ...(m !== undefined && { message: m }),
    }));
  } catch {
    return [];
  }
}

/** The wire form. */
export const wireHistory = (history: History): FolderRequestHistoryEntry[] =>
  history.map(({ atMs, ...entry }) => ({ at: new Date(atMs).toISOString(), ...entry }));

/** Cut at a whole character, with an ellipsis inside the limit; line separators break Azurite's transactions. */
function shortened(text: string): string {
  const message = text.replaceAll(/[\u2028\u2029]/g, '\n').toWellFormed();
  if (message.length <= maxMessageLength) return message;
  return `${message.slice(0, maxMessageLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
