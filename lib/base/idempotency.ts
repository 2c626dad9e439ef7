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

/** The error for a call while another one with the same key runs. */
export const idempotencyKeyContended = (): ServiceError =>
  new ServiceError('request_in_progress', {
    detail: 'Another call with this Idempotency-Key is in progress; try again for its result.',
    retryAfterSeconds: 1,
  });
