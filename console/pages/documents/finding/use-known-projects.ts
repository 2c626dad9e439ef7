import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { attempt } from '../../../base/stored-choice.ts';
import { useUser } from '../../../session/use-session.ts';
import { knownProjectsIn, withOpened, withPinned, type KnownProject } from './known-projects.ts';

/** What the browser does not store, because its storage is full or switched off: known until the tab is closed. */
const unstored = new Map<string, string>();
const listeners = new Set<() => void>();

/** Not from a copy: another tab may have stored something else in the meantime. */
const read = (key: string): string | null =>
  unstored.get(key) ?? attempt(() => localStorage.getItem(key)) ?? null;

function store(key: string, known: readonly KnownProject[]): void {
  const text = JSON.stringify(known);
  unstored.set(key, text);
  attempt(() => {
    localStorage.setItem(key, text);
    unstored.delete(key);
  });
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Of the other tabs.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** The projects that the signed-in person has opened in this browser, latest first. Others at the same computer have their own. */
export function useKnownProjects() {
  const key = `projects of ${useUser().id}`;
  const text = useSyncExternalStore(subscribe, () => read(key));
  return useMemo(
    () => ({
      known: knownProjectsIn(text),
      pin: (id: string, isPinned: boolean) =>
        store(key, withPinned(knownProjectsIn(read(key)), id, isPinned)),
      note: (project: Omit<KnownProject, 'isPinned'>) =>
        store(key, withOpened(knownProjectsIn(read(key)), project)),
    }),
    [key, text],
  );
}

/** Notes that the project is shown. */
export function useNoteProject({ id, number, name }: Omit<KnownProject, 'isPinned'>): void {
  const { note } = useKnownProjects();
  useEffect(() => note({ id, number, name }), [id, number, name]);
}
