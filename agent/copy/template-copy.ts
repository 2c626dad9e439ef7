import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../lib/contract/clock.ts';
import { CopyError } from '../base/copy-error.ts';
import { CopySteps } from './copy-steps.ts';
import { shareVerdict } from '../base/failure.ts';
import { withBoundedBuffers } from '../base/memory-bound.ts';
import { emptyPathList, notePath, quoteName } from '../base/path-list.ts';
import type { IsSkipped } from '../base/skipped-names.ts';
import { Semaphore } from '../smb/base/semaphore.ts';
import { joinPath } from '../base/share-folder.ts';
import { type DirectoryEntry, type FileCalls, isTemporaryName, nameKey } from '../smb/index.ts';

export type CopySummary = ReturnType<typeof emptySummary>;

const emptySummary = () => ({
  directoriesCreated: 0,
  filesCreated: 0,
  /** Files of the template whose name exists at the destination; these were not changed. */
  filesExisting: 0,
  bytesCopied: 0,
  /** The part of `filesCreated` that the server copied by itself. */
  filesCopiedByServer: 0,
  /** Temporary files of crashed runs that this copy removed, or whose place its files took. */
  leftoversRemoved: 0,
  /** Temporary files that are open: by another agent, or by a broken connection that the server has not closed yet. */
  leftoversKept: emptyPathList(),
  /** Files and directories of the template that are not to be copied, such as locks and thumbnails. */
  skipped: emptyPathList(),
  /** Names of the template that no path can hold, such as one with a backslash; these are not copied. */
  namesUnusable: emptyPathList(),
  /** Links and junctions of the template, which are neither followed nor copied. */
  linksSkipped: emptyPathList(),
  /** Links of the template that the server follows to a directory above them, and what is too deep; left empty. */
  loops: emptyPathList(),
  /** Paths where the destination has a file or link and the template a directory, or the reverse; not changed. */
  conflicts: emptyPathList(),
  /** Pairs of the template, `a\\Plan.txt and a\\plan.txt`, that are one name to the file server; the first is missing. */
  nameClashes: emptyPathList(),
  /** Files and directories of the template that cannot be read, each with the reason; the others are copied. */
  unreadable: emptyPathList(),
  /** Files of the template with alternate data streams, which are not copied, and the names of the streams. */
  streamsLost: emptyPathList(),
});

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Paths of the directories created so far. Pass the same set to the next try after a lost connection, so that these
   * directories still get their times.
   */
  readonly created?: Set<string> | undefined;
  /** Paths of the directories compared so far, for the same reason: comparing one again is no progress. */
  readonly compared?: Set<string> | undefined;
  readonly clock?: Clock | undefined;
  /** Names of the template that are not copied. */
  readonly isSkipped?: IsSkipped | undefined;
  /** Called for each directory compared for the first time and each file created, which distinguishes a slow copy from a stuck one. */
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
/** Levels of directories; a server without ids of files may follow a link without an end. */
const deepest = 64;
/** Directories whose entries are in memory. */
const directoriesInFlight = 128;

/**
 * Adds every file and directory of `template` that is missing in `destination`, an existing directory. What exists is never
 * changed. A file appears complete or not at all. Only the contents of the template directory are copied, not its
 * attributes: it is often hidden, and the destination must not be.
 *
 * @throws CopyError what stopped the copy, after all calls in flight have ended
 * @throws the reason of `signal` when that ended it
 */
export function copyTemplate(
  template: FileCalls,
  destination: FileCalls,
  options: CopyOptions = {},
): Promise<CopySummary> {
  return withBoundedBuffers(() => new TemplateCopy(template, destination, options).run());
}

interface Directory {
  /** Relative to both folders. */
  readonly path: string;
  /** The template's entry; undefined for its root. */
  readonly entry: DirectoryEntry | undefined;
  /** Created by this call, so it is empty. */
  readonly isNew: boolean;
  /** `contentsOf` those above it. */
  readonly above: readonly string[];
}

