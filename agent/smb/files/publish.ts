import type { Call } from '../calls/call.ts';
import type { BasicInfo } from '../base/entry.ts';
import { readCreate } from '../wire/create.ts';
import type { FileContents } from '../calls/file.ts';
import {
  deleteQuietly,
  deleteUnproved,
  Draft,
  expectCreated,
  isTaken,
  type PublishOptions,
  temporaryPath,
} from './draft.ts';
import { closeRequest, readWrite, writeRequest } from '../wire/file-io.ts';
import { previousFile } from '../wire/file-id.ts';
import { renameRequest, setBasicRequest } from '../wire/info.ts';
import type { OpenFile } from '../calls/open-file.ts';
import { newFile } from '../calls/opening.ts';
import { pieceBytes } from '../session/pipeline.ts';
import type { PublishOutcome } from '../calls/publish-outcome.ts';
import { SmbError } from '../base/smb-error.ts';
import { Status, statusError } from '../base/status.ts';
import type { Reply } from '../connection/in-flight.ts';

/** Files up to this size are published in one round trip; larger ones in pieces. */
export const smallBytes = 262_144;

export async function publish(
  call: Call,
  contents: FileContents,
  options: PublishOptions,
): Promise<PublishOutcome> {
  const data = typeof contents === 'string' ? Buffer.from(contents) : contents;
  const isSmall =
    data instanceof Uint8Array && data.length <= Math.min(smallBytes, pieceBytes(call.session, 'write'));
  if (isSmall && options.leftover === undefined) {
    const outcome = await inOneCompound(call, data, options.info);
    if (outcome === 'created' || options.replace !== true) return outcome;
    // In one compound, a file whose contents were not written would replace the old one nevertheless.
  }
  return publishLarge(call, options, (file) => file.writeAll(data));
}

/**
 * Create, write, set, rename, close. Servers continue a compound after a failed WRITE, so a file that got its name
 * without its contents is deleted immediately; the reserved allocation makes that all but impossible. So is one whose CLOSE
 * fails, because some servers write only then.
 */
async function inOneCompound(
  call: Call,
  data: Uint8Array,
  info: BasicInfo | undefined,
): Promise<PublishOutcome> {
  const temporary = temporaryPath(call);
  const requests = [
    newFile(temporary, { allocation: data.length }),
    ...(data.length > 0 ? [writeRequest(previousFile, 0, data)] : []),
    ...(info === undefined ? [] : [setBasicRequest(previousFile, info)]),
    renameRequest(previousFile, call.path),
    closeRequest(previousFile),
  ];
  const [created, ...replies] = await call.send(requests, () => deleteQuietly(call, temporary));
  const opened = await expectCreated(call, created, temporary);
  const [named, closed] = replies.slice(-2) as [Reply, Reply];
  const isNamed = named.status === Status.success;
  const failure = [...replies.slice(0, -2), ...(isNamed ? [closed] : [])].find(
    ({ status }) => status !== Status.success,
  );
  const isShort =
    failure === undefined && data.length > 0 && readWrite(replies[0]!.message, data.length) < data.length;
  if (failure === undefined && !isShort && isNamed) return 'created';
  if (isNamed) await deleteUnproved(call, readCreate(opened).fileId);
  else await deleteQuietly(call, temporary);
  if (isShort) {
    throw new SmbError('SERVER_ERROR', `${call.operation} ${call.path}: the server wrote only a part`, {
      operation: call.operation,
      path: call.path,
      retryable: true,
    });
  }
  if (failure !== undefined) throw statusError(failure.status, call.operation, call.path);
  if (isTaken(named.status)) return 'existed';
  throw statusError(named.status, call.operation, call.path);
}

/** `fill` receives the new file under its temporary name. */
export async function publishLarge(
  call: Call,
  options: PublishOptions,
  fill: (file: OpenFile) => Promise<void>,
): Promise<PublishOutcome> {
  const draft = await Draft.make(call);
  try {
    await fill(draft.file);
  } catch (error) {
    await draft.abandon();
    throw error;
  }
  return draft.publish(options);
}
