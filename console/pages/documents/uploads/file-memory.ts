import { pathOf } from '../project/folders.ts';
import type { FileIdentity, QueueParts } from './upload-queue.ts';

interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const storeKey = 'unfinished-uploads';
// The library keeps an upload for 15 minutes from its last fragment.
const keptMs = 24 * 3_600_000;
const maxEntries = 100;

interface Entry {
  readonly lastModified: number;
  readonly at: number;
}
type Entries = Record<string, Entry>;

const isEntry = (value: unknown): value is Entry => {
  const { lastModified, at } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>;
  return typeof lastModified === 'number' && typeof at === 'number';
};

/** @param text what another release of the page, or anything else, may have stored */
function entriesIn(text: string | null): Entries {
  const stored: unknown = JSON.parse(text ?? '{}');
  const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, Entry] => isEntry(entry[1])));
}

const keyOf = ({ projectId, fileName, size, ...folder }: FileIdentity): string =>
  JSON.stringify([projectId, pathOf(folder), fileName, size]);

/**
 * Remembers for a day when the files of unfinished uploads were last changed.
 *
 * @param storage may throw, because it is full or switched off: then nothing is remembered
 */
export function fileMemory(storage: () => Store, now: () => number = Date.now): QueueParts['memory'] {
  const read = (): Entries => {
    try {
      return entriesIn(storage().getItem(storeKey));
    } catch {
      return {};
    }
  };
  const write = (entries: Entries): void => {
    const recent = Object.entries(entries)
      .filter(([, { at }]) => now() - at < keptMs)
      .slice(-maxEntries);
    try {
      storage().setItem(storeKey, JSON.stringify(Object.fromEntries(recent)));
    } catch {
      // The upload itself does not depend on it.
    }
  };
  return {
    remember: (identity, lastModified) => {
      const entries = read();
      const key = keyOf(identity);
      if (entries[key]?.lastModified !== lastModified)
        write({ ...entries, [key]: { lastModified, at: now() } });
    },
    recall: (identity) => read()[keyOf(identity)]?.lastModified,
    forget: (identity) => {
      const { [keyOf(identity)]: forgotten, ...rest } = read();
      if (forgotten) write(rest);
    },
  };
}
