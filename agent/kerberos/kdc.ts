import { connect } from 'node:net';
import { resolveSrv, type SrvOptions } from './dns-srv.ts';
import { isKrbError, KrbError, readKrbError, rejection } from './krb-error.ts';
import { KerberosError } from './kerberos-error.ts';

export interface KdcAddress {
  readonly host: string;
  readonly port: number;
}

/** Sends one request to one KDC; rejects with `KDC_UNREACHABLE` when there is no reply. */
export type SendToKdc = (address: KdcAddress, request: Buffer, limits: SendLimits) => Promise<Buffer>;

export interface SendLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Tickets with the groups of a large domain have about 12 KiB (MaxTokenSize is 48,000 bytes). */
const longestReplyBytes = 1_048_576;

/**
 * Parses `host`, `host:port` or `[v6]:port`; the port defaults to 88.
 * @throws {KerberosError} `INVALID_ARGUMENT`
 */
export function parseKdcAddress(text: string): KdcAddress {
  const [, v6, name, port = '88'] =
    /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const host = v6 ?? name;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new KerberosError('INVALID_ARGUMENT', 'expected a KDC as host or host:port');
  return { host, port: Number(port) };
}

export const kdcText = ({ host, port }: KdcAddress) => `${host.includes(':') ? `[${host}]` : host}:${port}`;

export interface KdcOptions {
  /** KDCs by realm in upper case; those of other realms are found by DNS. */
  readonly kdcs?: Readonly<Record<string, readonly KdcAddress[]>> | undefined;
  readonly dns?: SrvOptions | undefined;
  /** For one KDC, including the connection. */
  readonly timeoutMs?: number | undefined;
  readonly send?: SendToKdc | undefined;
  readonly now?: (() => number) | undefined;
  /** Ends the client for good: exchanges in flight and every later one fail with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Interval after which the servers are looked up again. */
const discoveryLifetimeMs = 10 * 60_000;

interface RealmKdcs {
  readonly addresses: readonly KdcAddress[];
  readonly foundBy: 'setting' | 'DNS';
  readonly until: number;
  /** The KDC that replied last is tried first, so that a dead one costs its timeout once. */
  preferred: number;
}

/** The KDCs of all realms that an account uses. */
export class Kdcs {
  /** Requests sent so far; each wrong proof among them counts toward locking the account. */
  exchanges = 0;
  readonly #options: KdcOptions;
  readonly #now: () => number;
  readonly #realms = new Map<string, Promise<RealmKdcs>>();

  constructor(options: KdcOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The reply of the first KDC of the realm that sends one, with any contents, except that an overloaded KDC is
   * skipped.
   * @throws {KerberosError} `KDC_UNREACHABLE`
   */
  async send(realm: string, request: Buffer): Promise<Buffer> {
    const { send = sendByTcp, timeoutMs = 5_000, signal } = this.#options;
    const known = await this.#kdcsOf(realm);
    const { addresses } = known;
    const failures: KerberosError[] = [];
    for (let tried = 0; tried < addresses.length; tried += 1) {
      const index = (known.preferred + tried) % addresses.length;
      const address = addresses[index]!;
      try {
        this.exchanges += 1;
        const reply = await send(address, request, { timeoutMs, signal });
        rejectUnavailable(reply, address);
        known.preferred = index;
        return reply;
      } catch (error) {
        if (!(error instanceof KerberosError) || error.code !== 'KDC_UNREACHABLE') throw error;
        failures.push(error);
      }
    }
    this.#realms.delete(realm);
    const message = `No KDC of ${realm} replies. ${failures.map((failure) => failure.message).join('. ')}`;
    throw new KerberosError('KDC_UNREACHABLE', message, { cause: failures[0] });
  }

  /** The KDC that replied last, and how it was found; undefined before the first reply. */
  async usedFor(realm: string): Promise<{ address: KdcAddress; foundBy: 'setting' | 'DNS' } | undefined> {
    const known = await this.#realms.get(realm);
    const address = known?.addresses[known.preferred];
    return known && address && { address, foundBy: known.foundBy };
  }

  async #kdcsOf(realm: string): Promise<RealmKdcs> {
    const pending = this.#realms.get(realm);
    const known = await pending;
    if (known !== undefined && known.until > this.#now()) return known;
    // Another call may have started a lookup by now.
    const current = this.#realms.get(realm);
    if (current !== pending && current !== undefined) return current;
    const finding = this.#find(realm);
    this.#realms.set(realm, finding);
    finding.catch(() => this.#realms.delete(realm));
    return finding;
  }

  async #find(realm: string): Promise<RealmKdcs> {
    const given = this.#options.kdcs?.[realm.toUpperCase()];
    if (given !== undefined && given.length > 0)
      return { addresses: given, foundBy: 'setting', until: Infinity, preferred: 0 };
    const addresses = await discoverKdcs(realm, this.#options.dns);
    return { addresses, foundBy: 'DNS', until: this.#now() + discoveryLifetimeMs, preferred: 0 };
  }
}

function rejectUnavailable(reply: Buffer, address: KdcAddress): void {
  const error = krbErrorIn(reply);
  if (error?.code === KrbError.serviceUnavailable) throw rejection(error, kdcText(address));
}

/** Undefined also for an unreadable error, which the caller reports. */
function krbErrorIn(reply: Buffer) {
  try {
    return isKrbError(reply) ? readKrbError(reply) : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 4120 section 7.2.3.2; below `dc._msdcs` Active Directory lists only domain controllers. */
async function discoverKdcs(realm: string, dns: SrvOptions | undefined): Promise<KdcAddress[]> {
  const domain = realm.toLowerCase();
  for (const name of [`_kerberos._tcp.dc._msdcs.${domain}`, `_kerberos._tcp.${domain}`]) {
    const records = await resolveSrv(name, dns);
    if (records.length > 0) return records;
  }
  throw new KerberosError(
    'KDC_UNREACHABLE',
    `No KDC of ${realm} is known: the DNS has no _kerberos._tcp.${domain}`,
  );
}

/**
 * TCP only, one connection per request (RFC 4120 section 7.2.2): over UDP the reply to every ticket with groups would
 * be "too big".
 */
function sendByTcp(address: KdcAddress, request: Buffer, { timeoutMs, signal }: SendLimits): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = connect({ host: address.host, port: address.port });
  const fail = (how: string, cause?: unknown) =>
    reject(new KerberosError('KDC_UNREACHABLE', `KDC ${kdcText(address)}: ${how}`, { cause }));
  const timer = setTimeout(() => fail(`no response within ${timeoutMs} ms`), timeoutMs);
  const abort = () => reject(new KerberosError('ABORTED', 'Aborted by the caller'));
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const chunks: Buffer[] = [];
  let received = 0;
  let expected: number | undefined;
  socket.on('connect', () => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    socket.write(Buffer.concat([length, request]));
  });
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (expected === undefined && received >= 4) expected = Buffer.concat(chunks).readUInt32BE();
    if (expected === undefined) return;
    if (expected > longestReplyBytes) return fail(`announces a reply of ${expected} bytes`);
    if (received >= 4 + expected) resolve(Buffer.concat(chunks).subarray(4, 4 + expected));
  });
  socket.on('error', (error) => fail(error.message, error));
  socket.on('close', () => fail('closed the connection'));
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    socket.destroy();
  });
}
