export interface ServiceFailureFacts {
  readonly status?: number | undefined;
  /** `code` of the problem, when the service itself answered (contract.md, "Everywhere"). */
  readonly code?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A call to the service that did not do what it was for.
 *
 * `unreachable`: no answer, so nobody knows whether the call had an effect. `undecodable`: an answer that is not the
 * service's, such as the error page of a proxy. `refused`: the service, or the gateway before it, said no.
 */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
  readonly kind: 'unreachable' | 'undecodable' | 'refused';
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ServiceFailure['kind'], message: string, facts: ServiceFailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.kind = kind;
    this.status = facts.status;
    this.code = facts.code;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** `Retry-After` as RFC 9110 10.2.3 has it: seconds, or the date to wait for, seen from the answer's own date. */
export function retryAfterMs(retryAfter: string | undefined, answeredAtMs: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1000;
  // Date.parse alone takes much that is no date, such as -5.
  const date = /\bGMT\s*$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - answeredAtMs);
}
