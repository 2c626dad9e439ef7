import { onShare, type Call } from './call.ts';
import {
  deleteEntry,
  ensureDirectory,
  makeDirectory,
  mayAdd,
  onEntry,
  setEntryInfo,
  statEntry,
} from './entry-calls.ts';
import type { BasicInfo, DirectoryEntry, Entry } from './entry.ts';
import type { SmbFile } from './file.ts';
import type { Link } from './link.ts';
import { listDirectory } from './listing.ts';
import { Access, CreateOption } from './messages/create.ts';
import { previousFile } from './messages/file-id.ts';
import { renameRequest } from './messages/info.ts';
import { checkPath } from './names.ts';
import { OpenFile } from './open-file.ts';
import { newFile, openToRead, openToWrite } from './opening.ts';
import { publish } from './publish.ts';
import type { CopyResult, PublishOutcome } from './publish-outcome.ts';
import { readWhole } from './read-file.ts';
import { publishCopy } from './server-copy.ts';
import { SmbError } from './smb-error.ts';

/** Ends one call: what is not sent yet is dropped, what is under way is cancelled; the call fails with `ABORTED`. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface CopySource {
  share: SmbShare;
  path: string;
  /** From the listing; saves asking for it. A file that has another size by now is copied as it is. */
  size: number;
}

/**
 * One share. Paths are relative to it, components joined with `\`, the empty path is its root; names go to the server
 * byte for byte. Every call may fail with any connection or logon code of `SmbError`, with `NAME_INVALID` and with
 * `ACCESS_DENIED`.
 */
export class SmbShare {
  readonly name: string;
  private readonly link: Link;

  /** Shares come from `SmbClient.share`. */
  constructor(link: Link, name: string) {
    if (!/^(?![^]*[\\/:*?"<>|])[ -\uffff]{1,80}$/.test(name)) {
      throw new SmbError('INVALID_ARGUMENT', `${JSON.stringify(name)} is not the name of a share`, {
        operation: 'configure',
      });
    }
    this.link = link;
    this.name = name;
  }

  /** `\\server\share` */
  get unc(): string {
    return `\\\\${this.link.settings.host}\\${this.name}`;
  }

  /**
   * Connects to the share if that has not happened.
   * @returns whether this account may add files at the root, as the server says; a hint, not a promise
   */
  connect(options: CallOptions = {}): Promise<{ writable: boolean; isDfs: boolean }> {
    const adding = Access.writeData | Access.appendData;
    return this.call('connect to share', '', options, async ({ tree }) => ({
      writable: (tree.maximalAccess & adding) === adding,
      isDfs: tree.isDfs,
    }));
  }

  /**
   * Of a link itself, not of what it points to.
   * @throws {SmbError} `NOT_FOUND`, `PARENT_NOT_FOUND`
   */
  stat(path: string, options: CallOptions = {}): Promise<Entry> {
    return this.call('stat', path, options, statEntry);
  }

  /**
   * Whether this account may add files and directories to a directory: it is opened for that and closed again, which
   * changes nothing.
   * @throws {SmbError} `NOT_FOUND`, `PARENT_NOT_FOUND`
   */
  mayAdd(path: string, options: CallOptions = {}): Promise<boolean> {
    return this.call('check rights on', path, options, mayAdd);
  }

  /** All entries but `.` and `..`, in the server's order; one round trip for directories up to some hundred entries. */
  list(path: string, options: CallOptions = {}): Promise<DirectoryEntry[]> {
    return this.call('list', path, options, listDirectory);
  }

  /**
   * Makes one directory that must not exist.
   * @throws {SmbError} `EXISTS`, `PARENT_NOT_FOUND`
   */
  makeDirectory(path: string, options: CallOptions & { info?: BasicInfo | undefined } = {}): Promise<void> {
    return this.call('make directory', path, options, (call) => makeDirectory(call, options.info));
  }

  /**
   * Makes one directory unless it exists, in one round trip; the parent must be there. Many may be under way, each
   * after its parent's answer. `info` is set on a new directory only.
   * @throws {SmbError} `NOT_A_DIRECTORY` when a file has the name, `NOT_SUPPORTED` when a link has it,
   * `PARENT_NOT_FOUND`
   */
  ensureDirectory(
    path: string,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<PublishOutcome> {
    return this.call('ensure directory', path, options, (call) => ensureDirectory(call, options.info));
  }

  /** Makes `path` and whatever is missing above it; one round trip when only the last component is missing or none. */
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

  /** Opens an existing file. `write` also allows `setInfo` and `truncate`. The signal counts for the file's calls too. */
  open(
    path: string,
    options: CallOptions & { access?: 'read' | 'write' | undefined } = {},
  ): Promise<SmbFile> {
    return this.call('open', path, options, (call) =>
      OpenFile.by(call, options.access === 'write' ? openToWrite(path) : openToRead(path)),
    );
  }

  /**
   * Creates a file and opens it for reading and writing.
   * @throws {SmbError} `EXISTS`
   */
  createNew(path: string, options: CallOptions = {}): Promise<SmbFile> {
    return this.call('create', path, options, (call) => OpenFile.by(call, newFile(path)));
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
   * Renames within the share, never replacing.
   * @throws {SmbError} `EXISTS`, also where the names differ in case only
   */
  rename(from: string, to: string, options: CallOptions = {}): Promise<void> {
    return this.call('rename', from, options, async (call) => {
      checkPath(to, call.operation);
      await onEntry(call, Access.delete, [renameRequest(previousFile, to)]);
    });
  }

  /** Deletes a file, also a read-only one. */
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
   * A file that appears whole or not at all: created under a temporary name beside `path`, written, given its times
   * and attributes, renamed without replacing. Up to 256 KiB that is one round trip (create, write, set, rename, close
   * in one compound); more is written in pipelined pieces. A crash leaves at most a temporary file
   * (`isTemporaryName`).
   */
  publish(
    path: string,
    data: Uint8Array | AsyncIterable<Uint8Array>,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<PublishOutcome> {
    return this.call('publish', path, options, (call) => publish(call, data, options.info));
  }

  /**
   * `publish` with the contents of a file on this or another share of the same client. The server copies by itself
   * (six round trips for a file up to 16 MiB, made to have a hundred under way that share them); where it refuses, the
   * contents are read and written, and the refusal is remembered. The source may stay open a moment longer, shared for
   * everything.
   * @throws {SmbError} its `path` says whether the source or the destination failed
   */
  publishCopy(
    path: string,
    source: CopySource,
    options: CallOptions & { info?: BasicInfo | undefined } = {},
  ): Promise<CopyResult> {
    return this.call('copy to', path, options, (target) => {
      if (source.share.link !== this.link) {
        const message = 'A copy needs both shares from the same client';
        throw new SmbError('INVALID_ARGUMENT', message, { operation: 'copy to', path });
      }
      return source.share.call('copy from', source.path, options, (from) => {
        if (from.session !== target.session) throw connectionChanged(path);
        return publishCopy(from, target, source.size, options.info);
      });
    });
  }

  private call<T>(
    operation: string,
    path: string,
    { signal }: CallOptions,
    body: (call: Call) => Promise<T>,
  ): Promise<T> {
    return onShare(this.link, this.name, operation, path, signal, body);
  }
}

function connectionChanged(path: string): SmbError {
  return new SmbError('CONNECTION_LOST', `copy to ${path}: the connection was lost`, {
    operation: 'copy to',
    path,
    retryable: true,
  });
}
