import { GraphError } from './graph-error.ts';

const windowMs = 60_000;

/** Resource units per user and minute (A10). Throttled requests count too. */
export class ThrottleBudget {
  readonly #spent = new Map<string, { since: number; units: number }>();

  /** Throws 429 above the limit; otherwise returns the RateLimit headers, which start at 80 %. */
  spend(userId: string, units: number, limit: number | null, now: number): Record<string, string> {
    if (limit === null) return {};
    const last = this.#spent.get(userId);
    const window = last !== undefined && now - last.since < windowMs ? last : { since: now, units: 0 };
    window.units += units;
    this.#spent.set(userId, window);
    const secondsLeft = Math.max(1, Math.ceil((window.since + windowMs - now) / 1000));
    if (window.units > limit) throw throttledError(429, String(secondsLeft));
    if (window.units < limit * 0.8) return {};
    return {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(limit - window.units),
      'RateLimit-Reset': String(secondsLeft),
    };
  }
}

export function throttledError(status: 429 | 503, retryAfter: string | null): GraphError {
  const headers: Record<string, string> = retryAfter === null ? {} : { 'Retry-After': retryAfter };
  return status === 429
    ? new GraphError(429, 'activityLimitReached', 'The request has been throttled', {
        inner: ['throttledRequest', 'quota'],
        headers,
      })
    : new GraphError(
        503,
        'serviceNotAvailable',
        'The service is not available. Try the request again later.',
        {
          headers,
        },
      );
}
