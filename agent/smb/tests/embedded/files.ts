import {
  closeSync,
  constants,
  type BigIntStats,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  accessSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { NtError, status } from '../support/scripted-server/status.ts';

// The disk below the shares: names, attributes, times, share modes and deletion, as an SMB server has them.

/** FILE_ATTRIBUTE_*. */
const attribute = {
  readOnly: 1,
  hidden: 2,
  system: 4,
  directory: 0x10,
  archive: 0x20,
  normal: 0x80,
} as const;
const settable = attribute.readOnly | attribute.hidden | attribute.system | attribute.archive;

export interface Facts {
  readonly isDirectory: boolean;
  readonly size: bigint;
  readonly allocated: bigint;
  readonly attributes: number;
  readonly created: bigint;
  readonly accessed: bigint;
  readonly written: bigint;
  readonly changed: bigint;
  readonly id: bigint;
  readonly links: number;
}

export interface Share {
  readonly name: string;
  readonly root: string;
  readonly isReadOnly: boolean;
}

export interface Open {
  readonly share: Share;
  readonly inode: string;
  path: string;
  readonly fd: number | undefined;
  readonly isDirectory: boolean;
  readonly access: number;
  readonly sharing: number;
  readonly deletesOnClose: boolean;
  listing: { readonly name: string; readonly facts: Facts }[] | undefined;
  listed: number;
}

/** What no ordinary file system keeps: attributes, the time of creation, and times exact to 100 ns. */
interface Kept {
  attributes?: number;
  created?: bigint;
  written?: { readonly exact: bigint; readonly onDisk: bigint };
  accessed?: { readonly exact: bigint; readonly onDisk: bigint };
  deletePending?: boolean;
}

/** Access rights of files (MS-SMB2 2.2.13.1.1). */
const fileRight = {
  read: 1,
  write: 2,
  append: 4,
  execute: 0x20,
  delete: 0x10000,
  all: 0x10000000,
  maximal: 0x2000000,
};
const generic = { write: 0x40000000, read: 0x80000000 };
const epoch = 116_444_736_000_000_000n;
/** FILETIME of nanoseconds since 1970. */
export const fileTimeOf = (ns: bigint): bigint => ns / 100n + epoch;
const inodeOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`;

/** Windows compares names so: each unit alone, in upper case. */
const fold = (name: string) =>
  Array.from(name, (unit) => (unit.toUpperCase().length === unit.length ? unit.toUpperCase() : unit)).join(
    '',
  );

export class Disk {
  readonly #kept = new Map<string, Kept>();
  readonly #opens = new Map<string, Set<Open>>();

  /** The place of a name on the disk, in the spelling that the disk has; `name` is undefined for the root. */
  resolve(share: Share, path: string): { readonly path: string; readonly exists: boolean } {
    let at = share.root;
    const names = path === '' ? [] : path.split('\\');
    for (const [index, name] of names.entries()) {
      checkName(name);
      const next = spelling(at, name);
      if (next === undefined) {
        if (index < names.length - 1) throw new NtError(status.pathNotFound);
        return { path: join(at, name), exists: false };
      }
      at = join(at, next);
      const stats = lstatSync(at);
      if (stats.isSymbolicLink()) at = inside(share, at);
      if (index < names.length - 1 && !statSync(at).isDirectory()) throw new NtError(status.pathNotFound);
    }
    return { path: at, exists: true };
  }

  open(
    share: Share,
    request: {
      path: string;
      access: number;
      sharing: number;
      disposition: number;
      options: number;
      attributes: number;
    },
  ): { readonly open: Open; readonly action: 'superseded' | 'opened' | 'created' | 'overwritten' } {
    const { path, disposition, options, sharing } = request;
    const wantsDirectory = (options & 1) !== 0;
    // What is replaced is a file.
    const replaces = disposition === 0 || disposition === 4 || disposition === 5;
    const wantsFile = (options & 0x40) !== 0;
    const access = this.#granted(request.access, share);
    let { path: place, exists } = this.resolve(share, path);
    if (disposition > 5) throw new NtError(status.invalidParameter);
    const isDirectoryThere = exists && statSync(place).isDirectory();
    if (isDirectoryThere && wantsFile) throw new NtError(status.isDirectory);
    if (replaces && (wantsDirectory || isDirectoryThere)) throw new NtError(status.invalidParameter);
    const deletesOnClose = (options & 0x1000) !== 0;
    if (deletesOnClose && (access & fileRight.delete) === 0) throw new NtError(status.invalidParameter);
    if (deletesOnClose && place === share.root) throw new NtError(status.accessDenied);
    if (exists && disposition === 2) throw new NtError(status.collision);
    if (!exists && (disposition === 1 || disposition === 4)) throw new NtError(status.nameNotFound);
    const creates = !exists;
    if (creates) {
      if (share.isReadOnly) throw new NtError(status.accessDenied);
      checkMode(join(place, '..'), constants.W_OK);
      if (wantsDirectory) mkdirSync(place);
      else closeSync(openSync(place, 'wx', 0o666));
    }
    const stats = statSync(place, { bigint: true });
    const isDirectory = stats.isDirectory();
    const inode = inodeOf(stats);
    const kept = this.#kept.get(inode);
    if (creates) {
      const given = (request.attributes & settable) | (isDirectory ? 0 : attribute.archive);
      this.#kept.set(inode, { attributes: given });
    } else {
      if (!isDirectory && wantsDirectory) throw new NtError(status.notDirectory);
      if (!isDirectory && !stats.isFile()) throw new NtError(status.accessDenied);
      if (kept?.deletePending) throw new NtError(status.deletePending);
      const readOnly = ((kept?.attributes ?? 0) & attribute.readOnly) !== 0;
      if (readOnly && !isDirectory && (access & (fileRight.write | fileRight.append)) !== 0)
        throw new NtError(status.accessDenied);
      if (readOnly && deletesOnClose) throw new NtError(status.cannotDelete);
      this.#checkSharing(inode, access, sharing);
      if ((access & (fileRight.write | fileRight.append)) !== 0) checkMode(place, constants.W_OK);
      if ((access & fileRight.read) !== 0) checkMode(place, constants.R_OK);
    }
    const writes = !isDirectory && (access & (fileRight.write | fileRight.append)) !== 0;
    const needsFile =
      !isDirectory &&
      (access & (fileRight.read | fileRight.write | fileRight.append | fileRight.execute)) !== 0;
    const truncates = !creates && replaces;
    const fd = needsFile || truncates ? openSync(place, truncates || writes ? 'r+' : 'r') : undefined;
    if (truncates) {
      ftruncateSync(fd!, 0);
      this.#kept.set(inode, { attributes: (request.attributes & settable) | attribute.archive });
    }
    const open: Open = {
      share,
      inode,
      path: place,
      fd,
      isDirectory,
      access,
      sharing,
      deletesOnClose,
      listing: undefined,
      listed: 0,
    };
    const opens = this.#opens.get(inode) ?? new Set();
    this.#opens.set(inode, opens.add(open));
    const replacing = disposition === 0 ? 'superseded' : 'overwritten';
    return { open, action: creates ? 'created' : truncates ? replacing : 'opened' };
  }

  #granted(requested: number, share: Share): number {
    let access = requested;
    if ((access & (fileRight.all | fileRight.maximal)) !== 0) access |= 0x1f01ff;
    if ((access & generic.write) !== 0) access |= fileRight.write | fileRight.append | 0x110;
    if ((access & generic.read) !== 0) access |= fileRight.read | 0x88;
    const changing = fileRight.write | fileRight.append | fileRight.delete | 0x110;
    if (share.isReadOnly && (requested & changing) !== 0) throw new NtError(status.accessDenied);
    return access;
  }

  #checkSharing(inode: string, access: number, sharing: number): void {
    const uses = (rights: number) =>
      ((rights & (fileRight.read | fileRight.execute)) === 0 ? 0 : 1) |
      ((rights & (fileRight.write | fileRight.append)) === 0 ? 0 : 2) |
      ((rights & fileRight.delete) === 0 ? 0 : 4);
    const mine = uses(access);
    for (const other of this.#opens.get(inode) ?? []) {
      const theirs = uses(other.access);
      if (mine === 0 || theirs === 0) continue;
      if ((mine & ~other.sharing) !== 0 || (theirs & ~sharing) !== 0) throw new NtError(status.sharing);
    }
  }

  close(open: Open): void {
    const opens = this.#opens.get(open.inode)!;
    opens.delete(open);
    if (open.fd !== undefined) closeSync(open.fd);
    if (open.deletesOnClose) this.#unlink(open);
    if (opens.size > 0) return;
    this.#opens.delete(open.inode);
    const kept = this.#kept.get(open.inode);
    if (kept?.deletePending) {
      this.#unlink(open);
      delete kept.deletePending;
    }
  }

  #unlink({ path, isDirectory, inode }: Open): void {
    try {
      const links = lstatSync(path).nlink;
      if (isDirectory) rmdirSync(path);
      else unlinkSync(path);
      if (isDirectory || links === 1) this.#kept.delete(inode);
    } catch {
      // The handle ends nevertheless, as on other servers.
    }
  }

  facts(open: Open): Facts {
    const stats =
      open.fd === undefined ? statSync(open.path, { bigint: true }) : fstatSync(open.fd, { bigint: true });
    return this.#facts(stats, open.path);
  }

  #facts(stats: BigIntStats, path: string): Facts {
    const kept = this.#kept.get(inodeOf(stats)) ?? {};
    const isDirectory = stats.isDirectory();
    const hidden =
      path.slice(path.lastIndexOf(sep) + 1).startsWith('.') && kept.attributes === undefined
        ? attribute.hidden
        : 0;
    const own = (kept.attributes ?? 0) | hidden | (isDirectory ? attribute.directory : 0);
    const exact = (time: Kept['written'], onDisk: bigint) =>
      time?.onDisk === onDisk ? time.exact : fileTimeOf(onDisk);
    return {
      isDirectory,
      size: isDirectory ? 0n : stats.size,
      allocated: isDirectory ? 0n : stats.blocks * 512n,
      attributes: own === 0 ? attribute.normal : own,
      created: kept.created ?? fileTimeOf(stats.birthtimeNs === 0n ? stats.mtimeNs : stats.birthtimeNs),
      accessed: exact(kept.accessed, stats.atimeNs),
      written: exact(kept.written, stats.mtimeNs),
      changed: fileTimeOf(stats.ctimeNs),
      id: stats.ino,
      links: Number(stats.nlink),
    };
  }

  list(open: Open, pattern: string): NonNullable<Open['listing']> {
    const matches = matcher(pattern);
    const entries = ['.', '..', ...readdirSync(open.path)].filter(matches);
    return entries.flatMap((name) => {
      try {
        const place = join(open.path, name === '..' ? '.' : name);
        const isLink = lstatSync(place).isSymbolicLink();
        const stats = statSync(isLink ? inside(open.share, place) : place, { bigint: true });
        return stats.isFile() || stats.isDirectory()
          ? [{ name, facts: this.#facts(stats, name === '.' || name === '..' ? '' : place) }]
          : [];
      } catch {
        // Deleted meanwhile, or a link that leads out of the share.
        return [];
      }
    });
  }

  setBasic(
    open: Open,
    times: { created: bigint; accessed: bigint; written: bigint; attributes: number },
  ): void {
    const kept = this.#kept.get(open.inode) ?? {};
    this.#kept.set(open.inode, kept);
    const isSet = (time: bigint) => time > 0n && time < 0x7fffffffffffffffn;
    if (times.attributes !== 0) kept.attributes = times.attributes & settable;
    if (isSet(times.created)) kept.created = times.created;
    if (!isSet(times.accessed) && !isSet(times.written)) return;
    const before = statSync(open.path, { bigint: true });
    const seconds = (time: bigint, ns: bigint) =>
      isSet(time) ? Number(time - epoch) / 1e7 : Number(ns) / 1e9;
    utimesSync(open.path, seconds(times.accessed, before.atimeNs), seconds(times.written, before.mtimeNs));
    const after = statSync(open.path, { bigint: true });
    if (isSet(times.accessed)) kept.accessed = { exact: times.accessed, onDisk: after.atimeNs };
    if (isSet(times.written)) kept.written = { exact: times.written, onDisk: after.mtimeNs };
    else kept.written = { exact: fileTimeOf(before.mtimeNs), onDisk: after.mtimeNs };
  }

  setDeletion(open: Open, isDeleted: boolean): void {
    if ((open.access & fileRight.delete) === 0) throw new NtError(status.accessDenied);
    const kept = this.#kept.get(open.inode) ?? {};
    this.#kept.set(open.inode, kept);
    if (isDeleted) {
      if (((kept.attributes ?? 0) & attribute.readOnly) !== 0) throw new NtError(status.cannotDelete);
      if (open.path === open.share.root) throw new NtError(status.accessDenied);
      if (open.isDirectory && readdirSync(open.path).length > 0) throw new NtError(status.notEmpty);
    }
    kept.deletePending = isDeleted;
  }

  /** In this process nothing comes between the check and the renaming, and between processes nobody shares the folder. */
  rename(open: Open, path: string, replaces: boolean): void {
    if ((open.access & fileRight.delete) === 0 || open.path === open.share.root)
      throw new NtError(status.accessDenied);
    const { path: place, exists } = this.#target(open, path);
    const isItself = exists && inodeOf(statSync(place, { bigint: true })) === open.inode;
    if (exists && !isItself) {
      if (!replaces) throw new NtError(status.collision);
      const stats = statSync(place, { bigint: true });
      // As Samba does, a directory replaces an empty one.
      if ((this.#opens.get(inodeOf(stats))?.size ?? 0) > 0) throw new NtError(status.accessDenied);
      if (open.isDirectory && stats.isDirectory()) {
        if (readdirSync(place).length > 0) throw new NtError(status.notEmpty);
        rmdirSync(place);
      } else if (open.isDirectory || stats.isDirectory()) throw new NtError(status.collision);
      if (((this.#kept.get(inodeOf(stats))?.attributes ?? 0) & attribute.readOnly) !== 0)
        throw new NtError(status.accessDenied);
    }
    if (open.isDirectory) {
      const below = open.path + sep;
      if (place.startsWith(below)) throw new NtError(status.sharing);
      for (const opens of this.#opens.values())
        for (const other of opens) if (other.path.startsWith(below)) throw new NtError(status.accessDenied);
    }
    const from = open.path;
    // The spelling of the request, also where only the case differs.
    const to = isItself ? join(place, '..', path.slice(path.lastIndexOf('\\') + 1)) : place;
    renameSync(from, to);
    for (const opens of this.#opens.values())
      for (const other of opens) if (other.path === from) other.path = to;
  }

  link(open: Open, path: string, replaces: boolean): void {
    const { path: place, exists } = this.#target(open, path);
    if (exists && !replaces) throw new NtError(status.collision);
    if (exists) unlinkSync(place);
    linkSync(open.path, place);
  }

  #target(open: Open, path: string): { readonly path: string; readonly exists: boolean } {
    if (open.share.isReadOnly || path === '') throw new NtError(status.accessDenied);
    return this.resolve(open.share, path);
  }
}

/** Root may do everything, so the bits decide as well: a test can take a right away as any user. */
function checkMode(place: string, right: number): void {
  accessSync(place, right);
  const bits = right === constants.W_OK ? 0o222 : 0o444;
  if (process.platform !== 'win32' && (statSync(place).mode & bits) === 0)
    throw new NtError(status.accessDenied);
}

/** The name in the spelling of the directory, or undefined. */
function spelling(directory: string, name: string): string | undefined {
  // On a file system that ignores case itself, every spelling exists.
  if (lstatSync(join(directory, name), { throwIfNoEntry: false })) return name;
  const folded = fold(name);
  return readdirSync(directory).find((each) => fold(each) === folded);
}

function inside(share: Share, link: string): string {
  const place = realpathSync(link);
  const root = realpathSync(share.root);
  if (place !== root && !place.startsWith(root + sep)) throw new NtError(status.accessDenied);
  return place;
}

function checkName(name: string): void {
  if (name === '' || name === '.' || name === '..') throw new NtError(status.pathSyntax);
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f<>:"/|?*]/.test(name) || !name.isWellFormed() || name.length > 255)
    throw new NtError(status.nameInvalid);
  if (sep === '\\' && /[ .]$/.test(name)) throw new NtError(status.nameInvalid);
}

/** MS-FSA 2.1.4.4: `<` ends at the last dot, `>` is no dot, or nothing before a dot and at the end. */
const wildcards: Readonly<Record<string, string>> = {
  '*': '[^]*',
  '?': '[^]',
  '<': '(?:[^]*(?=\\.[^.]*$)|[^.]*)',
  '>': '(?:[^.]|(?=\\.|$))',
  '"': '(?:\\.|$)',
};

function matcher(pattern: string): (name: string) => boolean {
  if (pattern === '*' || pattern === '') return () => true;
  const source = Array.from(
    fold(pattern),
    (unit) => wildcards[unit] ?? unit.replace(/[\\^$.|+()[\]{}]/, '\\$&'),
  ).join('');
  const expression = new RegExp(`^${source}$`);
  return (name) => expression.test(fold(name));
}
