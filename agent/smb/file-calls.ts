import { constants } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Call } from './call.ts';
import { copyTree, type CpOptions } from './copy-tree.ts';
import {
  access,
  deleteEntry,
  ensureDirectory,
  makeDirectory,
  renameEntry,
  setEntryInfo,
  statEntry,
  statFileSystem,
} from './entry-calls.ts';
import type { BasicInfo, DirectoryEntry, Entry } from './base/entry.ts';
import type { FileContents, SmbFile } from './file.ts';
import { type ReadStreamOptions, readStream, writeStream } from './file-streams.ts';
import { listDirectory, openToList, readOpen } from './listing.ts';
import { Access, CreateOption } from './messages/create.ts';
import type { FileSystemSpace } from './messages/query-info.ts';
import { download, type TransferOptions, upload } from './local-tree.ts';
import { checkPath, withBackslashes } from './names.ts';
import type { OpenFile } from './open-file.ts';
import { publish, type PublishOptions } from './publish.ts';
import type { CopyResult, PublishOutcome } from './publish-outcome.ts';
import { copyThrough } from './read-write-copy.ts';
import { readWhole } from './read-file.ts';
import { remove, type RmOptions } from './remove.ts';
import { copyOnServer } from './server-copy.ts';
import { SmbError } from './base/smb-error.ts';
import { bytesToWrite, openFile, type OpenFlag, withChunks, writeFile } from './write-file.ts';

/** Ends one call: requests not yet sent are dropped, those in flight are canceled. The call fails with `ABORTED`. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

interface WriteFileOptions {
  flag?: 'w' | 'wx' | 'a' | undefined;
  encoding?: BufferEncoding | null | undefined;
}

/** A file or directory of another share. */
export interface CopySource {
  share: FileCalls;
  path: string;
  /** From the listing, which saves a request. A file whose size has changed is copied as it is. */
  size?: number | undefined;
}

/**
 * Operations on the files and directories below a place, named as in `node:fs/promises` where they do the same. Paths
 * are relative to the place, with components joined by `\` or `/`; the empty path is the place itself. Names are sent
 * byte for byte. Every call may fail with any connection or logon code of `SmbError`, with `NAME_INVALID`, with
 * `EACCES` and with `DFS_LINK`.
 */
export abstract class FileCalls {
  /** `\\server\share…` */
  abstract readonly unc: string;

  /** Returns a handle on a folder below, which need not exist; nothing is sent. */
  abstract folder(path: string): FileCalls;

