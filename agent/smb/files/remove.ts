import type { Call } from '../calls/call.ts';
import { deleteEntry } from '../calls/entry-calls.ts';
import { listDirectory } from '../calls/listing.ts';
import { CreateOption } from '../wire/create.ts';
import { SmbError } from '../base/smb-error.ts';
import { TreeWork } from './tree-work.ts';

export interface RmOptions {
  /** Removes a directory with its contents. */
  recursive?: boolean | undefined;
  /** A path that does not exist is no error. */
  force?: boolean | undefined;
}

const isMissing = (error: unknown) => error instanceof SmbError && error.code === 'ENOENT';

export async function remove(call: Call, { recursive = false, force = false }: RmOptions): Promise<void> {
  try {
    await deleteEntry(call, CreateOption.file);
  } catch (error) {
    if (force && isMissing(error)) return;
    const isDirectory = error instanceof SmbError && error.code === 'EISDIR';
    if (!isDirectory || !recursive) throw error;
    await removeDirectory(call);
  }
}

/** A link to a directory can be deleted like an empty directory, and is: its target is not touched. */
async function removeDirectory(call: Call): Promise<void> {
  const { operation, path } = call;
  if (path === '') {
    const message = `${operation} \\: the root of a share cannot be removed`;
    throw new SmbError('INVALID_ARGUMENT', message, { operation, path });
  }
  try {
    return await deleteEntry(call, CreateOption.directory);
  } catch (error) {
    if (!(error instanceof SmbError) || error.code !== 'ENOTEMPTY') throw error;
  }
  const work = new TreeWork(call.signal);
  await work.end(removeContents(call, work));
}

/** All on the share of the call: a DFS link below the directory fails the call and leads nowhere. */
async function removeContents(call: Call, work: TreeWork): Promise<void> {
  const at = (path: string) => call.with({ operation: 'rm entry', path, signal: work.signal });
  const removeTree = async (path: string): Promise<void> => {
    const entries = await work.run(() => listDirectory(at(path)));
    await work.all(entries, (entry) => {
      const child = `${path}\\${entry.name}`;
      if (entry.isDirectory() && !entry.isReparsePoint()) return removeTree(child);
      return removeEntry(child, entry.isDirectory() ? CreateOption.directory : CreateOption.file);
    });
    await removeEntry(path, CreateOption.directory);
  };
  const removeEntry = (path: string, kind: number) =>
    work.run(async () => {
      try {
        await deleteEntry(at(path), kind, true);
      } catch (error) {
        // Another client was faster.
        if (!isMissing(error)) throw error;
      }
    });
  await removeTree(call.path);
}
