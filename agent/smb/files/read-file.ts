import type { Call } from '../calls/call.ts';
import { readCreate } from '../wire/create.ts';
import { closeRequest, readRead, readRequest } from '../wire/file-io.ts';
import { previousFile } from '../wire/file-id.ts';
import { OpenFile } from '../calls/open-file.ts';
import { openToRead } from '../calls/opening.ts';
import { SmbError } from '../base/smb-error.ts';
import { Status } from '../base/status.ts';

/** What one credit pays for, read together with opening and closing. */
export const firstReadBytes = 65_536;

export async function readWhole(call: Call, limit: number): Promise<Buffer> {
  const bytes = Math.min(firstReadBytes, call.session.negotiated.maxReadBytes);
  const [opened, first, closed] = await call.send([
    openToRead(call.path),
    readRequest(previousFile, 0, bytes),
    closeRequest(previousFile),
  ]);
  const { size } = readCreate(call.expect(opened)).entry;
  if (size > limit) {
    const message = `${call.operation} ${call.path}: ${size} bytes are more than the limit of ${limit}`;
    throw new SmbError('INVALID_ARGUMENT', message, { operation: call.operation, path: call.path });
  }
  const data = first!.status === Status.endOfFile ? Buffer.alloc(0) : readRead(call.expect(first), bytes);
  call.expectClosed(closed);
  if (data.length >= size) return data;
  const file = await OpenFile.by(call, openToRead(call.path));
  try {
    const parts: Buffer[] = [];
    for await (const part of file.contents(0, limit)) parts.push(part);
    return Buffer.concat(parts);
  } finally {
    await file.closeRead();
  }
}