type Enter = (directory: Directory) => void;
type EnterBelow = (directory: Omit<Directory, 'above'>) => void;

class TemplateCopy {
  readonly #steps: CopySteps;
  readonly #created: Set<string>;
  readonly #compared: Set<string>;
  readonly #isSkipped: IsSkipped;
  readonly #onProgress: () => void;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loops = new Set<string>();
  readonly #directories = new Semaphore(directoriesInFlight);
  readonly #operations = new Semaphore(operationsInFlight);
  readonly #bytes = new Semaphore(bytesInFlight);
  #serverCopies = false;
  readonly #leftoversInUse: string[] = [];
  #failure: unknown;
  readonly #summary = emptySummary();

  constructor(template: FileCalls, destination: FileCalls, options: CopyOptions) {
    this.#created = options.created ?? new Set();
    this.#compared = options.compared ?? new Set();
    this.#isSkipped = options.isSkipped ?? (() => false);
    this.#onProgress = options.onProgress ?? (() => undefined);
    this.#callerSignal = options.signal;
    this.#signal = AbortSignal.any([this.#ending.signal, ...(options.signal ? [options.signal] : [])]);
    this.#steps = new CopySteps(template, destination, options.clock ?? systemClock, this.#signal);
  }

  async run(): Promise<CopySummary> {
    await this.#enter({ path: '', entry: undefined, isNew: false, above: [] });
    await this.#removeLeftoversInUse().catch((error: unknown) => this.#fail(error));
    this.#callerSignal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#summary;
  }

  /** Copies a directory and all below it, which begin as soon as they exist. Never rejects. */
  async #enter(directory: Directory): Promise<void> {
    const below: Promise<void>[] = [];
    await this.#directories
      .run(() => this.#copyDirectory(directory, (child) => below.push(this.#enter(child))))
      .catch((error: unknown) => this.#failUnlessGone(error, directory.path));
    await Promise.all(below);
  }

  /** What was removed from the template since it was listed was not to be copied. */
  async #failUnlessGone(error: unknown, path: string): Promise<void> {
    try {
      if (path === '' || !isMissingInTemplate(error) || !(await this.#isGone(path))) this.#fail(error, path);
    } catch (failure) {
      this.#fail(failure, path);
    }
  }

  /** Looks again: a server may list names that it cannot open. */
  async #isGone(path: string): Promise<boolean> {
    const end = path.lastIndexOf('\\');
    try {
      const entries = await this.#steps.list('template', path.slice(0, Math.max(end, 0)));
      return !entries.some(({ name }) => name === path.slice(end + 1));
    } catch (error) {
      if (end > 0 && isMissingInTemplate(error)) return true;
      throw error;
    }
  }

  /**
   * What cannot be read in the template is noted, unless it is the template itself. Any other failure stops the rest; later
   * failures only follow from it.
   */
  #fail(error: unknown, path = ''): void {
    const isUnreadable =
      error instanceof CopyError && error.side === 'template' && shareVerdict(error) === 'report';
    if (isUnreadable && path !== '') {
      notePath(this.#summary.unreadable, `${path} (${error.cause.statusName ?? error.cause.code})`);
      return;
    }
    this.#failure ??= error;
    this.#ending.abort();
  }

  async #copyDirectory(directory: Directory, enter: Enter): Promise<void> {
    const { path, entry, isNew, above } = directory;
    const noteUnusable = (name: string) =>
      notePath(this.#summary.namesUnusable, joinPath(path, quoteName(name)));
    const [wanted, present] = await Promise.all([
      this.#steps.list('template', path, noteUnusable),
      isNew ? [] : this.#steps.list('destination', path),
    ]);
    const contents = contentsOf(wanted);
    const loop = await this.#loopAt(path, contents, above);
    if (loop !== undefined) {
      this.#noteLoop(loop);
      return;
    }
    this.#noteCompared(path);
    const enterBelow: EnterBelow = (child) => enter({ ...child, above: [...above, contents] });
    const leftovers = present.filter(isLeftover).map(({ name }) => name);
    const unused = [...leftovers];
    const making = await this.#addMissing(path, wanted, present, unused, enterBelow);
    await Promise.all(making);
    for (const name of leftovers) await this.#endLeftover(joinPath(path, name), !unused.includes(name));
    // Last, because what is created in a directory changes its times; what is created below its directories does not.
    if (entry !== undefined && this.#created.has(path) && !this.#signal.aborted)
      await this.#steps.setTimes(path, entry);
  }

  /** Progress only once in a request: each try begins with these, and would never give up. */
  #noteCompared(path: string): void {
    if (this.#compared.has(path)) return;
    this.#compared.add(path);
    this.#onProgress();
  }

  /** The directory at which a loop begins, or one that is too deep; undefined if there is none. */
  async #loopAt(path: string, contents: string, above: readonly string[]): Promise<string | undefined> {
    if (above.length > deepest) return path;
    // Two directories can have the same contents, and be no loop.
    return above.includes(contents) ? this.#linkOnWay(path) : undefined;
  }

  /** The first directory on the way to `path` that is one of those above it; undefined if each is another. */
  async #linkOnWay(path: string): Promise<string | undefined> {
    const names = path.split('\\');
    const way = ['', ...names.map((_, index) => names.slice(0, index + 1).join('\\'))];
    const ids = await this.#steps.idsOf(way);
    return way.find((_, index) => ids[index] !== 0n && ids.indexOf(ids[index]!) < index);
  }

