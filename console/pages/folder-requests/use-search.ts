import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiProblem } from '../../openapi/api-problem.ts';
import { requestQuery } from './request-query.ts';
import { idIn, searchContinues } from './history-search.ts';
import { matches, type FolderRequest } from './loaded-requests.ts';
import type { useFolderRequests } from './use-folder-requests.ts';
import type { RequestFilter } from './use-request-filter.ts';

const none: readonly FolderRequest[] = [];

/**
 * The requests that the list shows. An id is read directly. Any other text is searched for in the loaded requests, then page
 * by page in older ones. What has a part of a path, the service searches for; it is loaded the same way.
 */
export function useSearch(filter: RequestFilter, { list, older }: ReturnType<typeof useFolderRequests>) {
  const { search, path } = filter;
  const id = idIn(search);
  const byId = useQuery({ ...requestQuery(id ?? ''), enabled: id !== undefined });
  const loaded = list.data?.items ?? none;
  const nextCursor = list.data?.nextCursor ?? null;
  const found = search === '' ? loaded : loaded.filter((each) => matches(each, search));

  const place = JSON.stringify(filter);
  const [stopped, setStopped] = useState<string>();
  const isSearching =
    id === undefined &&
    searchContinues({
      search: search || path.trim(),
      found: found.length,
      nextCursor,
      isStopped: stopped === place,
      hasFailed: older.isError,
    });
  const { isPending, mutate } = older;
  useEffect(() => {
    if (isSearching && !isPending && nextCursor !== null) mutate(nextCursor);
  }, [isSearching, isPending, nextCursor, mutate]);

  const isUnknown = byId.error instanceof ApiProblem && byId.error.status === 404;
  return {
    id,
    shown: id === undefined ? found : byId.data ? [byId.data] : none,
    loaded,
    nextCursor: id === undefined ? nextCursor : null,
    isSearching,
    stop: () => setStopped(place),
    isPending: id === undefined ? list.isPending : byId.isPending,
    error: id === undefined || isUnknown ? null : byId.error,
  };
}
