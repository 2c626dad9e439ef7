import { Entry } from '../base/entry.ts';
import { readEntry } from './entry-fields.ts';
import { fileIdLength } from './file-id.ts';
import { Command, emptyMessage, expectBody, type Request } from './header.ts';

export const Access = {
  readData: 0x1,
  writeData: 0x2,
  appendData: 0x4,
  readAttributes: 0x80,
  writeAttributes: 0x100,
  delete: 0x10000,
  readControl: 0x20000,
  synchronize: 0x100000,
} as const;
export const ShareAccess = { none: 0, read: 1, all: 7 } as const;
export const Disposition = { open: 1, create: 2, openOrCreate: 3 } as const;
export const CreateOption = {
  directory: 0x1,
  file: 0x40,
  /** The opened name is deleted with the handle, however it ends. Other names of the file remain. */
  /** Opens a link itself, never its target. */
  reparsePoint: 0x200000,
} as const;
const createdAction = 2;

export interface CreateParameters {
  name: string;
  access: number;
  share: number;
  disposition: number;
  options: number;
  attributes?: number | undefined;
  /**
   * Bytes to reserve for a new file. A server without the space then fails the CREATE and with it the whole compound,
   * whereas a failed WRITE would not keep the file from getting its name.
   */
  allocation?: number | undefined;
}

export function createRequest(parameters: CreateParameters): Request {
  const name = Buffer.from(parameters.name, 'utf16le');
  const contextsAt = (120 + name.length + 7) & ~7;
  const message = emptyMessage(
    57,
    parameters.allocation === undefined ? 56 + Math.max(name.length, 1) : contextsAt + 32 - 64,
  );
  message.writeUInt32LE(2, 68);
  message.writeUInt32LE(parameters.access, 88);
  message.writeUInt32LE(parameters.attributes ?? 0, 92);
  message.writeUInt32LE(parameters.share, 96);
  message.writeUInt32LE(parameters.disposition, 100);
  message.writeUInt32LE(parameters.options, 104);
  message.writeUInt16LE(120, 108);
  message.writeUInt16LE(name.length, 110);
  name.copy(message, 120);
  if (parameters.allocation !== undefined) {
    message.writeUInt32LE(contextsAt, 112);
    message.writeUInt32LE(32, 116);
    // One SMB2_CREATE_CONTEXT: name `AlSi` at 16, 8 bytes of data at 24.
    message.writeUInt16LE(16, contextsAt + 4);
    message.writeUInt16LE(4, contextsAt + 6);
    message.writeUInt16LE(24, contextsAt + 10);
    message.writeUInt32LE(8, contextsAt + 12);
    message.write('AlSi', contextsAt + 16, 'latin1');
    message.writeBigUInt64LE(BigInt(parameters.allocation), contextsAt + 24);
  }
  const onDfsShare = (prefix: string) => ({
    ...createRequest({
      ...parameters,
      name: parameters.name === '' ? prefix : `${prefix}\\${parameters.name}`,
    }),
    isDfs: true,
  });
  return { command: Command.create, message, payload: 0, onDfsShare };
}

export interface CreateResponse {
  fileId: Buffer;
  created: boolean;
  entry: Entry;
  /** What the contents take on the server's disk. */
  allocatedBytes: number;
}

export function readCreate(message: Buffer): CreateResponse {
  expectBody(message, 89, 'CREATE');
  return {
    fileId: Buffer.from(message.subarray(128, 128 + fileIdLength)),
    created: message.readUInt32LE(68) === createdAction,
    entry: new Entry(readEntry(message, 72, { size: 112, attributes: 120 })),
    allocatedBytes: Number(message.readBigUInt64LE(104)),
  };
}
