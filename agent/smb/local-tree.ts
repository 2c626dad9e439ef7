import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type BasicInfo,
  dateOf,
  DirectoryEntry,
  Entry,
  type EntryFacts,
  FileAttribute,
  fileTimeOf,
} from './base/entry.ts';
import { SmbError } from './base/smb-error.ts';
import { copyTree, type CpOptions, type TreeSource, type TreeTarget } from './copy-tree.ts';
import { checkPath, temporaryNameBytes, temporaryPathBeside } from './names.ts';
import { Semaphore } from './semaphore.ts';

export interface TransferProgress {
  /** Of the file on the share, with `/`. */
  readonly path: string;
  /** Bytes of the file when it was listed. */
  readonly size: number;
  readonly done: number;
}

export interface TransferOptions extends CpOptions {
  /** Called with every piece of a file. */
  onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** Files whose contents are in flight at the same time; each holds several pieces of up to 1 MiB. */
const filesInFlight = 8;

interface TransferredFile<Source> {
  readonly share: Source;
  readonly path: string;
  readonly size: number;
}

interface FileOptions {
  readonly signal: AbortSignal;
  readonly info: BasicInfo | undefined;
  readonly replace: boolean;
}

/** The calls of a share that transfers need. */
interface Share extends Omit<TreeTarget<unknown>, 'copyFile'> {
  publish(path: string, contents: AsyncIterable<Buffer>, options: FileOptions): Promise<unknown>;
  createReadStream(path: string, options: { signal: AbortSignal }): AsyncIterable<Buffer>;
}

/** Copies a file or a tree of the local disk to a share. */
export function upload(
  share: Share,
  from: string,
  path: string,
  { onProgress, ...options }: TransferOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const files = new Semaphore(filesInFlight);
  const target: TreeTarget<LocalTree> = {
    unc: share.unc,
    stat: share.stat.bind(share),
    list: share.list.bind(share),
    exists: share.exists.bind(share),
    ensureDirectory: share.ensureDirectory.bind(share),
    setInfo: share.setInfo.bind(share),
    copyFile: (file: TransferredFile<LocalTree>, to, publishing) =>
      files.run(() => {
        const contents = counted(file.share.contents(file.path), { path: to, size: file.size }, onProgress);
        return share.publish(to, contents, publishing);
      }),
  };
  return copyTree({ share: new LocalTree(from), path: '' }, { share: target, path }, options, signal);
}

/** Copies a file or a tree of a share to the local disk. */
export function download(
  share: Share,
  path: string,
  to: string,
  { onProgress, ...options }: TransferOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const target = new LocalTarget(to, onProgress);
  return copyTree<Share>({ share, path }, { share: target, path: '' }, options, signal);
}

/** A file or directory of the local disk; paths below it are those of a share. */
class LocalTree implements TreeSource {
  readonly unc: string;

  constructor(root: string) {
    this.unc = root;
  }

  async stat(path: string): Promise<Entry> {
    return new Entry(await this.#facts(path));
  }

  async list(path: string): Promise<DirectoryEntry[]> {
    const entries: DirectoryEntry[] = [];
    for (const name of await readdir(this.local(path))) {
      // Only elsewhere than on Windows, and it would become two names.
      if (name.includes('\\')) checkPath(name.replaceAll('\\', '/'), 'upload');
      entries.push(new DirectoryEntry(name, await this.#facts(path === '' ? name : `${path}\\${name}`)));
    }
    return entries;
  }

  async *contents(path: string): AsyncGenerator<Buffer> {
    if ((await this.stat(path)).isReparsePoint()) {
      const message = `upload ${this.local(path)}: is neither a file nor a directory; \`filter\` can leave it out`;
      throw new SmbError('NOT_SUPPORTED', message, { operation: 'upload', path });
    }
    yield* createReadStream(this.local(path));
  }

  local(path: string): string {
    return path === '' ? this.unc : join(this.unc, ...path.split('\\'));
  }

  /** Whatever is neither a file nor a directory, such as a link, is a reparse point, except for the root. */
  async #facts(path: string): Promise<EntryFacts> {
    const facts = await (path === '' ? stat : lstat)(this.local(path));
    const { directory, normal, reparsePoint } = FileAttribute;
    return {
      size: facts.isFile() ? facts.size : 0,
      attributes: facts.isDirectory() ? directory : facts.isFile() ? normal : reparsePoint,
      createdAt: fileTimeOf(facts.birthtime),
      accessedAt: fileTimeOf(facts.atime),
      writtenAt: fileTimeOf(facts.mtime),
      changedAt: fileTimeOf(facts.ctime),
    };
  }
}

class LocalTarget extends LocalTree implements TreeTarget<Share> {
  readonly #files = new Semaphore(filesInFlight);
  readonly #onProgress: TransferOptions['onProgress'];

  constructor(root: string, onProgress: TransferOptions['onProgress']) {
    super(root);
    this.#onProgress = onProgress;
  }

  /** @throws {SmbError} `NAME_INVALID` for a name with which the server would choose another place, such as a stream */
  override local(path: string): string {
    checkPath(path, 'download');
    return super.local(path);
  }

  exists(path: string): Promise<boolean> {
    return stat(this.local(path)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
  }

  async ensureDirectory(path: string): Promise<void> {
    await mkdir(this.local(path)).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || !(await stat(this.local(path))).isDirectory()) throw error;
    });
  }

  async setInfo(path: string, { writtenAt }: BasicInfo): Promise<void> {
    await setTime(this.local(path), writtenAt);
  }

  /** Whole or not at all: under a temporary name beside it until it is complete. */
  copyFile(file: TransferredFile<Share>, to: string, options: FileOptions): Promise<void> {
    return this.#files.run(async () => {
      if (!options.replace && (await this.exists(to))) return;
      const place = this.local(to);
      const temporary = join(dirname(place), temporaryPathBeside('', randomBytes(temporaryNameBytes)));
      const contents = counted(opened(file, options.signal), file, this.#onProgress);
      try {
        await writeFile(temporary, contents, { flag: 'wx' });
        await setTime(temporary, options.info?.writtenAt);
        await rename(temporary, place);
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }
}

/** A stream that nobody iterates yet would report an abort as an uncaught error; this one exists from the first read. */
async function* opened(file: TransferredFile<Share>, signal: AbortSignal): AsyncGenerator<Buffer> {
  yield* file.share.createReadStream(file.path, { signal });
}

async function setTime(place: string, time: BasicInfo['writtenAt']): Promise<void> {
  if (time === undefined) return;
  const date = typeof time === 'bigint' ? dateOf(time) : time;
  await utimes(place, date, date);
}

async function* counted(
  contents: AsyncIterable<Buffer>,
  { path, size }: Pick<TransferProgress, 'path' | 'size'>,
  onProgress: TransferOptions['onProgress'],
): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const chunk of contents) {
    yield chunk;
    done += chunk.length;
    onProgress?.({ path: path.replaceAll('\\', '/'), size, done });
  }
}
