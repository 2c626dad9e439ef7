import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { requestListKey } from './use-folder-requests.ts';
import { ownRequests } from './own-request-ids.ts';

export const requestKey = (id: string): readonly string[] => ['folder-request', id];

/** Changes folder requests; list and details show the change immediately. */
export function useRequestActions() {
  const client = useQueryClient();
  const refresh = (id: string) =>
    Promise.all([
      client.invalidateQueries({ queryKey: [requestListKey] }),
      client.invalidateQueries({ queryKey: requestKey(id) }),
    ]);
  const create = useMutation({
    // Each attempt of the user has its own key; retries of the browser keep it.
    mutationFn: ({ targetPath, key }: { targetPath: string; key: string }) =>
      dataOf(
        api.POST('/folder-requests', {
          params: { header: { 'idempotency-key': key } },
          body: { targetPath },
        }),
      ),
    onSuccess: async ({ id }) => {
      ownRequests.remember(id);
      await refresh(id);
    },
  });
  const requeue = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.POST('/folder-requests/{id}/requeue', { params: { path: { id } } })),
    onSuccess: (_entry, id) => refresh(id),
  });
  const withdraw = useMutation({
    mutationFn: (id: string) => dataOf(api.DELETE('/folder-requests/{id}', { params: { path: { id } } })),
    // Not awaited: until the caller has closed the details, they would be loaded again and found missing.
    onSuccess: () => void client.invalidateQueries({ queryKey: [requestListKey] }),
  });
  /** Drops the details of a request that no longer exists. */
  const forget = (id: string): void => {
    ownRequests.forget(id);
    client.removeQueries({ queryKey: requestKey(id) });
  };
  return { create, requeue, withdraw, forget };
}
