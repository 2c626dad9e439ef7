export interface ServiceFailureFacts {
  readonly status?: number | undefined;
  /** `code` of the problem, if the service itself responded (docs/http-contract.md, "Everywhere"). */
  readonly code?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A failed call to the service.
 *
 * - `unreachable`: no response, so it is unknown whether the call had an effect.
 * - `undecodable`: a response that is not the service's, such as the error page of a proxy.
 * - `rejected`: an error response of the service or of the gateway in front of it.
 */
export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
  readonly kind: 'unreachable' | 'undecodable' | 'rejected';
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
