import { protocolError } from '../base/smb-error.ts';
import { Command, emptyMessage, expectBody, variablePart, type Request } from './header.ts';

export function closeRequest(fileId: Buffer): Request {
  const message = emptyMessage(24, 24);
  fileId.copy(message, 72);
  return { command: Command.close, message, payload: 0 };
}

export function flushRequest(fileId: Buffer): Request {
  const message = emptyMessage(24, 24);
  fileId.copy(message, 72);
  return { command: Command.flush, message, payload: 0 };
}

export function readRequest(fileId: Buffer, position: number, length: number): Request {
  const message = emptyMessage(49, 49);
  message.writeUInt8(0x50, 66);
  message.writeUInt32LE(length, 68);
  message.writeBigUInt64LE(BigInt(position), 72);
  fileId.copy(message, 80);
  return { command: Command.read, message, payload: length };
}

/** The contents, at most `requested` bytes. */
export function readRead(message: Buffer, requested: number): Buffer {
  expectBody(message, 17, 'READ');
  const length = message.readUInt32LE(68);
  if (length > requested) throw protocolError('more contents than requested');
  return variablePart(message, message.readUInt8(66), length, 'file contents');
}

export function writeRequest(fileId: Buffer, position: number, data: Uint8Array): Request {
  const message = emptyMessage(49, 48);
  message.writeUInt16LE(112, 66);
  message.writeUInt32LE(data.length, 68);
  message.writeBigUInt64LE(BigInt(position), 72);
  fileId.copy(message, 80);
  return { command: Command.write, message, data, payload: data.length };
}

/** How many of the `sent` bytes were written. */
export function readWrite(message: Buffer, sent: number): number {
  expectBody(message, 17, 'WRITE');
  const count = message.readUInt32LE(68);
  if (count > sent) throw protocolError('a count of more bytes than were sent');
  return count;
}
