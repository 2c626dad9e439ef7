import { useCallback, useMemo, useState } from 'react';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  /** Selects all of them, or none if all are selected. */
  readonly toggleAll: (ids: readonly string[]) => void;
  readonly select: (ids: readonly string[]) => void;
  readonly clear: () => void;
}

/** The rows that the user has checked. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set());
  const toggle = useCallback((id: string) => setIds((given) => toggleId(given, id)), []);
  const toggleAll = useCallback((all: readonly string[]) => setIds((given) => allToggled(given, all)), []);
  const select = useCallback((all: readonly string[]) => setIds(new Set(all)), []);
  const clear = useCallback(() => setIds(new Set()), []);
  return useMemo(() => ({ ids, toggle, toggleAll, select, clear }), [ids, toggle, toggleAll, select, clear]);
}

function toggleId(given: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(given);
  if (!next.delete(id)) next.add(id);
  return next;
}

function allToggled(given: ReadonlySet<string>, all: readonly string[]): ReadonlySet<string> {
  return new Set(all.every((id) => given.has(id)) ? [] : all);
}
