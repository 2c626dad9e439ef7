import type { Call } from './call.ts';
import type { DirectoryEntry } from './base/entry.ts';
import { rejectLink } from './entry-calls.ts';
import { readCreate } from './messages/create.ts';
import { openDirectory } from './opening.ts';
import { readDirectory, queryDirectoryRequest } from './messages/directory.ts';
import { closeRequest } from './messages/file-io.ts';
import { previousFile } from './messages/file-id.ts';
import { maxPayloadBytes } from './session.ts';
import { protocolError } from './base/smb-error.ts';
import { Status } from './status.ts';

/** Costs one credit and holds about 400 entries. */
const firstResponseBytes = 65_536;
/** A longer listing is an attempt to fill memory: half a million entries take about 150 MiB. */
const maxEntries = 500_000;

/**
 * Lists a directory. Open, query, query and close take one round trip; the listing is complete when the second query
 * reports no more entries. Otherwise the directory is read again through its own handle in large responses.
 */
export async function listDirectory(call: Call): Promise<DirectoryEntry[]> {
  const query = () => queryDirectoryRequest(previousFile, firstResponseBytes);
  const [opened, first, second, closed] = await call.send([
    openDirectory(call.path),
    query(),
    query(),
    closeRequest(previousFile),
  ]);
  rejectLink(call, readCreate(call.expect(opened)).entry.isReparsePoint);
  call.expect(closed);
  // `.` and `..` are in every listing of most servers; a listing without them is empty.
  if (isEnd(first!.status)) return [];
  const entries = readDirectory(call.expect(first));
  return isEnd(second!.status) ? entries : listThroughHandle(call);
}

async function listThroughHandle(call: Call): Promise<DirectoryEntry[]> {
  const { fileId } = readCreate(await call.request(openDirectory(call.path)));
  const { connection, negotiated } = call.session;
  const affordable = connection.largeMtu ? Math.ceil(connection.credits.largestCharge / 2) * 65_536 : 65_536;
  const responseBytes = Math.min(maxPayloadBytes, negotiated.maxTransactBytes, affordable);
  const entries: DirectoryEntry[] = [];
  try {
    for (;;) {
      const [reply] = await call.send([queryDirectoryRequest(fileId, responseBytes)]);
      if (isEnd(reply!.status)) return entries;
      const more = readDirectory(call.expect(reply));
      for (const entry of more) entries.push(entry);
      if (entries.length > maxEntries) throw protocolError('a listing without an end');
    }
  } finally {
    await call.send([closeRequest(fileId)]).catch(() => {});
  }
}

const isEnd = (status: number) => status === Status.noMoreFiles || status === Status.noSuchFile;
