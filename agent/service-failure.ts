export interface ServiceFailureFacts {
  readonly status?: number | undefined;
  /** `code` of the problem, when the service itself answered (docs/http-contract.md, "Everywhere"). */
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
  readonly kind: 'unreachable' | 'undecodable' | 'refused';
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ServiceFailure['kind'], message: string, facts: ServiceFailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = new.target.name;
    this.kind = kind;
    this.status = facts.status;
    this.code = facts.code;
    this.retryAfterMs = facts.retryAfterMs;
  }
}
