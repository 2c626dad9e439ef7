import { type Clock, systemClock } from '../lib/contract/clock.ts';
import { CopyError } from './copy-error.ts';
import { CopySteps, type CopyTree } from './copy-steps.ts';
import { shareVerdict } from './failure.ts';
import { withBoundedBuffers } from './memory-bound.ts';
import { Semaphore } from './smb/semaphore.ts';
import { joined } from './share-folder.ts';
import { type DirectoryEntry, isTemporaryName, nameKey } from './smb/index.ts';

export interface CopySummary {
  directoriesCreated: number;
  filesCreated: number;
  /** Files of the template whose name exists at the destination; these were not changed. */
  filesExisting: number;
  bytesCopied: number;
  /** The part of `filesCreated` that the server copied by itself. */
  filesCopiedByServer: number;
  /** Temporary files of crashed runs that this copy removed. */
  leftoversRemoved: number;
  /** Temporary files that are open: by another agent, or by a broken connection that the server has not closed yet. */
  readonly leftoversKept: PathList;
  /** Links and junctions of the template, which are neither followed nor copied. */
  readonly linksSkipped: PathList;
  /** Paths where the destination has a file or link and the template a directory, or the reverse; not changed. */
  readonly conflicts: PathList;
  /** Pairs of the template, `a\\Plan.txt and a\\plan.txt`, that are one name to the file server; the first is missing. */
  readonly nameClashes: PathList;
  /** Files and directories of the template that cannot be read, each with the reason; the others are copied. */
  readonly unreadable: PathList;
  /** Files of the template with alternate data streams, which are not copied, and the names of the streams. */
  readonly streamsLost: PathList;
}

/** The first paths, relative to the tree, and the number of all. */
export interface PathList {
  count: number;
  readonly first: string[];
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** True if the destination directory was just created; it is not listed then. */
  readonly destinationIsNew?: boolean | undefined;
  /**
   * Paths of the directories created so far. Pass the same set to the next try after a lost connection, so that these
   * directories still get their times.
   */
  readonly created?: Set<string> | undefined;
  readonly clock?: Clock | undefined;
  /** Called for each directory compared and each file created, which distinguishes a slow copy from a stuck one. */
  readonly onProgress?: (() => void) | undefined;
}

/** Files and directories created concurrently. */
const operationsInFlight = 64;
/**
 * Bytes of files created concurrently if this client must read and write them. Each byte is then in memory about four times:
 * as read, decrypted, written, and encrypted. A larger file counts as this much.
 */
const bytesInFlight = 8 * 1024 * 1024;
/** Divides what a file counts once the file server copies by itself, which uses no memory here. */
const serverCopyDiscount = 4;
const directoriesInFlight = 128;
/** The copy enters no further directory while this many entries wait, which bounds the memory for a huge template. */
const entriesInFlight = 20_000;

/**
 * Adds every file and directory of `template` that is missing in `destination`, an existing directory. What exists is never
 * changed. A file appears complete or not at all. Only the contents of the template directory are copied, not its
 * attributes: it is often hidden, and the destination must not be.
 *
 * @throws CopyError what stopped the copy, after all calls in flight have ended
 * @throws the reason of `signal` when that ended it
 */
export function copyTemplate(
  template: CopyTree,
  destination: CopyTree,
  options: CopyOptions = {},
): Promise<CopySummary> {
  return withBoundedBuffers(() => new TemplateCopy(template, destination, options).run());
}

interface Directory {
  /** Relative to both trees. */
  readonly path: string;
  /** The template's entry; undefined for its root. */
  readonly entry: DirectoryEntry | undefined;
  /** Created by this call, so it is empty. */
  readonly isNew: boolean;
}

