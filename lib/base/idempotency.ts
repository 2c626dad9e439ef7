import { createHash } from 'node:crypto';
import { ServiceError } from './service-error.ts';

/** How long an `Idempotency-Key` identifies the same request (docs/http-contract.md). */
export const idempotencyWindowMs = 24 * 60 * 60 * 1000;

/** The stored form of a caller's key, 64 bytes: a digest that reveals neither the key nor the other input. */
export const idempotencyDigest = (...of: readonly string[]): Buffer =>
  createHash('sha512').update(JSON.stringify(of)).digest();

export const idempotencyKeyReused = (another: string): ServiceError =>
  new ServiceError('idempotency_key_reused', {
    detail: `The Idempotency-Key was used within the last 24 hours for another ${another}.`,
  });

/** The error for calls with the same key that keep conflicting. */
export const idempotencyKeyContended = (): ServiceError =>
  new ServiceError('storage_unavailable', {
    detail: 'Several concurrent calls use this Idempotency-Key; try again.',
    retryAfterSeconds: 1,
  });
