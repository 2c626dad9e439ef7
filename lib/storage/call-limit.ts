import { RestError, type TableServiceClientOptions } from '@azure/data-tables';

type Policies = NonNullable<TableServiceClientOptions['additionalPolicies']>;

/**
 * Ends a call that has no complete response in time: a connection whose other end is gone waits for ever, because the SDK has no
 * limit (Azure/azure-storage-java#33). It is not repeated, which would cost the caller as long again, and counts for an outage: a
 * write may have been made.
 */
export const callLimit = (limitMs: number): Policies => [
  {
    position: 'perRetry',
    policy: {
      name: 'callLimit',
      async sendRequest(request, next) {
        const { abortSignal } = request;
        const either = new AbortController();
        const abort = (): void => either.abort();
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          abort();
        }, limitMs);
        if (abortSignal?.aborted) abort();
        abortSignal?.addEventListener('abort', abort);
        request.abortSignal = either.signal;
        try {
          return await next(request);
        } catch (error) {
          if (isLate) throw new RestError(`no response within ${limitMs} ms`, { code: 'NO_RESPONSE' });
          throw error;
        } finally {
          clearTimeout(timer);
          abortSignal?.removeEventListener('abort', abort);
          if (abortSignal) request.abortSignal = abortSignal;
          else delete request.abortSignal;
        }
      },
    },
  },
];
