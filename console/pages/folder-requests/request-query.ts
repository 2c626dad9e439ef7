import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../openapi/openapi-types.ts';
import { refreshMs } from '../../api/query-client.ts';
import { refreshEvery } from '../../api/refresh-pace.ts';

export const requestKey = (id: string): readonly string[] => ['folder-request', id];

// A new status of the API does not compile without a line here.
const canChange: Readonly<Record<components['schemas']['FolderRequest']['status'], boolean>> = {
  PENDING: true,
  PROCESSING: true,
  FULFILLED: false,
  // An administrator may requeue it.
  FAILED: true,
};

/** One request with its history, refreshed while it can still change. */
export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: requestKey(id),
    queryFn: ({ signal }) => dataOf(api.GET('/folder-requests/{id}', { params: { path: { id } }, signal })),
    refetchInterval: (query) => {
      const { data } = query.state;
      return data && !canChange[data.status] ? false : refreshEvery(refreshMs)(query);
    },
  });
