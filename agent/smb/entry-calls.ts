import type { Call } from './call.ts';
import type { BasicInfo, Entry } from './base/entry.ts';
import { Access, CreateOption, readCreate, type CreateResponse } from './messages/create.ts';
import { closeRequest } from './messages/file-io.ts';
import { previousFile } from './messages/file-id.ts';
import type { Request } from './messages/header.ts';
import { deleteRequest, setBasicRequest } from './messages/info.ts';
import { newDirectory, openEntry } from './opening.ts';
import type { PublishOutcome } from './publish-outcome.ts';
import { SmbError } from './base/smb-error.ts';
import { Status } from './status.ts';

// Operations on a directory's entry rather than on its contents: open, act, close in one round trip.

/** Opens with `access`, performs `between`, closes. All of it has to succeed. */
export function onEntry(call: Call, access: number, between: Request[]): Promise<CreateResponse> {
  return openAndClose(call, openEntry(call.path, access), between);
}

async function openAndClose(call: Call, create: Request, between: Request[]): Promise<CreateResponse> {
  const replies = await call.send([create, ...between, closeRequest(previousFile)]);
  for (const reply of replies) call.expect(reply);
  return readCreate(replies[0]!.message);
}

const setting = (info: BasicInfo | undefined) =>
  info === undefined ? [] : [setBasicRequest(previousFile, info)];

export async function statEntry(call: Call): Promise<Entry> {
  const { entry } = await onEntry(call, 0, []);
  return entry;
}

/** On a directory these two rights allow adding files and directories. */
export async function mayAdd(call: Call): Promise<boolean> {
  try {
    await onEntry(call, Access.writeData | Access.appendData, []);
    return true;
  } catch (error) {
    if (error instanceof SmbError && error.code === 'ACCESS_DENIED') return false;
    throw error;
  }
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
    rejectLink(call, entry.isReparsePoint);
    return created ? 'created' : 'existed';
  }
  try {
    await makeDirectory(call, info);
    return 'created';
  } catch (error) {
    if (!(error instanceof SmbError) || error.status !== Status.objectNameCollision) throw error;
  }
  const entry = await statEntry(call);
  rejectLink(call, entry.isReparsePoint);
  if (entry.isDirectory) return 'existed';
  const message = `${operation} ${path}: a file has this name`;
  throw new SmbError('NOT_A_DIRECTORY', message, { operation, path });
}

export function rejectLink({ operation, path }: Call, isReparsePoint: boolean): void {
  if (!isReparsePoint || path === '') return;
  throw new SmbError('NOT_SUPPORTED', `${operation} ${path}: is a link, which is not followed`, {
    operation,
    path,
  });
}

/** `kind`: `CreateOption.file` or `CreateOption.directory`. */
export async function deleteEntry(call: Call, kind: number): Promise<void> {
  const replies = await call.send(deletion(call.path, kind));
  const isReadOnly =
    kind === CreateOption.file && replies.some(({ status }) => status === Status.cannotDelete);
  for (const reply of isReadOnly ? await call.send(readOnlyDeletion(call.path)) : replies) call.expect(reply);
}

function deletion(path: string, kind: number): Request[] {
  return [openEntry(path, Access.delete, kind), deleteRequest(previousFile), closeRequest(previousFile)];
}

/** For a file that has, or may have, its read-only attribute. */
export function readOnlyDeletion(path: string): Request[] {
  return [
    openEntry(path, Access.delete | Access.writeAttributes, CreateOption.file),
    setBasicRequest(previousFile, { attributes: 0 }),
    deleteRequest(previousFile),
    closeRequest(previousFile),
  ];
}
