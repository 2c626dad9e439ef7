import { accessSync, constants, fsyncSync, ftruncateSync, readSync, statfsSync, writeSync } from 'node:fs';
import {
  noHandle,
  type Operations,
  type Performed,
  type Related,
} from '../support/scripted-server/connection.ts';
import {
  body,
  command,
  ioctlBody,
  queryBody,
  setInfoBody,
  smallBody,
  writeBody,
} from '../support/scripted-server/responses.ts';
import { NtError, status, statusOf } from '../support/scripted-server/status.ts';
import { type Disk, type Open, type Share } from './files.ts';
import { checkCharge } from './credits.ts';
import { closeBody, createBody, directoryData, fileData, fileSystemData, pipeFacts } from './information.ts';
import { pipeReply } from './srvsvc.ts';

interface Tree {
  /** Undefined: IPC$. */
  readonly share: Share | undefined;
  readonly handles: Set<string>;
}

interface Handle {
  /** Undefined: the pipe srvsvc. */
  readonly open: Open | undefined;
  readonly treeId: number;
}

/** FSCTL_* (MS-SMB2 2.2.31, MS-FSCC 2.3). */
const control = {
  dfsGetReferrals: 0x0006_0194,
  dfsGetReferralsEx: 0x0006_01b0,
  requestResumeKey: 0x0014_0078,
  copyChunk: 0x0014_40f2,
  copyChunkWrite: 0x0014_80f2,
  setSparse: 0x0009_00c4,
  pipeTransceive: 0x0011_c017,
} as const;

/** Limits of FSCTL_SRV_COPYCHUNK, the defaults of Windows (MS-SMB2 3.3.5.15.6). */
const mostChunks = 256;
const mostChunkBytes = 1_048_576;
const mostCopyBytes = 16_777_216;

/** A part of a request at an offset that the request names. @throws NtError if the part is not in the request */
function partOf(request: Buffer, at: number, length: number): Buffer {
  if (length > 0 && (at < 64 || at + length > request.length)) throw new NtError(status.invalidParameter);
  return request.subarray(at, at + length);
}

/** @throws NtError for what no file can have */
function numberAt(request: Buffer, at: number): number {
  const value = request.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new NtError(status.invalidParameter);
  return Number(value);
}

/** What one connection does with the shares of a disk (MS-SMB2 3.3.5.7 to 3.3.5.21). */
export class DiskOperations implements Operations {
  readonly #disk: Disk;
  readonly #shares: readonly Share[];
  readonly #maxBytes: number;
  readonly #trees = new Map<number, Tree>();
  readonly #handles = new Map<string, Handle>();
  #nextTree = 1;
  #nextHandle = 1n;

  constructor(disk: Disk, shares: readonly Share[], maxBytes: number) {
    this.#disk = disk;
    this.#shares = shares;
    this.#maxBytes = maxBytes;
  }

  end(): void {
    for (const key of this.#handles.keys()) this.#close(key);
    this.#trees.clear();
  }

  perform(request: Buffer, related: Related): Performed {
    try {
      return this.#perform(request, related);
    } catch (error) {
      const known = statusOf(error);
      if (known === undefined || error instanceof NtError) throw error;
      throw new NtError(known);
    }
  }

  #perform(request: Buffer, related: Related): Performed {
    checkCharge(request);
    const code = request.readUInt16LE(12);
    if (code === command.echo || code === command.logoff) return { body: smallBody() };
    if (code === command.treeConnect) return this.#treeConnect(request, related);
    const tree = this.#trees.get(related.treeId);
    if (tree === undefined) throw new NtError(status.shareDeleted);
    switch (code) {
      case command.treeDisconnect:
        for (const key of tree.handles) this.#close(key);
        this.#trees.delete(related.treeId);
        return { body: smallBody() };
      case command.create:
        return this.#create(request, related, tree);
      case command.close:
        return this.#closeRequest(request, related);
      case command.flush: {
        const [{ open }] = this.#handleOf(request, 72, related);
        if (open?.fd !== undefined) fsyncSync(open.fd);
        return { body: smallBody() };
      }
      case command.read:
        return this.#read(request, related);
      case command.write:
        return this.#write(request, related);
      case command.queryDirectory:
        return this.#queryDirectory(request, related);
      case command.queryInfo:
        return this.#queryInfo(request, related);
      case command.setInfo:
        return this.#setInfo(request, related);
      case command.ioctl:
        return this.#ioctl(request, related);
      default:
        throw new NtError(status.notSupported);
    }
  }

