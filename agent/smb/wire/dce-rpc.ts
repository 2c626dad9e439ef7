import { protocolError } from '../base/smb-error.ts';
import { zeros } from './header.ts';

// DCE/RPC over a named pipe (C706 chapter 12, MS-RPCE 2.2.2), as far as one call without its own authentication needs
// it: the pipe belongs to an authenticated session.

const PacketType = { request: 0, response: 2, bind: 11, bindAck: 12 } as const;
const PacketFlag = { first: 1, last: 2 } as const;
const headerBytes = 16;
const responseHeaderBytes = headerBytes + 8;
/** What every server supports; a fragment fits into one read of the pipe. */
const fragmentBytes = 4_280;
/** NDR, version 2. */
const transferSyntax = Buffer.from('045d888aeb1cc9119fe808002b10486002000000', 'hex');

function packet(type: number, body: Buffer): Buffer {
  const header = zeros(headerBytes);
  header.writeUInt8(5, 0);
  header.writeUInt8(type, 2);
  header.writeUInt8(PacketFlag.first | PacketFlag.last, 3);
  // Little-endian, ASCII, IEEE.
  header.writeUInt8(0x10, 4);
  header.writeUInt16LE(headerBytes + body.length, 8);
  header.writeUInt32LE(1, 12);
  return Buffer.concat([header, body]);
}

/** `interfaceId`: UUID and version, 20 bytes. */
export function bindPacket(interfaceId: Buffer): Buffer {
  const body = zeros(16);
  body.writeUInt16LE(fragmentBytes, 0);
  body.writeUInt16LE(fragmentBytes, 2);
  body.writeUInt8(1, 8);
  body.writeUInt8(1, 14);
  return packet(PacketType.bind, Buffer.concat([body, interfaceId, transferSyntax]));
}

export function requestPacket(operation: number, parameters: Buffer): Buffer {
  const body = zeros(8);
  body.writeUInt32LE(parameters.length, 0);
  body.writeUInt16LE(operation, 6);
  return packet(PacketType.request, Buffer.concat([body, parameters]));
}

/** Checks that a message is one whole packet of this type. */
function expectPacket(message: Buffer, type: number, least: number): void {
  const isPacket = message.length >= least && message.readUInt8(0) === 5 && message.readUInt8(2) === type;
  if (!isPacket || message.readUInt16LE(8) !== message.length)
    throw protocolError('something else than the response to a remote call');
}

/** @throws {SmbError} `PROTOCOL` unless the server accepts the interface */
export function readBindAck(message: Buffer): void {
  expectPacket(message, PacketType.bindAck, headerBytes + 10);
  // The address of the pipe, padded to four bytes; then the number of results and the first result.
  const addressBytes = message.readUInt16LE(headerBytes + 8);
  const resultAt = ((headerBytes + 10 + addressBytes + 3) & ~3) + 4;
  if (resultAt + 2 > message.length) throw protocolError('a malformed bind_ack');
  if (message.readUInt16LE(resultAt) !== 0) throw protocolError('a rejection of the remote interface');
}

/** A fragment of a response: its part of the results. */
export function readFragment(message: Buffer): { part: Buffer; isLast: boolean } {
  expectPacket(message, PacketType.response, responseHeaderBytes);
  const isLast = (message.readUInt8(3) & PacketFlag.last) !== 0;
  return { part: message.subarray(responseHeaderBytes), isLast };
}
