export interface LeaseAnswer {
  /** On this machine's clock, before the call was sent. */
  readonly sentAtMs: number;
  /** On the service's clock. */
  readonly leaseExpiresAt: string;
  /** The `Date` header of the answer, on the service's clock; whole seconds. */
  readonly answeredAt: string | undefined;
}

/**
 * The end of a lease on this machine's clock, never later than it really is. The clocks of two machines may be minutes
 * apart, so what counts is how long the service meant the lease to last from its answer on.
 */
export function leaseEndMs({ sentAtMs, leaseExpiresAt, answeredAt }: LeaseAnswer): number {
  const expiresAtMs = Date.parse(leaseExpiresAt);
  const answeredAtMs = Date.parse(answeredAt ?? '');
  if (Number.isNaN(answeredAtMs)) return expiresAtMs;
  // The header cuts off up to a second of the time at which the answer was made.
  return sentAtMs + (expiresAtMs - (answeredAtMs + 1000));
}
