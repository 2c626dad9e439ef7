import { createHash } from 'node:crypto';
import { ServiceError } from './service-error.ts';

/** Within this time an `Idempotency-Key` names the same request (docs/http-contract.md). */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** What of a caller's key is stored, 64 bytes: neither the key nor whatever else goes in can be read from it. */
export const idempotencyDigest = (...of: readonly string[]): Buffer =>
  createHash('sha512').update(JSON.stringify(of)).digest();

export const idempotencyKeyReused = (another: string): ServiceError =>
  new ServiceError('idempotency_key_reused', {
    detail: `The Idempotency-Key was used within the last 24 hours for another ${another}.`,
  });

/** Calls with one key that keep crossing each other. */
export const idempotencyKeyContended = (): ServiceError =>
  new ServiceError('storage_unavailable', {
    detail: 'The Idempotency-Key is being used by several calls at once; try again.',
    retryAfterSeconds: 1,
  });
