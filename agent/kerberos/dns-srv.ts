import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { connect } from 'node:net';
import { DnsError, readSrvAnswer, srvQuery, type SrvAnswer, type SrvRecord } from './dns-message.ts';
import { KerberosError } from './kerberos-error.ts';
import { systemRandom, type Random } from './random.ts';

// Node's own `resolveSrv` cannot be used: since c-ares 1.34.8, which is part of Node 24.21, it returns EBADRESP for a
// target that is written as a compression pointer (nodejs/node#66173), as the DNS of domain controllers does.

export interface SrvOptions {
  /** `address`, `address:port` or `[v6]:port`; defaults to the servers of this machine. */
  readonly servers?: readonly string[] | undefined;
  /** For one query to one server. */
  readonly timeoutMs?: number | undefined;
  readonly random?: Random | undefined;
}

/** A lost datagram is repeated once. */
const queriesPerServer = 2;

/**
 * The SRV records of a name, in the order in which to use them (RFC 2782): by priority, and within one by weighted
 * random choice. Empty when the DNS has none.
 * @throws {KerberosError} `KDC_UNREACHABLE` when no DNS server responds
 */
export async function resolveSrv(name: string, options: SrvOptions = {}): Promise<SrvRecord[]> {
  const { servers = getServers(), timeoutMs = 2_000, random = systemRandom } = options;
  const failures: string[] = [];
  for (const server of servers) {
    for (let attempt = 1; attempt <= queriesPerServer; attempt += 1) {
      try {
        const query = srvQuery(random(2).readUInt16BE(), name);
        const answer = await queryServer(addressOf(server), query, timeoutMs);
        if (answer.kind === 'records') return inOrder(answer.records, random);
        failures.push(
          `${server}: ${answer.kind === 'failed' ? `error ${answer.code}` : 'a truncated response'}`,
        );
        break;
      } catch (error) {
        failures.push(`${server}: ${(error as Error).message}`);
      }
    }
  }
  const tried = failures.length === 0 ? 'this machine has no DNS server' : failures.join('; ');
  throw new KerberosError('KDC_UNREACHABLE', `The DNS has no usable response for ${name}: ${tried}`);
}

function addressOf(server: string) {
  const [, v6, v4, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [];
  return { host: v6 ?? v4 ?? server, port: Number(port) };
}

type Address = ReturnType<typeof addressOf>;

async function queryServer(address: Address, query: Buffer, timeoutMs: number): Promise<SrvAnswer> {
  const answer = await queryByUdp(address, query, timeoutMs);
  return answer.kind === 'truncated' ? queryByTcp(address, query, timeoutMs) : answer;
}

/**
 * Uses a connected socket, which accepts datagrams from this server only. Datagrams that are not a response are ignored.
 */
function queryByUdp({ host, port }: Address, query: Buffer, timeoutMs: number): Promise<SrvAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SrvAnswer>();
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const timer = setTimeout(() => reject(new DnsError(`no response within ${timeoutMs} ms`)), timeoutMs);
  socket.on('error', reject);
  socket.on('message', (message) => {
    try {
      resolve(readSrvAnswer(message, query));
    } catch (error) {
      if (!(error instanceof DnsError)) reject(error);
    }
  });
  socket.connect(port, host, () => socket.send(query));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

function queryByTcp({ host, port }: Address, query: Buffer, timeoutMs: number): Promise<SrvAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SrvAnswer>();
  const socket = connect({ host, port });
  const timer = setTimeout(() => reject(new DnsError(`no response within ${timeoutMs} ms`)), timeoutMs);
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
      resolve(readSrvAnswer(received.subarray(2, 2 + received.readUInt16BE()), query));
    } catch (error) {
      reject(error);
    }
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new DnsError('the connection was closed')));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
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
