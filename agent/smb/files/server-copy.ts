import type { Call } from '../calls/call.ts';
import { Draft, type PublishOptions } from './draft.ts';
import { readCreate } from '../wire/create.ts';
import { copyChunkRequest, copyRequestBytes, readCopyChunk, readResumeKey } from '../wire/ioctl.ts';
import { OpenFile } from '../calls/open-file.ts';
import { ahead, pieces, type Piece, serverCopyPieceBytes } from '../session/pipeline.ts';
import { openToRead } from '../calls/opening.ts';
import { copyThrough } from './read-write-copy.ts';
import type { CopyResult } from '../calls/publish-outcome.ts';
import { SmbError } from '../base/smb-error.ts';
import { copyContents, hasHoles } from './sparse.ts';
import { Status, statusError } from '../base/status.ts';
import { hasNamedStreams } from '../calls/streams.ts';
import type { Reply } from '../connection/in-flight.ts';

// FSCTL_SRV_COPYCHUNK, MS-SMB2 3.3.5.15.6. A copy takes six round trips, and each request shares its frame with those of
// other files. Only the key and the copy are sent alone, since Samba fails an IOCTL that is not the last of its frame:
//   open source | request its key, create temporary | copy | set | name | close
// A copy deliberately uses no related compound: servers continue a compound after a failure, so a name behind the copy
// would publish an empty file where the server rejects copying.

/** Statuses that mean the server does not copy at all, rather than not this file. */
const neverCopies: ReadonlySet<number> = new Set([
  Status.notSupported,
  Status.invalidDeviceRequest,
  0xc0000002, // NOT_IMPLEMENTED
]);

/** `source` and `target` are calls on the same session, possibly on different shares. */
export async function copyOnServer(
  source: Call,
  target: Call,
  size: number,
  options: PublishOptions,
): Promise<CopyResult> {
  if (size === 0 || !target.link.serverSideCopy) return copyThrough(source, target, size, options);
  // Started while the source is being opened; the response is there when it is needed.
  void hasNamedStreams(source);
  const { original, release } = await openSource(source, size);
  try {
    return await copyByServer(source, original, target, options);
  } finally {
    release();
  }
}

/** A file of one copy request is opened on a tree that closes it; a larger one would hold that tree for too long. */
async function openSource(source: Call, size: number) {
  const { sourceTrees } = source.session;
  const lease = size <= copyRequestBytes ? sourceTrees.lease(source.tree.share) : undefined;
  try {
    const tree = await lease?.tree.catch(() => undefined);
    const call = tree === undefined ? source : source.with({ tree });
    const opened = await call.sendShared(openToRead(source.path));
    const original = new OpenFile(call, readCreate(call.expect(opened)));
    const release = () => {
      if (tree === undefined) void original.closeRead();
      else original.closesElsewhere();
      lease?.end();
    };
    return { original, release };
  } catch (error) {
    lease?.end();
    throw error;
  }
}

async function copyByServer(
  source: Call,
  original: OpenFile,
  target: Call,
  options: PublishOptions,
): Promise<CopyResult> {
  const creating = Draft.make(target);
  const listingStreams = original.alternateStreams();
  const [draft, keyed] = await Promise.all([creating, original.resumeKey()]).catch((error: unknown) => {
    // The copy is abandoned, but the new file may have been created.
    creating.then(
      (made) => made.abandon(),
      () => {},
    );
    throw error;
  });
  let method: CopyResult['method'] = 'server-side';
  try {
    // The server would fill the holes.
    const canCopy = !isRejection(keyed.status) && !hasHoles(original);
    const rejection = canCopy
      ? await copyChunks(original, readResumeKey(source.expect(keyed)), draft.file, target)
      : keyed.status;
    if (rejection !== undefined) {
      remember(target, rejection);
      method = 'read-write';
      await copyContents(original, draft.file);
    }
  } catch (error) {
    await draft.abandon();
    throw error;
  }
  const streams = await listingStreams;
  const outcome = await draft.publish(options);
  return { outcome, method, ...(streams.length > 0 && { streamsLost: streams }) };
}

/** Returns the status with which the server rejects copying this file; nothing has been copied then. */
async function copyChunks(
  original: OpenFile,
  resumeKey: Buffer,
  copy: OpenFile,
  target: Call,
): Promise<number | undefined> {
  const { size } = original.entry;
  const copyPiece = ({ position, length }: Piece): Promise<Reply | undefined> =>
    target.link.serverCopies.run(async () => {
      const [reply] = await target.send([copyChunkRequest(copy.fileId, resumeKey, position, length)]);
      return reply;
    }, length);
  // Created as they are needed: the size is what a server claims, up to 2^53.
  const waiting = pieces(0, size, serverCopyPieceBytes);
  const first = waiting.next().value;
  if (first === undefined) return undefined;
  const copied = await copyPiece(first);
  if (copied !== undefined && isRejection(copied.status)) return copied.status;
  expectCopied(target, copied, first);
  const rest = ahead(waiting, async (piece) => expectCopied(target, await copyPiece(piece), piece));
  for await (const _ of rest);
  return undefined;
}

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

/** A full disk will not empty itself; every other failure may be the server's way of rejecting the copy. */
function isRejection(status: number): boolean {
  if (status === Status.success) return false;
  const { code } = statusError(status, 'copy');
  return code !== 'ENOSPC' && code !== 'CONNECTION_LOST';
}
