import { inSlices } from '../../base/slices.ts';
import { isFolder, type DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { Library } from '../../document-library/library.ts';
import { visibleChildren } from './folder-view.ts';

/** A folder with what the caller sees in it. */
export interface TreeFolder {
  readonly id: string;
  /** Of the folders below the subfolder, separated by `/`, in NFC; empty for the subfolder itself. */
  readonly path: string;
  readonly children: ReadonlyMap<string, DriveItem>;
  /** The number of children that the library stores with it (drive rule A5); 0 if unknown. */
  readonly storedCount: number;
}

/** Everything that the caller sees below a subfolder. */
export interface FolderTree {
  readonly top: TreeFolder;
  /** By id, with the top. */
  readonly folders: ReadonlyMap<string, TreeFolder>;
  /** Whether each folder in it was read: none was hidden, and there are not too many. */
  readonly isRead: boolean;
}

// Of all trees together: at 8 in parallel and 0.1 s each, they take half a minute. Gateways end a request after 230 s.
const maxFolders = 2_000;
// Of all trees together: SharePoint throttles a user who opens more.
const parallelReads = 8;

interface Unread {
  readonly tree: GrowingTree;
  readonly item: DriveItem;
  readonly path: string;
}

interface GrowingTree {
  readonly top: TreeFolder;
  readonly folders: Map<string, TreeFolder>;
  isRead: boolean;
}

/**
 * Reads what is below subfolders whose children have been read, level by level: one request for each folder and page.
 *
 * By children and not by `delta`, which has no path and no cTag, does not return what is in a renamed folder, and processes
 * rights only with full control: it cannot witness that something is gone (drive rule A14).
 *
 * @param onRead called after each folder with the number of those that were read
 * @returns in the order of the tops
 */
export async function readTrees(
  library: Pick<Library, 'childPagesOf'>,
  tops: readonly TreeFolder[],
  onRead: (count: number) => Promise<void>,
): Promise<readonly FolderTree[]> {
  const trees = tops.map((top): GrowingTree => ({ top, folders: new Map([[top.id, top]]), isRead: true }));
  // A folder that is moved while they are read could be met again.
  const met = new Set(tops.map(({ id }) => id));
  let count = 0;
  let level = trees.flatMap((tree) => foldersIn(tree, tree.top));
  while (level.length > 0) {
    const unmet = level.filter(({ item }) => !met.has(item.id));
    const read = unmet.slice(0, maxFolders - met.size);
    for (const { tree } of unmet.slice(read.length)) tree.isRead = false;
    for (const { item } of read) met.add(item.id);
    const below = await inSlices(read, parallelReads, async (unread) => {
      const folder = await readFolder(library, unread);
      count += 1;
      await onRead(count);
      return folder ? foldersIn(unread.tree, folder) : [];
    });
    level = below.flat();
  }
  return trees;
}

const foldersIn = (tree: GrowingTree, { path, children }: TreeFolder): readonly Unread[] =>
  [...children.values()].filter(isFolder).map((item) => ({
    tree,
    item,
    path: (path === '' ? item.name : `${path}/${item.name}`).normalize('NFC'),
  }));

async function readFolder(
  library: Pick<Library, 'childPagesOf'>,
  { tree, item, path }: Unread,
): Promise<TreeFolder | null> {
  const children = await visibleChildren(library, item.id).catch((error: unknown) => {
    if (isLibraryError(error, 'denied', 'policy')) return null;
    throw error;
  });
  if (!children) {
    tree.isRead = false;
    return null;
  }
  const folder = { id: item.id, path, children, storedCount: item.folder?.childCount ?? 0 };
  tree.folders.set(folder.id, folder);
  return folder;
}

/** The folder of a tree that contained a file, or if it is gone, the nearest one of the file's path that is still there. */
export function nearestFolder(
  { folders, top }: FolderTree,
  { parentId, folderPath }: { readonly parentId?: string | undefined; readonly folderPath: string },
): TreeFolder {
  const own = parentId === undefined ? undefined : folders.get(parentId);
  if (own) return own;
  const byPath = new Map([...folders.values()].map((folder) => [folder.path, folder]));
  for (let path = folderPath; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    const folder = byPath.get(path);
    if (folder) return folder;
  }
  return top;
}
