import type { BasicInfo, DirectoryEntry, Entry } from '../base/entry.ts';
import { SmbError } from '../base/smb-error.ts';
import { nameKey, normalPath } from '../base/names.ts';
import { TreeWork } from './tree-work.ts';

export interface CpOptions {
  /** Copies a directory with its contents. */
  recursive?: boolean | undefined;
  /** Whether files that exist are replaced (default) or left as they are. */
  replace?: boolean | undefined;
  /** Leaves a file that exists unless it was written before its source, as `cp --update` does. */
  update?: boolean | undefined;
  preserveTimestamps?: boolean | undefined;
  /** Called for every entry below the source, with its path; what it returns false for is left out. */
  filter?: ((source: string, entry: DirectoryEntry) => boolean) | undefined;
}

/** The calls that copying a tree needs of the place that it is read from. */
export interface TreeSource {
  readonly unc: string;
  stat(path: string, options: { signal: AbortSignal }): Promise<Entry>;
  list(path: string, options: { signal: AbortSignal }): Promise<DirectoryEntry[]>;
}

/** Those of the place that it is written to. */
export interface TreeTarget<Source> extends TreeSource {
  exists(path: string, options: { signal: AbortSignal }): Promise<boolean>;
  ensureDirectory(path: string, options: { signal: AbortSignal }): Promise<unknown>;
  setInfo(path: string, info: BasicInfo, options: { signal: AbortSignal }): Promise<void>;
  copyFile(
    source: { share: Source; path: string; size: number },
    destination: string,
    options: { signal: AbortSignal; info: BasicInfo | undefined; replace: boolean },
  ): Promise<unknown>;
}

export interface Place<Share> {
  readonly share: Share;
  readonly path: string;
}

/** Copies a file or, if `recursive`, a tree. The server copies where both places are on it. */
export async function copyTree<Source extends TreeSource>(
  source: Place<Source>,
  target: Place<TreeTarget<Source>>,
  {
    recursive = false,
    replace = true,
    update = false,
    preserveTimestamps = false,
    filter = () => true,
  }: CpOptions,
  caller: AbortSignal | undefined,
): Promise<void> {
  const work = new TreeWork(caller);
  const options = { signal: work.signal };
  const infoOf = ({ createdAt, writtenAt }: Entry) =>
    preserveTimestamps ? { createdAt, writtenAt } : undefined;
  const copy = async (from: string, to: string, entry: Entry): Promise<void> => {
    if (entry.isDirectory()) return copyDirectory(from, to, entry);
    const file = { share: source.share, path: from, size: entry.size };
    await work.run(() => target.share.copyFile(file, to, { ...options, replace, info: infoOf(entry) }));
  };
  const copyDirectory = async (from: string, to: string, entry: Entry): Promise<void> => {
    if (entry.isReparsePoint() && from !== source.path) {
      const message = `cp ${from}: is a link to a directory, which is not followed; \`filter\` can leave it out`;
      throw new SmbError('NOT_SUPPORTED', message, { operation: 'cp', path: from });
    }
    const [entries] = await work.run(() =>
      Promise.all([source.share.list(from, options), target.share.ensureDirectory(to, options)]),
    );
    const existing = update ? await work.run(() => target.share.list(to, options)) : [];
    const byName = new Map(existing.map((child) => [nameKey(child.name), child]));
    const wanted = entries.filter(
      (child) => filter(below(from, child.name), child) && !isCurrent(byName.get(nameKey(child.name)), child),
    );
    await work.all(wanted, (child) => copy(below(from, child.name), below(to, child.name), child));
    const info = infoOf(entry);
    if (info !== undefined) await work.run(() => target.share.setInfo(to, info, options));
  };
  await work.end(copyRoot());

  async function copyRoot(): Promise<void> {
    const entry = await work.run(() => source.share.stat(source.path, options));
    const facts = { operation: 'cp', path: source.path };
    if (entry.isDirectory() && !recursive) {
      throw new SmbError('EISDIR', `cp ${source.path}: is a directory; \`recursive\` copies it`, facts);
    }
    // Otherwise the copy would be part of what is to be copied, without an end.
    if (entry.isDirectory() && `${keyOf(target)}\\`.startsWith(`${keyOf(source)}\\`)) {
      throw new SmbError('INVALID_ARGUMENT', `cp ${source.path}: the destination is in the source`, facts);
    }
    if (update && entry.isFile() && (await work.run(() => target.share.exists(target.path, options)))) {
      const existing = await work.run(() => target.share.stat(target.path, options));
      if (isCurrent(existing, entry)) return;
    }
    await copy(source.path, target.path, entry);
  }
}

/** By the millisecond, because not every file system stores more. */
const isCurrent = (existing: Entry | undefined, source: Entry): boolean =>
  existing !== undefined && existing.isFile() && source.isFile() && existing.mtime >= source.mtime;

const keyOf = ({ share, path }: Place<{ readonly unc: string }>) =>
  nameKey(normalPath(path === '' ? share.unc : `${share.unc}\\${path}`));
const below = (path: string, name: string) => (path === '' ? name : `${path}\\${name}`);
