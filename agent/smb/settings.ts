import { hostname } from 'node:os';
import { ntlmAuthentication } from './ntlm.ts';
import type { Authentication } from './authentication.ts';
import type { Cipher, Dialect, SigningAlgorithm, SmbOptions, Timeouts, TraceEvent } from './options.ts';
import { SmbError } from './smb-error.ts';

const allDialects: readonly Dialect[] = ['2.1', '3.0', '3.0.2', '3.1.1'];
const allCiphers: readonly Cipher[] = ['AES-128-GCM', 'AES-256-GCM', 'AES-128-CCM', 'AES-256-CCM'];
const allSigning: readonly SigningAlgorithm[] = ['AES-128-GMAC', 'AES-128-CMAC', 'HMAC-SHA256'];

const defaultTimeouts: Timeouts = {
  connectMs: 10_000,
  logonMs: 15_000,
  requestMs: 30_000,
  longestRequestMs: 120_000,
  silenceMs: 10_000,
  sendMs: 20_000,
  keepAliveMs: 30_000,
  idleCloseMs: 60_000,
  closeMs: 5_000,
};

/** The options, checked and completed. */
export interface Settings {
  host: string;
  port: number;
  encryption: 'preferred' | 'required';
  dialects: readonly Dialect[];
  ciphers: readonly Cipher[];
  signingAlgorithms: readonly SigningAlgorithm[];
  compounds: boolean;
  serverSideCopy: boolean;
  timeouts: Timeouts;
  signal: AbortSignal | undefined;
  trace: ((event: TraceEvent) => void) | undefined;
  authentication: () => Authentication;
}

/** @throws {SmbError} `INVALID_ARGUMENT` naming the option */
export function settingsOf(options: SmbOptions): Settings {
  const { host, port = 445, domain = '', username, password } = options;
  if (typeof host !== 'string' || !/^[^\s\\/]{1,255}$/.test(host))
    throw invalid('host', 'a server name or address');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('port', 'a number from 1 to 65535');
  if (options.authentication === undefined) {
    // An empty name would be an anonymous logon.
    if (typeof username !== 'string' || username === '') throw invalid('username', 'a name');
    if (typeof password !== 'string') throw invalid('password', 'a string');
  }
  const minimum = allDialects.indexOf(options.minimumDialect ?? '3.0');
  const dialects = options.dialects ?? allDialects.slice(minimum);
  if (minimum < 0 || dialects.length === 0 || !dialects.every((name) => allDialects.includes(name))) {
    throw invalid('dialects', `some of ${allDialects.join(', ')}`);
  }
  const { ciphers = allCiphers, signingAlgorithms = allSigning, encryption = 'preferred' } = options;
  if (!ciphers.every((name) => allCiphers.includes(name)))
    throw invalid('ciphers', `some of ${allCiphers.join(', ')}`);
  if (signingAlgorithms.length === 0 || !signingAlgorithms.every((name) => allSigning.includes(name))) {
    throw invalid('signingAlgorithms', `some of ${allSigning.join(', ')}`);
  }
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  for (const [name, value] of Object.entries(timeouts)) {
    if (!(value > 0)) throw invalid(`timeouts.${name}`, 'milliseconds above zero');
  }
  const workstation = (hostname().split('.')[0] ?? '').toUpperCase().slice(0, 15);
  return {
    host,
    port,
    encryption,
    dialects,
    ciphers,
    signingAlgorithms,
    compounds: options.compounds ?? true,
    serverSideCopy: options.serverSideCopy ?? true,
    timeouts,
    signal: options.signal,
    trace: options.trace,
    authentication:
      options.authentication ??
      (() => ntlmAuthentication({ domain, username, password, serverName: host, workstation })),
  };
}

function invalid(option: string, expected: string): SmbError {
  return new SmbError('INVALID_ARGUMENT', `SMB option ${option}: ${expected} is expected`, {
    operation: 'configure',
  });
}
