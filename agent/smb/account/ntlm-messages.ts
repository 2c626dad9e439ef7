import { protocolError, SmbError } from '../base/smb-error.ts';

// MS-NLMP 2.2.1. Offsets count from the start of the NTLM message.

const signature = Buffer.from('NTLMSSP\0', 'latin1');
const version = Buffer.from([10, 0, 0, 0, 0, 0, 0, 15]);

const Flag = {
  unicode: 0x1,
  requestTarget: 0x4,
  sign: 0x10,
  ntlm: 0x200,
  alwaysSign: 0x8000,
  extendedSessionSecurity: 0x80000,
  targetInfo: 0x800000,
  version: 0x2000000,
  key128: 0x20000000,
  keyExchange: 0x40000000,
  key56: 0x80000000,
} as const;
const offered = Object.values(Flag).reduce((all, flag) => (all | flag) >>> 0, 0);
const demanded =
  Flag.unicode | Flag.sign | Flag.extendedSessionSecurity | Flag.targetInfo | Flag.key128 | Flag.keyExchange;

export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(40);
  signature.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(offered, 12);
  version.copy(message, 32);
  return message;
}

export interface Challenge {
  /** Flags of the offer that the server agrees to. */
  flags: number;
  serverChallenge: Buffer;
  /** FILETIME; a server that sends it expects the message integrity code. */
  timestamp: bigint | undefined;
  /** The server's target information plus what the client has to add. */
  completeInfo(servicePrincipalName: string): Buffer;
}

const Pair = { end: 0, flags: 6, timestamp: 7, targetName: 9, channelBindings: 10 } as const;
const micPresent = 0x2;

/** @throws {SmbError} `PROTOCOL`; `NTLM_UNAVAILABLE` for a server that omits a flag that security depends on */
export function readChallenge(message: Buffer): Challenge {
  if (message.length < 48 || !message.subarray(0, 8).equals(signature) || message.readUInt32LE(8) !== 2) {
    throw protocolError('a malformed NTLM challenge');
  }
  const flags = message.readUInt32LE(20);
  if ((flags & demanded) !== demanded) {
    throw new SmbError(
      'NTLM_UNAVAILABLE',
      'The NTLM settings of the server are too weak: NTLMv2 with 128-bit keys, key exchange and signing are required',
      { operation: 'log on' },
    );
  }
  const length = message.readUInt16LE(40);
  const offset = message.readUInt32LE(44);
  if (offset + length > message.length) throw protocolError('a malformed NTLM challenge');
  const pairs = readPairs(message.subarray(offset, offset + length));
  const timestamp = pairs.get(Pair.timestamp);
  if (timestamp !== undefined && timestamp.length !== 8) throw protocolError('a malformed NTLM challenge');
  return {
    flags: (flags & offered) >>> 0,
    serverChallenge: Buffer.from(message.subarray(24, 32)),
    timestamp: timestamp?.readBigUInt64LE(0),
    completeInfo(servicePrincipalName) {
      const pairFlags = Buffer.alloc(4);
      const given = pairs.get(Pair.flags);
      pairFlags.writeUInt32LE(((given?.length === 4 ? given.readUInt32LE(0) : 0) | micPresent) >>> 0);
      const all = new Map(pairs)
        .set(Pair.flags, pairFlags)
        .set(Pair.targetName, Buffer.from(servicePrincipalName, 'utf16le'))
        // There is no TLS below, hence no channel to bind to.
        .set(Pair.channelBindings, Buffer.alloc(16));
      return Buffer.concat([
        ...Array.from(all, ([id, value]) => pair(id, value)),
        pair(Pair.end, Buffer.alloc(0)),
      ]);
    },
  };
}

function readPairs(data: Buffer): Map<number, Buffer> {
  const pairs = new Map<number, Buffer>();
  for (let offset = 0; ;) {
    if (offset + 4 > data.length) throw protocolError('NTLM target information without an end');
    const id = data.readUInt16LE(offset);
    const end = offset + 4 + data.readUInt16LE(offset + 2);
    if (id === Pair.end) return pairs;
    if (end > data.length) throw protocolError('NTLM target information that does not add up');
    pairs.set(id, data.subarray(offset + 4, end));
    offset = end;
  }
}

function pair(id: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

/** The last message, its integrity code at 72 still zero. */
export function authenticateMessage(fields: {
  flags: number;
  domain: string;
  username: string;
  workstation: string;
  lmResponse: Buffer;
  ntResponse: Buffer;
  encryptedSessionKey: Buffer;
}): Buffer {
  const text = (value: string) => Buffer.from(value, 'utf16le');
  // Where the length and offset of each field are written, in the order of the contents.
  const contents: [at: number, Buffer][] = [
    [28, text(fields.domain)],
    [36, text(fields.username)],
    [44, text(fields.workstation)],
    [12, fields.lmResponse],
    [20, fields.ntResponse],
    [52, fields.encryptedSessionKey],
  ];
  const head = Buffer.alloc(88);
  signature.copy(head);
  head.writeUInt32LE(3, 8);
  head.writeUInt32LE(fields.flags, 60);
  version.copy(head, 64);
  let offset = head.length;
  for (const [at, content] of contents) {
    head.writeUInt16LE(content.length, at);
    head.writeUInt16LE(content.length, at + 2);
    head.writeUInt32LE(offset, at + 4);
    offset += content.length;
  }
  return Buffer.concat([head, ...contents.map(([, content]) => content)]);
}
