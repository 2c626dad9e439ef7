import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { connect } from 'node:net';
import { type DnsAnswer, DnsError, dnsQuery, DnsType, readDnsAnswer, type SrvRecord } from './dns-message.ts';
import { KerberosError } from '../base/kerberos-error.ts';
import { systemRandom, type Random } from '../base/random.ts';
import { firstOfStaggered } from './staggered.ts';

// Node's own `resolveSrv` cannot be used: since c-ares 1.34.8, which is part of Node 24.21, it returns EBADRESP for a
// target that is written as a compression pointer (nodejs/node#66173), as the DNS of domain controllers does.

export interface DnsOptions {
  /** `address`, `address:port` or `[v6]:port`; defaults to the servers of this machine. */
  readonly servers?: readonly string[] | undefined;
  /** For one query to one server. */
  readonly timeoutMs?: number | undefined;
  readonly random?: Random | undefined;
}

/** A lost datagram is repeated once. */
const queriesPerServer = 2;

/** The server that responded last, for lists of the same servers. It is asked first, so that a silent one costs nothing. */
const preferred = new Map<string, string>();

/**
 * The SRV records of a name, in the order in which to use them (RFC 2782): by priority, and within one by weighted
 * random choice. Empty when the DNS has none.
 * @throws {KerberosError} `KDC_UNREACHABLE` when no DNS server responds
 */
export async function resolveSrv(name: string, options: DnsOptions = {}): Promise<SrvRecord[]> {
  return inOrder((await queryServers(name, DnsType.srv, options)).records, options.random ?? systemRandom);
}

/**
 * The addresses of a full host name, those of IPv4 first; empty when the DNS has none.
 * @throws {KerberosError} `KDC_UNREACHABLE` when no DNS server responds
 */
export async function resolveAddresses(host: string, options: DnsOptions = {}): Promise<string[]> {
  const answers = await Promise.allSettled(
    [DnsType.ipv4, DnsType.ipv6].map((type) => queryServers(host, type, options)),
  );
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.addresses : []));
  // Some servers never respond to queries for IPv6.
  const failure = answers.find(({ status }) => status === 'rejected');
  if (found.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return found;
}

/** Races the servers: a silent one must not hold up what another one knows. */
async function queryServers(name: string, type: DnsType, options: DnsOptions) {
  const { servers = getServers(), timeoutMs = 2_000, random = systemRandom } = options;
  const failures: string[] = [];
  const list = servers.join();
  const first = preferred.get(list);
  const ordered = first === undefined ? servers : [first, ...servers.filter((server) => server !== first)];
  try {
    const { candidate, value } = await firstOfStaggered(ordered, async (server, signal) => {
      const query = dnsQuery(random(2).readUInt16BE(), name, type);
      try {
        return await queryServer(addressOf(server), query, timeoutMs, signal);
      } catch (error) {
        failures.push(`${server}: ${(error as Error).message}`);
        throw error;
      }
    });
    preferred.set(list, candidate);
    return value;
  } catch (cause) {
    const tried = servers.length === 0 ? 'this machine has no DNS server' : failures.join('; ');
    const message = `The DNS has no usable response for ${name}: ${tried}`;
    throw new KerberosError('KDC_UNREACHABLE', message, { cause });
  }
}

function addressOf(server: string) {
  const [, v6, v4, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [];
  return { host: v6 ?? v4 ?? server, port: Number(port) };
}

type Address = ReturnType<typeof addressOf>;

type Records = Extract<DnsAnswer, { kind: 'records' }>;

async function queryServer(
  address: Address,
  query: Buffer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Records> {
  let answer: DnsAnswer | undefined;
  for (let attempt = 1; answer === undefined; attempt += 1) {
    try {
      answer = await queryByUdp(address, query, timeoutMs, signal);
    } catch (error) {
      if (attempt === queriesPerServer || signal.aborted) throw error;
    }
  }
  if (answer.kind === 'truncated') {
    try {
      answer = await queryByTcp(address, query, timeoutMs, signal);
    } catch (cause) {
      const says = `the response does not fit into a datagram, and over TCP: ${(cause as Error).message}`;
      throw new DnsError(`${says}. Allow port ${address.port}/tcp to this DNS server`, { cause });
    }
  }
  if (answer.kind === 'records') return answer;
  throw new DnsError(
    answer.kind === 'failed'
      ? `error ${answer.code}${codeNames[answer.code] ?? ''}`
      : 'a truncated response over TCP',
  );
}

/** RFC 1035 section 4.1.1. */
const codeNames: Readonly<Record<number, string>> = { 2: ' (SERVFAIL)', 5: ' (REFUSED)' };

/**
 * Uses a connected socket, which accepts datagrams from this server only. Datagrams that are not a response are ignored.
 */
function queryByUdp(
  { host, port }: Address,
  query: Buffer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  return withTimeout(timeoutMs, signal, ({ resolve, reject }) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.on('error', reject);
    socket.on('message', (message) => {
      try {
        resolve(readDnsAnswer(message, query));
      } catch (error) {
        if (!(error instanceof DnsError)) reject(error);
      }
    });
    socket.connect(port, host, () => socket.send(query));
    return () => socket.close();
  });
}

function queryByTcp(
  { host, port }: Address,
  query: Buffer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  return withTimeout(timeoutMs, signal, ({ resolve, reject }) => {
    const socket = connect({ host, port });
    let received = Buffer.alloc(0);
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length);
      socket.write(Buffer.concat([length, query]));
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE()) return;
      try {
        resolve(readDnsAnswer(received.subarray(2, 2 + received.readUInt16BE()), query));
      } catch (error) {
        reject(error);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new DnsError('the connection was closed')));
    return () => socket.destroy();
  });
}

/** @param start returns what ends the query, whatever its result */
function withTimeout(
  timeoutMs: number,
  signal: AbortSignal,
  start: (settle: PromiseWithResolvers<DnsAnswer>) => () => unknown,
): Promise<DnsAnswer> {
  const settle = Promise.withResolvers<DnsAnswer>();
  const abort = () => settle.reject(new DnsError('another server responded first'));
  const timer = setTimeout(
    () => settle.reject(new DnsError(`no response within ${timeoutMs} ms`)),
    timeoutMs,
  );
  signal.addEventListener('abort', abort, { once: true });
  const end = start(settle);
  return settle.promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    end();
  });
}

function inOrder(records: readonly SrvRecord[], random: Random): SrvRecord[] {
  // A target of "." means that there is no such service.
  const usable = records.filter(({ host }) => host !== '');
  // Sorting by u^(1/weight) gives the order that RFC 2782 describes; weight 0 is almost always last.
  const lots = new Map(
    usable.map((record) => {
      const evenly = (random(4).readUInt32BE() + 1) / 2 ** 32;
      return [record, evenly ** (1 / Math.max(record.weight, 0.01))];
    }),
  );
  return usable.toSorted((a, b) => a.priority - b.priority || lots.get(b)! - lots.get(a)!);
}
