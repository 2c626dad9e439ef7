import { useSearchParams } from 'wouter';
import { valuesOf } from '../../api/values-of.ts';
import { useMay } from '../../session/use-session.ts';
import type { FolderRequest } from './loaded-requests.ts';

export type Status = FolderRequest['status'];

export const statuses = valuesOf<Status>({ PENDING: true, PROCESSING: true, FULFILLED: true, FAILED: true });

export interface RequestFilter {
  readonly status: Status | undefined;
  readonly agentId: string | undefined;
  /** The user's own requests only; users other than administrators see no others. */
  readonly isMine: boolean;
  /** Matched by the page; all else is selected by the service. */
  readonly search: string;
}

/** The filter is part of the address, so users can share it. */
export function useRequestFilter(): [RequestFilter, (change: Partial<RequestFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const maySeeAll = useMay('Administrator');
  const filter: RequestFilter = {
    status: statuses.find((status) => status === params.get('status')),
    agentId: params.get('agent') ?? undefined,
    isMine: !maySeeAll || params.has('mine'),
    search: params.get('search') ?? '',
  };
  const change = (changed: Partial<RequestFilter>): void => {
    const { status, agentId, isMine, search } = { ...filter, ...changed };
    setParams(
      {
        ...(status && { status }),
        ...(agentId && { agent: agentId }),
        ...(isMine && maySeeAll && { mine: 'yes' }),
        ...(search && { search }),
      },
      { replace: true },
    );
  };
  return [filter, change];
}
