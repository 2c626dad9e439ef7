/** A choice that survives a reload. */
export interface StoredChoice<T extends string> {
  /** Undefined before the first choice. */
  readonly current: () => T | undefined;
  /** Undefined undoes the choice. */
  readonly choose: (chosen: T | undefined) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * @param key in the browser's storage
 * @param values what can be chosen; anything else in the storage is ignored
 * @param storage may throw, because it is full or switched off: the choice then lasts until the tab is closed
 */
export function storedChoice<T extends string>(
  key: string,
  values: readonly T[],
  storage: () => Store,
): StoredChoice<T> {
  const listeners = new Set<() => void>();
  const stored = attempt(() => storage().getItem(key));
  let current = values.find((value) => value === stored);
  return {
    current: () => current,
    choose: (chosen) => {
      current = chosen;
      attempt(() => (chosen === undefined ? storage().removeItem(key) : storage().setItem(key, chosen)));
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Accesses a storage that may throw. */
export function attempt<R>(access: () => R): R | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
