import { cleanPastedPath } from '../../../lib/contract/pasted-path.ts';
import type { components } from '../../openapi/openapi-types.ts';

type Schemas = components['schemas'];
export type FolderRequest = Schemas['FolderRequest'];
type FolderRequestPage = Schemas['FolderRequestList'];

/** The requests that the list has loaded so far, newest first. */
export interface LoadedRequests {
  readonly items: readonly FolderRequest[];
  /** Cursor of the older ones; null when all are loaded. */
  readonly nextCursor: string | null;
}

/**
 * Merges the newest page into the loaded requests. Older requests remain as they were loaded; loaded ones in the range of
 * the page that it does not contain have left the list. If the page has nothing in common with the loaded requests, there
 * may be others in between, so the list starts over. An empty page that is not the last one shows nothing of the list.
 */
export function withNewest(loaded: LoadedRequests | undefined, newest: FolderRequestPage): LoadedRequests {
  const oldest = newest.items.at(-1);
  if (!loaded || newest.nextCursor === null) return newest;
  if (!oldest) return loaded;
  const ids = new Set(newest.items.map(({ id }) => id));
  const older = loaded.items.filter(({ id, createdAt }) => !ids.has(id) && createdAt <= oldest.createdAt);
  const isSeamless = loaded.items.some(({ id, createdAt }) => ids.has(id) || createdAt > oldest.createdAt);
  if (older.length === 0 || !isSeamless) return newest;
  return { items: [...newest.items, ...older], nextCursor: loaded.nextCursor };
}

/** Appends the page at `nextCursor` to the loaded requests. */
export function withOlder(loaded: LoadedRequests, page: FolderRequestPage): LoadedRequests {
  const ids = new Set(loaded.items.map(({ id }) => id));
  return {
    items: [...loaded.items, ...page.items.filter(({ id }) => !ids.has(id))],
    nextCursor: page.nextCursor,
  };
}

/** Whether the request contains the text, which may be a pasted path: in path, id, agent, error message or requester. */
export function matches(request: FolderRequest, search: string): boolean {
  const { targetPath, id, agentId, errorMessage, requestedByUserId, requestedByName } = request;
  const wanted = (cleanPastedPath(search) || search).normalize('NFC').toLocaleLowerCase();
  return [targetPath, id, agentId, errorMessage, requestedByUserId, requestedByName].some((text) =>
    text?.toLocaleLowerCase().includes(wanted),
  );
}

/** Administrators also withdraw failed requests, which would otherwise stay in the list for good. */
export const mayWithdraw = ({ status }: FolderRequest, isAdministrator: boolean): boolean =>
  status === 'PENDING' || (status === 'FAILED' && isAdministrator);
