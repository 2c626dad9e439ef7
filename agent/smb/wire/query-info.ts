import { protocolError } from '../base/smb-error.ts';
import { Command, emptyMessage, expectBody, variablePart, type Request } from './header.ts';

const InfoType = { file: 1, fileSystem: 2 } as const;
const InfoClass = {
  standard: 5,
  internal: 6,
  streams: 22,
  fileSystemAttributes: 5,
  fileSystemFullSize: 7,
} as const;
const namedStreams = 0x40000;
const defaultStream = '::$DATA';
const streamNameAt = 24;
/** About forty streams; when there are more, only the first ones are reported. */
const streamBytes = 4_096;
const attributeBytes = 64;
const fullSizeBytes = 32;

function queryInfoRequest(fileId: Buffer, type: number, infoClass: number, responseBytes: number): Request {
  const message = emptyMessage(41, 41);
  message.writeUInt8(type, 66);
  message.writeUInt8(infoClass, 67);
  message.writeUInt32LE(responseBytes, 68);
  fileId.copy(message, 88);
  return { command: Command.queryInfo, message, payload: responseBytes };
}

function readQueryInfo(message: Buffer): Buffer {
  expectBody(message, 9, 'QUERY_INFO');
  return variablePart(message, message.readUInt16LE(66), message.readUInt32LE(68), 'information');
}

/** FileFsAttributeInformation of the file system behind an open file (MS-FSCC 2.5.1). */
export function fileSystemAttributesRequest(fileId: Buffer): Request {
  return queryInfoRequest(fileId, InfoType.fileSystem, InfoClass.fileSystemAttributes, attributeBytes);
}

export function readHasNamedStreams(message: Buffer): boolean {
  const information = readQueryInfo(message);
  if (information.length < 4) throw protocolError('attributes of a file system that are too short');
  return (information.readUInt32LE(0) & namedStreams) !== 0;
}

/** The fields of `fs.StatFs` that a server knows: `bavail * bsize` bytes are free for this account. */
export interface FileSystemSpace {
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  /** Of `bfree`, what the account's quota leaves it. */
  readonly bavail: number;
}

/** FileFsFullSizeInformation (MS-FSCC 2.5.4). */
export function fileSystemSizeRequest(fileId: Buffer): Request {
  return queryInfoRequest(fileId, InfoType.fileSystem, InfoClass.fileSystemFullSize, fullSizeBytes);
}

export function readFileSystemSize(message: Buffer): FileSystemSpace {
  const information = readQueryInfo(message);
  if (information.length < fullSizeBytes) throw protocolError('a size of a file system that is too short');
  const units = (at: number) => Number(information.readBigUInt64LE(at));
  return {
    bsize: information.readUInt32LE(24) * information.readUInt32LE(28),
    blocks: units(0),
    bfree: units(16),
    bavail: units(8),
  };
}

/** FileStandardInformation (MS-FSCC 2.4.47). */
export function sizeRequest(fileId: Buffer): Request {
  return queryInfoRequest(fileId, InfoType.file, InfoClass.standard, 24);
}

/** The size of the file now, in bytes. */
export function readSize(message: Buffer): number {
  const information = readQueryInfo(message);
  if (information.length < 16) throw protocolError('a size of a file that is too short');
  return Number(information.readBigUInt64LE(8));
}

/** FileInternalInformation (MS-FSCC 2.4.26). */
export function idRequest(fileId: Buffer): Request {
  return queryInfoRequest(fileId, InfoType.file, InfoClass.internal, 8);
}

export function readId(message: Buffer): bigint {
  const information = readQueryInfo(message);
  if (information.length < 8) throw protocolError('an id of a file that is too short');
  return information.readBigUInt64LE();
}

/** FileStreamInformation (MS-FSCC 2.4.49). */
export function streamsRequest(fileId: Buffer): Request {
  return queryInfoRequest(fileId, InfoType.file, InfoClass.streams, streamBytes);
}

/** The streams other than the contents, as `:name:$DATA`. */
export function readAlternateStreams(message: Buffer): string[] {
  const names: string[] = [];
  for (let rest = readQueryInfo(message); rest.length > 0;) {
    if (rest.length < streamNameAt) throw protocolError('a list of streams that does not add up');
    const next = rest.readUInt32LE(0);
    const end = streamNameAt + rest.readUInt32LE(4);
    if (end > rest.length || next > rest.length || (next !== 0 && next < end))
      throw protocolError('a list of streams that does not add up');
    const name = rest.toString('utf16le', streamNameAt, end);
    if (name !== defaultStream) names.push(name);
    if (next === 0) break;
    rest = rest.subarray(next);
  }
  return names;
}
