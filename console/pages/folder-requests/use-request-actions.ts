import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { patiently } from '../../api/patiently.ts';
import type { FolderRequest } from './loaded-requests.ts';
import { requestKey } from './request-query.ts';
import { requestListKey } from './use-folder-requests.ts';

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
    mutationFn: ({ key, ...body }: { targetPath: string; projectId?: string; key: string }) =>
      dataOf(api.POST('/folder-requests', { params: { header: { 'idempotency-key': key } }, body })),
    onSuccess: ({ id }) => refresh(id),
  });
  const createMany = useMutation({
    mutationFn: (items: { targetPath: string; key: string }[]) =>
      dataOf(api.POST('/folder-requests/batch', { body: { items } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [requestListKey] }),
  });
  const correct = useMutation({
    mutationFn: ({ id, targetPath }: { id: string; targetPath: string }) =>
      dataOf(api.PATCH('/folder-requests/{id}', { params: { path: { id } }, body: { targetPath } })),
    onSuccess: (_entry, { id }) => refresh(id),
  });
  const free = useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      dataOf(api.POST('/folder-requests/{id}/free', { params: { path: { id } }, body: { reason } })),
    onSuccess: (_entry, { id }) => refresh(id),
  });
  const requeue = useMutation({
    mutationFn: ({ id, targetPath }: { id: string; targetPath?: string }) =>
      dataOf(
        api.POST('/folder-requests/{id}/requeue', {
          params: { path: { id } },
          ...(targetPath !== undefined && { body: { targetPath } }),
        }),
      ),
    onSuccess: (_entry, { id }) => refresh(id),
  });
  const withdraw = useMutation({
    mutationFn: (id: string) => dataOf(api.DELETE('/folder-requests/{id}', { params: { path: { id } } })),
    // Not awaited: until the caller has closed the details, they would be loaded again and found missing.
    onSuccess: () => void client.invalidateQueries({ queryKey: [requestListKey] }),
  });
  /** Drops the details of a request that no longer exists. */
  const forget = (id: string): void => client.removeQueries({ queryKey: requestKey(id) });
  return { create, createMany, correct, free, requeue, withdraw, forget };
}

/** The actions on many requests, for `each`. */
export function useBulkActions() {
  const client = useQueryClient();
  return {
    requeue: ({ id }: FolderRequest, signal: AbortSignal) =>
      patiently(() => api.POST('/folder-requests/{id}/requeue', { params: { path: { id } } }), signal),
    withdraw: ({ id }: FolderRequest, signal: AbortSignal) =>
      patiently(() => api.DELETE('/folder-requests/{id}', { params: { path: { id } } }), signal),
    onEnd: () => client.invalidateQueries({ queryKey: [requestListKey] }),
  };
}
