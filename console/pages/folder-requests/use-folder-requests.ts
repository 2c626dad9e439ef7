import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { refreshMs } from '../../api/query-client.ts';
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
      const newest = await fetchPage({ status, agentId }, undefined, signal);
      return withNewest(client.getQueryData<LoadedRequests>(key), newest);
    },
    refetchInterval: isPaused ? false : refreshMs,
    refetchOnWindowFocus: !isPaused,
  });
  const older = useMutation({
    mutationFn: async (cursor: string) => {
      const page = await fetchPage({ status, agentId }, cursor);
      client.setQueryData<LoadedRequests>(key, (loaded) => (loaded ? withOlder(loaded, page) : page));
    },
  });
  return { list, older };
}
