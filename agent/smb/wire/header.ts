import { protocolError } from '../base/smb-error.ts';

export const Command = {
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
  lock: 10,
  ioctl: 11,
  cancel: 12,
  echo: 13,
  queryDirectory: 14,
  changeNotify: 15,
  queryInfo: 16,
  setInfo: 17,
  oplockBreak: 18,
} as const;

const commandNames = Object.keys(Command).map((name) => name.replace(/[A-Z]/g, '_$&').toUpperCase());
export const commandName = (command: number) => commandNames[command] ?? `command ${command}`;

export const HeaderFlag = { response: 0x1, async: 0x2, related: 0x4, signed: 0x8, dfs: 0x10000000 } as const;

const pooledBytes = 2048;
const twoTo32 = 0x1_0000_0000;
export const headerLength = 64;
export const signatureOffset = 48;
export const signatureLength = 16;
/** The MessageId of messages that are not a response. */
export const unsolicited = -1;

/**
 * A request before it is sent: the body behind 64 bytes reserved for the header, so that offsets match the
 * specification.
 */
export interface Request {
  command: number;
  message: Buffer;
  /** File contents that follow `message`, so that large ones are not copied; unchanged until the response arrives. */
  data?: Uint8Array;
  /**
   * Copies contents out of the response as it arrives, which need not be kept then. Not called after an abort. Must not
   * throw.
   */
  take?: (message: Buffer) => void;
  /** The larger of the bytes sent and the bytes that may be returned; determines the credit charge. */
  payload: number;
  /** The name in it is a DFS path: server, share and path. */
  isDfs?: boolean;
  /**
   * For a request with a name: the same request on a DFS share, where the name follows `prefix` (MS-SMB2 3.2.4.3).
   */
  onDfsShare?: (prefix: string) => Request;
}

/** `Buffer.alloc` from Node's pool. */
export const zeros = (length: number) =>
  length <= pooledBytes ? Buffer.allocUnsafe(length).fill(0) : Buffer.alloc(length);

/** Reserves the header and a body of `bodyLength` bytes that starts with its StructureSize. */
export function emptyMessage(structureSize: number, bodyLength: number): Buffer {
  const message = zeros(headerLength + bodyLength);
  message.writeUInt16LE(structureSize, headerLength);
  return message;
}

export interface RequestHeader {
  command: number;
  charge: number;
  creditRequest: number;
  flags: number;
  messageId: number;
  treeId: number;
  sessionId: Buffer;
}

export function writeHeader(message: Buffer, header: RequestHeader): void {
  message.writeUInt32BE(0xfe534d42, 0);
  message.writeUInt16LE(headerLength, 4);
  message.writeUInt16LE(header.charge, 6);
  message.writeUInt16LE(header.command, 12);
  message.writeUInt16LE(header.creditRequest, 14);
  message.writeUInt32LE(header.flags, 16);
  message.writeUInt32LE(header.messageId % twoTo32, 24);
  message.writeUInt32LE(Math.floor(header.messageId / twoTo32), 28);
  message.writeUInt32LE(0xfeff, 32);
  message.writeUInt32LE(header.treeId, 36);
  header.sessionId.copy(message, 40);
}

export interface ResponseHeader {
  status: number;
  command: number;
  credits: number;
  flags: number;
  /** `unsolicited` for messages that are not a response. */
  messageId: number;
  treeId: number;
  asyncId: Buffer;
  sessionId: Buffer;
}

export const commandOf = (message: Buffer) => message.readUInt16LE(12);

/** @throws {SmbError} `PROTOCOL` */
export function readHeader(message: Buffer): ResponseHeader {
  if (message.length < headerLength + 2) throw protocolError(`a message of ${message.length} bytes`);
  if (message.readUInt32BE(0) !== 0xfe534d42 || message.readUInt16LE(4) !== headerLength) {
    throw protocolError('a message that is not SMB 2 or 3');
  }
  const flags = message.readUInt32LE(16);
  if ((flags & HeaderFlag.response) === 0) throw protocolError('a request');
  // Two numbers, since a BigInt for each message is garbage.
  const [low, high] = [message.readUInt32LE(24), message.readUInt32LE(28)];
  const isUnsolicited = low === 0xffff_ffff && high === 0xffff_ffff;
  const id = high * twoTo32 + low;
  if (!isUnsolicited && !Number.isSafeInteger(id)) throw protocolError('a response without a request');
  return {
    status: message.readUInt32LE(8),
    command: commandOf(message),
    credits: message.readUInt16LE(14),
    flags,
    messageId: isUnsolicited ? unsolicited : id,
    treeId: message.readUInt32LE(36),
    asyncId: message.subarray(32, 40),
    sessionId: message.subarray(40, 48),
  };
}

/** No server has reason to send more parts: no request of this client has more than six. */
const maxCompoundParts = 32;

/**
 * The messages of a frame, each up to the next header, padding included, as the signatures cover it.
 * @throws {SmbError} `PROTOCOL`
 */
export function splitCompound(frame: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let rest = frame;
  for (;;) {
    if (rest.length < headerLength + 2) throw protocolError(`a message of ${rest.length} bytes`);
    const next = rest.readUInt32LE(20);
    if (next === 0) return [...parts, rest];
    if (
      next % 8 !== 0 ||
      next < headerLength + 2 ||
      next > rest.length ||
      parts.length === maxCompoundParts
    ) {
      throw protocolError('a compound that does not add up');
    }
    parts.push(rest.subarray(0, next));
    rest = rest.subarray(next);
  }
}

/** One frame of several messages: each but the last padded to 8 bytes, chained by NextCommand. */
export function joinCompound(messages: readonly Buffer[]): { frame: Buffer; parts: Buffer[] } {
  const lengths = messages.map((message, index) =>
    index === messages.length - 1 ? message.length : (message.length + 7) & ~7,
  );
  const frame = zeros(lengths.reduce((sum, length) => sum + length, 0));
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [index, message] of messages.entries()) {
    const length = lengths[index]!;
    message.copy(frame, offset);
    if (index < messages.length - 1) frame.writeUInt32LE(length, offset + 20);
    parts.push(frame.subarray(offset, offset + length));
    offset += length;
  }
  return { frame, parts };
}

/**
 * The variable part of the body at the given offset and length.
 * @throws {SmbError} `PROTOCOL` unless it is behind the fixed part and inside the message
 */
export function variablePart(message: Buffer, offset: number, length: number, what: string): Buffer {
  if (length === 0) return Buffer.alloc(0);
  if (offset < headerLength || offset + length > message.length) {
    throw protocolError(`${what} that reaches outside its message`);
  }
  return message.subarray(offset, offset + length);
}

/** @throws {SmbError} `PROTOCOL` unless the body has this StructureSize and room for its fixed part */
export function expectBody(message: Buffer, structureSize: number, what: string): void {
  const fixed = structureSize & ~1;
  if (message.length < headerLength + fixed || message.readUInt16LE(headerLength) !== structureSize) {
    throw protocolError(`a malformed response to ${what}`);
  }
}
