import { status } from './status.ts';

export { status };

// Well-formed responses of the scripted server, as whole SMB2 messages (MS-SMB2 2.2). Scripts start from these.

export const command = {
  negotiate: 0,
  sessionSetup: 1,
  logoff: 2,
  treeConnect: 3,
  treeDisconnect: 4,
  create: 5,
  close: 6,
  flush: 7,
  read: 8,
  write: 9,
  ioctl: 11,
  cancel: 12,
  echo: 13,
  queryDirectory: 14,
  queryInfo: 16,
  setInfo: 17,
} as const;

export interface ResponseHeader {
  readonly command: number;
  readonly messageId: bigint;
  readonly treeId: number;
  readonly sessionId: bigint;
  readonly status?: number;
  readonly credits?: number;
}

/** A message from its header's values and its body. */
export function message(header: ResponseHeader, body: Buffer): Buffer {
  const head = Buffer.alloc(64);
  head.writeUInt32BE(0xfe534d42, 0);
  head.writeUInt16LE(64, 4);
  head.writeUInt16LE(1, 6);
  head.writeUInt32LE(header.status ?? status.success, 8);
  head.writeUInt16LE(header.command, 12);
  head.writeUInt16LE(header.credits ?? 32, 14);
  head.writeUInt32LE(1, 16);
  head.writeBigUInt64LE(header.messageId, 24);
  head.writeUInt32LE(header.treeId, 36);
  head.writeBigUInt64LE(header.sessionId, 40);
  return Buffer.concat([head, body]);
}

/**
 * A body of a fixed size whose fields are written at offsets from the header's start, as in the tables of MS-SMB2.
 */
export function body(
  size: number,
  structureSize: number,
  write: (whole: Buffer) => void = () => undefined,
): Buffer {
  const whole = Buffer.alloc(64 + size);
  whole.writeUInt16LE(structureSize, 64);
  write(whole);
  return whole.subarray(64);
}

export const errorBody = () => body(9, 9);

const preauthContext = Buffer.concat([
  Buffer.from('0100260000000000010020000100', 'hex'),
  Buffer.alloc(32, 7),
  Buffer.alloc(2),
]);
const cipherContext = (cipher: number) => Buffer.from([2, 0, 4, 0, 0, 0, 0, 0, 1, 0, cipher, 0, 0, 0, 0, 0]);
const signingContext = Buffer.from([8, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2, 0]);

export interface NegotiateValues {
  /** 1: signing is possible; 3: required. */
  readonly securityMode: number;
  /** SMB2_GLOBAL_CAP_*. */
  readonly capabilities: number;
  readonly maxBytes: number;
}

const serverGuid = Buffer.alloc(16, 0x5a);

export function negotiateBody(cipher: number, values: NegotiateValues, dialect = 0x311): Buffer {
  const fixed = body(64, 65, (m) => {
    m.writeUInt16LE(values.securityMode, 66);
    m.writeUInt16LE(dialect, 68);
    serverGuid.copy(m, 72);
    m.writeUInt32LE(values.capabilities, 88);
    for (const at of [92, 96, 100]) m.writeUInt32LE(values.maxBytes, at);
    m.writeUInt16LE(128, 120);
    if (dialect !== 0x311) return;
    m.writeUInt16LE(3, 70);
    m.writeUInt32LE(128, 124);
  });
  if (dialect !== 0x311) return fixed;
  return Buffer.concat([fixed, preauthContext, cipherContext(cipher), signingContext]);
}

export function sessionSetupBody(token: Buffer, flags = 0): Buffer {
  const fixed = body(8, 9, (m) => {
    m.writeUInt16LE(flags, 66);
    m.writeUInt16LE(72, 68);
    m.writeUInt16LE(token.length, 70);
  });
  return Buffer.concat([fixed, token]);
}

