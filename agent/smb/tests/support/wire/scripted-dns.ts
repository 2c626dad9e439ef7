import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP, type Server, type Socket as TcpSocket } from 'node:net';

export interface Srv {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly host: string;
}

/** How the server behaves in a test. */
export interface DnsScript {
  /** By name in lower case; a name that is missing does not exist. */
  readonly zone?: Readonly<Record<string, readonly Srv[]>>;
  /** IPv4 and IPv6 addresses by name in lower case. */
  readonly hosts?: Readonly<Record<string, readonly string[]>>;
  /** The alias that `hosts` are found under. */
  readonly alias?: boolean;
  /** Writes targets as pointers into the question, as Samba's and Microsoft's DNS do. */
  readonly compress?: boolean;
  /** Responds over UDP only that there is more. */
  readonly truncate?: boolean;
  /** 2: server failure; 5: refused. */
  readonly code?: number;
  /** Only for these names. */
  readonly failing?: (name: string) => boolean;
  /** Closes connections without a response. */
  readonly closesTcp?: boolean;
  /** Sends so many bytes of a response at a time over TCP. */
  readonly tcpBytes?: number;
  /** Changes a response; returns several datagrams, or none. */
  readonly wire?: (response: Buffer, transport: 'udp' | 'tcp') => readonly Buffer[];
}

/** A DNS server for SRV records on one port of loopback, by UDP and TCP. */
export class ScriptedDns {
  script: DnsScript;
  questions = { udp: 0, tcp: 0 };
  readonly #udp: Socket = createSocket('udp4');
  readonly #tcp: Server;

  private constructor(script: DnsScript) {
    this.script = script;
    this.#udp.on('message', (query, { address, port }) => {
      this.questions.udp += 1;
      for (const response of this.#responses(query, 'udp')) this.#udp.send(response, port, address);
    });
    this.#tcp = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (chunk) => {
        this.questions.tcp += 1;
        if (this.script.closesTcp) return socket.end();
        const framed = this.#responses(chunk.subarray(2), 'tcp').flatMap((response) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(response.length);
          return [length, response];
        });
        void sendInParts(socket, Buffer.concat(framed), this.script.tcpBytes);
      });
    });
  }

  static async start(script: DnsScript = {}): Promise<ScriptedDns> {
    for (;;) {
      const dns = new ScriptedDns(script);
      dns.#tcp.listen(0, '127.0.0.1');
      await once(dns.#tcp, 'listening');
      const { port } = dns.#tcp.address() as AddressInfo;
      // Another process may have the UDP port of the same number.
      const isBound = await new Promise<boolean>((resolve) => {
        dns.#udp.once('error', () => resolve(false));
        dns.#udp.bind(port, '127.0.0.1', () => resolve(true));
      });
      if (isBound) return dns;
      dns.#tcp.close();
    }
  }

  /** In the form that `servers` of the resolver accepts. */
  get address(): string {
    return `127.0.0.1:${(this.#tcp.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#udp.close();
    this.#tcp.close();
    await once(this.#tcp, 'close');
  }

  #responses(query: Buffer, transport: 'udp' | 'tcp'): readonly Buffer[] {
    const response = this.#response(query, transport);
    return this.script.wire?.(response, transport) ?? [response];
  }

  #response(query: Buffer, transport: 'udp' | 'tcp'): Buffer {
    const { zone = {}, hosts = {}, truncate = false, failing = () => true } = this.script;
    const name = questionName(query);
    const code = failing(name) ? (this.script.code ?? 0) : 0;
    const records = zone[name] ?? hosts[name];
    const isTruncated = truncate && transport === 'udp';
    const header = Buffer.from(query.subarray(0, 12));
    const rcode = records === undefined && code === 0 ? 3 : code;
    header.writeUInt16BE(0x8180 | (isTruncated ? 0x0200 : 0) | rcode, 2);
    const type = query.readUInt16BE(query.length - 4);
    const written = isTruncated
      ? []
      : (records ?? []).flatMap((record) => {
          if (typeof record !== 'string') return [this.#record(record, name)];
          return isIP(record) === (type === 1 ? 4 : 6) ? [addressRecord(record)] : [];
        });
    // An alias comes before what it stands for, under the other name.
    if (this.script.alias) written.unshift(ownedByQuestion(5, plainName('eigentlich.firma.test')));
    header.writeUInt16BE(written.length, 6);
    return Buffer.concat([header, query.subarray(12), ...written]);
  }

  #record({ priority, weight, port, host }: Srv, question: string): Buffer {
    const fixed = Buffer.alloc(6);
    fixed.writeUInt16BE(priority, 0);
    fixed.writeUInt16BE(weight, 2);
    fixed.writeUInt16BE(port, 4);
    const data = Buffer.concat([fixed, this.script.compress ? compressed(host, question) : plainName(host)]);
    return ownedByQuestion(33, data);
  }
}

async function sendInParts(socket: TcpSocket, bytes: Buffer, partBytes = bytes.length): Promise<void> {
  socket.setNoDelay();
  for (let at = 0; at < bytes.length; at += partBytes) {
    socket.write(bytes.subarray(at, at + partBytes));
    await new Promise(setImmediate);
  }
  socket.end();
}

/** A record whose owner is the requested name: a pointer to the question. */
function ownedByQuestion(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(600, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** IPv6 without `::`. */
function addressRecord(address: string): Buffer {
  const words = address.split(':').map((word) => Number.parseInt(word, 16));
  return isIP(address) === 4
    ? ownedByQuestion(1, Buffer.from(address.split('.').map(Number)))
    : ownedByQuestion(28, Buffer.from(words.flatMap((word) => [word >> 8, word & 255])));
}

function questionName(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at]! > 0; at += 1 + query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
  }
  return labels.join('.').toLowerCase();
}

function plainName(name: string): Buffer {
  if (name === '') return Buffer.from([0]);
  return Buffer.concat([
    ...name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
    Buffer.from([0]),
  ]);
}

/** The longest suffix that the name shares with the question becomes a pointer. */
function compressed(name: string, question: string): Buffer {
  const labels = question.split('.');
  for (let skipped = 0; skipped < labels.length; skipped += 1) {
    const end = labels.slice(skipped).join('.');
    if (!name.endsWith(`.${end}`)) continue;
    const offset = 12 + labels.slice(0, skipped).reduce((sum, label) => sum + label.length + 1, 0);
    const pointer = Buffer.from([0xc0 | (offset >> 8), offset & 255]);
    return Buffer.concat([plainName(name.slice(0, -end.length - 1)).subarray(0, -1), pointer]);
  }
  return plainName(name);
}
