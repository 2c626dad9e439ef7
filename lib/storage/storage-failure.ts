import { ServiceError } from '../base/service-error.ts';

/**
 * Whether the storage, or the service that issues tokens for it, is busy, unreachable, or failing, which may be
 * temporary. The Azure SDKs report it as a `RestError` without a status (network, timeout) or with 408, 429 or 5xx, and
 * everything that keeps the managed identity from getting a token as `CredentialUnavailableError`. Other statuses are
 * our bugs or missing permissions.
 */
export function isStorageOutage(error: unknown): boolean {
  const { name, statusCode: status } = error as { name?: string; statusCode?: number };
  if (name === 'CredentialUnavailableError') return true;
  return name === 'RestError' && (status === undefined || status === 408 || status === 429 || status >= 500);
}

export const storageUnavailable = (cause: unknown): ServiceError =>
  new ServiceError('storage_unavailable', { detail: 'The storage did not respond; try again.', cause });