  #treeConnect(request: Buffer, related: Related): Performed {
    const unc = partOf(request, request.readUInt16LE(68), request.readUInt16LE(70)).toString('utf16le');
    const name = unc.slice(unc.lastIndexOf('\\') + 1).toLowerCase();
    const share = this.#shares.find((each) => each.name.toLowerCase() === name);
    if (share === undefined && name !== 'ipc$') throw new NtError(status.badShare);
    const id = this.#nextTree++;
    this.#trees.set(id, { share, handles: new Set() });
    related.treeId = id;
    let writable = share !== undefined && !share.isReadOnly;
    try {
      if (share !== undefined) accessSync(share.root, constants.W_OK);
    } catch {
      writable = false;
    }
    const bytes = body(16, 16, (m) => {
      m[66] = share === undefined ? 2 : 1;
      m.writeUInt32LE(writable ? 0x1f01ff : 0x1200a9, 76);
    });
    return { body: bytes };
  }

  #create(request: Buffer, related: Related, tree: Tree): Performed {
    const path = partOf(request, request.readUInt16LE(108), request.readUInt16LE(110)).toString('utf16le');
    const fileId = Buffer.alloc(16);
    const id = this.#nextHandle++;
    fileId.writeBigUInt64LE(id, 0);
    fileId.writeBigUInt64LE(id, 8);
    const key = fileId.toString('hex');
    if (tree.share === undefined) {
      if (path.toLowerCase() !== 'srvsvc') throw new NtError(status.nameNotFound);
      this.#handles.set(key, { open: undefined, treeId: related.treeId });
      tree.handles.add(key);
      related.fileId = fileId;
      return { body: createBody(pipeFacts, 1, fileId) };
    }
    checkSpace(request, tree.share);
    const { open, action } = this.#disk.open(tree.share, {
      path,
      access: request.readUInt32LE(88),
      attributes: request.readUInt32LE(92),
      sharing: request.readUInt32LE(96),
      disposition: request.readUInt32LE(100),
      options: request.readUInt32LE(104),
    });
    this.#handles.set(key, { open, treeId: related.treeId });
    tree.handles.add(key);
    related.fileId = fileId;
    return { body: createBody(this.#disk.facts(open), createAction[action], fileId) };
  }

  #handleOf(request: Buffer, at: number, related: Related): [Handle, string] {
    const given = request.subarray(at, at + 16);
    const fileId = given.equals(noHandle) ? related.fileId : given;
    const key = fileId.toString('hex');
    const handle = this.#handles.get(key);
    if (handle === undefined || handle.treeId !== related.treeId) throw new NtError(status.fileClosed);
    related.fileId = Buffer.from(fileId);
    return [handle, key];
  }

  #fileOf(request: Buffer, at: number, related: Related, rights: number): { fd: number; open: Open } {
    const [{ open }] = this.#handleOf(request, at, related);
    if (open === undefined) throw new NtError(status.invalidRequest);
    // As Samba; the specification does not say what a read or a write of a directory returns.
    if (open.isDirectory)
      throw new NtError((rights & access.write) === 0 ? status.invalidRequest : status.accessDenied);
    if (open.fd === undefined || (open.access & rights) === 0) throw new NtError(status.accessDenied);
    return { fd: open.fd, open };
  }

  #closeRequest(request: Buffer, related: Related): Performed {
    const [{ open }, key] = this.#handleOf(request, 72, related);
    const wantsFacts = (request.readUInt16LE(66) & 1) !== 0 && open !== undefined;
    const facts = wantsFacts ? this.#disk.facts(open) : undefined;
    this.#close(key);
    return { body: closeBody(facts) };
  }

  #close(key: string): void {
    const handle = this.#handles.get(key);
    if (handle === undefined) return;
    this.#handles.delete(key);
    this.#trees.get(handle.treeId)?.handles.delete(key);
    if (handle.open !== undefined) this.#disk.close(handle.open);
  }

  #read(request: Buffer, related: Related): Performed {
    const length = request.readUInt32LE(68);
    if (length > this.#maxBytes) throw new NtError(status.invalidParameter);
    const { fd } = this.#fileOf(request, 80, related, access.read | access.execute);
    const whole = Buffer.allocUnsafe(16 + length);
    const count = readSync(fd, whole, 16, length, numberAt(request, 72));
    if (count === 0 && length > 0) throw new NtError(status.endOfFile);
    if (count < request.readUInt32LE(96)) throw new NtError(status.endOfFile);
    whole.fill(0, 0, 16);
    whole.writeUInt16LE(17, 0);
    whole[2] = 80;
    whole.writeUInt32LE(count, 4);
    return { body: whole.subarray(0, 16 + count) };
  }

  #write(request: Buffer, related: Related): Performed {
    const { fd } = this.#fileOf(request, 80, related, access.write | access.append);
    const data = partOf(request, request.readUInt16LE(66), request.readUInt32LE(68));
    if (data.length > this.#maxBytes) throw new NtError(status.invalidParameter);
    writeAll(fd, data, numberAt(request, 72));
    return { body: writeBody(data.length) };
  }

  #queryDirectory(request: Buffer, related: Related): Performed {
    const [{ open }] = this.#handleOf(request, 72, related);
    if (open === undefined || !open.isDirectory) throw new NtError(status.invalidParameter);
    const flags = request[67]!;
    const pattern = partOf(request, request.readUInt16LE(88), request.readUInt16LE(90)).toString('utf16le');
    const room = Math.min(request.readUInt32LE(92), this.#maxBytes);
    const isFirst = open.listing === undefined;
    if (isFirst && pattern === '') throw new NtError(status.invalidParameter);
    if (isFirst || (flags & 0x11) !== 0) {
      open.listing = this.#disk.list(open, pattern);
      open.listed = 0;
    }
    const rest = open.listing!.slice(open.listed);
    if (rest.length === 0) throw new NtError(isFirst ? status.noSuchFile : status.noMoreFiles);
    const { data, count } = directoryData(rest, request[66]!, room, (flags & 2) !== 0);
    if (count === 0) throw new NtError(status.infoLengthMismatch);
    open.listed += count;
    return { body: queryBody(data) };
  }

  #queryInfo(request: Buffer, related: Related): Performed {
    const [{ open }] = this.#handleOf(request, 88, related);
    if (open === undefined) throw new NtError(status.notSupported);
    const room = request.readUInt32LE(68);
    const type = request[66]!;
    const data =
      type === 1
        ? fileData(request[67]!, this.#disk.facts(open), open)
        : type === 2
          ? fileSystemData(request[67]!, open.share)
          : undefined;
    if (data === undefined) throw new NtError(status.invalidInfoClass);
    const fixed = fixedBytes[type]?.[request[67]!] ?? 0;
    if (room < fixed) throw new NtError(status.infoLengthMismatch);
    if (data.length > room) return { status: status.bufferOverflow, body: queryBody(data.subarray(0, room)) };
    return { body: queryBody(data) };
  }

  #setInfo(request: Buffer, related: Related): Performed {
    const [{ open }] = this.#handleOf(request, 80, related);
    if (open === undefined || request[66] !== 1) throw new NtError(status.notSupported);
    const data = partOf(request, request.readUInt16LE(72), request.readUInt32LE(68));
    const leastBytes = setInfoBytes[request[67]!];
    if (leastBytes === undefined) throw new NtError(status.invalidInfoClass);
    if (data.length < leastBytes) throw new NtError(status.infoLengthMismatch);
    const disk = this.#disk;
    const newName = () => {
      const end = 20 + data.readUInt32LE(16);
      if (end > data.length) throw new NtError(status.invalidParameter);
      return data.toString('utf16le', 20, end).replace(/^\\/, '');
    };
    switch (request.readUInt8(67)) {
      case 4: {
        if ((open.access & access.writeAttributes) === 0) throw new NtError(status.accessDenied);
        const [created, accessed, written] = [0, 8, 16].map((offset) => data.readBigUInt64LE(offset)) as [
          bigint,
          bigint,
          bigint,
        ];
        disk.setBasic(open, { created, accessed, written, attributes: data.readUInt32LE(32) });
        break;
      }
      case 10:
        disk.rename(open, newName(), data[0] !== 0);
        break;
      case 11:
        disk.link(open, newName(), data[0] !== 0);
        break;
      case 13:
        disk.setDeletion(open, data[0] !== 0);
        break;
      case 19:
        break;
      case 20: {
        if (open.isDirectory) throw new NtError(status.invalidParameter);
        if (open.fd === undefined || (open.access & access.write) === 0)
          throw new NtError(status.accessDenied);
        ftruncateSync(open.fd, numberAt(data, 0));
        break;
      }
      default:
        throw new NtError(status.notSupported);
    }
    return { body: setInfoBody() };
  }

  #ioctl(request: Buffer, related: Related): Performed {
    const code = request.readUInt32LE(68);
    // DFS: this server has no namespace.
    if (code === control.dfsGetReferrals || code === control.dfsGetReferralsEx)
      throw new NtError(status.noDfs);
    const [handle, key] = this.#handleOf(request, 72, related);
    const input = partOf(request, request.readUInt32LE(88), request.readUInt32LE(92));
    const fileId = related.fileId;
    const reply = (output: Buffer) => ({ body: ioctlBody(code, fileId, output) });
    switch (code) {
      case control.requestResumeKey: {
        if (handle.open?.fd === undefined) throw new NtError(status.accessDenied);
        const output = Buffer.alloc(32);
        output.write(key.slice(0, 16), 0, 'hex');
        return reply(output);
      }
      case control.copyChunk:
      case control.copyChunkWrite:
        return reply(this.#copyChunks(handle, input, code === control.copyChunk));
      // Node has no holes to give.
      case control.setSparse:
        return reply(Buffer.alloc(0));
      case control.pipeTransceive: {
        if (handle.open !== undefined) throw new NtError(status.invalidRequest);
        return reply(
          pipeReply(input, [
            ...this.#shares.map(({ name }) => ({ name, type: 0, comment: '' })),
            { name: 'IPC$', type: 0x80000003, comment: '' },
          ]),
        );
      }
      default:
        throw new NtError(status.invalidRequest);
    }
  }

  #copyChunks(target: Handle, input: Buffer, needsRead: boolean): Buffer {
    const half = input.subarray(0, 8).toString('hex');
    const source = this.#handles.get(half + half)?.open;
    const { open } = target;
    if (source?.fd === undefined) throw new NtError(status.nameNotFound);
    if (open?.fd === undefined || (open.access & (access.write | access.append)) === 0)
      throw new NtError(status.accessDenied);
    if (needsRead && (open.access & access.read) === 0) throw new NtError(status.accessDenied);
    if (input.length < 32) throw new NtError(status.invalidParameter);
    const count = input.readUInt32LE(24);
    if (count > mostChunks || input.length < 32 + count * 24) throw new NtError(status.invalidParameter);
    const chunks = Array.from({ length: count }, (_, index) => {
      const at = 32 + index * 24;
      return {
        from: numberAt(input, at),
        to: numberAt(input, at + 8),
        length: input.readUInt32LE(at + 16),
      };
    });
    const sum = chunks.reduce((all, { length }) => all + length, 0);
    if (sum > mostCopyBytes || chunks.some(({ length }) => length > mostChunkBytes || length === 0))
      throw new NtError(status.invalidParameter);
    const buffer = Buffer.allocUnsafe(Math.min(mostChunkBytes, sum));
    let total = 0;
    for (const { from, to, length } of chunks) {
      const read = readSync(source.fd, buffer, 0, length, from);
      if (read < length) throw new NtError(status.invalidViewSize);
      writeAll(open.fd, buffer.subarray(0, read), to);
      total += read;
    }
    const output = Buffer.alloc(12);
    output.writeUInt32LE(chunks.length, 0);
    output.writeUInt32LE(total, 8);
    return output;
  }
}

