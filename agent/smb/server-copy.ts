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
import { ahead, pieces } from './pipeline.ts';
import {
  createTemporary,
  deleteQuietly,
  publish,
  publishLarge,
  rename,
  temporaryPath,
  writeAll,
} from './publish.ts';
import { readWhole, openToRead } from './read-file.ts';
import type { CopyResult, PublishOutcome } from './share.ts';
import { SmbError } from './smb-error.ts';
import { Status, statusError } from './status.ts';

// FSCTL_SRV_COPYCHUNK, MS-SMB2 3.3.5.15.6. Three round trips for a file of up to 16 MiB:
//   open source, ask for its key | create temporary, copy | set, rename, close (and close source)
// The copy is the last of its compound on purpose: servers go on with a compound after a failure, so a rename behind it
// would publish an empty file where the server refuses to copy; and Samba allows only the last to take its time.

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
  const { fileId, entry } = readCreate(source.expect(opened));
  const original = new OpenFile(source, fileId, entry);
  try {
    if (keyed!.status !== Status.success) {
      remember(target, keyed!.status);
      return {
        outcome: await publishLarge(target, info, (file) => writeAll(file, original.contents())),
        method: 'read-write',
      };
    }
    return await copyByServer(original, readResumeKey(keyed!.message), target, info);
  } finally {
    await original.close().catch(() => {});
  }
}

async function copyByServer(
  original: OpenFile,
  resumeKey: Buffer,
  target: Call,
  info: BasicInfo | undefined,
): Promise<CopyResult> {
  const { size } = original.entry;
  const temporary = temporaryPath(target);
  const firstBytes = Math.min(size, copyRequestBytes);
  const first = firstBytes > 0 ? [copyChunkRequest(previousFile, resumeKey, 0, firstBytes)] : [];
  const [created, copied] = await target.send([createTemporary(temporary, size), ...first]);
  const { fileId, entry } = readCreate(target.expect(created));
  const copy = new OpenFile(target, fileId, entry);
  let method: CopyResult['method'] = 'server-side';
  try {
    if (copied !== undefined && copied.status !== Status.success) {
      if (!mayBeCopiedOtherwise(copied.status))
        throw statusError(copied.status, target.operation, target.path);
      remember(target, copied.status);
      method = 'read-write';
      await writeAll(copy, original.contents());
    } else {
      if (copied !== undefined) expectCopied(target, readCopyChunk(copied.message), firstBytes);
      await copyRest(copy, resumeKey, target, size);
    }
  } catch (error) {
    await copy.close().catch(() => {});
    await deleteQuietly(target, temporary);
    throw error;
  }
  return { outcome: await rename(target, copy, temporary, info), method };
}

/** Everything behind the first 16 MiB. */
async function copyRest(copy: OpenFile, resumeKey: Buffer, target: Call, size: number): Promise<void> {
  const parts = ahead(pieces(copyRequestBytes, size, copyRequestBytes), async ({ position, length }) => {
    const message = await target.ask(copyChunkRequest(copy.fileId, resumeKey, position, length));
    expectCopied(target, readCopyChunk(message), length);
  });
  for await (const _ of parts);
}

function expectCopied({ operation, path }: Call, copied: number, wanted: number): void {
  if (copied === wanted) return;
  const message = `${operation} ${path}: the server copied ${copied} of ${wanted} bytes`;
  throw new SmbError('SERVER_ERROR', message, { operation, path, retryable: true });
}

function remember({ link }: Call, status: number): void {
  if (neverCopies.has(status)) link.serverSideCopy = false;
}

/** A full disk stays full; everything else may be the server's way of saying that it does not copy this. */
function mayBeCopiedOtherwise(status: number): boolean {
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
      ? await publish(target, await readWhole(source, smallBytes), info)
      : await publishFromOpen(source, target, info);
  return { outcome, method: 'read-write' };
}

async function publishFromOpen(
  source: Call,
  target: Call,
  info: BasicInfo | undefined,
): Promise<PublishOutcome> {
  const { fileId, entry } = readCreate(await source.ask(openToRead(source.path)));
  const original = new OpenFile(source, fileId, entry);
  try {
    return await publishLarge(target, info, (file) => writeAll(file, original.contents()));
  } finally {
    await original.close().catch(() => {});
  }
}
