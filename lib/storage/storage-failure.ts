import { ServiceError } from '../base/service-error.ts';
import { systemClock } from '../contract/clock.ts';
import { retryAfterMs } from '../contract/retry.ts';
import { codeOf } from './rejections.ts';

/**
 * Whether the storage, or the service that issues tokens for it, is busy, unreachable, or failing, which may be
 * temporary. The Azure SDKs report it as a `RestError` without a status (network, timeout) or with 408, 429 or 5xx, and
 * everything that keeps the managed identity from getting a token as `CredentialUnavailableError`. A 404 or 409 about no row,
 * such as one of a table that is being deleted or of a proxy, is none of the row either. Other statuses are our bugs or missing
 * permissions.
 */
export function isStorageOutage(error: unknown): boolean {
  const { name, statusCode: status } = error as { name?: string; statusCode?: number };
  if (name === 'CredentialUnavailableError') return true;
  if (name !== 'RestError') return false;
  if (status === 404 || status === 409) return isOfNoRow(codeOf(error));
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

// learn.microsoft.com, "Table Storage error codes". A proxy has none.
const isOfNoRow = (code: string | undefined): boolean =>
  code === undefined ||
  /^(TableNotFound|TableBeingDeleted|TableAlreadyBeingDeleted|OperationTimedOut)$/.test(code);

/** How long the storage wants to be left alone (RFC 9110, 10.2.3), if it says so. */
export function retryAfterMsOf(error: unknown): number | undefined {
  const { response } = error as { response?: { headers?: { get(name: string): string | undefined } } };
  const headers = response?.headers;
  const date = headers?.get('date');
  return retryAfterMs(headers?.get('retry-after'), { date, receivedAtMs: systemClock.now() });
}

// What a caller can be expected to wait.
const longestRetryAfterMs = 300_000;

export function storageUnavailable(cause: unknown): ServiceError {
  const ms = retryAfterMsOf(cause);
  return new ServiceError('storage_unavailable', {
    detail: 'The storage did not respond; try again.',
    ...(ms !== undefined && { retryAfterSeconds: Math.ceil(Math.min(ms, longestRetryAfterMs) / 1000) }),
    cause,
  });
}
