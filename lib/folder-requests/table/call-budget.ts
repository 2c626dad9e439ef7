import { ServiceError } from '../../base/service-error.ts';
import type { Clock } from '../../contract/clock.ts';

export interface BudgetLimits {
  readonly ms: number;
  /** To the storage, including repeated ones. */
  readonly requests: number;
}

/** What one call may use of the storage: nothing begins after its time, or beyond its number of requests. */
export class CallBudget {
  readonly #clock: Clock;
  readonly #untilMs: number;
  #requests: number;

  constructor(clock: Clock, { ms, requests }: BudgetLimits) {
    this.#clock = clock;
    this.#untilMs = clock.now() + ms;
    this.#requests = requests;
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#clock.now());
  }

  /** Whether these requests are left. */
  has(requests: number): boolean {
    return this.#requests >= requests && this.leftMs > 0;
  }

  /** Takes one request. @throws ServiceError `storage_unavailable` if nothing is left */
  take(cause?: unknown): void {
    if (!this.has(1)) throw budgetSpent(cause);
    this.#requests -= 1;
  }
}

export const budgetSpent = (cause?: unknown): ServiceError =>
  new ServiceError('storage_unavailable', {
    detail: 'The storage has not responded within the time and the requests that this call has; try again.',
    retryAfterSeconds: 5,
    cause,
  });
