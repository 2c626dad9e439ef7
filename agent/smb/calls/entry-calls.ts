import { constants } from 'node:fs';
import type { Call } from './call.ts';
import type { BasicInfo, Entry } from '../base/entry.ts';
import { Access, CreateOption, readCreate, type CreateResponse } from '../wire/create.ts';
import { closeRequest } from '../wire/file-io.ts';
import { previousFile } from '../wire/file-id.ts';
import type { Request } from '../wire/header.ts';
import { deleteRequest, renameRequest, setBasicRequest } from '../wire/info.ts';
import {
  type FileSystemSpace,
  fileSystemSizeRequest,
  idRequest,
  readFileSystemSize,
  readId,
} from '../wire/query-info.ts';
import { newDirectory, openEntry } from './opening.ts';
import type { PublishOutcome } from './publish-outcome.ts';
import { SmbError } from '../base/smb-error.ts';
import { Status } from '../base/status.ts';

// Operations on a directory's entry rather than on its contents: open, act, close in one round trip. What a CLOSE says
// changes nothing of the result, except after a deletion, which happens then.

/** Opens with `access`, performs `between`, closes. All of it has to succeed. */
function onEntry(call: Call, access: number, between: Request[]): Promise<CreateResponse> {
  return openAndClose(call, openEntry(call.path, access), between);
}

async function openAndClose(call: Call, create: Request, between: Request[]): Promise<CreateResponse> {
  const replies = await call.send([create, ...between, closeRequest(previousFile)]);
  for (const reply of replies.slice(0, -1)) call.expect(reply);
  call.expectClosed(replies.at(-1));
  return readCreate(replies[0]!.message);
}

const setting = (info: BasicInfo | undefined) =>
  info === undefined ? [] : [setBasicRequest(previousFile, info)];

export async function statEntry(call: Call): Promise<Entry> {
  const { entry } = await onEntry(call, 0, []);
  return entry;
}

/** The id of a file or directory in its file system, as `ino` of `fs.Stats`; 0 if the server has none. */
export async function readIno(call: Call): Promise<bigint> {
  const [opened, id, closed] = await call.send([
    openEntry(call.path, 0),
    idRequest(previousFile),
    closeRequest(previousFile),
  ]);
  call.expect(opened);
  call.expectClosed(closed);
  return readId(call.expect(id));
}

/** `mode`: `constants.R_OK`, `W_OK`, both, or `F_OK`. On a directory, W_OK is the right to add files and directories. */
export async function access(call: Call, mode: number): Promise<void> {
  const reads = (mode & constants.R_OK) === 0 ? 0 : Access.readData;
  const writes = (mode & constants.W_OK) === 0 ? 0 : Access.writeData | Access.appendData;
  await onEntry(call, reads | writes, []);
}

/** The space of the file system behind a path. */
export async function statFileSystem(call: Call): Promise<FileSystemSpace> {
  const [opened, space, closed] = await call.send([
    openEntry(call.path, 0),
    fileSystemSizeRequest(previousFile),
    closeRequest(previousFile),
  ]);
  call.expect(opened);
  call.expectClosed(closed);
  return readFileSystemSize(call.expect(space));
}

/** @param to on the share of the call */
export async function renameEntry(call: Call, to: string, replace: boolean): Promise<void> {
  await whatWasReadIsClosed(call);
  await onEntry(call, Access.delete, [renameRequest(previousFile, to, replace)]);
}

async function whatWasReadIsClosed({ session }: Call): Promise<void> {
  session.sourceTrees.endUnused();
  await session.closes.settled();
}

export async function setEntryInfo(call: Call, info: BasicInfo): Promise<void> {
  await onEntry(call, Access.writeAttributes, setting(info));
}

export async function makeDirectory(call: Call, info: BasicInfo | undefined): Promise<void> {
  await openAndClose(call, newDirectory(call.path, info), setting(info));
}

/** With `info` this very call has to create the directory, so that nothing else is changed. */
export async function ensureDirectory(call: Call, info: BasicInfo | undefined): Promise<PublishOutcome> {
  const { operation, path } = call;
  if (info === undefined) {
    const { created, entry } = await openAndClose(call, newDirectory(path, info, true), []);
    rejectLink(call, entry);
    return created ? 'created' : 'existed';
  }
  try {
    await makeDirectory(call, info);
    return 'created';
  } catch (error) {
    if (!(error instanceof SmbError) || error.status !== Status.objectNameCollision) throw error;
  }
  const entry = await statEntry(call);
  rejectLink(call, entry);
  if (entry.isDirectory()) return 'existed';
  const message = `${operation} ${path}: a file has this name`;
  throw new SmbError('ENOTDIR', message, { operation, path });
}

export function rejectLink({ operation, path }: Call, entry: Entry): void {
  if (!entry.isReparsePoint() || path === '') return;
  throw new SmbError('NOT_SUPPORTED', `${operation} ${path}: is a link, which is not followed`, {
    operation,
    path,
  });
}

/**
 * `kind`: `CreateOption.file` or `CreateOption.directory`. A directory that is read-only is deleted only if `forced`,
 * because it would lose the attribute if it is not empty.
 */
export async function deleteEntry(
  call: Call,
  kind: number,
  forced = kind === CreateOption.file,
): Promise<void> {
  await whatWasReadIsClosed(call);
  const replies = await call.send(deletion(call.path, kind));
  const isReadOnly = forced && replies.some(({ status }) => status === Status.cannotDelete);
  for (const reply of isReadOnly ? await call.send(readOnlyDeletion(call.path, kind)) : replies)
    call.expect(reply);
}

function deletion(path: string, kind: number): Request[] {
  return [openEntry(path, Access.delete, kind), deleteRequest(previousFile), closeRequest(previousFile)];
}

/** For an entry that has, or may have, its read-only attribute. */
export function readOnlyDeletion(path: string, kind: number = CreateOption.file): Request[] {
  return [
    openEntry(path, Access.delete | Access.writeAttributes, kind),
    setBasicRequest(previousFile, { attributes: 0 }),
    deleteRequest(previousFile),
    closeRequest(previousFile),
  ];
}
