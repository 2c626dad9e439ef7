import { useSearchParams } from 'wouter';
import { valuesOf } from '../../api/values-of.ts';
import type { FolderRequest } from './loaded-requests.ts';

export type Status = FolderRequest['status'];

export const statuses = valuesOf<Status>({ PENDING: true, PROCESSING: true, FULFILLED: true, FAILED: true });

export interface RequestFilter {
  readonly status: Status | undefined;
  readonly agentId: string | undefined;
  /** Matched against the loaded requests. */
  readonly search: string;
}

/** The filter is part of the address, so users can share it. */
export function useRequestFilter(): [RequestFilter, (change: Partial<RequestFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const filter: RequestFilter = {
    status: statuses.find((status) => status === params.get('status')),
    agentId: params.get('agent') ?? undefined,
    search: params.get('search') ?? '',
  };
  const change = (changed: Partial<RequestFilter>): void => {
    const { status, agentId, search } = { ...filter, ...changed };
    setParams(
      {
        ...(status && { status }),
        ...(agentId && { agent: agentId }),
        ...(search && { search }),
      },
      { replace: true },
    );
  };
  return [filter, change];
}
