import type { Call } from './call.ts';
import {
  deleteEntry,
  ensureDirectory,
  makeDirectory,
  mayAdd,
  onEntry,
  setEntryInfo,
  statEntry,
} from './entry-calls.ts';
import type { BasicInfo, DirectoryEntry, Entry } from './base/entry.ts';
import type { SmbFile } from './file.ts';
import { listDirectory } from './listing.ts';
import { Access, CreateOption } from './messages/create.ts';
import { previousFile } from './messages/file-id.ts';
import { renameRequest } from './messages/info.ts';
import { checkPath } from './names.ts';
import { OpenFile } from './open-file.ts';
import { newFile, openToRead, openToWrite } from './opening.ts';
import { publish } from './publish.ts';
import type { CopyResult, PublishOutcome } from './publish-outcome.ts';
import { copyThrough } from './read-write-copy.ts';
import { readWhole } from './read-file.ts';
import { publishCopy } from './server-copy.ts';
import { SmbError } from './base/smb-error.ts';

/** Ends one call: requests not yet sent are dropped, those in flight are canceled. The call fails with `ABORTED`. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface CopySource {
  share: FileCalls;
  path: string;
  /** From the listing, which saves a request. A file whose size has changed is copied as it is. */
  size: number;
}

/**
 * Operations on the files and directories below a place. Paths are relative to it, with components joined by `\`; the
 * empty path is the place itself. Names are sent byte for byte. Every call may fail with any connection or logon code
 * of `SmbError`, with `NAME_INVALID`, with `ACCESS_DENIED` and with `DFS_LINK`.
 */
export abstract class FileCalls {
  /** `\\server\share…` */
  abstract readonly unc: string;

