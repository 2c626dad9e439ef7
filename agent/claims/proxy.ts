import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { isThisMachine } from '../../lib/contract/settings-table.ts';
import { lookup } from '../smb/kerberos/index.ts';
import type { ProxySettings } from '../settings/proxy-settings.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { networkReason, ServiceFailure } from '../base/service-failure.ts';

/** Longer than an idle agent waits between two claims, shorter than servers and gateways keep idle connections. */
const idleMs = 4_000;

/** Node's 250 ms for each address of a name but the last are too short for a slow network (agent/smb/connection/transport.ts). */
const attemptMs = 2_000;

/**
 * Sends the calls to the service: directly if the service is on this machine or NO_PROXY names it, else through the proxy.
 * @param trustsSystem also trusts the system's authorities, where administrators install their own
 */
export function serviceAgent(settings: ServiceSettings, trustsSystem: boolean): http.Agent {
  const { proxy, baseUrl, requestTimeoutMs, allowInsecureTls, caBundle } = settings;
  const url = new URL(baseUrl);
  const kept = { keepAlive: true, timeout: idleMs, autoSelectFamilyAttemptTimeout: attemptMs };
  if (url.protocol === 'http:') return new http.Agent(kept);
  // The bundle is first: of several with one subject it counts.
  const given = caBundle === undefined ? [] : [caBundle];
  const system = trustsSystem ? tls.getCACertificates('system') : [];
  const ca = [...new Set([...given, ...tls.getCACertificates('default'), ...system])];
  // Once: to parse the authorities takes 12 ms of processor time.
  const secureContext = tls.createSecureContext({ ca });
  const trust = { rejectUnauthorized: !allowInsecureTls, secureContext, lookup };
  return !proxy || isThisMachine(url.hostname) || isException(url, proxy.exceptions)
    ? new https.Agent({ ...trust, ...kept })
    : new TunnelAgent({ ...trust, ...kept }, proxy, `${url.hostname}:${url.port || '443'}`, requestTimeoutMs);
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

/**
 * Sends HTTPS requests through a tunnel that the proxy opens with CONNECT (RFC 9110, section 9.3.6). Why neither undici nor
 * Node's `proxyEnv` does it: docs/decisions/0030.
 */
class TunnelAgent extends https.Agent {
  readonly #options: https.AgentOptions;
  readonly #proxy: ProxySettings;
  /** Host and port of the service. */
  readonly #target: string;
  readonly #timeoutMs: number;
  readonly #closed = new AbortController();

  constructor(options: https.AgentOptions, proxy: ProxySettings, target: string, timeoutMs: number) {
    super(options);
    this.#options = options;
    this.#proxy = proxy;
    this.#target = target;
    this.#timeoutMs = timeoutMs;
  }

  override createConnection(
    options: https.RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { protocol, username, password, hostname, port } = new URL(this.#proxy.url.reveal());
    // Brackets are for URLs only.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const fail = (error: Error) => (callback as (error: Error) => void)(error);
    const request = (protocol === 'https:' ? https : http).request({
      ...this.#options,
      method: 'CONNECT',
      host,
      // Without it Node expects the name in the `host` header in the proxy's certificate.
      servername: isIP(host) ? '' : host,
      port: port || (protocol === 'https:' ? 443 : 80),
      path: this.#target,
      headers: {
        host: this.#target,
        ...(credentials !== ':' && {
          'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
        }),
      },
      agent: false,
      signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(this.#timeoutMs)]),
    });
    if (protocol === 'https:') this.#expectTls(request);
    request
      .once('connect', ({ statusCode = 0, headers }, socket) => {
        if (statusCode !== 200) {
          socket.destroy();
          const facts = {
            hasCredentials: username !== '',
            schemes: schemesIn(headers['proxy-authenticate']),
          };
          return fail(noTunnel(statusCode, this.#target, this.#proxy.shown, facts));
        }
        // TLS to the service, on the socket of the tunnel.
        const through = { ...options, socket } as https.RequestOptions;
        return callback(null, super.createConnection(through) as Duplex);
      })
      .on('error', (cause) => {
        const what = `the proxy ${this.#proxy.shown} cannot be reached: ${networkReason(cause)}`;
        const code = (cause as NodeJS.ErrnoException).code;
        const remedy =
          cause === noTls || code === 'EPROTO'
            ? `Most proxies speak HTTP: write http:// instead of https:// in FOLDER_AGENT_PROXY_URL, such as http://${host}:3128`
            : 'Correct FOLDER_AGENT_PROXY_URL';
        fail(new ServiceFailure('unreachable', `${what}. ${remedy}`, { cause }));
      })
      .end();
    return undefined;
  }

  /** A proxy without TLS waits for the rest of what it takes for a request. */
  #expectTls(request: http.ClientRequest): void {
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        const limit = setTimeout(() => request.destroy(noTls), Math.min(tlsMs, this.#timeoutMs / 2));
        for (const event of ['secureConnect', 'close'] as const)
          socket.once(event, () => clearTimeout(limit));
      });
    });
  }

  override destroy(): void {
    this.#closed.abort();
    super.destroy();
  }
}

/** From the connection to the end of the handshake. */
const tlsMs = 3_000;
const noTls = new Error('the port accepts connections, but does not respond with TLS');

/** A proxy's account is often the domain's, and locks after a few failed logons. */
const credentialsRetryMs = 15 * 60_000;

/** The ways to sign in that a proxy offers, such as `Negotiate, NTLM` (RFC 9110, 11.7.1). Parameters have no schemes in them. */
function schemesIn(offered: string | string[] | undefined): string[] {
  const outsideQuotes = [offered ?? []]
    .flat()
    .join(', ')
    .replaceAll(/"(?:\\.|[^"\\])*"/g, '');
  return outsideQuotes.split(',').flatMap((part) => /^\s*([\w-]+)(?=\s|$)(?!\s*=)/.exec(part)?.[1] ?? []);
}

interface ProxyFacts {
  readonly hasCredentials: boolean;
  readonly schemes: readonly string[];
}

function noTunnel(
  status: number,
  target: string,
  proxy: string,
  { hasCredentials, schemes }: ProxyFacts,
): ServiceFailure {
  // Proxies in domains often offer only these (genotrance/px#259); no password is right for them here.
  const isBasicMissing = schemes.length > 0 && schemes.every((each) => !/^basic$/i.test(each));
  const advice: Readonly<Record<number, string>> = {
    403: `it denies access to ${target}. Allow CONNECT to this address on the proxy`,
    407: isBasicMissing
      ? `it lets callers sign in by ${schemes.join(' or ')} only, and the agent only by Basic. Allow CONNECT to ${target} without a sign-in for this machine, enable Basic, or set FOLDER_AGENT_PROXY_URL to a proxy on this machine that signs in for it`
      : hasCredentials
        ? 'it rejects the user or the password. Correct them'
        : 'it requires a user and a password. Set FOLDER_AGENT_PROXY_URL to http://user:password@host:port',
  };
  const otherwise = `it cannot reach ${target}. Check the address and the log of the proxy`;
  return new ServiceFailure(
    'unreachable',
    `the proxy ${proxy} responded ${status}: ${advice[status] ?? otherwise}`,
    { retryAfterMs: status === 407 && hasCredentials ? credentialsRetryMs : undefined },
  );
}