/** Rights to a file (MS-SMB2 2.2.13.1.1). */
const access = { read: 1, write: 2, append: 4, execute: 0x20, writeAttributes: 0x100 } as const;

/** CreateAction (MS-SMB2 2.2.14). */
const createAction = { superseded: 0, opened: 1, created: 2, overwritten: 3 } as const;

/** Lengths of the fixed parts of QUERY_INFO by type and class, for which a response has to have room (MS-FSCC 2.4, 2.5). */
const fixedBytes: Record<number, Record<number, number>> = {
  1: { 4: 40, 5: 24, 6: 8, 7: 4, 8: 4, 14: 8, 16: 4, 17: 4, 18: 100, 34: 56 },
  2: { 1: 18, 3: 24, 4: 8, 5: 12, 7: 32 },
};

/** The least length of what SET_INFO carries, by class (MS-FSCC 2.4). */
const setInfoBytes: Record<number, number> = { 4: 40, 10: 20, 11: 20, 13: 1, 19: 8, 20: 8 };

function writeAll(fd: number, data: Buffer, position: number): void {
  for (let done = 0; done < data.length;)
    done += writeSync(fd, data, done, data.length - done, position + done);
}

/** The allocation that a CREATE asks for has to fit (MS-SMB2 2.2.13.2.6). */
function checkSpace(request: Buffer, share: Share): void {
  let contexts = partOf(request, request.readUInt32LE(112), request.readUInt32LE(116));
  while (contexts.length >= 16) {
    const nameAt = contexts.readUInt16LE(4);
    if (contexts.toString('latin1', nameAt, nameAt + 4) === 'AlSi') {
      const dataAt = contexts.readUInt16LE(10);
      if (dataAt + 8 > contexts.length) throw new NtError(status.invalidParameter);
      const bytes = contexts.readBigUInt64LE(dataAt);
      const { bsize, bavail } = statfsSync(share.root, { bigint: true });
      if (bytes > bsize * bavail) throw new NtError(status.diskFull);
    }
    const next = contexts.readUInt32LE(0);
    if (next === 0) return;
    contexts = contexts.subarray(next);
  }
}
