import { ApiProblem } from '../openapi/api-problem.ts';

/** The parts of a query's state that decide when it is refreshed. */
interface RefreshState {
  readonly error: Error | null;
  /** Milliseconds since 1970. */
  readonly errorUpdatedAt: number;
}

/** Milliseconds for which the service has asked not to be called again (`Retry-After`). */
const demandedMs = (error: Error | null): number =>
  error instanceof ApiProblem ? (error.retryAfterSeconds ?? 0) * 1000 : 0;

/** Whether the service named a time for the next call; repeating it earlier would fail again. */
export const namesRetryTime = (error: Error): boolean => demandedMs(error) > 0;

/** For `refetchInterval`: the interval, or what the service demands if that is longer. */
export const refreshEvery =
  (intervalMs: number) =>
  ({ state: { error } }: { readonly state: Pick<RefreshState, 'error'> }): number =>
    Math.max(intervalMs, demandedMs(error));

/** For `refetchOnWindowFocus`: not before the time that the service has named. */
export const mayRefresh = (
  { state: { error, errorUpdatedAt } }: { readonly state: RefreshState },
  nowMs: number,
): boolean => nowMs >= errorUpdatedAt + demandedMs(error);
