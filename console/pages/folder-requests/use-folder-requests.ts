import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { filledPage } from '../../api/filled-page.ts';
import { patiently } from '../../api/patiently.ts';
import { refreshMs } from '../../api/query-client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';
import {
  matches,
  withNewest,
  withOlder,
  type FolderRequest,
  type LoadedRequests,
} from './loaded-requests.ts';
import { isOfEnded, type RequestFilter } from './use-request-filter.ts';

/** The largest page of the service: a refresh is one page, which is one storage request per shard. */
const pageSize = 200;

/** What the service selects. */
type Asked = Omit<RequestFilter, 'search'>;

export const requestListKey = 'folder-requests';

function fetchPage(asked: Asked, cursor?: string, signal?: AbortSignal) {
  const { status, agentId, isMine, from, to, endedFrom, endedTo, outcome, path } = asked;
  const query = {
    limit: pageSize,
    ...(status && { status }),
    ...(agentId && { agentId }),
    ...(isMine && { requestedBy: 'me' as const }),
    ...(from && { from }),
    ...(to && { to }),
    ...(endedFrom && { processedFrom: endedFrom }),
    ...(endedTo && { processedTo: endedTo }),
    ...(outcome && { outcome }),
    ...(path.trim() !== '' && { path: path.trim() }),
    ...(cursor !== undefined && { cursor }),
  };
  return dataOf(api.GET('/folder-requests', { params: { query }, ...(signal && { signal }) }));
}

/** The list; its newest page is refreshed while the tab is visible. */
export function useFolderRequests(asked: Asked, { isPaused }: { isPaused: boolean }) {
  const client = useQueryClient();
  const { status, agentId, isMine, from, to, endedFrom, endedTo, outcome, path } = asked;
  const filters = [status, agentId, isMine, from, to, endedFrom, endedTo, outcome, path.trim()];
  const key = [requestListKey, ...filters.map((filter) => filter ?? '')];
  // What ended in a period hardly changes, and its pages are in another order than `withNewest` merges.
  const isFixed = isOfEnded(asked);
  const list = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const fetch = (cursor?: string) => fetchPage(asked, cursor, signal);
      // What earlier pages have searched is not searched again.
      const newest = await (client.getQueryData(key) ? fetch() : filledPage(fetch));
      // Read afterwards: older pages may have arrived in the meantime.
      return isFixed ? newest : withNewest(client.getQueryData<LoadedRequests>(key), newest);
    },
    refetchInterval: isPaused || isFixed ? false : refreshEvery(refreshMs),
    ...((isPaused || isFixed) && { refetchOnWindowFocus: false }),
  });
  const older = useMutation({
    mutationFn: async (cursor: string) => {
      const page = await filledPage((from) => patiently(() => fetchPage(asked, from)), cursor);
      client.setQueryData<LoadedRequests>(key, (loaded) => (loaded ? withOlder(loaded, page) : page));
    },
  });
  return { list, older };
}

/** Every request that matches the filter, loaded page by page. */
export async function allMatching(
  filter: RequestFilter,
  onCount: (count: number) => void,
  signal: AbortSignal,
): Promise<readonly FolderRequest[]> {
  const found: FolderRequest[] = [];
  let cursor: string | undefined;
  do {
    const from = cursor;
    const page = await patiently(() => fetchPage(filter, from, signal), signal);
    found.push(...page.items.filter((request) => matches(request, filter.search)));
    onCount(found.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
