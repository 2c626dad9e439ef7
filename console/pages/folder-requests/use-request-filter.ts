import { useSearchParams } from 'wouter';
import { valuesOf } from '../../api/values-of.ts';
import { timeOf } from '../../parts/local-time.ts';
import { useMay } from '../../session/use-session.ts';
import type { FolderRequest } from './loaded-requests.ts';

export type Status = FolderRequest['status'];

export const statuses = valuesOf<Status>({ PENDING: true, PROCESSING: true, FULFILLED: true, FAILED: true });

export interface RequestFilter {
  readonly status: Status | undefined;
  readonly agentId: string | undefined;
  /** The user's own requests only; users other than administrators see no others. */
  readonly isMine: boolean;
  /** Created at this time or later, as ISO 8601 in UTC: an address means the same in every time zone. */
  readonly from: string | undefined;
  /** Created before this time. */
  readonly to: string | undefined;
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
    from: timeOf(params.get('from')),
    to: timeOf(params.get('to')),
    search: params.get('search') ?? '',
  };
  const change = (changed: Partial<RequestFilter>): void => {
    const { status, agentId, isMine, from, to, search } = { ...filter, ...changed };
    setParams(
      {
        ...(status && { status }),
        ...(agentId && { agent: agentId }),
        ...(isMine && maySeeAll && { mine: 'yes' }),
        ...(from && { from }),
        ...(to && { to }),
        ...(search && { search }),
      },
      { replace: true },
    );
  };
  return [filter, change];
}

/** Whether nothing is selected, so that an empty list means that there are no requests. */
export const isEverything = ({ status, agentId, from, to, search }: RequestFilter): boolean =>
  status === undefined && agentId === undefined && from === undefined && to === undefined && search === '';

/** The address of the requests that were created in a period of `ms`. */
export const periodHref = (start: string, ms: number, status?: Status): string => {
  const to = timeOf(new Date(Date.parse(start) + ms).toISOString());
  return `/folder-requests?${new URLSearchParams({ ...(status && { status }), from: timeOf(start)!, to: to! })}`;
};
