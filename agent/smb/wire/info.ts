import { FileAttribute, fileTimeOf, type BasicInfo } from '../base/entry.ts';
import { Command, emptyMessage, zeros, type Request } from './header.ts';

const fileInfo = 1;
const InfoClass = { basic: 4, rename: 10, disposition: 13, endOfFile: 20 } as const;

function setInfoRequest(fileId: Buffer, infoClass: number, data: Buffer): Request {
  const message = Buffer.concat([emptyMessage(33, 32), data]);
  message.writeUInt8(fileInfo, 66);
  message.writeUInt8(infoClass, 67);
  message.writeUInt32LE(data.length, 68);
  message.writeUInt16LE(96, 72);
  fileId.copy(message, 80);
  return { command: Command.setInfo, message, payload: data.length };
}

/** Zero means unchanged. */
export function setBasicRequest(fileId: Buffer, info: BasicInfo): Request {
  const data = zeros(40);
  data.writeBigUInt64LE(fileTimeOf(info.createdAt ?? 0n), 0);
  data.writeBigUInt64LE(fileTimeOf(info.accessedAt ?? 0n), 8);
  data.writeBigUInt64LE(fileTimeOf(info.writtenAt ?? 0n), 16);
  if (info.attributes !== undefined) {
    const settable =
      info.attributes & ~(FileAttribute.directory | FileAttribute.reparsePoint | FileAttribute.normal);
    // No attributes are written as NORMAL, since zero would keep the old ones.
    data.writeUInt32LE(settable === 0 ? FileAttribute.normal : settable >>> 0, 32);
  }
  return setInfoRequest(fileId, InfoClass.basic, data);
}

/**
 * Fails with OBJECT_NAME_COLLISION when the name is taken, unless it is to be replaced. Samba checks the name first and
 * renames then, so two renames at the same moment may both succeed, and one file is lost.
 */
export function renameRequest(fileId: Buffer, path: string, replace = false): Request {
  return setInfoRequest(fileId, InfoClass.rename, newName(path, replace));
}

/** FILE_RENAME_INFORMATION, MS-FSCC 2.4.43. */
function newName(path: string, replace = false): Buffer {
  const name = Buffer.from(path, 'utf16le');
  // Windows checks the length against its fixed structure, which ends at 24.
  const data = zeros(Math.max(24, 20 + name.length));
  data.writeUInt8(replace ? 1 : 0, 0);
  data.writeUInt32LE(name.length, 16);
  name.copy(data, 20);
  return data;
}

/** Deletes at close. Unlike DELETE_ON_CLOSE it reports a directory that is not empty. */
export function deleteRequest(fileId: Buffer): Request {
  return setInfoRequest(fileId, InfoClass.disposition, Buffer.from([1]));
}

export function setEndOfFileRequest(fileId: Buffer, size: number): Request {
  const data = zeros(8);
  data.writeBigUInt64LE(BigInt(size));
  return setInfoRequest(fileId, InfoClass.endOfFile, data);
}
