import type { Call } from './call.ts';
import type { DirectoryEntry } from '../base/entry.ts';
import { rejectLink } from './entry-calls.ts';
import { readCreate } from '../wire/create.ts';
import { openDirectory } from './opening.ts';
import { readDirectory, queryDirectoryRequest } from '../wire/directory.ts';
import { closeRequest } from '../wire/file-io.ts';
import { previousFile } from '../wire/file-id.ts';
import { faultOf, nameMatcher } from '../base/names.ts';
import { OpenFile } from './open-file.ts';
import { maxPayloadBytes, type Session } from '../session/session.ts';
import { protocolError, SmbError } from '../base/smb-error.ts';
import { Status } from '../base/status.ts';

/** Costs one credit and holds about 400 entries. */
const firstResponseBytes = 65_536;
/** A longer listing is an attempt to fill memory: half a million entries take about 150 MiB. */
const maxEntries = 500_000;

/**
 * Lists a directory. Open, query, query and close take one round trip; the listing is complete when the second query
 * reports no more entries. Otherwise the directory is read again through its own handle in large responses.
 */
export async function listDirectory(call: Call, onUnusableName?: OnUnusableName): Promise<DirectoryEntry[]> {
  return usable(call, await everythingIn(call), onUnusableName);
}

/** Called with a name that no path can hold. */
export type OnUnusableName = (name: string) => void;

/**
 * A disk behind a server may have names that SMB cannot express, made through NFS or from an archive: on Linux a name may
 * contain a backslash. Joined to a path, that would be another file.
 */
function usable(
  { operation, path }: Pick<Call, 'operation' | 'path'>,
  entries: DirectoryEntry[],
  onUnusableName?: OnUnusableName,
): DirectoryEntry[] {
  return entries.filter(({ name }) => {
    if (onUnusableName === undefined && !/[\\/\0]/.test(name)) return true;
    const fault = faultOf(name);
    if (fault === undefined) return true;
    if (onUnusableName === undefined) {
      const shown = `${operation} ${path === '' ? '\\' : path}: the name ${JSON.stringify(name)} in the directory`;
      throw new SmbError('NAME_INVALID', `${shown} ${fault}`, { operation, path });
    }
    onUnusableName(name);
    return false;
  });
}

async function everythingIn(call: Call): Promise<DirectoryEntry[]> {
  const bytes = Math.min(firstResponseBytes, call.session.negotiated.maxTransactBytes);
  const query = () => queryDirectoryRequest(previousFile, bytes);
  const [opened, first, second, closed] = await call.send([
    openDirectory(call.path),
    query(),
    query(),
    closeRequest(previousFile),
  ]);
  rejectLink(call, readCreate(call.expect(opened)).entry);
  call.expectClosed(closed);
  // Most servers list `.` and `..` in every directory. One that has none at all is believed only if it says so twice: a
  // failure behind the server would make a full directory look empty.
  if (isEnd(first!.status)) return listThroughHandle(call);
  const entries = readDirectory(call.expect(first));
  return second!.status === Status.noMoreFiles ? entries : listThroughHandle(call);
}

async function listThroughHandle(call: Call): Promise<DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  for await (const more of batchesOf(await openToList(call))) {
    for (const entry of more) entries.push(entry);
    if (entries.length > maxEntries) throw protocolError('a listing without an end');
  }
  return entries;
}

export async function openToList(call: Call): Promise<OpenFile> {
  const directory = await OpenFile.by(call, openDirectory(call.path));
  try {
    rejectLink(call, directory.entry);
  } catch (error) {
    await directory.closeRead();
    throw error;
  }
  return directory;
}

/**
 * The entries of an open directory in batches, as the server sends them. `pattern` selects names with `*` and `?`, on
 * the server and again here, because Windows compares it with the short names of MS-DOS too. Closes the directory.
 */
export async function* readOpen(directory: OpenFile, pattern = '*'): AsyncGenerator<DirectoryEntry[]> {
  const place = { operation: 'list', path: directory.path };
  for await (const batch of batchesOf(directory, pattern)) yield usable(place, batch);
}

async function* batchesOf(directory: OpenFile, pattern = '*'): AsyncGenerator<DirectoryEntry[]> {
  try {
    const matches = matcherOf(pattern);
    for (;;) {
      const batch = await directory.request('list', async (call) => {
        const bytes = responseBytes(call.session);
        const [reply] = await call.send([queryDirectoryRequest(directory.fileId, bytes, pattern)]);
        return isEnd(reply!.status) ? undefined : readDirectory(call.expect(reply));
      });
      if (batch === undefined) return;
      yield batch.filter(matches);
    }
  } finally {
    await directory.closeRead();
  }
}

function responseBytes({ connection, negotiated }: Session): number {
  const affordable = connection.largeMtu ? Math.ceil(connection.credits.largestCharge / 2) * 65_536 : 65_536;
  return Math.min(maxPayloadBytes, negotiated.maxTransactBytes, affordable);
}

function matcherOf(pattern: string): (entry: DirectoryEntry) => boolean {
  if (pattern === '*') return () => true;
  if (!/^[^\\/:"<>|\0]{1,255}$/.test(pattern)) {
    const message = `${JSON.stringify(pattern)} is not a name, with * and ? for any characters and any one`;
    throw new SmbError('INVALID_ARGUMENT', message, { operation: 'list' });
  }
  const matches = nameMatcher(pattern);
  return ({ name }) => matches(name);
}

const isEnd = (status: number) => status === Status.noMoreFiles || status === Status.noSuchFile;
