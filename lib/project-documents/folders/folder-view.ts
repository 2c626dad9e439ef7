import { isFolder, isSameName, type DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError, LibraryError } from '../../document-library/library-error.ts';
import type { Library } from '../../document-library/library.ts';
import type { Subfolder } from '../../contract/subfolders.ts';

/**
 * What one caller sees of a folder. `folder.childCount` is stored with the folder and not recounted for the caller (A5), so
 * a folder with more children than the caller sees hides something. Equal numbers prove nothing, because a library may trim
 * the number.
 */
export class FolderView {
  readonly item: DriveItem;
  readonly children: ReadonlyMap<string, DriveItem>;
  readonly #library: Library;
  #hidesSome: Promise<boolean> | undefined;

  private constructor(library: Library, item: DriveItem, children: ReadonlyMap<string, DriveItem>) {
    this.item = item;
    this.children = children;
    this.#library = library;
  }

  /** @returns null if the folder is not visible to the caller */
  static async open(library: Library, folderId: string): Promise<FolderView | null> {
    const [item, children] = await Promise.all([
      library.itemOrNull(folderId),
      visibleChildren(library, folderId),
    ]);
    return item && children && new FolderView(library, item, children);
  }

  /** Whether the folder has children that the caller does not see. Costs one request. */
  hidesSome(): Promise<boolean> {
    return (this.#hidesSome ??= this.#compare());
  }

  async #compare(): Promise<boolean> {
    // Read before and after the children: a child that is added or removed in between cannot stand in for a hidden one.
    const after = await this.#library.itemOrNull(this.item.id);
    const count = Math.max(this.item.folder?.childCount ?? 0, after?.folder?.childCount ?? 0);
    return after === null || count > this.children.size;
  }
}

export type Absence = 'hidden' | 'missing';

/**
 * A subfolder of a root: the one with its last known id, wherever it is; if that is gone, the one that has its name. It
 * counts as hidden if the one with the id may be.
 */
export async function subfolderIn(
  library: Library,
  root: FolderView | null,
  name: Subfolder,
  id: string | undefined,
): Promise<DriveItem | Absence> {
  if (id !== undefined) {
    const child = root?.children.get(id);
    if (child) return child;
    const [item, isHidden] = await Promise.all([library.itemOrNull(id), root?.hidesSome()]);
    if (item) return item;
    if (isHidden) return 'hidden';
  }
  return [...(root?.children.values() ?? [])].find((child) => isSameName(child.name, name)) ?? 'missing';
}

/** Why the caller does not see an item below this path: its nearest visible folder hides something, or does not. */
export async function absenceBelow(library: Library, path: readonly string[]): Promise<Absence> {
  let parent: DriveItem | null;
  try {
    parent = path.length === 0 ? await library.item('root') : await library.itemAt(path);
  } catch (error) {
    if (isLibraryError(error, 'denied', 'policy', 'notFound')) return 'hidden';
    throw error;
  }
  if (!parent) return absenceBelow(library, path.slice(0, -1));
  const view = await FolderView.open(library, parent.id);
  return !view || (await view.hidesSome()) ? 'hidden' : 'missing';
}

/** The children of a folder by id; null if the folder is not visible to the caller. */
export async function visibleChildren(
  library: Pick<Library, 'childPagesOf'>,
  folderId: string,
): Promise<ReadonlyMap<string, DriveItem> | null> {
  const children = new Map<string, DriveItem>();
  try {
    for await (const page of library.childPagesOf(folderId)) {
      for (const child of page) children.set(child.id, child);
    }
    return children;
  } catch (error) {
    if (isLibraryError(error, 'notFound')) return null;
    throw error;
  }
}

/**
 * Verifies that an item for which the library returned 404 is gone for everyone: the caller sees its folder with all
 * children, and it is not among them.
 *
 * @throws LibraryError `denied` if it may be hidden from the caller, `busy` if the folder contains it after all
 */
export async function requireGone(library: Library, folderId: string, itemId: string): Promise<void> {
  const view = await FolderView.open(library, folderId);
  if (view?.children.has(itemId)) {
    throw new LibraryError('busy', { cause: new Error('the library lost and found an item') });
  }
  if (!view || (await view.hidesSome())) throw mayBeHidden();
}

export const mayBeHidden = (): LibraryError =>
  new LibraryError('denied', {
    detail:
      'You do not see the folder, or not everything in it: the item may be hidden from you, so nothing was changed. GET /api/v1/documents/projects/{projectId}/access says what you see.',
  });

/**
 * Verifies that a file is gone for everyone that was last seen below the folder `topId`: the folder that contained it, or if
 * that is gone, the nearest one of its path that is still there, hides nothing from the caller and does not contain it.
 *
 * @throws as {@link requireGone}
 */
export async function requireGoneBelow(
  library: Library,
  topId: string,
  { itemId, parentId = topId, folderPath }: LostFile,
): Promise<void> {
  const isThere = folderPath === '' || (parentId !== topId && (await library.itemOrNull(parentId)) !== null);
  if (isThere) return requireGone(library, folderPath === '' ? topId : parentId, itemId);
  let nearestId = topId;
  for (const name of folderPath.split('/')) {
    const children = await visibleChildren(library, nearestId);
    const next = children?.values().find((child) => isFolder(child) && isSameName(child.name, name));
    if (!next) break;
    nearestId = next.id;
  }
  return requireGone(library, nearestId, itemId);
}

interface LostFile {
  readonly itemId: string;
  readonly parentId?: string | undefined;
  readonly folderPath: string;
}
