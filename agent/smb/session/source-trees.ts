import type { PendingCloses } from './pending-closes.ts';
import type { Tree, Trees } from './tree.ts';

/**
 * Files opened on one tree before it is disconnected; together with the two trees this bounds the number of open
 * files.
 */
const filesPerTree = 128;
const treesPerShare = 2;
/** A tree that has not been used for this long is disconnected. */
const patienceMs = 100;

interface SourceTree {
  readonly share: string;
  readonly tree: Promise<Tree>;
  opened: number;
  inUse: number;
  timer: NodeJS.Timeout | undefined;
}

/** Permission to open one file on a tree that closes it. */
interface SourceLease {
  readonly tree: Promise<Tree>;
  /** The file is no longer needed. */
  end(): void;
}

/**
 * Separate trees for files that are only read, in a mode that shares everything. One TREE_DISCONNECT closes 128 of
 * them, which saves each the 220 bytes of its CLOSE. A file remains open while others are copied, so the number is
 * bounded: when two trees of a share are full and still in use, `lease` returns undefined, and the file is opened and
 * closed one by one.
 */
export class SourceTrees {
  readonly #trees: Trees;
  readonly #closes: PendingCloses;
  #open: SourceTree[] = [];
  #rejected = false;

  constructor(trees: Trees, closes: PendingCloses) {
    this.#trees = trees;
    this.#closes = closes;
  }

  lease(share: string): SourceLease | undefined {
    const ofShare = this.#open.filter((tree) => tree.share === share);
    const source =
      ofShare.find(({ opened }) => opened < filesPerTree) ?? this.#another(share, ofShare.length);
    if (source === undefined) return undefined;
    clearTimeout(source.timer);
    source.opened += 1;
    source.inUse += 1;
    return { tree: source.tree, end: () => this.#ended(source) };
  }

  /** Closes the files that are no longer needed without waiting for more of them. */
  endUnused(): void {
    for (const source of this.#open) {
      if (source.inUse > 0) continue;
      clearTimeout(source.timer);
      this.#disconnect(source);
    }
  }

  #another(share: string, present: number): SourceTree | undefined {
    if (this.#rejected || present === treesPerShare) return undefined;
    const tree = this.#trees.connect(share);
    const source = { share, tree, opened: 0, inUse: 0, timer: undefined };
    this.#open.push(source);
    // A share may be limited to a number of connections.
    tree.catch(() => (this.#rejected = true));
    return source;
  }

  #ended(source: SourceTree): void {
    source.inUse -= 1;
    if (source.inUse > 0) return;
    if (source.opened === filesPerTree) this.#disconnect(source);
    else source.timer = setTimeout(() => this.#disconnect(source), patienceMs).unref();
  }

  #disconnect(source: SourceTree): void {
    this.#open = this.#open.filter((tree) => tree !== source);
    void this.#closes.add(source.tree.then((tree) => this.#trees.disconnect(tree)));
  }
}
