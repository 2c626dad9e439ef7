// Queries for SRV records and addresses, and their responses (RFC 1035 section 4, RFC 2782, RFC 3596).

export interface SrvRecord {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  /** Host name without a trailing dot. */
  readonly host: string;
}

/** The response of a DNS server: records, or none for the name. */
export type DnsAnswer =
  | {
      readonly kind: 'records';
      readonly records: readonly SrvRecord[];
      readonly addresses: readonly string[];
    }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'failed'; readonly code: number };

/** The bytes are not a response to the query. */
export class DnsError extends Error {
  override readonly name = 'DnsError';
}

const headerBytes = 12;
/** Types of records. */
export const DnsType = { ipv4: 1, ipv6: 28, srv: 33 } as const;
export type DnsType = (typeof DnsType)[keyof typeof DnsType];
const classInternet = 1;
const Flag = { answer: 0x8000, truncated: 0x0200, recursionDesired: 0x0100, code: 0x000f } as const;
const noSuchName = 3;

export function dnsQuery(id: number, name: string, type: DnsType): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(id);
  header.writeUInt16BE(Flag.recursionDesired, 2);
  header.writeUInt16BE(1, 4);
  const labels = name.split('.').flatMap((label) => {
    const bytes = Buffer.from(label, 'latin1');
    if (bytes.length === 0 || bytes.length > 63)
      throw new DnsError(`${JSON.stringify(name)} is not a DNS name`);
    return [Buffer.from([bytes.length]), bytes];
  });
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, type, 0, classInternet])]);
}

/** @throws {DnsError} for anything that is not a response to `query` */
export function readDnsAnswer(answer: Buffer, query: Buffer): DnsAnswer {
  if (answer.length < query.length) throw new DnsError('too short');
  const flags = answer.readUInt16BE(2);
  const question = (message: Buffer) =>
    message.subarray(headerBytes, query.length).toString('latin1').toLowerCase();
  const isAnswer =
    answer.readUInt16BE(0) === query.readUInt16BE(0) &&
    (flags & Flag.answer) !== 0 &&
    answer.readUInt16BE(4) === 1 &&
    question(answer) === question(query);
  if (!isAnswer) throw new DnsError('not a response to the query');
  if ((flags & Flag.truncated) !== 0) return { kind: 'truncated' };
  const code = flags & Flag.code;
  if (code === noSuchName) return { kind: 'records', records: [], addresses: [] };
  if (code !== 0) return { kind: 'failed', code };
  return { kind: 'records', ...readRecords(answer, query.length) };
}

/** Only of the answer section. Records of other types are skipped: the name may be an alias (CNAME). */
function readRecords(answer: Buffer, start: number): { records: SrvRecord[]; addresses: string[] } {
  const records: SrvRecord[] = [];
  const addresses: string[] = [];
  let offset = start;
  for (let left = answer.readUInt16BE(6); left > 0; left -= 1) {
    offset = readName(answer, offset).end;
    const data = offset + 10;
    if (data > answer.length) throw new DnsError('a record outside of its message');
    const end = data + answer.readUInt16BE(offset + 8);
    if (end > answer.length) throw new DnsError('a record outside of its message');
    const type = answer.readUInt16BE(offset);
    if (type === DnsType.srv) records.push(readSrv(answer, data, end));
    else if (type === DnsType.ipv4 || type === DnsType.ipv6)
      addresses.push(readAddress(answer.subarray(data, end), type));
    offset = end;
  }
  return { records, addresses };
}

function readAddress(data: Buffer, type: DnsType): string {
  if (data.length !== (type === DnsType.ipv4 ? 4 : 16)) throw new DnsError('an address of a wrong length');
  if (type === DnsType.ipv4) return data.join('.');
  return Array.from({ length: 8 }, (_, index) => data.readUInt16BE(2 * index).toString(16)).join(':');
}

function readSrv(answer: Buffer, data: number, end: number): SrvRecord {
  if (data + 7 > end) throw new DnsError('an SRV record that is too short');
  return {
    priority: answer.readUInt16BE(data),
    weight: answer.readUInt16BE(data + 2),
    port: answer.readUInt16BE(data + 4),
    host: readName(answer, data + 6).name,
  };
}

/** The name may continue at an earlier position. Each jump has to lead further back, so reading ends. */
function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let offset = start;
  let end: number | undefined;
  let earliest = start;
  for (;;) {
    const length = message[offset];
    if (length === undefined) throw new DnsError('a name outside of its message');
    if (length === 0) return { name: labels.join('.'), end: end ?? offset + 1 };
    if (length >= 0xc0) {
      end ??= offset + 2;
      const target = ((length & 0x3f) << 8) | (message[offset + 1] ?? 0);
      if (target >= earliest) throw new DnsError('a name without an end');
      earliest = target;
      offset = target;
    } else {
      const label = message.subarray(offset + 1, offset + 1 + length);
      if (length > 63 || label.length < length) throw new DnsError('a label outside of its message');
      labels.push(label.toString('latin1'));
      offset += 1 + length;
    }
  }
}
