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

type Entries = Record<string, { readonly lastModified: number; readonly at: number }>;

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
      return JSON.parse(storage().getItem(storeKey) ?? '{}') as Entries;
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
