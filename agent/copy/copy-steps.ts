import type { Clock } from '../../lib/contract/clock.ts';
import { CopyError, copyErrorAt, type Side } from '../base/copy-error.ts';
import {
  type BasicInfo,
  type CopyResult,
  type DirectoryEntry,
  FileAttribute,
  type FileCalls,
  type PublishOutcome,
  SmbError,
} from '../smb/index.ts';
import { whenFree } from './when-free.ts';

const keptAttributes =
  FileAttribute.readOnly | FileAttribute.hidden | FileAttribute.system | FileAttribute.archive;

const stoppedOnSymlink = 0x8000002d;

const ofSources: ReadonlySet<string> = new Set(['copy from', 'read']);

/** The steps of a copy. Paths are relative to both folders. Each step waits for files in use, and throws `CopyError`. */
export class CopySteps {
  readonly #folders: Readonly<Record<Side, FileCalls>>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(template: FileCalls, destination: FileCalls, clock: Clock, signal: AbortSignal) {
    this.#folders = { template, destination };
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Without the names that no path can hold, which at the destination are nothing that could be in the way. */
  list(
    side: Side,
    path: string,
    onUnusableName: (name: string) => void = () => undefined,
  ): Promise<DirectoryEntry[]> {
    // A try that waits for a file in use lists again.
    const names = new Set<string>();
    const options = { signal: this.#signal, onUnusableName: (name: string) => void names.add(name) };
    const listing = this.#at(side, path, (folder) => folder.list(path, options));
    return listing.then((entries) => {
      for (const name of names) onUnusableName(name);
      return entries;
    });
  }

  /** The ids of directories of the template, those of the targets where the server follows links; 0 if it has none. */
  async idsOf(paths: readonly string[]): Promise<readonly bigint[]> {
    const options = { signal: this.#signal };
    const idOf = async (path: string) => {
      try {
        return await this.#at('template', path, (folder) => folder.ino(path, options));
      } catch (error) {
        if (error instanceof CopyError && error.cause.code === 'NOT_SUPPORTED') return 0n;
        throw error;
      }
    };
    return Promise.all(paths.map(idOf));
  }

  /** Sets the attributes in the same call, so that a crash cannot lose them; `setTimes` sets the times. */
  makeDirectory(path: string, { attributes }: DirectoryEntry): Promise<PublishOutcome> {
    const kept = attributes & keptAttributes;
    const info = kept === 0 ? undefined : { attributes: kept };
    const options = { info, signal: this.#signal };
    return this.#at('destination', path, (folder) => folder.ensureDirectory(path, options));
  }

  /** Returns `link` if the template has a symbolic link there. */
  async copyFile(
    path: string,
    entry: DirectoryEntry,
    leftover: string | undefined,
  ): Promise<CopyResult | 'link'> {
    const { createdAt, writtenAt, attributes, size } = entry;
    const info: BasicInfo = { createdAt, writtenAt, attributes: attributes & keptAttributes };
    const source = { share: this.#folders.template, path, size };
    const options = { info, signal: this.#signal, replace: false, leftover };
    try {
      return await this.#at('destination', path, async (folder) => {
        const copied = await folder.copyFile(source, path, options);
        if (copied.outcome === 'existed' && !(await folder.exists(path, { signal: this.#signal })))
          throw vanishedError(path);
        return copied;
      });
    } catch (error) {
      // Deduplicated and archived files are reparse points too, but open like files; opening a link returns this status.
      const isLink = error instanceof CopyError && error.cause.status === stoppedOnSymlink;
      if (!entry.isReparsePoint() || !isLink) throw error;
      return 'link';
    }
  }

  setTimes(path: string, { createdAt, writtenAt }: DirectoryEntry): Promise<void> {
    const info = { createdAt, writtenAt };
    return this.#at('destination', path, (folder) => folder.setInfo(path, info, { signal: this.#signal }));
  }

  /**
   * An agent keeps its temporary file open without sharing while it writes, so the file server rejects a deletion, whichever
   * agent owns the file; a file that can be deleted remains from a crash.
   *
   * @returns `gone` if another agent removed it
   */
  async removeLeftover(path: string): Promise<'removed' | 'gone' | 'in-use'> {
    try {
      await this.#folders.destination.rm(path, { signal: this.#signal });
      return 'removed';
    } catch (error) {
      const code = error instanceof SmbError ? error.code : undefined;
      if (code === 'ENOENT') return 'gone';
      if (code === 'EBUSY' || code === 'EACCES') return 'in-use';
      throw this.#placed('destination', path, error);
    }
  }

  async #at<T>(side: Side, path: string, operation: (folder: FileCalls) => Promise<T>): Promise<T> {
    try {
      return await whenFree(() => operation(this.#folders[side]), this.#clock, this.#signal);
    } catch (error) {
      throw this.#placed(side, path, error);
    }
  }

  #placed(side: Side, path: string, error: unknown): unknown {
    // The operation of a copy between shares shows the side that failed: only its source is read.
    const isOther = error instanceof SmbError && ofSources.has(error.operation);
    const actual = isOther ? 'template' : side;
    return copyErrorAt(actual, this.#folders[actual], path, error);
  }
}

/** Another program removed it meanwhile, or the server was wrong: without it, the request would count as fulfilled. */
function vanishedError(path: string): SmbError {
  const message = `copy to ${path}: the server says that the name exists, and has nothing of that name`;
  return new SmbError('SERVER_ERROR', message, { operation: 'copy to', path, retryable: true });
}