export const treeConnectBody = () =>
  body(16, 16, (m) => {
    m[66] = 1;
    m.writeUInt32LE(0x1f01ff, 76);
  });

export interface FakeEntry {
  readonly name: string;
  readonly size: number;
  readonly directory: boolean;
}

const attributes = (entry: FakeEntry) => (entry.directory ? 0x10 : 0x20);
const aTime = 133_000_000_000_000_000n;

export const createBody = (entry: FakeEntry, action = 1) =>
  body(88, 89, (m) => {
    m.writeUInt32LE(action, 68);
    for (const at of [72, 80, 88, 96]) m.writeBigUInt64LE(aTime, at);
    m.writeBigUInt64LE(BigInt(entry.size), 104);
    m.writeBigUInt64LE(BigInt(entry.size), 112);
    m.writeUInt32LE(attributes(entry), 120);
    m.fill(0x11, 128, 144);
  });

export const closeBody = (entry: FakeEntry) =>
  body(60, 60, (m) => {
    m.writeUInt16LE(1, 66);
    for (const at of [72, 80, 88, 96]) m.writeBigUInt64LE(aTime, at);
    m.writeBigUInt64LE(BigInt(entry.size), 112);
    m.writeUInt32LE(attributes(entry), 120);
  });

export const smallBody = () => body(4, 4);
export const setInfoBody = () => body(2, 2);

export function readBody(data: Buffer): Buffer {
  const fixed = body(16, 17, (m) => {
    m[66] = 80;
    m.writeUInt32LE(data.length, 68);
  });
  return Buffer.concat([fixed, data]);
}

export const writeBody = (count: number) => body(16, 17, (m) => m.writeUInt32LE(count, 68));

/** QUERY_DIRECTORY and QUERY_INFO have the same shape. */
export function queryBody(data: Buffer): Buffer {
  const fixed = body(8, 9, (m) => {
    m.writeUInt16LE(72, 66);
    m.writeUInt32LE(data.length, 68);
  });
  return Buffer.concat([fixed, data]);
}

/** Entries of class 1 (FileDirectoryInformation, name at 64) or 37 (FileIdBothDirectoryInformation, name at 104). */
export function directoryEntries(entries: readonly FakeEntry[], informationClass: number): Buffer {
  const nameAt = informationClass === 37 ? 104 : 64;
  const parts = entries.map((entry, index) => {
    const name = Buffer.from(entry.name, 'utf16le');
    const last = index === entries.length - 1;
    const used = nameAt + name.length;
    const part = Buffer.alloc(last ? used : Math.ceil(used / 8) * 8);
    part.writeUInt32LE(last ? 0 : part.length, 0);
    for (const at of [8, 16, 24, 32]) part.writeBigUInt64LE(aTime, at);
    part.writeBigUInt64LE(BigInt(entry.size), 40);
    part.writeUInt32LE(attributes(entry), 56);
    part.writeUInt32LE(name.length, 60);
    name.copy(part, nameAt);
    return part;
  });
  return Buffer.concat(parts);
}

export function ioctlBody(controlCode: number, fileId: Buffer, output: Buffer): Buffer {
  const fixed = body(48, 49, (m) => {
    m.writeUInt32LE(controlCode, 68);
    fileId.copy(m, 72);
    m.writeUInt32LE(112, 88);
    m.writeUInt32LE(112, 96);
    m.writeUInt32LE(output.length, 100);
  });
  return Buffer.concat([fixed, output]);
}

/** VALIDATE_NEGOTIATE_INFO: what the response to NEGOTIATE said (MS-SMB2 2.2.32.6). */
export function validatedNegotiate({ securityMode, capabilities }: NegotiateValues, dialect: number): Buffer {
  const output = Buffer.alloc(24);
  output.writeUInt32LE(capabilities, 0);
  serverGuid.copy(output, 4);
  output.writeUInt16LE(securityMode, 20);
  output.writeUInt16LE(dialect, 22);
  return output;
}
