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

/** A packet from what was read of the pipe so far, or undefined while a part of it is missing. */
function completePacket(data: Buffer, type: number, least: number): Buffer | undefined {
  if (data.length < headerBytes) return undefined;
  const length = data.readUInt16LE(8);
  if (data.readUInt8(0) !== 5 || data.readUInt8(2) !== type || length < least) {
    throw protocolError('something else than the response to a remote call');
  }
  return data.length < length ? undefined : data.subarray(0, length);
}

/** @throws {SmbError} `PROTOCOL` unless the server accepts the interface */
export function readBindAck(data: Buffer): void {
  const acknowledged = completePacket(data, PacketType.bindAck, headerBytes + 10);
  // The address of the pipe, padded to four bytes; then the number of results and the first result.
  const addressBytes = acknowledged?.readUInt16LE(headerBytes + 8) ?? 0;
  const resultAt = ((headerBytes + 10 + addressBytes + 3) & ~3) + 4;
  if (acknowledged === undefined || resultAt + 2 > acknowledged.length)
    throw protocolError('a malformed bind_ack');
  if (acknowledged.readUInt16LE(resultAt) !== 0) throw protocolError('a rejection of the remote interface');
}

/** The first fragment of a response: its part of the results, and how many bytes it has. */
export function readFragment(data: Buffer): { part: Buffer; bytes: number; isLast: boolean } | undefined {
  const fragment = completePacket(data, PacketType.response, responseHeaderBytes);
  if (fragment === undefined) return undefined;
  const isLast = (fragment.readUInt8(3) & PacketFlag.last) !== 0;
  return { part: fragment.subarray(responseHeaderBytes), bytes: fragment.length, isLast };
}