  /** Runs `body` on the share that holds `path`, with the path on that share. */
  protected abstract route<T>(
    operation: string,
    path: string,
    options: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T>;

  /** Resolves `path` to its place on the share of `call`. */
  protected abstract pathBeside(call: Call, path: string): Promise<string>;

  protected call<T>(
    operation: string,
    path: string,
    options: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T> {
    return this.route(operation, withBackslashes(path), options, body);
  }

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
   * @throws {SmbError} `ENOENT`
   */
  stat(path = '', options: CallOptions = {}): Promise<Entry> {
    return this.call('stat', path, options, statEntry);
  }

  /** Whether a file or directory exists; any failure but `ENOENT` is thrown. */
  async exists(path: string, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.stat(path, options);
      return true;
    } catch (error) {
      if (error instanceof SmbError && error.code === 'ENOENT') return false;
      throw error;
    }
  }

  /**
   * Asks the server for rights, `R_OK` or `W_OK` of `fs.constants`, by opening the entry with them. On a directory,
   * `W_OK` is the right to add files and directories.
   * @throws {SmbError} `EACCES`, `ENOENT`
   */
  access(path: string, mode: number = constants.F_OK, options: CallOptions = {}): Promise<void> {
    return this.call('check permissions on', path, options, (call) => access(call, mode));
  }

  /** The space of the file system behind a path, which may differ below a mount point or DFS link. */
  statfs(path = '', options: CallOptions = {}): Promise<FileSystemSpace> {
    return this.call('statfs', path, options, statFileSystem);
  }

  /**
   * All entries but `.` and `..`, in the server's order; one round trip for directories of up to several hundred
   * entries.
   */
  list(path = '', options: CallOptions = {}): Promise<DirectoryEntry[]> {
    return this.call('list', path, options, listDirectory);
  }

  /**
   * The entries as the server sends them, for directories of any size: `for await (const entry of share.opendir('x'))`.
   * `pattern` selects names, with `*` for any characters and `?` for one; case makes no difference.
   */
  async *opendir(
    path = '',
    { pattern, ...options }: CallOptions & { pattern?: string | undefined } = {},
  ): AsyncGenerator<DirectoryEntry, void, undefined> {
    const directory = await this.call('open directory', path, options, openToList);
    for await (const batch of readOpen(directory, pattern)) yield* batch;
  }

  /**
   * Creates one directory, which must not exist, or with `recursive` also its missing ancestors, and none if it
   * exists; one round trip when at most the last component is missing.
   * @throws {SmbError} `EEXIST`, `ENOENT`
   */
  async mkdir(
    path: string,
    {
      recursive = false,
      info,
      ...options
    }: CallOptions & { recursive?: boolean | undefined; info?: BasicInfo | undefined } = {},
  ): Promise<PublishOutcome> {
    if (!recursive) {
      await this.call('mkdir', path, options, (call) => makeDirectory(call, info));
      return 'created';
    }
    try {
      return await this.ensureDirectory(path, { ...options, info });
    } catch (error) {
      const parent = path.slice(0, Math.max(0, withBackslashes(path).lastIndexOf('\\')));
      if (!(error instanceof SmbError) || error.code !== 'ENOENT' || parent === '') throw error;
      await this.mkdir(parent, { ...options, recursive });
      return this.ensureDirectory(path, { ...options, info });
    }
  }

  /**
   * Creates one directory unless it exists, in one round trip; the parent must exist. Many calls may be in flight,
   * each after the response for its parent. `info` is set on a new directory only.
   * @throws {SmbError} `ENOTDIR` when a file has the name, `NOT_SUPPORTED` when a link has it,
   * `ENOENT`
   */
  ensureDirectory(
    path: string,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<PublishOutcome> {
    return this.call('ensure directory', path, options, (call) => ensureDirectory(call, options.info));
  }

  /** Opens a file, with `r` by default. The signal applies to the file's calls too. */
  open(path: string, flag: OpenFlag = 'r', options: CallOptions = {}): Promise<SmbFile> {
    return this.#open(path, flag, options);
  }

  /**
   * The whole file, in one round trip up to 64 KiB; text with `encoding`.
   * @throws {SmbError} `INVALID_ARGUMENT` above `limit`, by default 64 MiB
   */
  readFile(
    path: string,
    options: (CallOptions & { limit?: number | undefined; encoding: BufferEncoding }) | BufferEncoding,
  ): Promise<string>;
  readFile(
    path: string,
    options?: CallOptions & { limit?: number | undefined; encoding?: null | undefined },
  ): Promise<Buffer>;
  async readFile(
    path: string,
    given:
      | (CallOptions & { limit?: number | undefined; encoding?: BufferEncoding | null | undefined })
      | BufferEncoding = {},
  ): Promise<Buffer | string> {
    const options = typeof given === 'string' ? { encoding: given } : given;
    const { limit = 67_108_864, encoding } = options;
    const contents = await this.call('read', path, options, (call) => readWhole(call, limit));
    return encoding ? contents.toString(encoding) : contents;
  }

  /**
   * Writes a file in place: creates it, or replaces its contents and keeps its attributes. With the flag `wx` it must
   * not exist, with `a` it grows. A failure halfway leaves a part; `publish` does not. Text is UTF-8 unless `encoding`
   * says otherwise.
   * @throws {TypeError} for other contents or an unknown encoding, before the file is opened
   */
  async writeFile(
    path: string,
    contents: FileContents | NodeJS.ArrayBufferView,
    given: (CallOptions & WriteFileOptions) | BufferEncoding = {},
  ): Promise<void> {
    const { flag = 'w', encoding, ...options } = typeof given === 'string' ? { encoding: given } : given;
    const write = (data: FileContents) =>
      this.call('write', path, options, (call) => writeFile(call, data, flag));
    if (isAsyncIterable(contents))
      return withChunks(contents, { encoding: encoding ?? 'utf8', signal: options.signal }, write);
    return write(bytesToWrite(contents, encoding ?? 'utf8'));
  }

  /** Opens the file with the first read. Several reads are in flight. `end` is inclusive, as in `fs`. */
  createReadStream(path: string, { signal, ...range }: CallOptions & ReadStreamOptions = {}): Readable {
    return readStream(() => this.#open(path, 'r', { signal }), range, signal);
  }

  /**
   * Writes in place, as `writeFile`, with several writes in flight; `finish` is emitted when all are acknowledged and
   * the file is closed. With the flag `r+`, writing begins at `start` of a file that exists.
   */
  createWriteStream(
    path: string,
    {
      signal,
      flags = 'w',
      start,
    }: CallOptions & { flags?: Exclude<OpenFlag, 'r'> | undefined; start?: number | undefined } = {},
  ): Writable {
    const open = async () => {
      const file = await this.#open(path, flags, { signal });
      return { file, start: start ?? (flags === 'a' ? file.entry.size : 0) };
    };
    return writeStream(open, signal);
  }

  /** Sets times and attributes of a file or directory in one round trip. */
  setInfo(path: string, info: BasicInfo, options: CallOptions = {}): Promise<void> {
    return this.call('set info of', path, options, (call) => setEntryInfo(call, info));
  }

  /** Sets the times of access and of writing; numbers are seconds since 1970, as in `fs`. */
  async utimes(
    path: string,
    atime: Date | number,
    mtime: Date | number,
    options: CallOptions = {},
  ): Promise<void> {
    const dateOf = (time: Date | number) => {
      if (typeof time === 'number') return new Date(time * 1000);
      if (time instanceof Date) return time;
      throw new TypeError(`utimes ${path}: a time is a Date or a number of seconds, not ${typeof time}`);
    };
    return this.setInfo(path, { accessedAt: dateOf(atime), writtenAt: dateOf(mtime) }, options);
  }

  /**
   * Renames within the share. Unlike `fs`, it replaces an existing file only with `replace`. Windows decides in one
   * step whether the name is free. Samba checks first: when two clients rename to the same name at the same moment,
   * both may succeed and one file is lost. `publish` is safe against that.
   * @throws {SmbError} `EEXIST`, also where the names differ only in case; `NOT_SUPPORTED` where a DFS link leads one
   * of the two to another share
   */
  rename(
    from: string,
    to: string,
    { replace = false, ...options }: CallOptions & { replace?: boolean | undefined } = {},
  ): Promise<void> {
    return this.call('rename', from, options, async (call) => {
      const name = withBackslashes(to);
      checkPath(name, call.operation);
      const renamed = await this.pathBeside(call, name);
      await renameEntry(call, renamed, replace);
    });
  }

  /**
   * Deletes a file, including a read-only one, or with `recursive` a directory and its contents. Links below it are
   * deleted, and their targets are not touched.
   * @throws {SmbError} `EISDIR`; `DFS_LINK` at a DFS link below the directory
   */
  rm(path: string, { recursive, force, ...options }: CallOptions & RmOptions = {}): Promise<void> {
    return this.call('rm', path, options, (call) => remove(call, { recursive, force }));
  }

  /**
   * Deletes an empty directory.
   * @throws {SmbError} `ENOTEMPTY`
   */
  rmdir(path: string, options: CallOptions = {}): Promise<void> {
    return this.call('rmdir', path, options, (call) => deleteEntry(call, CreateOption.directory));
  }

  /**
   * Publishes a file that appears whole or not at all. It is created under a temporary name beside `path`, written,
   * given its times and attributes, and then linked as `path`, which fails when the name is taken: the server's file
   * system decides between two clients that publish the same name. Up to 256 KiB take one round trip (create, write,
   * set, link, close in one compound); more is written in pipelined pieces. A crash leaves at most a temporary file
   * (`isTemporaryName`). Where a share has no hard links, the file is renamed. With `replace`, it is renamed too, over
   * a file that has its name.
   */
  publish(
    path: string,
    contents: FileContents,
    options: CallOptions & PublishOptions = {},
  ): Promise<PublishOutcome> {
    return this.call('publish', path, options, (call) => publish(call, contents, options));
  }

  /**
   * Publishes a copy of a file of this or, with a `CopySource`, another share; by default it replaces a file of that
   * name, as in `fs`. When both are on one server, the server copies (six round trips for a file up to 16 MiB,
   * designed for a hundred concurrent copies that share them). When the server rejects that, which is remembered, and
   * between servers, the contents are read and written. The source may remain open a moment longer, in a mode that
   * shares everything.
   * @param given options, or a mode of `fs`: 0 or `COPYFILE_EXCL`
   * @throws {TypeError} for another mode
   * @throws {SmbError} `EEXIST` with `COPYFILE_EXCL`; with `replace: false` the result says so
   * @throws {SmbError} its `path` is that of the source or the destination, whichever failed
   */
  async copyFile(
    source: string | CopySource,
    destination: string,
    given: (CallOptions & PublishOptions) | number = {},
  ): Promise<CopyResult> {
    const { replace = true, ...options } = typeof given === 'number' ? copyModeOptions(given) : given;
    const { share, path, size = (await share.stat(path, options)).size } = this.#place(source);
    const copied = await this.call('copy to', destination, options, (target) =>
      share.call('copy from', path, options, (from) => {
        const publishing = { ...options, replace };
        if (from.link !== target.link) return copyThrough(from, target, size, publishing);
        if (from.session !== target.session) throw connectionChanged(destination);
        return copyOnServer(from, target, size, publishing);
      }),
    );
    if (given === constants.COPYFILE_EXCL && copied.outcome === 'existed') {
      throw new SmbError('EEXIST', `copyFile: ${destination} exists`, {
        operation: 'copy to',
        path: destination,
      });
    }
    return copied;
  }

  /**
   * Copies a file or, with `recursive`, a directory with its contents, each file as `copyFile` does. A directory that
   * exists is filled.
   * @throws {SmbError} `NOT_SUPPORTED` for a link to a directory, which `filter` can leave out; `INVALID_ARGUMENT` for
   * a destination in the source
   */
  cp(
    source: string | CopySource,
    destination: string,
    { signal, ...options }: CallOptions & CpOptions = {},
  ): Promise<void> {
    return copyTree<FileCalls>(this.#place(source), { share: this, path: destination }, options, signal);
  }

  /**
   * Copies a file or, with `recursive`, a directory of the local disk to this share, each file as `publish` does.
   * @throws {SmbError} `NOT_SUPPORTED` for a link, which `filter` can leave out
   */
  upload(
    localPath: string,
    destination: string,
    { signal, ...options }: CallOptions & TransferOptions = {},
  ): Promise<void> {
    return upload(this, localPath, withBackslashes(destination), options, signal);
  }

  /**
   * Copies a file or, with `recursive`, a directory to the local disk. A file appears there whole or not at all.
   * @throws {SmbError} `NAME_INVALID` for a name that Windows forbids, which `filter` can leave out
   */
  download(
    source: string,
    localPath: string,
    { signal, ...options }: CallOptions & TransferOptions = {},
  ): Promise<void> {
    return download(this, withBackslashes(source), localPath, options, signal);
  }

  #place(source: string | CopySource): CopySource {
    return typeof source === 'string' ? { share: this, path: source } : source;
  }

  #open(path: string, flag: OpenFlag, options: CallOptions): Promise<OpenFile> {
    return this.call('open', path, options, (call) => openFile(call, flag));
  }
}

function copyModeOptions(mode: number): CallOptions & PublishOptions {
  if (mode === 0) return {};
  if (mode === constants.COPYFILE_EXCL) return { replace: false };
  throw new TypeError(`copyFile: the mode ${mode} is not supported; expected 0 or COPYFILE_EXCL`);
}

const isAsyncIterable = (contents: unknown): contents is AsyncIterable<unknown> =>
  typeof contents === 'object' && contents !== null && Symbol.asyncIterator in contents;

function connectionChanged(path: string): SmbError {
  return new SmbError('CONNECTION_LOST', `copy to ${path}: the connection was lost`, {
    operation: 'copy to',
    path,
    retryable: true,
  });
}
