import { useSearchParams } from 'wouter';
import { valuesOf } from '../../api/values-of.ts';
import { timeOf } from '../../base/local-time.ts';
import { useMay } from '../../session/use-session.ts';
import type { FolderRequest } from './loaded-requests.ts';

export type Status = FolderRequest['status'];

export const statuses = valuesOf<Status>({ PENDING: true, PROCESSING: true, FULFILLED: true, FAILED: true });

export type Outcome = 'FULFILLED' | 'FAILED';
const outcomes: readonly Outcome[] = ['FULFILLED', 'FAILED'];

export interface RequestFilter {
  readonly status: Status | undefined;
  readonly agentId: string | undefined;
  /** The user's own requests only; users other than administrators see no others. */
  readonly isMine: boolean;
  /** Created at this time or later, as ISO 8601 in UTC: an address means the same in every time zone. */
  readonly from: string | undefined;
  /** Created before this time. */
  readonly to: string | undefined;
  /** Became FULFILLED or FAILED at this time or later, also if it has been requeued since. */
  readonly endedFrom: string | undefined;
  readonly endedTo: string | undefined;
  /** What it became in that time. */
  readonly outcome: Outcome | undefined;
  /** A part of the target path. */
  readonly path: string;
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
    endedFrom: timeOf(params.get('endedFrom')),
    endedTo: timeOf(params.get('endedTo')),
    outcome: outcomes.find((outcome) => outcome === params.get('outcome')),
    path: params.get('path') ?? '',
    search: params.get('search') ?? '',
  };
  const change = (changed: Partial<RequestFilter>): void => {
    const { status, agentId, isMine, from, to, endedFrom, endedTo, outcome, path, search } = {
      ...filter,
      ...changed,
    };
    setParams(
      {
        ...(status && { status }),
        ...(agentId && { agent: agentId }),
        ...(isMine && maySeeAll && { mine: 'yes' }),
        ...(from && { from }),
        ...(to && { to }),
        ...(endedFrom && { endedFrom }),
        ...(endedTo && { endedTo }),
        ...(outcome && { outcome }),
        ...(path && { path }),
        ...(search && { search }),
      },
      { replace: true },
    );
  };
  return [filter, change];
}

/** Whether nothing is selected, so that an empty list means that there are no requests. */
export const isEverything = (filter: RequestFilter): boolean =>
  !isOfEnded(filter) &&
  filter.search === '' &&
  filter.path === '' &&
  [filter.status, filter.agentId, filter.from, filter.to].every((value) => value === undefined);

/** Whether it selects by when requests ended; such a list is in another order. */
export const isOfEnded = ({ endedFrom, endedTo, outcome }: Omit<RequestFilter, 'search'>): boolean =>
  [endedFrom, endedTo, outcome].some((value) => value !== undefined);

/** The address of the requests that ended in a period. */
export const endedHref = (
  period: { readonly start: string; readonly end: string },
  outcome?: Outcome,
): string => {
  const times = { endedFrom: timeOf(period.start)!, endedTo: timeOf(period.end)! };
  return `/folder-requests?${new URLSearchParams({ ...times, ...(outcome && { outcome }) })}`;
};
