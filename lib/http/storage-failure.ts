import { ServiceError } from './problems.ts';

/**
 * Table or Blob Storage that is busy, unreachable or failing, as the Azure SDKs report it after their own retries: a
 * `RestError` without a status (network, time-out) or with 408, 429 or 5xx. Other statuses are our bugs or missing
 * rights and stay unexpected.
 */
export function storageFailure(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error) || error.name !== 'RestError') return undefined;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode !== 408 && statusCode !== 429 && statusCode < 500)
    return undefined;
  return new ServiceError('storage_unavailable', {
    detail: 'The storage did not answer; try again.',
    cause: error,
  });
}
