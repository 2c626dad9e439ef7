import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { filledPage } from '../../api/filled-page.ts';
import { refreshMs } from '../../api/query-client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';
import { withNewest, withOlder, type LoadedRequests } from './loaded-requests.ts';
import type { RequestFilter } from './use-request-filter.ts';

/** The largest page of the service: a refresh is one page, which is one storage request per shard. */
const pageSize = 200;

type Selection = Pick<RequestFilter, 'status' | 'agentId'>;

export const requestListKey = 'folder-requests';

export function fetchPage({ status, agentId }: Selection, cursor?: string, signal?: AbortSignal) {
  const query = {
    limit: pageSize,
    ...(status && { status }),
    ...(agentId && { agentId }),
    ...(cursor !== undefined && { cursor }),
  };
  return dataOf(api.GET('/folder-requests', { params: { query }, ...(signal && { signal }) }));
}

/** The list; its newest page is refreshed while the tab is visible. */
export function useFolderRequests({ status, agentId }: Selection, { isPaused }: { isPaused: boolean }) {
  const client = useQueryClient();
  const key = [requestListKey, status ?? '', agentId ?? ''];
  const list = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const fetch = (cursor?: string) => fetchPage({ status, agentId }, cursor, signal);
      const loaded = client.getQueryData<LoadedRequests>(key);
      // What earlier pages have searched is not searched again.
      return withNewest(loaded, await (loaded ? fetch() : filledPage(fetch)));
    },
    refetchInterval: isPaused ? false : refreshEvery(refreshMs),
    ...(isPaused && { refetchOnWindowFocus: false }),
  });
  const older = useMutation({
    mutationFn: async (cursor: string) => {
      const page = await filledPage((from) => fetchPage({ status, agentId }, from), cursor);
      client.setQueryData<LoadedRequests>(key, (loaded) => (loaded ? withOlder(loaded, page) : page));
    },
  });
  return { list, older };
}
