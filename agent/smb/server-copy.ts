import type { Call } from './call.ts';
import type { BasicInfo } from './entry.ts';
import { readCreate } from './messages/create.ts';
import { previousFile } from './messages/file-id.ts';
import {
  copyChunkRequest,
  copyRequestBytes,
  readCopyChunk,
  readResumeKey,
  resumeKeyRequest,
} from './messages/ioctl.ts';
import { OpenFile } from './open-file.ts';
import { ahead, pieces, type Piece } from './pipeline.ts';
import type { Reply } from './connection.ts';
import { abandon, deleteQuietly, publish, publishLarge, rename, temporaryPath, writeAll } from './publish.ts';
import { newFile, openToRead } from './opening.ts';
import { readWhole } from './read-file.ts';
import type { CopyResult, PublishOutcome } from './share.ts';
import { SmbError } from './smb-error.ts';
import { Status, statusError } from './status.ts';

// FSCTL_SRV_COPYCHUNK, MS-SMB2 3.3.5.15.6. Three round trips for a file of up to 16 MiB:
//   open source, ask for its key | create temporary, copy | set, rename, close
// The copy is the last of its compound on purpose: servers go on with a compound after a failure, so a rename behind it
// would publish an empty file where the server refuses to copy; and Samba lets only the last one take its time.

/** Up to this size a copy through this process takes two round trips. */
const smallBytes = 65_536;

/** Statuses that say the server does not copy at all, rather than not this file. */
const neverCopies: ReadonlySet<number> = new Set([
  Status.notSupported,
  Status.invalidDeviceRequest,
  0xc0000002, // NOT_IMPLEMENTED
]);

/** `source` and `target` are calls on the same session, perhaps on different shares. */
export async function publishCopy(
  source: Call,
  target: Call,
  size: number,
  info: BasicInfo | undefined,
): Promise<CopyResult> {
  if (size === 0 || !target.link.serverSideCopy) return copyThrough(source, target, size, info);
  const [opened, keyed] = await source.send([openToRead(source.path), resumeKeyRequest(previousFile)]);
  const original = new OpenFile(source, readCreate(source.expect(opened)));
  try {
    if (keyed!.status === Status.success) {
      return await copyByServer(original, readResumeKey(keyed!.message), target, info);
    }
    remember(target, keyed!.status);
    const outcome = await publishLarge(target, info, (file) => writeAll(file, original.contents()));
    return { outcome, method: 'read-write' };
  } finally {
    original.closeLater();
  }
}

async function copyByServer(
  original: OpenFile,
  resumeKey: Buffer,
  target: Call,
  info: BasicInfo | undefined,
): Promise<CopyResult> {
  const temporary = temporaryPath(target);
  // One by one as they are needed: the size is what a server says, up to 2^53.
  const { size } = original.entry;
  const [first] = pieces(0, size, copyRequestBytes);
  const rest = pieces(copyRequestBytes, size, copyRequestBytes);
  const copyFirst = first === undefined ? [] : [copyRequest(previousFile, resumeKey, first)];
  const cleanUp = () => deleteQuietly(target, temporary);
  const [created, copied] = await target.send([newFile(temporary), ...copyFirst], cleanUp);
  const copy = new OpenFile(target, readCreate(target.expect(created)));
  let method: CopyResult['method'] = 'server-side';
  try {
    if (copied !== undefined && isRefusal(copied.status)) {
      remember(target, copied.status);
      method = 'read-write';
      await writeAll(copy, original.contents());
    } else if (first !== undefined) {
      expectCopied(target, copied, first);
      await copyRest(copy, resumeKey, target, rest);
    }
  } catch (error) {
    await abandon(target, copy, temporary);
    throw error;
  }
  return { outcome: await rename(target, copy, temporary, info), method };
}

async function copyRest(
  copy: OpenFile,
  resumeKey: Buffer,
  target: Call,
  rest: Iterable<Piece>,
): Promise<void> {
  const parts = ahead(rest, async (piece) => {
    const [reply] = await target.send([copyRequest(copy.fileId, resumeKey, piece)]);
    expectCopied(target, reply, piece);
  });
  for await (const _ of parts);
}

const copyRequest = (fileId: Buffer, resumeKey: Buffer, { position, length }: Piece) =>
  copyChunkRequest(fileId, resumeKey, position, length);

function expectCopied(call: Call, reply: Reply | undefined, { length }: Piece): void {
  const copied = readCopyChunk(call.expect(reply));
  if (copied === length) return;
  const { operation, path } = call;
  const message = `${operation} ${path}: the server copied ${copied} of ${length} bytes`;
  throw new SmbError('SERVER_ERROR', message, { operation, path, retryable: true });
}

function remember({ link }: Call, status: number): void {
  if (neverCopies.has(status)) link.serverSideCopy = false;
}

/** A full disk stays full; every other failure may be the server's way of saying that it does not copy this. */
function isRefusal(status: number): boolean {
  if (status === Status.success) return false;
  const { code } = statusError(status, 'copy');
  return code !== 'DISK_FULL' && code !== 'CONNECTION_LOST';
}

async function copyThrough(
  source: Call,
  target: Call,
  size: number,
  info: BasicInfo | undefined,
): Promise<CopyResult> {
  const outcome: PublishOutcome =
    size <= smallBytes
      ? await publish(target, await readWhole(source, copyRequestBytes), info)
      : await publishFromOpen(source, target, info);
  return { outcome, method: 'read-write' };
}

async function publishFromOpen(
  source: Call,
  target: Call,
  info: BasicInfo | undefined,
): Promise<PublishOutcome> {
  const original = await OpenFile.by(source, openToRead(source.path));
  try {
    return await publishLarge(target, info, (file) => writeAll(file, original.contents()));
  } finally {
    original.closeLater();
  }
}
