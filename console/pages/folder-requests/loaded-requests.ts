import type { components } from '../../api/openapi-types.ts';

type Schemas = components['schemas'];
export type FolderRequest = Schemas['FolderRequest'];
type FolderRequestPage = Schemas['FolderRequestList'];

/** What the list has loaded so far, newest first. */
export interface LoadedRequests {
  readonly items: readonly FolderRequest[];
  /** Where older ones begin; null when all are loaded. */
  readonly nextCursor: string | null;
}

/**
 * The newest page over what is loaded. Older requests stay as they were loaded; those that the page would have to hold,
 * and does not, have left the list. Where the page shares nothing with what is loaded, there may be others in between:
 * the list begins anew.
 */
export function withNewest(loaded: LoadedRequests | undefined, newest: FolderRequestPage): LoadedRequests {
  const oldest = newest.items.at(-1);
  if (!loaded || !oldest || newest.nextCursor === null) return newest;
  const ids = new Set(newest.items.map(({ id }) => id));
  const older = loaded.items.filter(({ id, createdAt }) => !ids.has(id) && createdAt <= oldest.createdAt);
  const isSeamless = loaded.items.some(({ id, createdAt }) => ids.has(id) || createdAt > oldest.createdAt);
  if (older.length === 0 || !isSeamless) return newest;
  return { items: [...newest.items, ...older], nextCursor: loaded.nextCursor };
}

/** The page that `nextCursor` has led to, behind what is loaded. */
export function withOlder(loaded: LoadedRequests, page: FolderRequestPage): LoadedRequests {
  const ids = new Set(loaded.items.map(({ id }) => id));
  return {
    items: [...loaded.items, ...page.items.filter(({ id }) => !ids.has(id))],
    nextCursor: page.nextCursor,
  };
}

/** Whether a request has the text anywhere a person would look for it. */
export function matches(request: FolderRequest, search: string): boolean {
  const { targetPath, id, agentId, errorMessage, requestedByUserId } = request;
  const wanted = search.normalize('NFC').toLocaleLowerCase();
  return [targetPath, id, agentId, errorMessage, requestedByUserId].some((text) =>
    text?.toLocaleLowerCase().includes(wanted),
  );
}
