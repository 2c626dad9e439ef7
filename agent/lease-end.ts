interface LeaseResponse {
  /** The time before the call was sent, on this machine's clock. */
  readonly sentAtMs: number;
  /** The end of the lease, on the service's clock. */
  readonly leaseExpiresAt: string;
  /** The `Date` header of the response, on the service's clock; whole seconds. */
  readonly respondedAt: string | undefined;
}

/**
 * The end of a lease on this machine's clock, never later than the real end. The clocks of two machines may be minutes
 * apart, so the result is based on how long the lease lasts from the service's response on.
 */
export function leaseEndMs({ sentAtMs, leaseExpiresAt, respondedAt }: LeaseResponse): number {
  const expiresAtMs = Date.parse(leaseExpiresAt);
  const respondedAtMs = Date.parse(respondedAt ?? '');
  if (Number.isNaN(respondedAtMs)) return expiresAtMs;
  // The header truncates the time of the response by up to a second.
  return sentAtMs + (expiresAtMs - (respondedAtMs + 1000));
}
