import { systemRandom, type Random } from '../kerberos/index.ts';
import { SmbAccount } from './account.ts';
import type { Cipher, Dialect, SigningAlgorithm } from '../base/algorithms.ts';
import type { SmbOptions, Timeouts, TraceEvent } from './options.ts';
import { SmbError } from '../base/smb-error.ts';

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

/** The validated options with their defaults. */
export interface Settings {
  host: string;
  /** Where to connect. */
  address: string;
  port: number;
  account: SmbAccount;
  encryption: 'preferred' | 'required';
  dialects: readonly Dialect[];
  ciphers: readonly Cipher[];
  signingAlgorithms: readonly SigningAlgorithm[];
  compounds: boolean;
  serverSideCopy: boolean;
  timeouts: Timeouts;
  signal: AbortSignal | undefined;
  trace: ((event: TraceEvent) => void) | undefined;
  onWarning: ((warning: string) => void) | undefined;
  random: Random;
}

/** @throws {SmbError} `INVALID_ARGUMENT` naming the option */
export function settingsOf(options: SmbOptions): Settings {
  const { host, port = 445, address = host } = options;
  if (typeof host !== 'string' || !/^[^\s\\/]{1,255}$/.test(host))
    throw invalid('host', 'a server name or address');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('port', 'a number from 1 to 65535');
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
  return {
    host,
    address,
    port,
    account: options.account ?? ntlmAccount(options),
    encryption,
    dialects,
    ciphers,
    signingAlgorithms,
    compounds: options.compounds ?? true,
    serverSideCopy: options.serverSideCopy ?? true,
    timeouts,
    signal: options.signal,
    trace: options.trace,
    onWarning: options.onWarning,
    random: options.random ?? systemRandom,
  };
}

/** @throws {SmbError} `INVALID_ARGUMENT` */
export function ntlmAccount({
  domain,
  username = '',
  password = '',
  random,
}: Pick<SmbOptions, 'domain' | 'username' | 'password' | 'random'>): SmbAccount {
  return new SmbAccount({ mechanism: 'ntlm', domain, username, password, random });
}

function invalid(option: string, expected: string): SmbError {
  return new SmbError('INVALID_ARGUMENT', `SMB option ${option}: ${expected} is expected`, {
    operation: 'configure',
  });
}
