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

function change(key: string, changed: (known: readonly KnownProject[]) => readonly KnownProject[]): void {
  const text = JSON.stringify(changed(knownProjectsIn(read(key))));
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

/** Others at the same computer have their own. */
const useKey = (): string => `projects of ${useUser().id}`;

/** The projects that the signed-in person has opened in this browser, latest first. */
export function useKnownProjects() {
  const key = useKey();
  const text = useSyncExternalStore(subscribe, () => read(key));
  return useMemo(
    () => ({
      known: knownProjectsIn(text),
      pin: (id: string, isPinned: boolean) => change(key, (known) => withPinned(known, id, isPinned)),
    }),
    [key, text],
  );
}

/** Notes that the project is shown. */
export function useNoteProject({ id, number, name }: Omit<KnownProject, 'isPinned'>): void {
  const key = useKey();
  useEffect(() => change(key, (known) => withOpened(known, { id, number, name })), [key, id, number, name]);
}