  #noteLoop(path: string): void {
    if (this.#loops.has(path)) return;
    this.#loops.add(path);
    notePath(this.#summary.loops, path);
  }

  /** The promises never reject. @param leftovers names that a crash left here; those that a new file replaces are taken out */
  async #addMissing(
    directory: string,
    wanted: DirectoryEntry[],
    present: DirectoryEntry[],
    leftovers: string[],
    enter: EnterBelow,
  ): Promise<Promise<void>[]> {
    const making: Promise<void>[] = [];
    const start = async (make: () => Promise<void>, path = '') => {
      const release = await this.#operations.acquire();
      making.push(
        make()
          .catch((error: unknown) => this.#failUnlessGone(error, path))
          .finally(release),
      );
    };

    const existing = Map.groupBy(present, ({ name }) => nameKey(name));
    const spellings = Map.groupBy(wanted, ({ name }) => wideKey(name));
    // Directories first, so that the next level can begin.
    for (const entry of [...wanted.filter(isDirectory), ...wanted.filter((one) => !isDirectory(one))]) {
      if (this.#signal.aborted) break;
      if (isLeftover(entry)) continue;
      const path = joinPath(directory, entry.name);
      if (this.#isSkipped(entry.name)) {
        notePath(this.#summary.skipped, path);
        continue;
      }
      const alike = existing.get(nameKey(entry.name)) ?? [];
      const exact = alike.find(({ name }) => name === entry.name);
      const rival = spellings.get(wideKey(entry.name))?.find((other) => other !== entry);
      const clash = rival && `${path} and ${joinPath(directory, rival.name)}`;
      const found = exact ?? alike[0];
      if (entry.isReparsePoint() && entry.isDirectory()) notePath(this.#summary.linksSkipped, path);
      else if (found && isInTheWay(entry, found)) notePath(this.#summary.conflicts, path);
      else if (exact?.isDirectory()) enter({ path, entry, isNew: false });
      else if (exact) this.#summary.filesExisting += 1;
      // Another spelling is one file to most servers, two to a case-sensitive one. Only the server decides.
      else if (entry.isDirectory()) await start(() => this.#makeDirectory(path, entry, clash, enter));
      else await start(() => this.#copyFile(path, entry, clash, leftovers.pop()), path);
    }
    return making;
  }

  /** @param clash to report if the name exists already, which another name of the template then has taken */
  async #makeDirectory(
    path: string,
    entry: DirectoryEntry,
    clash: string | undefined,
    enter: EnterBelow,
  ): Promise<void> {
    const isNew = (await this.#steps.makeDirectory(path, entry)) === 'created';
    if (!isNew && clash !== undefined) return notePath(this.#summary.nameClashes, clash);
    if (isNew) {
      this.#created.add(path);
      this.#summary.directoriesCreated += 1;
      this.#onProgress();
    }
    enter({ path, entry, isNew });
  }

  /** @param leftover what a crash left in the directory; it goes with the copy */
  async #copyFile(
    path: string,
    entry: DirectoryEntry,
    clash: string | undefined,
    leftover: string | undefined,
  ): Promise<void> {
    const held = Math.min(entry.size, bytesInFlight);
    const release = await this.#bytes.acquire(this.#serverCopies ? held / serverCopyDiscount : held);
    try {
      const copied = await this.#steps.copyFile(path, entry, leftover);
      if (copied === 'link') return notePath(this.#summary.linksSkipped, path);
      const { outcome, method, streamsLost } = copied;
      if (outcome === 'existed') {
        if (clash === undefined) this.#summary.filesExisting += 1;
        else notePath(this.#summary.nameClashes, clash);
        return;
      }
      if (streamsLost) notePath(this.#summary.streamsLost, `${path} (${streamsLost.join(', ')})`);
      this.#summary.filesCreated += 1;
      this.#summary.bytesCopied += entry.size;
      if (method === 'server-side') this.#summary.filesCopiedByServer += 1;
      if (entry.size > 0) this.#serverCopies = method === 'server-side';
      this.#onProgress();
    } finally {
      release();
    }
  }

  /** @param isUsed a file that was created has taken its place, unless it is in use */
  async #endLeftover(path: string, isUsed: boolean): Promise<void> {
    const outcome = await this.#removeLeftover(path);
    if (outcome === 'in-use') this.#leftoversInUse.push(path);
    if (outcome === 'gone' && isUsed) this.#summary.leftoversRemoved += 1;
  }

  /** Tries again at the end: the server closes the files of a broken connection only after some time. */
  async #removeLeftoversInUse(): Promise<void> {
    for (const path of this.#leftoversInUse)
      if ((await this.#removeLeftover(path)) === 'in-use') notePath(this.#summary.leftoversKept, path);
  }

  async #removeLeftover(path: string) {
    const outcome = await this.#steps.removeLeftover(path);
    if (outcome === 'removed') this.#summary.leftoversRemoved += 1;
    return outcome;
  }
}

const isMissingInTemplate = (error: unknown) =>
  error instanceof CopyError && error.side === 'template' && error.cause.code === 'ENOENT';

/**
 * A digest of a listing. Of two directories with the same one, the ids decide whether they are one: that takes a request for
 * each on the way.
 */
function contentsOf(entries: readonly DirectoryEntry[]): string {
  const digest = createHash('sha256');
  for (const { name, size, writtenAt, changedAt } of entries)
    digest.update(`${name}/${size}/${writtenAt}/${changedAt}/`);
  return digest.digest('base64');
}

const isDirectory = (entry: DirectoryEntry) => entry.isDirectory();
const isLeftover = (entry: DirectoryEntry) => !entry.isDirectory() && isTemporaryName(entry.name);

/** A link at the destination could lead anywhere, even out of the share. */
const isInTheWay = (wanted: DirectoryEntry, existing: DirectoryEntry) =>
  wanted.isDirectory() !== existing.isDirectory() || (wanted.isDirectory() && existing.isReparsePoint());

/**
 * The same for names of which a server may keep only the first: a template on a case-sensitive server can have `Plan.txt`
 * and `plan.txt`, or `k` and the Kelvin sign. It is wider than any server's comparison, because it only selects the names to
 * report if the server rejects one.
 */
const wideKey = (name: string) => name.normalize('NFC').toUpperCase().toLowerCase();
