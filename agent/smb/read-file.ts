import type { Call } from './call.ts';
import {
  Access,
  CreateOption,
  createRequest,
  Disposition,
  readCreate,
  ShareAccess,
} from './messages/create.ts';
import { closeRequest, readRead, readRequest } from './messages/file-io.ts';
import { previousFile } from './messages/file-id.ts';
import { OpenFile } from './open-file.ts';
import { SmbError } from './smb-error.ts';
import { Status } from './status.ts';

/** One credit's worth, read together with opening and closing. */
const firstReadBytes = 65_536;

export const openToRead = (path: string) =>
  createRequest({
    name: path,
    access: Access.readData | Access.readAttributes | Access.readControl | Access.synchronize,
    // Office and scanners keep files open; a template being edited is copied as it is.
    share: ShareAccess.all,
    disposition: Disposition.open,
    options: CreateOption.file,
  });

export async function readWhole(call: Call, limit: number): Promise<Buffer> {
  const [opened, first, closed] = await call.send([
    openToRead(call.path),
    readRequest(previousFile, 0, firstReadBytes),
    closeRequest(previousFile),
  ]);
  const { size } = readCreate(call.expect(opened)).entry;
  if (size > limit) {
    const message = `${call.operation} ${call.path}: ${size} bytes are more than the limit of ${limit}`;
    throw new SmbError('INVALID_ARGUMENT', message, { operation: call.operation, path: call.path });
  }
  const data =
    first!.status === Status.endOfFile ? Buffer.alloc(0) : readRead(call.expect(first), firstReadBytes);
  call.expect(closed);
  if (data.length >= size) return data;
  const { fileId, entry } = readCreate(await call.ask(openToRead(call.path)));
  const file = new OpenFile(call, fileId, entry);
  try {
    return await file.read(0, limit);
  } finally {
    file.closeLater();
  }
}
