import tls from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { isThisMachine } from '../lib/contract/settings-table.ts';
import type { ServiceSettings } from './settings.ts';
import { ServiceFailure } from './service-failure.ts';

/** What sends the calls to the service: through the proxy, unless the service is on this machine. */
export function serviceDispatcher(settings: ServiceSettings): Dispatcher {
  const { proxy, baseUrl, requestTimeoutMs, allowInsecureTls, caBundle } = settings;
  const connect = {
    rejectUnauthorized: !allowInsecureTls,
    timeout: requestTimeoutMs,
    ...(caBundle && { ca: [...tls.getCACertificates('default'), caBundle] }),
  };
  if (!proxy || isThisMachine(new URL(baseUrl).hostname)) return new Agent({ connect });
  const url = proxy.url.reveal();
  return new EnvHttpProxyAgent({
    httpProxy: url,
    httpsProxy: url,
    noProxy: proxy.exceptions,
    connect,
    connectTimeout: requestTimeoutMs,
    requestTls: connect,
    proxyTls: connect,
  });
}

/** A proxy's account is often the domain's, and locks after a few refused logons. */
const credentialsRetryMs = 15 * 60_000;

/** What a refused CONNECT means; undefined for every other error. undici gives the status in its message only. */
export function proxyRefusal(
  error: unknown,
  { proxy, baseUrl }: ServiceSettings,
): ServiceFailure | undefined {
  const [, status] =
    /^Proxy response \((\d+)\) !== 200/.exec(error instanceof Error ? error.message : '') ?? [];
  if (!proxy || status === undefined) return undefined;
  const said = `the proxy ${proxy.shown} (${proxy.variable}) answered ${status}`;
  const { hostname, port } = new URL(baseUrl);
  const target = `${hostname}:${port || '443'}`;
  const form = 'http://user:password@host:port';
  if (status === '407') {
    return proxy.hasCredentials
      ? new ServiceFailure('unreachable', `${said}: it refuses the user or the password. Correct them`, {
          cause: error,
          retryAfterMs: credentialsRetryMs,
        })
      : new ServiceFailure(
          'unreachable',
          `${said}: it asks for a user and a password. Set FOLDER_AGENT_PROXY_URL to ${form}`,
          { cause: error },
        );
  }
  const advice =
    status === '403'
      ? `it does not let this machine through. Allow CONNECT to ${target} on the proxy`
      : `it does not get through to ${target}. Check the address and the log of the proxy`;
  return new ServiceFailure('unreachable', `${said}: ${advice}`, { cause: error });
}
