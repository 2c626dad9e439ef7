import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { refreshMs } from '../../api/query-client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';

export const requestKey = (id: string): readonly string[] => ['folder-request', id];

/** One request with its history, refreshed while it can still change. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: requestKey(id),
    queryFn: ({ signal }) => dataOf(api.GET('/folder-requests/{id}', { params: { path: { id } }, signal })),
    refetchInterval: (query) =>
      query.state.data?.status === 'FULFILLED' ? false : refreshEvery(refreshMs)(query),
  });
