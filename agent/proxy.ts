import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { isThisMachine } from '../lib/contract/settings-table.ts';
import { lookup } from './smb/kerberos/index.ts';
import { TunnelAgent, TunnelRejected } from './proxy-tunnel.ts';
import type { ServiceSettings } from './settings.ts';
import { ServiceFailure } from './service-failure.ts';

/** Longer than an idle agent waits between two claims, shorter than servers and gateways keep idle connections. */
const idleMs = 4_000;

/**
 * Sends the calls to the service: directly if the service is on this machine or NO_PROXY names it, else through the proxy.
 * @param trustsSystem also trusts the system's authorities, where administrators install their own
 */
export function serviceAgent(settings: ServiceSettings, trustsSystem: boolean): http.Agent {
  const { proxy, baseUrl, requestTimeoutMs, allowInsecureTls, caBundle } = settings;
  const url = new URL(baseUrl);
  if (url.protocol === 'http:') return new http.Agent({ keepAlive: true, timeout: idleMs });
  // The bundle is first: of several with one subject it counts.
  const given = caBundle === undefined ? [] : [caBundle];
  const system = trustsSystem ? tls.getCACertificates('system') : [];
  const ca = [...new Set([...given, ...tls.getCACertificates('default'), ...system])];
  // Once: to parse the authorities takes 12 ms of processor time.
  const secureContext = tls.createSecureContext({ ca });
  const trust = { rejectUnauthorized: !allowInsecureTls, secureContext, lookup };
  if (!proxy || isThisMachine(url.hostname) || isException(url, proxy.exceptions))
    return new https.Agent({ ...trust, keepAlive: true, timeout: idleMs });
  return new TunnelAgent({ url: proxy.url.reveal(), trust, timeoutMs: requestTimeoutMs, idleMs });
}

/**
 * Whether NO_PROXY names the host, as curl reads it: names separated by commas or spaces, each with all hosts below it,
 * with or without a leading `.` or `*.`, and with an optional port; `*` for all.
 */
function isException({ hostname, port }: URL, exceptions: string): boolean {
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', onPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (name === '' || (onPort !== undefined && onPort !== (port || '443'))) return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
}

/** A proxy's account is often the domain's, and locks after a few failed logons. */
const credentialsRetryMs = 15 * 60_000;

/** What a dead proxy or a rejected CONNECT means; undefined for every other error. */
export function proxyFailure(
  error: unknown,
  { proxy, baseUrl }: ServiceSettings,
): ServiceFailure | undefined {
  if (!proxy) return undefined;
  const { syscall, port: to, message } = error as NodeJS.ErrnoException & { port?: number };
  if (syscall === 'connect' && String(to) === (new URL(proxy.shown).port || '80')) {
    const says = `the proxy ${proxy.shown} (${proxy.variable}) cannot be reached: ${message}. Correct FOLDER_AGENT_PROXY_URL`;
    return new ServiceFailure('unreachable', says, { cause: error });
  }
  if (!(error instanceof TunnelRejected)) return undefined;
  const { status } = error;
  const what = `the proxy ${proxy.shown} (${proxy.variable}) responded ${status}`;
  const { hostname, port } = new URL(baseUrl);
  const target = `${hostname}:${port || '443'}`;
  const advice: Readonly<Record<number, string>> = {
    403: `it denies access to ${target}. Allow CONNECT to this address on the proxy`,
    407: proxy.hasCredentials
      ? 'it rejects the user or the password. Correct them'
      : 'it requires a user and a password. Set FOLDER_AGENT_PROXY_URL to http://user:password@host:port',
  };
  const otherwise = `it cannot reach ${target}. Check the address and the log of the proxy`;
  const isRejected = status === 407 && proxy.hasCredentials;
  return new ServiceFailure('unreachable', `${what}: ${advice[status] ?? otherwise}`, {
    cause: error,
    ...(isRejected && { retryAfterMs: credentialsRetryMs }),
  });
}
