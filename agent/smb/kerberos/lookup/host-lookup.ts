import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify, promisify } from 'node:util';
import { resolveAddresses, type DnsOptions } from './dns.ts';
import { firstOfStaggered } from './staggered.ts';

// The system's lookup knows the hosts file and the search domains, but asks its DNS servers one after another: glibc waits
// 5 s for a silent one, in every lookup. The own query asks all of them.

type Source = 'system' | 'own query';

export interface HostLookupOptions {
  readonly dns?: DnsOptions | undefined;
  /** The lookup of this machine. */
  readonly system?: ((host: string) => Promise<LookupAddress[]>) | undefined;
  readonly now?: (() => number) | undefined;
}

/** What the system finds immediately, such as names in the hosts file, takes precedence. */
const systemHeadStartMs = 500;
/** Interval for which a system that was too slow is not asked first. */
const slowSystemMs = 10 * 60_000;

const all = promisify(systemLookup);

/**
 * A `lookup` for `connect` of node:net and node:https that does not wait for a silent DNS server while another one
 * responds. It fails with the system's error.
 */
export function hostLookup({
  dns,
  system = (host) => all(host, { all: true }),
  now = Date.now,
}: HostLookupOptions = {}): LookupFunction {
  let isSlowUntil = 0;
  const addressesOf = async (host: string): Promise<LookupAddress[]> => {
    // Search domains are left to the system.
    if (!host.includes('.')) return system(host);
    const isSlow = now() < isSlowUntil;
    let systemError: unknown;
    const sources: readonly Source[] = isSlow ? ['own query', 'system'] : ['system', 'own query'];
    const ask = async (source: Source): Promise<LookupAddress[]> => {
      if (source === 'system') {
        return system(host).catch((error: unknown) => {
          systemError = error;
          throw error;
        });
      }
      const found = await resolveAddresses(host, dns);
      if (found.length === 0) throw new Error(`the DNS has no address of ${host}`);
      return found.map((address) => ({ address, family: isIP(address) }));
    };
    try {
      const { candidate, value } = await firstOfStaggered(sources, ask, { delayMs: systemHeadStartMs });
      if (candidate === 'own query' && !isSlow) isSlowUntil = now() + slowSystemMs;
      return value;
    } catch (error) {
      throw systemError ?? error;
    }
  };
  return (host, { all: wantsAll, family = 0 }, callback) => {
    const version = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
    // By callback, as the interface wants it; what that throws must not become a rejection.
    callbackify(addressesOf)(host, (error, found) => {
      if (error !== null) return callback(error, []);
      const wanted = version === 0 ? found : found.filter((address) => address.family === version);
      const [first] = wanted;
      if (first === undefined) return callback(noAddress(host), []);
      return wantsAll ? callback(null, wanted) : callback(null, first.address, first.family);
    });
  };
}

function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND', hostname: host });
}

/** Shared by all connections of this process, with what it learned. */
export const lookup: LookupFunction = hostLookup();
