import { constants } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import {
  bytesToWrite,
  checkCount,
  checkEncoding,
  checkOneOf,
  checkOptions,
  dateFrom,
  quoteValue,
} from '../base/arguments.ts';
import type { Call } from '../calls/call.ts';
import { copyTree, type CpOptions } from './copy-tree.ts';
import {
  access,
  deleteEntry,
  ensureDirectory,
  makeDirectory,
  readIno,
  renameEntry,
  setEntryInfo,
  statEntry,
  statFileSystem,
} from '../calls/entry-calls.ts';
import type { BasicInfo, DirectoryEntry, Entry } from '../base/entry.ts';
import type { FileContents, SmbFile } from '../calls/file.ts';
import { type ReadStreamOptions, readStream, writeStream } from './file-streams.ts';
import { listDirectory, type OnUnusableName, openToList, readOpen } from '../calls/listing.ts';
import { Access, CreateOption } from '../wire/create.ts';
import type { FileSystemSpace } from '../wire/query-info.ts';
import { download, type TransferOptions, upload } from './local-tree.ts';
import { checkPath, isTemporaryName, normalPath } from '../base/names.ts';
import type { OpenFile } from '../calls/open-file.ts';
import type { PublishOptions } from './draft.ts';
import { publish } from './publish.ts';
import type { CopyResult, PublishOutcome } from '../calls/publish-outcome.ts';
import { copyThrough } from './read-write-copy.ts';
import { readWhole } from './read-file.ts';
import { remove, type RmOptions } from './remove.ts';
import { copyOnServer } from './server-copy.ts';
import { SmbError } from '../base/smb-error.ts';
import { openFile, type OpenFlag, openFlags, withChunks, writeFile } from './write-file.ts';

/** Ends one call: requests not yet sent are dropped, those in flight are canceled. The call fails with `ABORTED`. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface ListOptions extends CallOptions {
  /**
   * Leaves out what no path can hold, and receives its name. Without it, a name with a separator fails the call with
   * `NAME_INVALID`, and any other such name fails the call that uses it.
   */
  onUnusableName?: OnUnusableName | undefined;
}

interface ReaddirOptions {
  encoding?: 'utf8' | null | undefined;
  withFileTypes?: boolean | undefined;
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
 * `EACCES` and with `DFS_LINK`. Wrong arguments, and options that a call does not have, are a TypeError or RangeError
 * before anything is sent.
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