  /** Runs `body` on the share that holds `path`, with the path on that share. */
  protected abstract call<T>(
    operation: string,
    path: string,
    options: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T>;

  /** Resolves `path` to its place on the share of `call`. */
  protected abstract pathBeside(call: Call, path: string): Promise<string>;

  /**
   * Connects to the share unless that has happened.
   * @returns whether this account may add files at the root, according to the server; a hint, not a guarantee
   */
  connect(options: CallOptions = {}): Promise<{ writable: boolean; isDfs: boolean }> {
    const adding = Access.writeData | Access.appendData;
    return this.call('connect to share', '', options, async ({ tree }) => ({
      writable: (tree.maximalAccess & adding) === adding,
      isDfs: tree.isDfs,
    }));
  }

  /**
   * Describes a link itself, not its target.
   * @throws {SmbError} `NOT_FOUND`, `PARENT_NOT_FOUND`
   */
  stat(path: string, options: CallOptions = {}): Promise<Entry> {
    return this.call('stat', path, options, statEntry);
  }

  /**
   * Whether this account may add files and directories to a directory. The directory is opened for that and closed
   * again, which changes nothing.
   * @throws {SmbError} `NOT_FOUND`, `PARENT_NOT_FOUND`
   */
  mayAdd(path: string, options: CallOptions = {}): Promise<boolean> {
    return this.call('check rights on', path, options, mayAdd);
  }

  /**
   * All entries but `.` and `..`, in the server's order; one round trip for directories of up to several hundred
   * entries.
   */
  list(path: string, options: CallOptions = {}): Promise<DirectoryEntry[]> {
    return this.call('list', path, options, listDirectory);
  }

  /**
   * Creates one directory, which must not exist.
   * @throws {SmbError} `EXISTS`, `PARENT_NOT_FOUND`
   */
  makeDirectory(path: string, options: CallOptions & { info?: BasicInfo | undefined } = {}): Promise<void> {
    return this.call('make directory', path, options, (call) => makeDirectory(call, options.info));
  }

  /**
   * Creates one directory unless it exists, in one round trip; the parent must exist. Many calls may be in flight,
   * each after the response for its parent. `info` is set on a new directory only.
   * @throws {SmbError} `NOT_A_DIRECTORY` when a file has the name, `NOT_SUPPORTED` when a link has it,
   * `PARENT_NOT_FOUND`
   */
  ensureDirectory(
    path: string,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<PublishOutcome> {
    return this.call('ensure directory', path, options, (call) => ensureDirectory(call, options.info));
  }

  /** Creates `path` and its missing ancestors; one round trip when at most the last component is missing. */
  async ensureDirectories(path: string, options: CallOptions = {}): Promise<PublishOutcome> {
    try {
      return await this.ensureDirectory(path, options);
    } catch (error) {
      const parent = path.slice(0, Math.max(0, path.lastIndexOf('\\')));
      if (!(error instanceof SmbError) || error.code !== 'PARENT_NOT_FOUND' || parent === '') throw error;
      await this.ensureDirectories(parent, options);
      return this.ensureDirectory(path, options);
    }
  }

  /**
   * Opens an existing file. `write` also allows `setInfo` and `truncate`. The signal applies to the file's calls too.
   */
  open(
    path: string,
    options: CallOptions & { access?: 'read' | 'write' | undefined } = {},
  ): Promise<SmbFile> {
    return this.call('open', path, options, (call) =>
      OpenFile.by(call, options.access === 'write' ? openToWrite(call.path) : openToRead(call.path)),
    );
  }

  /**
   * Creates a file and opens it for reading and writing.
   * @throws {SmbError} `EXISTS`
   */
  createNew(path: string, options: CallOptions = {}): Promise<SmbFile> {
    return this.call('create', path, options, (call) => OpenFile.by(call, newFile(call.path)));
  }

  /** The whole file, in one round trip up to 64 KiB. Throws `INVALID_ARGUMENT` above `limit` (default 64 MiB). */
  readFile(path: string, options: CallOptions & { limit?: number | undefined } = {}): Promise<Buffer> {
    return this.call('read', path, options, (call) => readWhole(call, options.limit ?? 67_108_864));
  }

  /** Sets times and attributes of a file or directory in one round trip. */
  setInfo(path: string, info: BasicInfo, options: CallOptions = {}): Promise<void> {
    return this.call('set info of', path, options, (call) => setEntryInfo(call, info));
  }

  /**
   * Renames within the share, never replacing an existing entry. Windows decides that in one step. Samba checks
   * first: when two clients rename to the same name at the same moment, both may succeed and one file is lost.
   * `publish` is safe against that.
   * @throws {SmbError} `EXISTS`, also where the names differ only in case; `NOT_SUPPORTED` where a DFS link leads one
   * of the two to another share
   */
  rename(from: string, to: string, options: CallOptions = {}): Promise<void> {
    return this.call('rename', from, options, async (call) => {
      checkPath(to, call.operation);
      const renamed = await this.pathBeside(call, to);
      await onEntry(call, Access.delete, [renameRequest(previousFile, renamed)]);
    });
  }

  /** Deletes a file, including a read-only one. */
  deleteFile(path: string, options: CallOptions = {}): Promise<void> {
    return this.call('delete', path, options, (call) => deleteEntry(call, CreateOption.file));
  }

  /**
   * Deletes an empty directory.
   * @throws {SmbError} `DIRECTORY_NOT_EMPTY`
   */
  deleteDirectory(path: string, options: CallOptions = {}): Promise<void> {
    return this.call('delete', path, options, (call) => deleteEntry(call, CreateOption.directory));
  }

  /**
   * Publishes a file that appears whole or not at all. It is created under a temporary name beside `path`, written,
   * given its times and attributes, and then linked as `path`, which fails when the name is taken: the server's file
   * system decides between two clients that publish the same name. Up to 256 KiB take one round trip (create, write,
   * set, link, close in one compound); more is written in pipelined pieces. A crash leaves at most a temporary file
   * (`isTemporaryName`). Where a share has no hard links, the file is renamed.
   */
  publish(
    path: string,
    data: Uint8Array | AsyncIterable<Uint8Array>,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<PublishOutcome> {
    return this.call('publish', path, options, (call) => publish(call, data, options.info));
  }

  /**
   * `publish` with the contents of a file on this or another share. When both are on one server, the server copies
   * (six round trips for a file up to 16 MiB, designed for a hundred concurrent copies that share them). When the
   * server rejects that, which is remembered, and between servers, the contents are read and written. The source may
   * remain open a moment longer, in a mode that shares everything.
   * @throws {SmbError} its `path` is that of the source or the destination, whichever failed
   */
  publishCopy(
    path: string,
    source: CopySource,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<CopyResult> {
    return this.call('copy to', path, options, (target) =>
      source.share.call('copy from', source.path, options, (from) => {
        if (from.link !== target.link) return copyThrough(from, target, source.size, options.info);
        if (from.session !== target.session) throw connectionChanged(path);
        return publishCopy(from, target, source.size, options.info);
      }),
    );
  }
}

function connectionChanged(path: string): SmbError {
  return new SmbError('CONNECTION_LOST', `copy to ${path}: the connection was lost`, {
    operation: 'copy to',
    path,
    retryable: true,
  });
}
