/** Codes that a caller can switch on. */
export type KerberosErrorCode =
  // The realm
  | 'KDC_UNREACHABLE'
  | 'KDC_ERROR'
  | 'CLOCK_SKEW'
  | 'ENCRYPTION_UNSUPPORTED'
  // The account: the same name and secret would only fail again
  | 'ACCOUNT_UNKNOWN'
  | 'PASSWORD_WRONG'
  | 'PASSWORD_EXPIRED'
  | 'ACCOUNT_REVOKED'
  | 'POLICY'
  // The requested service
  | 'SERVICE_UNKNOWN'
  | 'SERVICE_KEY'
  | 'TICKET_EXPIRED'
  // Rejected by this client for security
  | 'PROTOCOL'
  | 'NOT_GENUINE'
  // The caller
  | 'INVALID_ARGUMENT'
  | 'ABORTED';

export interface KerberosErrorFacts {
  /** Error code of the KRB-ERROR (RFC 4120 section 7.5.9), if there was one. */
  krbError?: number | undefined;
  /** NTSTATUS that Active Directory adds; not authenticated. */
  status?: number | undefined;
  cause?: unknown;
}

/** The only error this client throws. It never contains a password, key or ticket. */
export class KerberosError extends Error {
  override readonly name = 'KerberosError';
  readonly code: KerberosErrorCode;
  readonly krbError: number | undefined;
  readonly status: number | undefined;

  constructor(code: KerberosErrorCode, message: string, facts: KerberosErrorFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.code = code;
    this.krbError = facts.krbError;
    this.status = facts.status;
  }
}

const rejections: ReadonlySet<KerberosErrorCode> = new Set<KerberosErrorCode>([
  'ACCOUNT_UNKNOWN',
  'PASSWORD_WRONG',
  'PASSWORD_EXPIRED',
  'ACCOUNT_REVOKED',
  'POLICY',
]);

/** Whether the realm rejected the account. Some of these count toward locking it. */
export const isAccountRejection = (error: unknown): error is KerberosError =>
  error instanceof KerberosError && rejections.has(error.code);