class TemplateCopy {
  readonly #steps: CopySteps;
  readonly #created: Set<string>;
  readonly #onProgress: () => void;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #operations = new Semaphore(operationsInFlight);
  readonly #bytes = new Semaphore(bytesInFlight);
  readonly #toEnter: Directory[] = [];
  readonly #finished = Promise.withResolvers<void>();
  #directories = 0;
  #entries = 0;
  #serverCopies = false;
  readonly #leftoversInUse: string[] = [];
  #failure: unknown;
  readonly #summary: CopySummary = {
    directoriesCreated: 0,
    filesCreated: 0,
    filesExisting: 0,
    bytesCopied: 0,
    filesCopiedByServer: 0,
    leftoversRemoved: 0,
    leftoversKept: { count: 0, first: [] },
    linksSkipped: { count: 0, first: [] },
    conflicts: { count: 0, first: [] },
    nameClashes: { count: 0, first: [] },
    unreadable: { count: 0, first: [] },
    streamsLost: { count: 0, first: [] },
  };

  constructor(template: CopyTree, destination: CopyTree, options: CopyOptions) {
    this.#created = options.created ?? new Set();
    this.#onProgress = options.onProgress ?? (() => undefined);
    this.#callerSignal = options.signal;
    this.#signal = AbortSignal.any([this.#ending.signal, ...(options.signal ? [options.signal] : [])]);
    this.#steps = new CopySteps(template, destination, options.clock ?? systemClock, this.#signal);
    this.#toEnter.push({ path: '', entry: undefined, isNew: options.destinationIsNew ?? false });
  }

  async run(): Promise<CopySummary> {
    this.#enterMore();
    await this.#finished.promise;
    this.#callerSignal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    await this.#removeLeftoversInUse().catch((error: unknown) => {
      this.#callerSignal?.throwIfAborted();
      throw error;
    });
    return this.#summary;
  }

  #enterMore(): void {
    while (
      this.#toEnter.length > 0 &&
      !this.#signal.aborted &&
      this.#directories < directoriesInFlight &&
      this.#entries < entriesInFlight
    ) {
      this.#directories += 1;
      const directory = this.#toEnter.shift() as Directory;
      void this.#copyDirectory(directory)
        .catch((error: unknown) => this.#fail(error, directory.path))
        .finally(() => {
          this.#directories -= 1;
          this.#enterMore();
        });
    }
    if (this.#directories === 0) this.#finished.resolve();
  }

  /**
   * What cannot be read in the template is noted, unless it is the template itself. Any other failure stops the rest; later
   * failures only follow from it.
   */
  #fail(error: unknown, path = ''): void {
    if (
      path !== '' &&
      error instanceof CopyError &&
      error.side === 'template' &&
      shareVerdict(error) === 'report'
    )
      return note(this.#summary.unreadable, `${path} (${error.cause.statusName ?? error.cause.code})`);
    this.#failure ??= error;
    this.#ending.abort();
  }

  async #copyDirectory(directory: Directory): Promise<void> {
    const [wanted, present] = await Promise.all([
      this.#steps.list('template', directory.path),
      directory.isNew ? [] : this.#steps.list('destination', directory.path),
    ]);
    this.#onProgress();
    this.#entries += wanted.length;
    try {
      const making = await this.#addMissing(directory.path, wanted, present);
      await Promise.all(making);
    } finally {
      this.#entries -= wanted.length;
    }
    if (!this.#signal.aborted) await this.#stamp(directory);
  }

  /** Directories first, so that the next level can begin. The promises never reject. */
  async #addMissing(
    directory: string,
    wanted: DirectoryEntry[],
    present: DirectoryEntry[],
  ): Promise<Promise<void>[]> {
    const making: Promise<void>[] = [];
    const start = async (make: () => Promise<void>, path?: string) => {
      const release = await this.#operations.acquire();
      making.push(
        (this.#signal.aborted ? Promise.resolve() : make())
          .catch((error: unknown) => this.#fail(error, path))
          .finally(release),
      );
    };

    const byName = new Map<string, DirectoryEntry>();
    const byKey = new Map<string, DirectoryEntry>();
    for (const entry of present) {
      if (isLeftover(entry)) await start(() => this.#removeLeftover(joined(directory, entry.name)));
      else {
        byName.set(entry.name, entry);
        byKey.set(nameKey(entry.name), entry);
      }
    }
    const rivals = rivalsAmong(wanted);
    for (const entry of [...wanted.filter(isDirectory), ...wanted.filter((one) => !isDirectory(one))]) {
      if (this.#signal.aborted) break;
      if (isLeftover(entry)) continue;
      const path = joined(directory, entry.name);
      const exact = byName.get(entry.name);
      const alike = byKey.get(nameKey(entry.name));
      const rival = rivals.get(entry.name);
      const rivalPath = rival === undefined ? undefined : joined(directory, rival);
      if (entry.isReparsePoint() && entry.isDirectory()) note(this.#summary.linksSkipped, path);
      else if (exact) this.#keep(path, entry, exact);
      // Different spelling: one file to most servers, two to a case-sensitive one. Only the server decides.
      else if (alike && isInTheWay(entry, alike)) note(this.#summary.conflicts, path);
      else if (entry.isDirectory()) await start(() => this.#makeDirectory(path, entry, rivalPath));
      else await start(() => this.#copyFile(path, entry, rivalPath), path);
    }
    return making;
  }

  #keep(path: string, entry: DirectoryEntry, existing: DirectoryEntry): void {
    if (isInTheWay(entry, existing)) note(this.#summary.conflicts, path);
    else if (entry.isDirectory()) this.#toEnter.push({ path, entry, isNew: false });
    else this.#summary.filesExisting += 1;
    this.#enterMore();
  }

  async #makeDirectory(path: string, entry: DirectoryEntry, rival: string | undefined): Promise<void> {
    const outcome = await this.#steps.makeDirectory(path, entry);
    if (outcome === 'created') {
      this.#created.add(path);
      this.#summary.directoriesCreated += 1;
      this.#onProgress();
    } else if (rival !== undefined) return noteClash(this.#summary.nameClashes, path, rival);
    this.#toEnter.push({ path, entry, isNew: outcome === 'created' });
    this.#enterMore();
  }

  async #copyFile(path: string, entry: DirectoryEntry, rival: string | undefined): Promise<void> {
    const held = Math.min(entry.size, bytesInFlight);
    const release = await this.#bytes.acquire(this.#serverCopies ? held / serverCopyDiscount : held);
    try {
      const copied = await this.#steps.copyFile(path, entry);
      if (copied === 'link') {
        note(this.#summary.linksSkipped, path);
        return;
      }
      const { outcome, method, streamsLost } = copied;
      if (outcome === 'existed') {
        if (rival === undefined) this.#summary.filesExisting += 1;
        else noteClash(this.#summary.nameClashes, path, rival);
        return;
      }
      if (streamsLost) note(this.#summary.streamsLost, `${path} (${streamsLost.join(', ')})`);
      this.#summary.filesCreated += 1;
      this.#summary.bytesCopied += entry.size;
      if (method === 'server-side') this.#summary.filesCopiedByServer += 1;
      if (entry.size > 0) this.#serverCopies = method === 'server-side';
      this.#onProgress();
    } finally {
      release();
    }
  }

  /**
   * A directory gets its times after everything in it was created, which changes them. Directories below it may still be in
   * progress, which does not.
   */
  async #stamp({ path, entry }: Directory): Promise<void> {
    if (entry !== undefined && this.#created.has(path)) await this.#steps.setTimes(path, entry);
  }

  async #removeLeftover(path: string): Promise<void> {
    if (!(await this.#isRemoved(path))) this.#leftoversInUse.push(path);
  }

  /** Tries again at the end: the server closes the files of a broken connection only after some time. */
  async #removeLeftoversInUse(): Promise<void> {
    for (const path of this.#leftoversInUse) {
      if (!(await this.#isRemoved(path))) note(this.#summary.leftoversKept, path);
    }
  }

  async #isRemoved(path: string): Promise<boolean> {
    const outcome = await this.#steps.removeLeftover(path);
    if (outcome === 'removed') this.#summary.leftoversRemoved += 1;
    return outcome !== 'in-use';
  }
}

const isDirectory = (entry: DirectoryEntry) => entry.isDirectory();
const isLeftover = (entry: DirectoryEntry) => !entry.isDirectory() && isTemporaryName(entry.name);

/** A link at the destination could lead anywhere, even out of the share. */
const isInTheWay = (wanted: DirectoryEntry, existing: DirectoryEntry) =>
  wanted.isDirectory() !== existing.isDirectory() || (wanted.isDirectory() && existing.isReparsePoint());

/**
 * Names of one directory that a server may treat as the same, each with the one before it: a template on a case-sensitive
 * server can have `Plan.txt` and `plan.txt`, or `k` and the Kelvin sign, of which most servers keep only the first. The
 * comparison is wider than any server's, because it only selects the names to report if the server rejects one.
 */
function rivalsAmong(entries: readonly DirectoryEntry[]): Map<string, string> {
  const rivals = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const { name } of entries) {
    const key = name.normalize('NFC').toUpperCase().toLowerCase();
    const first = seen.get(key);
    if (first === undefined) seen.set(key, name);
    else {
      rivals.set(name, first);
      rivals.set(first, name);
    }
  }
  return rivals;
}

const noteClash = (list: PathList, path: string, rival: string) => note(list, `${path} and ${rival}`);

function note(list: PathList, path: string): void {
  list.count += 1;
  if (list.first.length < 10) list.first.push(path);
}
