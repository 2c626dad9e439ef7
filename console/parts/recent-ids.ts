/** Ids that this tab remembers, newest first, until it is closed. */
export interface RecentIds {
  readonly all: () => readonly string[];
  readonly remember: (id: string) => void;
  readonly forget: (id: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const kept = 50;

/** @param key of the list in sessionStorage */
export function recentIds(key: string): RecentIds {
  const listeners = new Set<() => void>();
  let ids = JSON.parse(sessionStorage.getItem(key) ?? '[]') as readonly string[];
  const set = (next: readonly string[]): void => {
    ids = next;
    sessionStorage.setItem(key, JSON.stringify(next));
    for (const listener of listeners) listener();
  };
  return {
    all: () => ids,
    remember: (id) => {
      if (ids[0] !== id) set([id, ...ids.filter((other) => other !== id)].slice(0, kept));
    },
    forget: (id) => set(ids.filter((other) => other !== id)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
