import { ServiceError } from '../../base/service-error.ts';
import type { Clock } from '../../contract/clock.ts';

export interface BudgetLimits {
  readonly ms: number;
  /** To the storage, including repeated ones. */
  readonly requests: number;
  /** What is used before a page or a batch leaves the rest to the next call; the others are for what it has begun. */
  readonly begin?: { readonly ms: number; readonly requests: number };
}

/** What one call may use of the storage: nothing begins after its time, or beyond its number of requests. */
export class CallBudget {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: BudgetLimits;
  readonly #whole: CallBudget | undefined;
  readonly #sinceMs: number;
  #taken = 0;

  /** @param whole the budget that this one is a part of */
  constructor(clock: Pick<Clock, 'now'>, limits: BudgetLimits, whole?: CallBudget) {
    this.#clock = clock;
    this.#limits = limits;
    this.#whole = whole;
    this.#sinceMs = clock.now();
  }

  get leftMs(): number {
    const ownMs = Math.max(0, this.#sinceMs + this.#limits.ms - this.#clock.now());
    return Math.min(ownMs, this.#whole?.leftMs ?? Infinity);
  }

  /** Whether a step of so many requests can begin. */
  allowsStep(requests: number): boolean {
    const { ms, requests: most } = this.#limits.begin ?? this.#limits;
    return this.#taken + requests <= most && this.#clock.now() - this.#sinceMs < ms;
  }

  /** Takes one request. @throws ServiceError `storage_unavailable` if nothing is left */
  take(cause?: unknown): void {
    if (this.#taken >= this.#limits.requests || this.leftMs === 0) throw budgetSpent(cause);
    this.#whole?.take(cause);
    this.#taken += 1;
  }
}

export const budgetSpent = (cause?: unknown): ServiceError =>
  new ServiceError('storage_unavailable', {
    detail: 'The storage has not responded within the time and the requests that this call has; try again.',
    retryAfterSeconds: 5,
    cause,
  });
