import { protocolError } from '../base/smb-error.ts';
import { Command, emptyMessage, expectBody, variablePart, zeros, type Request } from './header.ts';

export const ControlCode = {
  validateNegotiate: 0x00140204,
  dfsGetReferrals: 0x00060194,
  requestResumeKey: 0x00140078,
  copyChunk: 0x001440f2,
  copyChunkWrite: 0x001480f2,
  setSparse: 0x000900c4,
  pipeTransceive: 0x0011c017,
} as const;

export function ioctlRequest(fileId: Buffer, code: number, input: Buffer, responseBytes: number): Request {
  const message = Buffer.concat([emptyMessage(57, 56), input.length > 0 ? input : zeros(1)]);
  message.writeUInt32LE(code, 68);
  fileId.copy(message, 72);
  message.writeUInt32LE(120, 88);
  message.writeUInt32LE(input.length, 92);
  message.writeUInt32LE(responseBytes, 108);
  message.writeUInt32LE(1, 112);
  return { command: Command.ioctl, message, payload: Math.max(input.length, responseBytes) };
}

export function readIoctl(message: Buffer): Buffer {
  expectBody(message, 49, 'IOCTL');
  return variablePart(message, message.readUInt32LE(96), message.readUInt32LE(100), 'an IOCTL response');
}

/** Sends a message to a pipe and asks for up to `responseBytes` of the response. */
export function pipeRequest(fileId: Buffer, message: Buffer, responseBytes: number): Request {
  return ioctlRequest(fileId, ControlCode.pipeTransceive, message, responseBytes);
}

const resumeKeyLength = 24;

export function resumeKeyRequest(fileId: Buffer): Request {
  return ioctlRequest(fileId, ControlCode.requestResumeKey, zeros(0), 32);
}

/** MS-FSCC 2.3.64: without data it means sparse. */
export function setSparseRequest(fileId: Buffer): Request {
  return ioctlRequest(fileId, ControlCode.setSparse, zeros(0), 0);
}

/** The server's key for an open file, to be sent as the source of a copy. */
export function readResumeKey(message: Buffer): Buffer {
  const output = readIoctl(message);
  if (output.length < resumeKeyLength) throw protocolError('a resume key that is too short');
  return Buffer.from(output.subarray(0, resumeKeyLength));
}

/** The limits of both Windows and Samba: 256 chunks of 1 MiB, 16 MiB in one request. */
const copyChunkBytes = 1_048_576;
export const copyRequestBytes = 16_777_216;

/** Copies `length` bytes, up to `copyRequestBytes`, to the same position of `fileId`. */
export function copyChunkRequest(
  fileId: Buffer,
  resumeKey: Buffer,
  position: number,
  length: number,
): Request {
  const count = Math.ceil(length / copyChunkBytes);
  const input = zeros(32 + count * 24);
  resumeKey.copy(input);
  input.writeUInt32LE(count, 24);
  for (let index = 0; index < count; index += 1) {
    const at = 32 + index * 24;
    const offset = index * copyChunkBytes;
    input.writeBigUInt64LE(BigInt(position + offset), at);
    input.writeBigUInt64LE(BigInt(position + offset), at + 8);
    input.writeUInt32LE(Math.min(copyChunkBytes, length - offset), at + 16);
  }
  return ioctlRequest(fileId, ControlCode.copyChunkWrite, input, 12);
}

/** Bytes the server copied. */
export function readCopyChunk(message: Buffer): number {
  const output = readIoctl(message);
  if (output.length < 12) throw protocolError('a copy response that is too short');
  return output.readUInt32LE(8);
}
