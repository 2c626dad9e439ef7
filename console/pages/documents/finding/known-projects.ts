/** A project that this person has opened or pinned in this browser. */
export interface KnownProject {
  readonly id: string;
  readonly number: string;
  readonly name: string;
  readonly isPinned: boolean;
}

/** As many as fit a window; pinned ones do not count. */
export const maxRecent = 12;

/** The project comes first, and the oldest ones go. */
export function withOpened(
  known: readonly KnownProject[],
  { id, number, name }: Omit<KnownProject, 'isPinned'>,
): readonly KnownProject[] {
  const isPinned = known.some((each) => each.id === id && each.isPinned);
  const all = [{ id, number, name, isPinned }, ...known.filter((each) => each.id !== id)];
  const recent = new Set(all.filter((each) => !each.isPinned).slice(0, maxRecent));
  return all.filter((each) => each.isPinned || recent.has(each));
}

export const withPinned = (
  known: readonly KnownProject[],
  id: string,
  isPinned: boolean,
): readonly KnownProject[] => known.map((each) => (each.id === id ? { ...each, isPinned } : each));

/** @param text what another release of the page, or anything else, may have stored */
export function knownProjectsIn(text: string | null): readonly KnownProject[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isKnownProject) : [];
}

const isKnownProject = (value: unknown): value is KnownProject => {
  const { id, number, name, isPinned } = (value ?? {}) as Partial<Record<keyof KnownProject, unknown>>;
  return [id, number, name].every((each) => typeof each === 'string') && typeof isPinned === 'boolean';
};
