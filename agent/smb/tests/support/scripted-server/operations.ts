import type { Operations, Performed, Related } from './connection.ts';
import * as responses from './responses.ts';
import { command, type FakeEntry, status } from './responses.ts';

const aFile: FakeEntry = { name: 'file.txt', size: 100_000, directory: false };
const aDirectory: FakeEntry = { name: 'folder', size: 0, directory: true };
const resumeKeyCode = 0x00140078;
/** FSCTL_SRV_COPYCHUNK, and FSCTL_SRV_COPYCHUNK_WRITE, which requires no right to read the destination. */
const copyChunkCodes = new Set([0x001440f2, 0x001480f2]);

/**
 * The responses of a correct server with a simulated disk: every name exists, every write succeeds, reads return
 * zeros.
 */
export class SimulatedDisk implements Operations {
  readonly #entries: readonly FakeEntry[];
  #isListed = false;

  constructor(entries: readonly FakeEntry[]) {
    this.#entries = entries;
  }

  end(): void {
    this.#isListed = false;
  }

  perform(request: Buffer, related: Related): Performed {
    switch (request.readUInt16LE(12)) {
      case command.treeConnect:
        related.treeId = 5;
        return { body: responses.treeConnectBody() };
      case command.create: {
        const creates = request.readUInt32LE(100) !== 1;
        const entry = (request.readUInt32LE(104) & 1) === 1 ? aDirectory : aFile;
        this.#isListed = false;
        return { body: responses.createBody(creates ? { ...entry, size: 0 } : entry, creates ? 2 : 1) };
      }
      case command.close:
        return { body: responses.closeBody(aFile) };
      case command.read: {
        const left = aFile.size - Number(request.readBigUInt64LE(72));
        if (left <= 0) return { status: status.endOfFile };
        return { body: responses.readBody(Buffer.alloc(Math.min(request.readUInt32LE(68), left))) };
      }
      case command.write:
        return { body: responses.writeBody(request.readUInt32LE(68)) };
      case command.queryDirectory: {
        if (this.#isListed) return { status: status.noMoreFiles };
        this.#isListed = true;
        return { body: responses.queryBody(responses.directoryEntries(this.#entries, request[66]!)) };
      }
      case command.queryInfo:
        return { body: responses.queryBody(fileInformation(request[66]!, request[67]!)) };
      case command.setInfo:
        return { body: responses.setInfoBody() };
      case command.ioctl:
        return ioctlResponse(request);
      case command.flush:
      case command.echo:
      case command.logoff:
      case command.treeDisconnect:
        return { body: responses.smallBody() };
      default:
        return { status: status.notSupported };
    }
  }
}

/** FileStandardInformation and FileBasicInformation; otherwise zeros of the size of FileAllInformation's fixed part. */
function fileInformation(infoType: number, informationClass: number): Buffer {
  if (infoType === 2) return Buffer.alloc(32, 1);
  if (informationClass === 4) return Buffer.alloc(40, 1);
  if (informationClass === 5) return Buffer.alloc(24, 1);
  return Buffer.alloc(104);
}

function ioctlResponse(request: Buffer): Performed {
  const code = request.readUInt32LE(68);
  const fileId = request.subarray(72, 88);
  if (code === resumeKeyCode) return { body: responses.ioctlBody(code, fileId, Buffer.alloc(32, 9)) };
  if (!copyChunkCodes.has(code)) return { status: status.notSupported };
  // SRV_COPYCHUNK_RESPONSE: all chunks are written, with all of their bytes.
  const chunks = request.readUInt32LE(120 + 24);
  const total = Array.from({ length: chunks }, (_, index) =>
    request.readUInt32LE(120 + 32 + index * 24 + 16),
  );
  const output = Buffer.alloc(12);
  output.writeUInt32LE(chunks, 0);
  output.writeUInt32LE(
    total.reduce((sum, length) => sum + length, 0),
    8,
  );
  return { body: responses.ioctlBody(code, fileId, output) };
}
