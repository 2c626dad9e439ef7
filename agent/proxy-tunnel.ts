import http from 'node:http';
import https from 'node:https';
import { isIP, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';

export interface TunnelOptions {
  /** The proxy's URL, with user and password. */
  readonly url: string;
  /** For the service's certificate, and for the proxy's own if it is called over TLS. */
  readonly trust: Pick<https.AgentOptions, 'secureContext' | 'rejectUnauthorized' | 'lookup'>;
  readonly timeoutMs: number;
  readonly idleMs: number;
}

/** The proxy did not open a tunnel. */
export class TunnelRejected extends Error {
  override readonly name = 'TunnelRejected';
  readonly status: number;

  constructor(status: number) {
    super(`the proxy responded ${status}`);
    this.status = status;
  }
}

/**
 * Sends HTTPS requests through a tunnel that the proxy opens with CONNECT (RFC 9110, section 9.3.6). Why neither undici nor
 * Node's `proxyEnv` does it: docs/decisions/0030.
 */
export class TunnelAgent extends https.Agent {
  readonly #options: TunnelOptions;
  readonly #closed = new AbortController();

  constructor(options: TunnelOptions) {
    super({ ...options.trust, keepAlive: true, timeout: options.idleMs });
    this.#options = options;
  }

  override createConnection(
    options: https.RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { url, trust, timeoutMs } = this.#options;
    const { protocol, username, password, hostname, port } = new URL(url);
    const host = options.host ?? '';
    // Brackets are for URLs only.
    const proxyHost = hostname.replace(/^\[(.*)\]$/, '$1');
    const authority = `${isIPv6(host) ? `[${host}]` : host}:${options.port}`;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const fail = (error: Error) => (callback as (error: Error) => void)(error);
    (protocol === 'https:' ? https : http)
      .request({
        ...trust,
        method: 'CONNECT',
        host: proxyHost,
        // Without it Node expects the name in the `host` header in the proxy's certificate.
        servername: isIP(proxyHost) ? '' : proxyHost,
        port: port || (protocol === 'https:' ? 443 : 80),
        path: authority,
        headers: {
          host: authority,
          ...(credentials !== ':' && {
            'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
          }),
        },
        agent: false,
        signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(timeoutMs)]),
      })
      .once('connect', ({ statusCode = 0 }, socket) => {
        if (statusCode !== 200) {
          socket.destroy();
          return fail(new TunnelRejected(statusCode));
        }
        // TLS to the service, on the socket of the tunnel.
        const through = { ...options, socket } as https.RequestOptions;
        return callback(null, super.createConnection(through) as Duplex);
      })
      .on('error', fail)
      .end();
    return undefined;
  }

  override destroy(): void {
    this.#closed.abort();
    super.destroy();
  }
}
