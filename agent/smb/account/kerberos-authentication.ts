import {
  GssInitiator,
  type KerberosClient,
  KerberosError,
  type KerberosErrorCode,
  kerberosMechanism,
  microsoftKerberosMechanism,
} from '../kerberos/index.ts';
import type { Authentication } from './authentication.ts';
import { SmbError, type SmbErrorCode } from '../base/smb-error.ts';
import { Status, statusName } from '../base/status.ts';

const logOn = 'log on';

/**
 * A logon with a ticket for `cifs/host` (MS-SMB2 3.2.4.2.3); the ticket is fetched here.
 * @throws {SmbError}
 */
export async function kerberosAuthentication(client: KerberosClient, host: string): Promise<Authentication> {
  const service = `cifs/${host.toLowerCase()}`;
  const path = `\\\\${host}`;
  const context = new GssInitiator(client, service);
  const inSmb = async <T>(body: () => Promise<T>): Promise<T> => {
    try {
      return await body();
    } catch (error) {
      throw asSmbError(error, logOn, path);
    }
  };
  await inSmb(() => context.prepare());
  return {
    name: 'Kerberos',
    // Never offered together with NTLM, which the server could then choose.
    mechanisms: [kerberosMechanism, microsoftKerberosMechanism],
    start: () => inSmb(() => context.start()),
    respond: (token) => inSmb(() => context.accept(token)),
    get isComplete() {
      return context.isEstablished;
    },
    sessionKey: () => context.sessionKey(),
    signMechanisms: (mechanisms) => context.sign(mechanisms),
    verifyMechanisms: (mechanisms, checksum) => context.verify(mechanisms, checksum),
    explain(rejection) {
      if (rejection.status !== Status.logonFailure) return rejection;
      client.forgetTicket(service);
      // No password was involved: Samba returns this status for a ticket that it cannot read.
      const message =
        `${path}: the server does not accept the ticket for ${service}. The name leads to another machine, its key in the ` +
        `realm is out of date, or it has no account for this user`;
      const cause = new KerberosError('SERVICE_KEY', message, { status: rejection.status });
      const { status, statusName: name } = rejection;
      const facts = { operation: logOn, path, status, statusName: name, retryable: true, cause };
      return new SmbError('KERBEROS_UNAVAILABLE', message, facts);
    },
    get usableUntil() {
      return context.usableUntil;
    },
  };
}

/** Whether a new ticket may help: the server could not read the one it received. */
export function isStaleTicket({ cause }: SmbError): boolean {
  return cause instanceof KerberosError && (cause.code === 'SERVICE_KEY' || cause.code === 'TICKET_EXPIRED');
}

const codes: Record<KerberosErrorCode, readonly [SmbErrorCode, retryable?: 'retryable']> = {
  KDC_UNREACHABLE: ['KERBEROS_UNAVAILABLE', 'retryable'],
  KDC_ERROR: ['KERBEROS_UNAVAILABLE', 'retryable'],
  CLOCK_SKEW: ['KERBEROS_UNAVAILABLE', 'retryable'],
  SERVICE_KEY: ['KERBEROS_UNAVAILABLE', 'retryable'],
  TICKET_EXPIRED: ['KERBEROS_UNAVAILABLE', 'retryable'],
  SERVICE_UNKNOWN: ['KERBEROS_UNAVAILABLE'],
  ENCRYPTION_UNSUPPORTED: ['KERBEROS_UNAVAILABLE'],
  ACCOUNT_UNKNOWN: ['LOGON_REJECTED'],
  PASSWORD_WRONG: ['LOGON_REJECTED'],
  PASSWORD_EXPIRED: ['LOGON_REJECTED'],
  ACCOUNT_REVOKED: ['LOGON_REJECTED'],
  POLICY: ['LOGON_REJECTED'],
  PROTOCOL: ['PROTOCOL'],
  NOT_GENUINE: ['INTEGRITY'],
  INVALID_ARGUMENT: ['INVALID_ARGUMENT'],
  ABORTED: ['ABORTED'],
};

/** Converts a `KerberosError`; returns any other error unchanged. */
export function asSmbError(error: unknown, operation: string, path: string | undefined): unknown {
  if (!(error instanceof KerberosError)) return error;
  const [code, retryable] = codes[error.code];
  const { status } = error;
  const name = status === undefined ? undefined : statusName(status);
  const facts = {
    operation,
    path,
    status,
    statusName: name,
    retryable: retryable !== undefined,
    cause: error,
  };
  return new SmbError(code, name === undefined ? error.message : `${error.message}: ${name}`, facts);
}
