import type { BasicInfo } from '../base/entry.ts';
import { Access, CreateOption, createRequest, Disposition, ShareAccess } from '../wire/create.ts';
import type { Request } from '../wire/header.ts';

// The CREATE requests: the rights and the share modes with which a name is opened or created. Links are opened
// themselves, not their targets, except where a file's contents are needed.

const always = Access.readAttributes | Access.synchronize;
const readAndWrite = always | Access.readData | Access.writeData | Access.appendData | Access.writeAttributes;

/** The root of a share is not a link, and some servers reject the option there. */
const itself = (path: string) => (path === '' ? 0 : CreateOption.reparsePoint);

export function openToRead(path: string): Request {
  return createRequest({
    name: path,
    access: always | Access.readData | Access.readControl,
    // Office programs and virus scanners keep files open; a template being edited is copied as it is.
    share: ShareAccess.all,
    disposition: Disposition.open,
    options: CreateOption.file,
  });
}

export function openToWrite(path: string): Request {
  return createRequest({
    name: path,
    access: readAndWrite,
    share: ShareAccess.read,
    disposition: Disposition.open,
    options: CreateOption.file,
  });
}

/** Existing contents remain; attributes and times do too, unlike with the dispositions that overwrite. */
export function openOrNew(path: string): Request {
  return createRequest({
    name: path,
    access: readAndWrite,
    share: ShareAccess.read,
    disposition: Disposition.openOrCreate,
    options: CreateOption.file,
  });
}

/** The right to delete allows renaming the file and deleting it again. `allocation`: see `CreateParameters`. */
export function newFile(path: string, { allocation = 0 }: { allocation?: number } = {}): Request {
  return createRequest({
    name: path,
    access: readAndWrite | Access.delete,
    share: ShareAccess.none,
    disposition: Disposition.create,
    options: CreateOption.file,
    allocation: allocation > 0 ? allocation : undefined,
  });
}

export function openPipe(name: string): Request {
  return createRequest({
    name,
    access: readAndWrite,
    share: ShareAccess.all,
    disposition: Disposition.open,
    options: 0,
  });
}

export function openDirectory(path: string): Request {
  return createRequest({
    name: path,
    access: always | Access.readData,
    share: ShareAccess.all,
    disposition: Disposition.open,
    options: CreateOption.directory | itself(path),
  });
}

/** `info` will be set through the same handle. */
export function newDirectory(path: string, info: BasicInfo | undefined, mayExist = false): Request {
  return createRequest({
    name: path,
    access: always | (info === undefined ? 0 : Access.writeAttributes),
    share: ShareAccess.all,
    disposition: mayExist ? Disposition.openOrCreate : Disposition.create,
    options: CreateOption.directory | itself(path),
  });
}

/** Opens a file or directory for an operation on its entry rather than on its contents. */
export function openEntry(path: string, access: number, kind = 0): Request {
  return createRequest({
    name: path,
    access: always | access,
    share: ShareAccess.all,
    disposition: Disposition.open,
    options: kind | itself(path),
  });
}
