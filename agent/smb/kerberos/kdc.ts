import { connect, type LookupFunction } from 'node:net';
import { type ControllerOptions, findControllers } from './lookup/controllers.ts';
import { lookup as sharedLookup } from './lookup/host-lookup.ts';
import { isKrbError, KrbError, readKrbError, rejection } from './krb-error.ts';
import { KerberosError } from './base/kerberos-error.ts';
import { firstOfStaggered } from './lookup/staggered.ts';

export interface KdcAddress {
  readonly host: string;
  readonly port: number;
}

/** A connection to one KDC, for one request. */
export interface KdcConnection {
  /** @throws {KerberosError} `KDC_UNREACHABLE` when there is no reply */
  exchange: (request: Buffer) => Promise<Buffer>;
  close: () => void;
}

/** @throws {KerberosError} `KDC_UNREACHABLE` */
export type ConnectToKdc = (
  address: KdcAddress,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly lookup: LookupFunction },
) => Promise<KdcConnection>;

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

export interface KdcOptions extends ControllerOptions {
  /** KDCs by realm in upper case; those of other realms are found by DNS. */
  readonly kdcs?: Readonly<Record<string, readonly KdcAddress[]>> | undefined;
  /** For the connection to one KDC, and again for its reply; not for the DNS. Default 5,000. */
  readonly timeoutMs?: number | undefined;
  readonly connect?: ConnectToKdc | undefined;
  readonly lookup?: LookupFunction | undefined;
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
  /** The KDC that replied last is tried first. */
  preferred: number;
}

/** For a name that no DNS server resolves: glibc asks two silent servers for 10 s each. */
const nameTimeoutMs = 20_000;

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
   * @param hasProof a proof that reaches two KDCs would count twice toward locking the account: only connections race,
   * and a KDC that accepts one and stays silent costs its timeout. Without proof, requests race.
   * @throws {KerberosError} `KDC_UNREACHABLE`, `ABORTED`
   */
  async send(realm: string, request: Buffer, { hasProof }: { readonly hasProof: boolean }): Promise<Buffer> {
    const { connect: open = connectByTcp, timeoutMs = 5_000, lookup = sharedLookup, signal } = this.#options;
    const known = await this.#kdcsOf(realm);
    const { addresses, preferred } = known;
    const failures = new Map<KdcAddress, KerberosError>();
    const attempt = async (address: KdcAddress, lost: AbortSignal) => {
      const ends = signal === undefined ? lost : AbortSignal.any([lost, signal]);
      try {
        const connection = await open(address, { timeoutMs, signal: ends, lookup });
        const replied = hasProof ? undefined : await this.#exchange(connection, address, request);
        return { connection, replied };
      } catch (error) {
        if (!lost.aborted) failures.set(address, error as KerberosError);
        throw error;
      }
    };
    const ordered = [...addresses.slice(preferred), ...addresses.slice(0, preferred)];
    for (;;) {
      const left = ordered.filter((address) => !failures.has(address));
      if (left.length === 0) break;
      let address: KdcAddress | undefined;
      try {
        const { candidate, value } = await firstOfStaggered(left, attempt, {
          discard: ({ connection }) => connection.close(),
        });
        address = candidate;
        const reply = value.replied ?? (await this.#exchange(value.connection, candidate, request));
        known.preferred = addresses.indexOf(candidate);
        return reply;
      } catch (error) {
        if (!(error instanceof KerberosError) || error.code !== 'KDC_UNREACHABLE') throw error;
        if (address !== undefined) failures.set(address, error);
      }
    }
    this.#realms.delete(realm);
    const says = ordered.map((address) => failures.get(address)?.message).join('. ');
    throw new KerberosError('KDC_UNREACHABLE', `No KDC of ${realm} replies. ${says}`, {
      cause: failures.get(ordered[0]!),
    });
  }

  async #exchange(connection: KdcConnection, address: KdcAddress, request: Buffer): Promise<Buffer> {
    try {
      this.exchanges += 1;
      const reply = await connection.exchange(request);
      rejectUnavailable(reply, address);
      return reply;
    } finally {
      connection.close();
    }
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
    const addresses = await discoverKdcs(realm, this.#options);
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

async function discoverKdcs(realm: string, options: KdcOptions): Promise<KdcAddress[]> {
  const found = await findControllers('kerberos', realm, options);
  if (found.length > 0) return found;
  const name = `_kerberos._tcp.${realm.toLowerCase()}`;
  throw new KerberosError('KDC_UNREACHABLE', `No KDC of ${realm} is known: the DNS has no ${name}`);
}

/**
 * TCP only, one connection per request (RFC 4120 section 7.2.2): over UDP the reply to every ticket with groups would
 * be "too big".
 */
const connectByTcp: ConnectToKdc = (address, { timeoutMs, signal, lookup }) => {
  const socket = connect({ host: address.host, port: address.port, lookup });
  const connected = Promise.withResolvers<KdcConnection>();
  const replied = Promise.withResolvers<Buffer>();
  // Both have the same end; only one of them may be awaited.
  replied.promise.catch(() => undefined);
  let timer: NodeJS.Timeout;
  const close = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    socket.destroy();
  };
  const end = (error: KerberosError) => {
    close();
    connected.reject(error);
    replied.reject(error);
  };
  const fail = (how: string, cause?: unknown) =>
    end(new KerberosError('KDC_UNREACHABLE', `KDC ${kdcText(address)}: ${how}`, { cause }));
  const limit = (ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(`${what} within ${ms} ms`), ms);
  };
  const abort = () => end(new KerberosError('ABORTED', 'Aborted by the caller'));
  signal.addEventListener('abort', abort, { once: true });
  limit(nameTimeoutMs, 'the DNS did not resolve the name');
  socket.on('connectionAttempt', () => limit(timeoutMs, 'no response'));
  const exchange = (request: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    socket.write(Buffer.concat([length, request]));
    limit(timeoutMs, 'no response');
    return replied.promise;
  };
  socket.on('connect', () => {
    clearTimeout(timer);
    connected.resolve({ exchange, close });
  });
  const chunks: Buffer[] = [];
  let received = 0;
  let expected: number | undefined;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (expected === undefined && received >= 4) expected = Buffer.concat(chunks).readUInt32BE();
    if (expected === undefined) return;
    if (expected > longestReplyBytes) return fail(`announces a reply of ${expected} bytes`);
    if (received >= 4 + expected) replied.resolve(Buffer.concat(chunks).subarray(4, 4 + expected));
  });
  socket.on('error', (error) => fail(error.message, error));
  socket.on('close', () => fail('closed the connection'));
  if (signal.aborted) abort();
  return connected.promise;
};
