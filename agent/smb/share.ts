import type { SmbClient } from './client.ts';
import type { BasicInfo, DirectoryEntry, Entry } from './entry.ts';
import type { SmbFile } from './file.ts';

/** Ends one call: what is not sent yet is dropped, what is under way is cancelled; the call fails with `ABORTED`. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** `existed`: the name was taken, by whatever and in whatever case; nothing was changed. */
export type PublishOutcome = 'created' | 'existed';

export interface CopySource {
  share: SmbShare;
  path: string;
  /** From the listing; saves asking for it. A file that has another size by now is copied as it is. */
  size: number;
}

export interface CopyResult {
  outcome: PublishOutcome;
  /** `server-side`: the contents did not travel through this process. */
  method: 'server-side' | 'read-write';
}

/**
 * One share. Paths are relative to it, components joined with `\`, the empty path is its root; names go to the server
 * byte for byte. Every call may fail with any connection or logon code of `SmbError`.
 */
export class SmbShare {
  readonly client: SmbClient;
  readonly name: string;

  constructor(client: SmbClient, name: string) {
    this.client = client;
    this.name = name;
  }

  /** `\\server\share` */
  get unc(): string {
    throw new Error('coming');
  }

  /**
   * Connects to the share if that has not happened.
   * @returns whether this account may add files at the root, as the server says; a hint, not a promise
   */
  connect(_options?: CallOptions): Promise<{ writable: boolean; isDfs: boolean }> {
    throw new Error('coming');
  }

  /** @throws {SmbError} `NOT_FOUND`, `PARENT_NOT_FOUND`, `ACCESS_DENIED` */
  stat(_path: string, _options?: CallOptions): Promise<Entry> {
    throw new Error('coming');
  }

  /** All entries but `.` and `..`, in the server's order; one round trip for directories up to some hundred entries. */
  list(_path: string, _options?: CallOptions): Promise<DirectoryEntry[]> {
    throw new Error('coming');
  }

  /**
   * Makes one directory that must not exist.
   * @throws {SmbError} `EXISTS`, `PARENT_NOT_FOUND`
   */
  makeDirectory(_path: string, _options?: CallOptions & { info?: BasicInfo | undefined }): Promise<void> {
    throw new Error('coming');
  }

  /**
   * Makes one directory unless it exists, in one round trip; the parent must be there. Many may be under way, each
   * after its parent's answer. `info` is set on a new directory only.
   * @throws {SmbError} `NOT_A_DIRECTORY` when a file has the name, `PARENT_NOT_FOUND`
   */
  ensureDirectory(
    _path: string,
    _options?: CallOptions & { info?: BasicInfo | undefined },
  ): Promise<PublishOutcome> {
    throw new Error('coming');
  }

  /** Makes `path` and whatever is missing above it; one round trip when only the last component is missing or none. */
  ensureDirectories(_path: string, _options?: CallOptions): Promise<PublishOutcome> {
    throw new Error('coming');
  }

  /** Opens an existing file. `write` also allows `setInfo` and `truncate`. */
  open(_path: string, _options?: CallOptions & { access?: 'read' | 'write' | undefined }): Promise<SmbFile> {
    throw new Error('coming');
  }

  /**
   * Creates a file and opens it for reading and writing.
   * @throws {SmbError} `EXISTS`
   */
  createNew(_path: string, _options?: CallOptions): Promise<SmbFile> {
    throw new Error('coming');
  }

  /** The whole file, in one round trip up to 64 KiB. Throws `INVALID_ARGUMENT` above `limit` (default 64 MiB). */
  readFile(_path: string, _options?: CallOptions & { limit?: number | undefined }): Promise<Buffer> {
    throw new Error('coming');
  }

  /** Sets times and attributes of a file or directory in one round trip. */
  setInfo(_path: string, _info: BasicInfo, _options?: CallOptions): Promise<void> {
    throw new Error('coming');
  }

  /**
   * Renames within the share, never replacing.
   * @throws {SmbError} `EXISTS`, also where the names differ in case only
   */
  rename(_from: string, _to: string, _options?: CallOptions): Promise<void> {
    throw new Error('coming');
  }

  /** Deletes a file, also a read-only one. */
  deleteFile(_path: string, _options?: CallOptions): Promise<void> {
    throw new Error('coming');
  }

  /**
   * Deletes an empty directory.
   * @throws {SmbError} `DIRECTORY_NOT_EMPTY`
   */
  deleteDirectory(_path: string, _options?: CallOptions): Promise<void> {
    throw new Error('coming');
  }

  /**
   * A file that appears whole or not at all: created under a temporary name beside `path`, written, given its times
   * and attributes, renamed without replacing. Up to `publishSmallLimit` bytes that is one round trip (create, write,
   * set, rename, close in one compound); more is written in pipelined pieces. A crash leaves at most a temporary file
   * (`isTemporaryName`).
   */
  publish(
    _path: string,
    _data: Uint8Array | AsyncIterable<Uint8Array>,
    _options?: CallOptions & { info?: BasicInfo | undefined },
  ): Promise<PublishOutcome> {
    throw new Error('coming');
  }

  /**
   * `publish` with the contents of a file on this or another share of the same client. The server copies by itself
   * (three round trips for a file up to 16 MiB, made to have hundreds under way); where it refuses, the contents are
   * read and written, and the refusal is remembered.
   * @throws {SmbError} its `path` says whether the source or the destination failed
   */
  publishCopy(
    _path: string,
    _source: CopySource,
    _options?: CallOptions & { info?: BasicInfo | undefined },
  ): Promise<CopyResult> {
    throw new Error('coming');
  }
}
