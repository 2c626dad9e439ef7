import { QueryClient } from '@tanstack/react-query';
import { SessionEnded } from '../session/session.ts';
import { ApiProblem } from '../openapi/api-problem.ts';
import { mayRefresh, namesRetryTime } from './refresh-pace.ts';

/** Error responses below 500 are final; everything else is retried. */
const isFinal = (error: Error): boolean =>
  error instanceof SessionEnded || (error instanceof ApiProblem && error.status < 500);

/** Interval of lists and details. A hidden tab refreshes nothing. */
export const refreshMs = 5000;

/** What was read within this time is not read again when it is shown. */
export const freshMs = 2000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      // The refresh interval retries anyway; more retries here would only delay the message about the outage.
      retry: (count, error) => count < 1 && !isFinal(error) && !namesRetryTime(error),
      retryDelay: 500,
      refetchOnWindowFocus: (query) => mayRefresh(query, Date.now()),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
