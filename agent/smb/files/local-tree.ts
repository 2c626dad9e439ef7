import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type BasicInfo,
  dateOf,
  DirectoryEntry,
  Entry,
  type EntryFacts,
  FileAttribute,
  fileTimeOf,
} from '../base/entry.ts';
import { SmbError } from '../base/smb-error.ts';
import { copyTree, type CpOptions, type TreeSource, type TreeTarget } from './copy-tree.ts';
import { checkPath, temporaryNameBytes, temporaryPathBeside } from '../base/names.ts';
import type { SmbFile } from '../calls/file.ts';
import { ahead, bytesInFlight, type Piece, pieces, windowSize } from '../session/pipeline.ts';
import { smallBytes } from './publish.ts';
import { firstReadBytes } from './read-file.ts';
import { Semaphore } from '../base/semaphore.ts';
import { maxPayloadBytes, maxReadBytes } from '../session/session.ts';

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

/** Files whose contents are in flight at the same time: this many small ones, or an eighth as many large ones. */
const filesInFlight = 64;
const unitsOf = (size: number) => (size <= smallBytes ? 1 : 8);

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
  publish(path: string, contents: Buffer | AsyncIterable<Buffer>, options: FileOptions): Promise<unknown>;
  readFile(path: string, options: { signal: AbortSignal }): Promise<Buffer>;
  open(
    path: string,
    flag: 'r',
    options: { signal: AbortSignal },
  ): Promise<Pick<SmbFile, 'entry' | 'read' | 'close'>>;
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
      files.run(async () => {
        const progress = { path: to, size: file.size };
        const contents = await file.share.contents(file);
        if (!Buffer.isBuffer(contents))
          return share.publish(to, countBytes(contents, progress, onProgress), publishing);
        await share.publish(to, contents, publishing);
        if (contents.length > 0) onProgress?.({ ...progress, path: withSlashes(to), done: contents.length });
      }, unitsOf(file.size)),
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
    const entryOf = async (name: string) => {
      // Only elsewhere than on Windows, and it would become two names.
      if (name.includes('\\')) checkPath(name.replaceAll('\\', '/'), 'upload');
      return new DirectoryEntry(name, await this.#facts(path === '' ? name : `${path}\\${name}`));
    };
    return Promise.all((await readdir(this.local(path))).map(entryOf));
  }

  /** Those of a small file in one piece, which can then be published in one round trip. */
  async contents({ path, size }: TransferredFile<LocalTree>): Promise<Buffer | AsyncIterable<Buffer>> {
    // What is neither a file nor a directory was listed with this size.
    if (size === 0 && (await this.stat(path)).isReparsePoint()) {
      const message = `upload ${this.local(path)}: is neither a file nor a directory; \`filter\` can leave it out`;
      throw new SmbError('NOT_SUPPORTED', message, { operation: 'upload', path });
    }
    const whole = size <= smallBytes ? await this.#whole(path, size) : undefined;
    return whole ?? piecesOf(this.local(path));
  }

  /** Undefined if the file has grown. */
  async #whole(path: string, size: number): Promise<Buffer | undefined> {
    const file = await open(this.local(path));
    try {
      const buffer = Buffer.allocUnsafe(size + 1);
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      return bytesRead > size ? undefined : buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
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
      const { signal, info } = options;
      const contents =
        file.size <= firstReadBytes
          ? [await file.share.readFile(file.path, { signal })]
          : piecesOnShare(file, signal);
      try {
        await writeFile(temporary, countBytes(contents, file, this.#onProgress), { flag: 'wx' });
        await setTime(temporary, info?.writtenAt);
        await rename(temporary, place);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    }, unitsOf(file.size));
  }
}

/** Buffers for pieces. Each is used again for the piece `count` later, when it has been sent or written. */
function* ring(bytes: number, count: number): Generator<Buffer> {
  const buffers: Buffer[] = [];
  for (let index = 0; ; index = (index + 1) % count) {
    yield (buffers[index] ??= Buffer.allocUnsafe(bytes));
  }
}

/** The pieces of a file of a share. */
async function* piecesOnShare(
  { share, path }: TransferredFile<Share>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = await share.open(path, 'r', { signal });
  // Those in flight, and the one that is being written.
  const window = bytesInFlight / maxReadBytes + 1;
  const buffers = ring(Math.min(maxReadBytes, file.entry.size), window);
  const read = async ({ position, length }: Piece) => {
    const { bytesRead, buffer } = await file.read(buffers.next().value, { position, length });
    return buffer.subarray(0, bytesRead);
  };
  try {
    for await (const part of ahead(pieces(0, file.entry.size, maxReadBytes), read, window)) {
      yield part;
      // The file ends here, even if its size was different when it was opened.
      if (part.length < maxReadBytes) return;
    }
  } finally {
    await file.close();
  }
}

/** The pieces of a local file. */
async function* piecesOf(place: string): AsyncGenerator<Buffer> {
  const file = await open(place);
  try {
    for (const buffer of ring(maxPayloadBytes, windowSize)) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const withSlashes = (path: string) => path.replaceAll('\\', '/');

async function setTime(place: string, time: BasicInfo['writtenAt']): Promise<void> {
  if (time === undefined) return;
  const date = typeof time === 'bigint' ? dateOf(time) : time;
  await utimes(place, date, date);
}

async function* countBytes(
  contents: AsyncIterable<Buffer> | Iterable<Buffer>,
  { path, size }: Pick<TransferProgress, 'path' | 'size'>,
  onProgress: TransferOptions['onProgress'],
): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const chunk of contents) {
    yield chunk;
    done += chunk.length;
    if (done > 0) onProgress?.({ path: withSlashes(path), size, done });
  }
}
