import { randomBytes } from 'node:crypto';
import { callOn, type Call } from './call.ts';
import type { BasicInfo } from './entry.ts';
import { readOnlyDeletion } from './entry-calls.ts';
import { closeRequest, readWrite, writeRequest } from './messages/file-io.ts';
import { previousFile } from './messages/file-id.ts';
import type { Request } from './messages/header.ts';
import { renameRequest, setBasicRequest } from './messages/info.ts';
import { temporaryNameBytes, temporaryPathBeside } from './names.ts';
import { OpenFile } from './open-file.ts';
import { newFile } from './opening.ts';
import { ahead, pieceBytes } from './pipeline.ts';
import type { PublishOutcome } from './publish-outcome.ts';
import { SmbError } from './smb-error.ts';
import { Status, statusError } from './status.ts';
import type { Reply } from './under-way.ts';

// A file appears whole or not at all. It is made under a temporary name in the same directory and renamed without
// replacing; the server's refusal to rename onto a name that exists, in whatever case, is what decides between two who
// publish the same name.

/** Up to this a file is published in one round trip; more goes in pieces. */
const smallBytes = 262_144;

export async function publish(
  call: Call,
  data: Uint8Array | AsyncIterable<Uint8Array>,
  info: BasicInfo | undefined,
): Promise<PublishOutcome> {
  if (data instanceof Uint8Array && data.length <= Math.min(smallBytes, pieceBytes(call.session, 'write'))) {
    return publishSmall(call, data, info);
  }
  return publishLarge(call, info, (file) => writeAll(file, data));
}

export const temporaryPath = (call: Call) => temporaryPathBeside(call.path, randomBytes(temporaryNameBytes));

/**
 * Create, write, set, rename, close in one compound. Servers go on with a compound after a failed WRITE, so a file that
 * was renamed without its contents is deleted at once; the reserved allocation makes that all but impossible.
 */
async function publishSmall(
  call: Call,
  data: Uint8Array,
  info: BasicInfo | undefined,
): Promise<PublishOutcome> {
  const temporary = temporaryPath(call);
  const write = data.length > 0 ? [writeRequest(previousFile, 0, data)] : [];
  const requests = [newFile(temporary, data.length), ...write, ...finishing(call.path, info)];
  const [created, ...rest] = await call.send(requests, () => deleteQuietly(call, temporary));
  call.expect(created);
  const written = write.length > 0 ? rest.shift() : undefined;
  if (written?.status === Status.success && readWrite(written.message, data.length) < data.length) {
    await discard(call, temporary, rest);
    throw new SmbError('SERVER_ERROR', `${call.operation} ${call.path}: the server wrote a part only`, {
      operation: call.operation,
      path: call.path,
      retryable: true,
    });
  }
  return finished(call, temporary, written === undefined ? rest : [written, ...rest]);
}

/** Set, rename and close of a file that has its contents. */
function finishing(path: string, info: BasicInfo | undefined): Request[] {
  const set = info === undefined ? [] : [setBasicRequest(previousFile, info)];
  return [...set, renameRequest(previousFile, path), closeRequest(previousFile)];
}

/** What the answers up to rename and close mean. Whatever is not as it has to be is deleted again. */
async function finished(call: Call, temporary: string, replies: readonly Reply[]): Promise<PublishOutcome> {
  const before = replies.slice(0, -2);
  const [renamed, closed] = replies.slice(-2);
  const failure = before.find(({ status }) => status !== Status.success);
  if (failure === undefined && renamed!.status === Status.success) {
    call.expect(closed);
    return 'created';
  }
  await discard(call, temporary, replies);
  const { status } = failure ?? renamed!;
  if (failure === undefined && isTaken(status)) return 'existed';
  throw statusError(status, call.operation, call.path);
}

/** Windows and Samba answer COLLISION also for a directory; others name it. */
const isTaken = (status: number) =>
  status === Status.objectNameCollision || status === Status.fileIsADirectory;

async function discard(call: Call, temporary: string, replies: readonly Reply[]): Promise<void> {
  const wasRenamed = replies.at(-2)?.status === Status.success;
  await deleteQuietly(call, wasRenamed ? call.path : temporary);
}

/** `fill` gets the new file under its temporary name. */
export async function publishLarge(
  call: Call,
  info: BasicInfo | undefined,
  fill: (file: OpenFile) => Promise<void>,
): Promise<PublishOutcome> {
  const temporary = temporaryPath(call);
  const file = await OpenFile.by(call, newFile(temporary));
  try {
    await fill(file);
  } catch (error) {
    await abandon(call, file, temporary);
    throw error;
  }
  return rename(call, file, temporary, info);
}

export async function abandon(call: Call, file: OpenFile, temporary: string): Promise<void> {
  await file.close().catch(() => {});
  await deleteQuietly(call, temporary);
}

/**
 * The end of `publishLarge` for a file that is filled. One request after the other, each with those of other files in
 * one frame: a file is not renamed unless everything before succeeded.
 */
export async function rename(
  call: Call,
  file: OpenFile,
  temporary: string,
  info: BasicInfo | undefined,
): Promise<PublishOutcome> {
  const finish = async () => {
    if (info !== undefined) call.expect(await call.sendShared(setBasicRequest(file.fileId, info)));
    const { status } = await call.sendShared(renameRequest(file.fileId, call.path));
    if (isTaken(status)) return 'existed';
    if (status !== Status.success) throw statusError(status, call.operation, call.path);
    call.expect(await call.sendShared(closeRequest(file.fileId)));
    file.closesElsewhere();
    return 'created';
  };
  const outcome = await finish().catch(async (error: unknown) => {
    // If the file was renamed this finds nothing. Whoever gave up does not wait for it.
    const cleaning = abandon(call, file, temporary);
    if (call.signal?.aborted !== true) await cleaning;
    throw error;
  });
  if (outcome === 'existed') await abandon(call, file, temporary);
  return outcome;
}

export async function writeAll(file: OpenFile, data: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  if (data instanceof Uint8Array) return file.write(0, data);
  let position = 0;
  const writes = ahead(data, (chunk) => {
    const at = position;
    position += chunk.length;
    return file.write(at, chunk);
  });
  for await (const _ of writes);
}

/** Best effort: what stays is recognised by its name later. The caller's giving up does not stop it. */
export async function deleteQuietly(call: Call, path: string): Promise<void> {
  const cleaning = callOn({ ...call, path, signal: undefined });
  // It may have its read-only attribute already.
  await cleaning.send(readOnlyDeletion(path)).catch(() => {});
}
