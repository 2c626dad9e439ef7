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
  /** `code` of the problem, if the service itself responded (docs/http-contract.md, "Everywhere"). */
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Of the call, as in the logs of gateway and service; undefined before it is sent. */
  requestId: string | undefined;

  constructor(
    kind: ServiceFailure['kind'],
    message: string,
    facts: Partial<Pick<ServiceFailure, 'status' | 'code' | 'retryAfterMs' | 'cause'>> = {},
  ) {
    super(message, { cause: facts.cause });
    this.kind = kind;
    this.status = facts.status;
    this.code = facts.code;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

const unknownAuthority: ReadonlySet<string> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** Whether the certificate of the service or of the proxy is from an authority that this agent does not trust. */
export const isUnknownAuthority = (error: unknown): boolean =>
  unknownAuthority.has(innermost(error)?.code ?? '');

/** Why a call had no response. */
export function networkReason(error: unknown): string {
  const reason = innermost(error);
  if (!(reason instanceof Error)) return String(error);
  const { code = '', message } = reason;
  // OpenSSL's text has several lines.
  if (code === 'EPROTO') return 'EPROTO: the port does not respond with TLS';
  // Without Node's text, which advises an option that the agent does by itself.
  if (isUnknownAuthority(error)) {
    return `the certificate is from an authority that this machine does not know (${code}). Set FOLDER_AGENT_CA_BUNDLE_PATH to a PEM file with this authority, such as /etc/folder-agent/ca.pem`;
  }
  return message.includes(code) ? message : `${code}: ${message}`;
}

/** A host with several addresses produces an error for each. */
function innermost(error: unknown): NodeJS.ErrnoException | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : (error as Error);
}
