import type { Call } from './call.ts';
import type { DirectoryEntry } from './entry.ts';
import { refuseLink } from './entry-calls.ts';
import { readCreate } from './messages/create.ts';
import { openDirectory } from './opening.ts';
import { readDirectory, queryDirectoryRequest } from './messages/directory.ts';
import { closeRequest } from './messages/file-io.ts';
import { previousFile } from './messages/file-id.ts';
import { maxPayloadBytes } from './session.ts';
import { protocolError } from './smb-error.ts';
import { Status } from './status.ts';

/** Costs one credit, holds some 400 entries. */
const firstAnswerBytes = 65_536;
/** Beyond this a server is not listing a directory but filling memory: half a million entries take some 150 MiB. */
const maxEntries = 500_000;

/**
 * Everything in a directory. Open, query, query, close in one round trip: when the second query says there is no more,
 * that was all. Otherwise the directory is read again through a handle of its own in large answers.
 */
export async function listDirectory(call: Call): Promise<DirectoryEntry[]> {
  const query = () => queryDirectoryRequest(previousFile, firstAnswerBytes);
  const [opened, first, second, closed] = await call.send([
    openDirectory(call.path),
    query(),
    query(),
    closeRequest(previousFile),
  ]);
  refuseLink(call, readCreate(call.expect(opened)).entry.isReparsePoint);
  call.expect(closed);
  // `.` and `..` are in every listing of most servers; one without them is empty.
  if (isEnd(first!.status)) return [];
  const entries = readDirectory(call.expect(first));
  return isEnd(second!.status) ? entries : listThroughHandle(call);
}

async function listThroughHandle(call: Call): Promise<DirectoryEntry[]> {
  const { fileId } = readCreate(await call.ask(openDirectory(call.path)));
  const { connection, negotiated } = call.session;
  const affordable = connection.largeMtu ? Math.ceil(connection.credits.largestCharge / 2) * 65_536 : 65_536;
  const answerBytes = Math.min(maxPayloadBytes, negotiated.maxTransactBytes, affordable);
  const entries: DirectoryEntry[] = [];
  try {
    for (;;) {
      const [reply] = await call.send([queryDirectoryRequest(fileId, answerBytes)]);
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
