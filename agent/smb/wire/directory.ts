import { DirectoryEntry } from '../base/entry.ts';
import { protocolError } from '../base/smb-error.ts';
import { readEntry } from './entry-fields.ts';
import { Command, emptyMessage, expectBody, variablePart, type Request } from './header.ts';

/** FileDirectoryInformation has all that is needed; the classes with short names cost the server work. */
const directoryInformation = 1;
const nameAt = 64;

/** `pattern`: names with `*` and `?`. */
export function queryDirectoryRequest(fileId: Buffer, responseBytes: number, pattern = '*'): Request {
  const name = Buffer.from(pattern, 'utf16le');
  const message = emptyMessage(33, 32 + name.length);
  message.writeUInt8(directoryInformation, 66);
  fileId.copy(message, 72);
  message.writeUInt16LE(96, 88);
  message.writeUInt16LE(name.length, 90);
  message.writeUInt32LE(responseBytes, 92);
  name.copy(message, 96);
  return { command: Command.queryDirectory, message, payload: responseBytes };
}

/** All entries but `.` and `..`. A name may hold anything, also what separates the names of a path. */
export function readDirectory(message: Buffer): DirectoryEntry[] {
  expectBody(message, 9, 'QUERY_DIRECTORY');
  const list = variablePart(message, message.readUInt16LE(66), message.readUInt32LE(68), 'a listing');
  const entries: DirectoryEntry[] = [];
  for (let rest = list; rest.length > 0;) {
    const nameLength = rest.length >= nameAt ? rest.readUInt32LE(60) : 0;
    const next = rest.length >= nameAt ? rest.readUInt32LE(0) : 0;
    const end = nameAt + nameLength;
    if (
      nameLength === 0 ||
      nameLength % 2 !== 0 ||
      end > rest.length ||
      (next !== 0 && next < end) ||
      next > rest.length
    ) {
      throw protocolError('a listing that does not add up');
    }
    const name = rest.toString('utf16le', nameAt, end);
    if (name !== '.' && name !== '..') {
      entries.push(new DirectoryEntry(name, readEntry(rest, 8, { size: 40, attributes: 56 })));
    }
    if (next === 0) break;
    rest = rest.subarray(next);
  }
  return entries;
}
