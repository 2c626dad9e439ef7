import { QueryClient } from '@tanstack/react-query';
import { SessionEnded } from '../session/session.ts';
import { ApiProblem } from './api-problem.ts';

/** Refusals are final; what may pass is tried again. */
const isFinal = (error: Error): boolean =>
  error instanceof SessionEnded || (error instanceof ApiProblem && error.status < 500);

/** Of what refreshes by itself. Nothing is refreshed in a hidden tab. */
export const refreshMs = 5000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // The interval brings the next try; waiting longer would only hide that the service is away.
      retry: (count, error) => count < 1 && !isFinal(error),
      retryDelay: 500,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
