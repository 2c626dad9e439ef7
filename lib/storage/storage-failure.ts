import { RestError } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { systemClock } from '../contract/clock.ts';
import { retryAfterMs } from '../contract/retry.ts';
import { codeOf, rejectionStatus } from './rejections.ts';

/**
 * Whether the storage, or the service that issues tokens for it, is busy, unreachable, or failing, which may be
 * temporary. The Azure SDKs report it as a `RestError` without a status (network, timeout) or with 408, 429 or 5xx, and what keeps
 * the managed identity from getting a token as errors of three names (an endpoint that responds with JSON of no token is an
 * `AuthenticationRequiredError`). A body that breaks off is an error of parsing with the status of a success. A 404 or 409 about no
 * row, such as one of a table that is being deleted, is none of the row either. So is a 401 or 403: while a role or a rule of the
 * network is on its way to all of the storage, it denies some calls only (Azure/azure-sdk-for-net#35633,
 * Azure/azure-functions-host#11938). Other statuses are our bugs.
 */
export function isStorageOutage(error: unknown): boolean {
  const { name, code, statusCode: status } = error as { name?: string; code?: string; statusCode?: number };
  if (name !== undefined && ofNoToken.has(name)) return true;
  if (name !== 'RestError') return false;
  if (status === 404 || status === 409) return isOfNoRow(codeOf(error));
  if (status === undefined || code === RestError.PARSE_ERROR || isDenial(status)) return true;
  return status === 408 || status === 429 || status >= 500;
}

const ofNoToken: ReadonlySet<string> = new Set([
  'CredentialUnavailableError',
  'AuthenticationRequiredError',
  'AuthenticationError',
]);

const isDenial = (status: number | undefined): boolean => status === 401 || status === 403;

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
    detail: isDenial(rejectionStatus(cause))
      ? 'The storage denies the service access; if it still does in ten minutes, an operator has to look.'
      : 'The storage did not respond; try again.',
    ...(ms !== undefined && { retryAfterSeconds: Math.ceil(Math.min(ms, longestRetryAfterMs) / 1000) }),
    cause,
  });
}