  protected async call<T>(
    operation: string,
    path: string,
    options: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T> {
    return this.route(operation, normalPath(path), options, body);
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
  async stat(path = '', options: CallOptions = {}): Promise<Entry> {
    checkOptions('stat', options);
    return this.call('stat', path, options, statEntry);
  }

  /** The same as `stat`, which does not follow links either. */
  lstat(path = '', options: CallOptions = {}): Promise<Entry> {
    return this.stat(path, options);
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
  async access(path: string, mode: number = constants.F_OK, options: CallOptions = {}): Promise<void> {
    checkCount('access', 'mode', mode, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((mode & constants.X_OK) !== 0) throw new TypeError('access: X_OK is not supported');
    checkOptions('access', options);
    return this.call('check permissions on', path, options, (call) => access(call, mode));
  }

  /**
   * The id of a file or directory within its file system, as `ino` of `fs.Stats`: that of the target where the server
   * follows a link. 0 if the server has none.
   */
  async ino(path = '', options: CallOptions = {}): Promise<bigint> {
    checkOptions('ino', options);
    return this.call('ino', path, options, readIno);
  }

  /** The space of the file system behind a path, which may differ below a mount point or DFS link. */
  async statfs(path = '', options: CallOptions = {}): Promise<FileSystemSpace> {
    checkOptions('statfs', options);
    return this.call('statfs', path, options, statFileSystem);
  }

  /**
   * All entries but `.` and `..`, in the server's order; one round trip for directories of up to several hundred
   * entries.
   */
  list(path = '', options: ListOptions = {}): Promise<DirectoryEntry[]> {
    const { onUnusableName } = options;
    return this.call('list', path, options, (call) => listDirectory(call, onUnusableName));
  }

  /** The names in a directory, or with `withFileTypes` what `list` returns; one of `recursive` is not supported. */
  readdir(
    path: string,
    options: CallOptions & ReaddirOptions & { withFileTypes: true },
  ): Promise<DirectoryEntry[]>;
  readdir(path: string, options?: (CallOptions & ReaddirOptions) | 'utf8' | null): Promise<string[]>;
  async readdir(
    path: string,
    given?: (CallOptions & ReaddirOptions) | 'utf8' | null,
  ): Promise<DirectoryEntry[] | string[]> {
    const options = withEncoding(given);
    checkOptions('readdir', options, { encoding: 'any', withFileTypes: 'boolean' });
    checkOneOf('readdir', 'the encoding', options.encoding ?? 'utf8', ['utf8', 'utf-8']);
    const entries = await this.call('readdir', path, options, (call) => listDirectory(call));
    return options.withFileTypes ? entries : entries.map(({ name }) => name);
  }

  /**
   * The entries as the server sends them, for directories of any size: `for await (const entry of share.opendir('x'))`.
   * `pattern` selects names, with `*` for any characters and `?` for one; case makes no difference.
   */
  async *opendir(
    path = '',
    options: CallOptions & { pattern?: string | undefined } = {},
  ): AsyncGenerator<DirectoryEntry, void, undefined> {
    checkOptions('opendir', options, { pattern: 'string' });
    const directory = await this.call('open directory', path, options, openToList);
    for await (const batch of readOpen(directory, options.pattern)) yield* batch;
  }

  /**
   * Creates one directory, which must not exist, or with `recursive` also its missing ancestors, and none if it
   * exists; one round trip when at most the last component is missing.
   * @returns with `recursive`, the path of the first directory that was created
   * @throws {SmbError} `EEXIST`, `ENOENT`, `ENOTDIR`
   */
  async mkdir(
    path: string,
    options: CallOptions & { recursive?: boolean | undefined; info?: BasicInfo | undefined } = {},
  ): Promise<string | undefined> {
    checkOptions('mkdir', options, { recursive: 'boolean', info: 'object' });
    const { recursive = false, info, signal } = options;
    if (recursive) return this.#makeAll(normalPath(path), { info, signal });
    await this.call('mkdir', path, options, (call) => makeDirectory(call, info));
    return undefined;
  }

  async #makeAll(
    path: string,
    options: CallOptions & { info?: BasicInfo | undefined },
  ): Promise<string | undefined> {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('\\')));
    const make = async () => ((await this.ensureDirectory(path, options)) === 'created' ? path : undefined);
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof SmbError) || error.code !== 'ENOENT' || parent === '') throw error;
    }
    const first = await this.#makeAll(parent, options);
    const own = await make();
    return first ?? own;
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
  async open(path: string, flag: OpenFlag = 'r', options: CallOptions = {}): Promise<SmbFile> {
    checkOptions('open', options);
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
    options?: (CallOptions & { limit?: number | undefined; encoding?: null | undefined }) | null,
  ): Promise<Buffer>;
  async readFile(
    path: string,
    given:
      | (CallOptions & { limit?: number | undefined; encoding?: BufferEncoding | null | undefined })
      | BufferEncoding
      | null = {},
  ): Promise<Buffer | string> {
    const options = withEncoding(given);
    checkOptions('readFile', options, { limit: 'number', encoding: 'any', flag: 'string' });
    checkOneOf('readFile', 'the flag', options.flag ?? 'r', ['r']);
    const { limit = 67_108_864, encoding } = options;
    if (encoding) checkEncoding('readFile', encoding);
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
    contents: FileContents | Iterable<string | Uint8Array> | NodeJS.ArrayBufferView,
    given: (CallOptions & WriteFileOptions) | BufferEncoding | null = {},
  ): Promise<void> {
    const options = withEncoding(given);
    checkOptions('writeFile', options, { flag: 'string', encoding: 'any' });
    const { flag = 'w', signal } = options;
    checkOneOf('writeFile', 'the flag', flag, ['w', 'wx', 'a']);
    const encoding = options.encoding || 'utf8';
    const write = (data: FileContents) =>
      this.call('write', path, { signal }, (call) => writeFile(call, data, flag));
    if (isIterable(contents)) return withChunks(contents, { encoding, signal }, write);
    return write(bytesToWrite(contents, encoding));
  }

  /** `writeFile` with the flag `a`. */
  async appendFile(
    path: string,
    contents: Parameters<FileCalls['writeFile']>[1],
    given: (CallOptions & WriteFileOptions) | BufferEncoding | null = {},
  ): Promise<void> {
    const options = withEncoding(given);
    checkOptions('appendFile', options, { flag: 'string', encoding: 'any' });
    return this.writeFile(path, contents, { flag: 'a', ...options });
  }

  /** Opens the file with the first read. Several reads are in flight. `end` is inclusive, as in `fs`. */
  createReadStream(
    path: string,
    given:
      | (CallOptions & ReadStreamOptions & { encoding?: BufferEncoding | undefined })
      | BufferEncoding = {},
  ): Readable {
    const options = withEncoding(given);
    checkOptions('createReadStream', options, { start: 'number', end: 'number', encoding: 'string' });
    const { signal, encoding, start = 0, end = Infinity } = options;
    if (end !== Infinity) checkCount('createReadStream', 'end', end);
    checkCount('createReadStream', 'start', start, Math.min(end, Number.MAX_SAFE_INTEGER));
    if (encoding !== undefined) checkEncoding('createReadStream', encoding);
    const stream = readStream(() => this.#open(normalPath(path), 'r', { signal }), { start, end }, signal);
    return encoding === undefined ? stream : stream.setEncoding(encoding);
  }

  /**
   * Writes in place, as `writeFile`, with several writes in flight; `finish` is emitted when all are acknowledged and
   * the file is closed. With the flag `r+`, writing begins at `start` of a file that exists.
   */
  createWriteStream(
    path: string,
    given:
      | (CallOptions & {
          flags?: Exclude<OpenFlag, 'r'> | undefined;
          start?: number | undefined;
          encoding?: BufferEncoding | undefined;
        })
      | BufferEncoding = {},
  ): Writable {
    const options = withEncoding(given);
    checkOptions('createWriteStream', options, { flags: 'string', start: 'number', encoding: 'string' });
    const { signal, flags = 'w', start, encoding } = options;
    checkOneOf('createWriteStream', 'the flag', flags, ['w', 'wx', 'a', 'r+']);
    if (start !== undefined) checkCount('createWriteStream', 'start', start);
    if (encoding !== undefined) checkEncoding('createWriteStream', encoding);
    const open = async () => {
      const file = await this.#open(path, flags, { signal });
      return { file, start: start ?? (flags === 'a' ? file.entry.size : 0) };
    };
    const stream = writeStream(open, signal);
    return encoding === undefined ? stream : stream.setDefaultEncoding(encoding);
  }

  /** Sets times and attributes of a file or directory in one round trip. */
  setInfo(path: string, info: BasicInfo, options: CallOptions = {}): Promise<void> {
    return this.call('set info of', path, options, (call) => setEntryInfo(call, info));
  }

  /**
   * Sets the times of access and of writing; numbers are seconds since 1970, as in `fs`.
   * @throws {TypeError} for text; {RangeError} for a date that SMB cannot express, and a negative number
   */
  async utimes(
    path: string,
    atime: Date | number,
    mtime: Date | number,
    options: CallOptions = {},
  ): Promise<void> {
    const info = { accessedAt: dateFrom('utimes', atime), writtenAt: dateFrom('utimes', mtime) };
    checkOptions('utimes', options);
    return this.setInfo(path, info, options);
  }

  /**
   * Renames within the share, and replaces a file of that name, as in `fs`. With `replace: false`, Windows decides in
   * one step whether the name is free. Samba checks first: when two clients rename to the same name at the same moment,
   * both may succeed and one file is lost.
   * @throws {SmbError} `EEXIST` with `replace: false`, also where the names differ only in case; `NOT_SUPPORTED` where a
   * DFS link leads one of the two to another share
   */
  async rename(
    from: string,
    to: string,
    options: CallOptions & { replace?: boolean | undefined } = {},
  ): Promise<void> {
    checkOptions('rename', options, { replace: 'boolean' });
    const { replace = true } = options;
    const name = normalPath(to);
    return this.call('rename', from, options, async (call) => {
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
  async rm(path: string, options: CallOptions & RmOptions = {}): Promise<void> {
    checkOptions('rm', options, { recursive: 'boolean', force: 'boolean' });
    return this.call('rm', path, options, (call) => remove(call, options));
  }

  /** Deletes a file, as `rm` does without options. */
  async unlink(path: string, options: CallOptions = {}): Promise<void> {
    checkOptions('unlink', options);
    return this.rm(path, options);
  }

  /**
   * Deletes an empty directory.
   * @throws {SmbError} `ENOTEMPTY`
   */
  async rmdir(path: string, options: CallOptions = {}): Promise<void> {
    checkOptions('rmdir', options);
    return this.call('rmdir', path, options, (call) => deleteEntry(call, CreateOption.directory));
  }

  /**
   * Publishes a file that appears whole or not at all. It is created under a temporary name beside `path`, written,
   * given its times and attributes, and then renamed to `path`, which fails when the name is taken. With `replace` it
   * takes the place of a file of that name. Up to 256 KiB take one round trip (create, write, set, rename, close in one
   * compound); more is written in pipelined pieces. A crash leaves at most a temporary file (`isTemporaryName`).
   *
   * When two clients publish the same name at the same moment, Windows decides; Samba looks whether the name is free and
   * renames then, so both may be told `created`, and the file of one of them remains, whole.
   * @throws {SmbError} `TEMPORARY_NAME_FORBIDDEN`
   */
  publish(
    path: string,
    contents: FileContents,
    options: CallOptions & PublishOptions = {},
  ): Promise<PublishOutcome> {
    checkLeftover('publish', options.leftover);
    return this.call('publish', path, options, (call) => publish(call, contents, options));
  }

  /**
   * Publishes a copy of a file of this or, with a `CopySource`, another share; by default it replaces a file of that
   * name, as in `fs`. When both are on one server, the server copies (six round trips for a file up to 4 MiB,
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
    const publishing = typeof given === 'number' ? copyModeOptions(given) : given;
    checkOptions('copyFile', publishing, { replace: 'boolean', info: 'object', leftover: 'string' });
    checkLeftover('copyFile', publishing.leftover);
    const { replace = true, ...options } = publishing;
    const { share, path, size = (await share.stat(path, options)).size } = this.#place(source);
    const copied = await this.call('copy to', destination, options, (target) =>
      share.call('copy from', path, options, (from) => {
        if (from.link !== target.link) return copyThrough(from, target, size, { ...options, replace });
        if (from.session !== target.session) throw connectionChanged(destination);
        return copyOnServer(from, target, size, { ...options, replace });
      }),
    );
    if (typeof given === 'number' && !replace && copied.outcome === 'existed') {
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
  async cp(
    source: string | CopySource,
    destination: string,
    options: CallOptions & CpOptions = {},
  ): Promise<void> {
    checkOptions('cp', options, treeOptions);
    const target = { share: this, path: normalPath(destination) };
    return copyTree<FileCalls>(this.#place(source), target, options, options.signal);
  }

  /**
   * Copies a file or, with `recursive`, a directory of the local disk to this share, each file as `publish` does.
   * @throws {SmbError} `NOT_SUPPORTED` for a link, which `filter` can leave out
   */
  async upload(
    localPath: string,
    destination: string,
    options: CallOptions & TransferOptions = {},
  ): Promise<void> {
    checkOptions('upload', options, { ...treeOptions, onProgress: 'function' });
    return upload(this, localPath, normalPath(destination), options, options.signal);
  }

  /**
   * Copies a file or, with `recursive`, a directory to the local disk. A file appears there whole or not at all.
   * @throws {SmbError} `NAME_INVALID` for a name that Windows forbids, which `filter` can leave out
   */
  async download(
    source: string,
    localPath: string,
    options: CallOptions & TransferOptions = {},
  ): Promise<void> {
    checkOptions('download', options, { ...treeOptions, onProgress: 'function' });
    return download(this, normalPath(source), localPath, options, options.signal);
  }

  #place(source: string | CopySource): CopySource {
    const place = source instanceof Object && 'share' in source ? source : { share: this, path: source };
    return { ...place, path: normalPath(place.path) };
  }

  async #open(path: string, flag: OpenFlag, options: CallOptions): Promise<OpenFile> {
    checkOneOf('open', 'the flag', flag, openFlags);
    return this.call('open', path, options, (call) => openFile(call, flag));
  }
}

/** Any other name would be somebody's file. */
function checkLeftover(operation: string, name: string | undefined): void {
  if (name === undefined || isTemporaryName(name)) return;
  throw new TypeError(`${operation}: leftover is the name of a temporary file, not ${quoteValue(name)}`);
}

/** `COPYFILE_FICLONE` is a wish, and servers copy without reading where they can. */
function copyModeOptions(mode: number): CallOptions & PublishOptions {
  const { COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE } = constants;
  checkCount('copyFile', 'mode', mode, COPYFILE_EXCL | COPYFILE_FICLONE | COPYFILE_FICLONE_FORCE);
  if ((mode & COPYFILE_FICLONE_FORCE) !== 0)
    throw new TypeError('copyFile: COPYFILE_FICLONE_FORCE is not supported');
  return { replace: (mode & COPYFILE_EXCL) === 0 };
}

const treeOptions = {
  recursive: 'boolean',
  replace: 'boolean',
  update: 'boolean',
  preserveTimestamps: 'boolean',
  filter: 'function',
} as const;

/** Options, or an encoding in their place. */
function withEncoding<Options extends object>(
  given: Options | BufferEncoding | null | undefined,
): Options & { encoding?: BufferEncoding | null | undefined; flag?: string } {
  const options = typeof given === 'string' ? { encoding: given } : (given ?? {});
  return options as Options;
}

const isIterable = (contents: unknown): contents is AsyncIterable<unknown> | Iterable<unknown> =>
  typeof contents === 'object' &&
  contents !== null &&
  !ArrayBuffer.isView(contents) &&
  (Symbol.asyncIterator in contents || Symbol.iterator in contents);

function connectionChanged(path: string): SmbError {
  return new SmbError('CONNECTION_LOST', `copy to ${path}: the connection was lost`, {
    operation: 'copy to',
    path,
    retryable: true,
  });
}
