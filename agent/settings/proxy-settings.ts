import type { Environment } from '../../lib/contract/settings-table.ts';
import { Secret } from '../../lib/contract/secret.ts';

export interface ProxySettings {
  /** Includes the user and the password. */
  readonly url: Secret;
  /** For messages: the URL without them, and the variable that sets it. */
  readonly shown: string;
  /** Hosts that are called directly, as in NO_PROXY. */
  readonly exceptions: string;
}

/** Lower-case names first, as in curl and most programs. */
const variables = ['FOLDER_AGENT_PROXY_URL', 'https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/**
 * The proxy for calls to the service. `FOLDER_AGENT_PROXY_URL` takes precedence over the common variables and ignores
 * NO_PROXY, which is meant for all programs of the machine.
 */
export function readProxy(env: Environment): { proxy?: ProxySettings; faults: string[] } {
  const variable = variables.find((name) => (env[name]?.trim() ?? '') !== '');
  if (variable === undefined) return { faults: [] };
  try {
    const url = proxyUrl(env[variable]?.trim() ?? '');
    const isOwn = variable === 'FOLDER_AGENT_PROXY_URL';
    const exceptions = isOwn ? '' : (env['no_proxy'] ?? env['NO_PROXY'] ?? '').trim();
    const proxy = { url: new Secret(url.href), shown: `${url.origin} (${variable})`, exceptions };
    return { proxy, faults: [] };
  } catch {
    const expected = 'expected http://host:port or http://user:password@host:port';
    const encoded =
      'special characters of user and password percent-encoded, such as http://FIRMA%5Csvc:p%40ss@proxy.firma.example:3128';
    return { faults: [`${variable}: ${expected}, ${encoded}`] };
  }
}

/** @throws Error if it is none */
function proxyUrl(text: string): URL {
  // Other programs accept a host and port without a scheme too.
  const url = new URL(text.includes('://') ? text : `http://${text}`);
  decodeURIComponent(url.username + url.password);
  if (!/^https?:$/.test(url.protocol)) throw new Error('not HTTP');
  // An unencoded backslash, slash, question mark, or number sign of the password ends the host.
  if (url.pathname + url.search + url.hash !== '/') throw new Error('has a path');
  return url;
}
