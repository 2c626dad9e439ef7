import { isIP } from 'node:net';
import { hostname } from 'node:os';
import {
  isAccountRejection,
  KerberosClient,
  KerberosError,
  type KerberosOptions,
  type Random,
  type RealmStatus,
} from '../kerberos/index.ts';
import type { Authentication } from './authentication.ts';
import { asSmbError, kerberosAuthentication } from './kerberos-authentication.ts';
import { freshEntropy, ntlmAuthentication } from './ntlm.ts';
import { inPhase, SmbError } from '../base/smb-error.ts';
import { Status } from '../base/status.ts';

/** How an account authenticates. */
export type AccountOptions =
  | ({ mechanism: 'ntlm' } & NtlmOptions)
  | ({ mechanism: 'kerberos' } & KerberosAccountOptions)
  /** Kerberos, with NTLM where Kerberos cannot be used at all; see `SmbAccount`. */
  | ({
      mechanism: 'negotiate';
      ntlm: NtlmOptions;
      onFallback?: FallbackListener | undefined;
    } & KerberosAccountOptions);

export interface NtlmOptions {
  /** NetBIOS domain or realm; empty (the default) for local accounts and for `user@domain` names. */
  domain?: string | undefined;
  username: string;
  password: string;
  /** Source of random bytes; the system's by default. */
  random?: Random | undefined;
}

export interface KerberosAccountOptions {
  kerberos: KerberosOptions;
  /** Host of the service principal name `cifs/…`, for servers registered under another name. */
  servicePrincipalHost?: ((host: string) => string) | undefined;
}

/** Called with the server and the reason each time NTLM replaces Kerberos. */
export type FallbackListener = (host: string, reason: SmbError) => void;

/** Rejections that concern the server, not the account. */
const ofServer: ReadonlySet<number> = new Set([
  Status.logonTypeNotGranted,
  Status.authenticationFirewallFailed,
]);

/**
 * The account that logs on, at any number of servers. A rejected logon is final for all of them because accounts
 * lock: ten servers must not mean ten failed attempts.
 *
 * `negotiate` uses NTLM only if the realm has no such service (the server is not in the domain), if no KDC can
 * be reached, and for servers named by their address. It never falls back after a response about account, password or
 * clock, nor after a server failed to prove its identity. An attacker who can block port 88 can force NTLM this way.
 */
export class SmbAccount {
  /** Undefined with NTLM. */
  readonly kerberos: KerberosClient | undefined;
  readonly #options: AccountOptions;
  #rejection: SmbError | undefined;

  /** @throws {SmbError} `INVALID_ARGUMENT` */
  constructor(options: AccountOptions) {
    this.#options = options;
    if (options.mechanism !== 'kerberos') checkNtlm(options.mechanism === 'ntlm' ? options : options.ntlm);
    if (options.mechanism === 'ntlm') return;
    try {
      this.kerberos = new KerberosClient(options.kerberos);
    } catch (error) {
      throw asSmbError(error, 'configure', undefined);
    }
  }

  /**
   * Prepares a logon at one server. Tickets are fetched before a connection is opened, since servers drop connections
   * that do not log on.
   * @throws {SmbError} the remembered rejection; `LOGON_REJECTED`, `KERBEROS_UNAVAILABLE`
   */
  async authentication(host: string): Promise<Authentication> {
    if (this.#rejection !== undefined) throw this.#rejection;
    const options = this.#options;
    const { kerberos } = this;
    if (options.mechanism === 'ntlm' || kerberos === undefined) return ntlm(options as NtlmOptions, host);
    const serviceHost = options.servicePrincipalHost?.(host) ?? host;
    try {
      if (options.mechanism === 'negotiate' && isIP(host) !== 0) throw withoutName(host);
      return await kerberosAuthentication(kerberos, serviceHost);
    } catch (error) {
      if (options.mechanism !== 'negotiate' || !(error instanceof SmbError) || !mayFallBack(error))
        throw error;
      options.onFallback?.(host, error);
      return ntlm(options.ntlm, host);
    }
  }

  /**
   * Remembers a rejection that is final for the account.
   * @returns whether it is final; otherwise it concerns the server at most
   */
  remember(rejection: SmbError): boolean {
    const { code, status, cause } = rejection;
    if (code !== 'LOGON_REJECTED') return false;
    // The Kerberos client remembers its own.
    if (isAccountRejection(cause)) return true;
    if (status === undefined || ofServer.has(status)) return false;
    this.#rejection = rejection;
    return true;
  }

  /**
   * Logs on at the realm unless that has happened; undefined with NTLM.
   * @throws {SmbError}
   */
  realmStatus(): Promise<RealmStatus> | undefined {
    const { kerberos } = this;
    if (kerberos === undefined) return undefined;
    return inPhase('logon', () =>
      kerberos.status().catch((error: unknown) => {
        throw asSmbError(error, 'log on', undefined);
      }),
    );
  }

  forgetRejection(): void {
    this.#rejection = undefined;
    this.kerberos?.forgetRejection();
  }
}

function ntlm({ domain = '', username, password, random }: NtlmOptions, serverName: string): Authentication {
  const workstation = (hostname().split('.')[0] ?? '').toUpperCase().slice(0, 15);
  const account = { domain, username, password, serverName, workstation };
  return ntlmAuthentication(account, freshEntropy(random));
}

function checkNtlm({ username, password }: NtlmOptions): void {
  // An empty name would mean an anonymous logon.
  if (typeof username !== 'string' || username === '') throw invalid('username', 'a name');
  if (typeof password !== 'string') throw invalid('password', 'a string');
}

function withoutName(host: string): SmbError {
  const facts = {
    operation: 'log on',
    path: `\\\\${host}`,
    cause: new KerberosError('SERVICE_UNKNOWN', 'an address'),
  };
  return new SmbError('KERBEROS_UNAVAILABLE', `${host} is an address, and Kerberos needs a name`, facts);
}

function mayFallBack({ code, cause }: SmbError): boolean {
  const reason = cause instanceof KerberosError ? cause.code : undefined;
  return code === 'KERBEROS_UNAVAILABLE' && (reason === 'SERVICE_UNKNOWN' || reason === 'KDC_UNREACHABLE');
}

function invalid(option: string, expected: string): SmbError {
  return new SmbError('INVALID_ARGUMENT', `SMB option ${option}: ${expected} is expected`, {
    operation: 'configure',
  });
}
