import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useUser } from '../../../session/use-session.ts';
import { knownProjectsIn, withOpened, withPinned, type KnownProject } from './known-projects.ts';

const listeners = new Set<() => void>();
/** Also of a browser whose storage is full or switched off: until the tab is closed. */
const texts = new Map<string, string | null>();

function stored(key: string): string | null {
  if (!texts.has(key)) {
    try {
      texts.set(key, localStorage.getItem(key));
    } catch {
      texts.set(key, null);
    }
  }
  return texts.get(key) ?? null;
}

function store(key: string, known: readonly KnownProject[]): void {
  const text = JSON.stringify(known);
  texts.set(key, text);
  try {
    localStorage.setItem(key, text);
  } catch {
    // This tab knows it.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The projects that the signed-in person has opened in this browser, latest first. Others at the same computer have their own. */
export function useKnownProjects() {
  const key = `projects of ${useUser().id}`;
  const text = useSyncExternalStore(subscribe, () => stored(key));
  return useMemo(
    () => ({
      known: knownProjectsIn(text),
      pin: (id: string, isPinned: boolean) =>
        store(key, withPinned(knownProjectsIn(stored(key)), id, isPinned)),
      note: (project: Omit<KnownProject, 'isPinned'>) =>
        store(key, withOpened(knownProjectsIn(stored(key)), project)),
    }),
    [key, text],
  );
}

/** Notes that the project is shown. */
export function useNoteProject({ id, number, name }: Omit<KnownProject, 'isPinned'>): void {
  const { note } = useKnownProjects();
  useEffect(() => note({ id, number, name }), [id, number, name]);
}
