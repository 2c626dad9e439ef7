import { isFile, isSameName, pathOf, type DriveItem } from '../../document-library/drive-item.ts';
import type { Library } from '../../document-library/library.ts';
import { LibraryError } from '../../document-library/library-error.ts';
import { subfolders, type Subfolder } from '../../contract/subfolders.ts';
import type { FolderMemory, RememberedFolders } from './folder-memory.ts';
import { FolderView, mayBeHidden, subfolderIn } from './folder-view.ts';

/** Where in its project a file is. */
export interface Place {
  readonly folderName: Subfolder;
  /** Names of the folders below it, separated by `/`; empty if the file is directly in it. */
  readonly folderPath: string;
  /** Id of the folder that directly contains the file: where to look when it is gone, never where it is. */
  readonly parentId?: string | undefined;
}

/** A file as a record of it says. */
interface LastSeen extends Place {
  readonly projectId: string;
  readonly itemId: string;
}

export interface Located {
  readonly item: DriveItem;
  /** Null if the item is not, or no longer, a file of the project. */
  readonly place: Place | null;
}

/** Where a file is that left its project; `outside` also for what is no file. */
export type Elsewhere = 'other_project' | 'outside';

interface PlaceParts {
  readonly library: Library;
  readonly memory: FolderMemory;
}

// SharePoint's 400 characters of a path leave room for at most 200 folders; offices have five.
const maxDepth = 64;

/** The folders above an item, the nearest first. */
type Ancestors = readonly DriveItem[];

/**
 * Where files are, by what the library says now. A project is everything below its subfolders, which are followed by id. The
 * ids of nested folders are not remembered: a folder that is renamed or moved keeps its id, and the tags of what is in it.
 */
export class Places {
  readonly #parts: PlaceParts;

  constructor(parts: PlaceParts) {
    this.#parts = parts;
  }

  /**
   * The file of a record, and where in its project it is now. One that was last seen in a nested folder costs one request
   * more, in parallel.
   *
   * @throws LibraryError `notFound` for the file; as {@link placeOf}
   */
  async locate({ projectId, itemId, folderName, folderPath }: LastSeen): Promise<Located> {
    const { library, memory } = this.#parts;
    const subfolder = async (): Promise<DriveItem | null> => {
      const remembered = folderPath === '' ? null : await memory.find(projectId);
      const id = remembered?.subfolderIds[folderName];
      return id === undefined ? null : library.itemOrNull(id);
    };
    const [item, folder] = await Promise.all([library.item(itemId), subfolder()]);
    const below = folder && isFile(item) ? pathBelow(folder, item) : null;
    if (below === null) return { item, place: await this.placeOf(projectId, item) };
    return { item, place: { folderName, folderPath: below, parentId: item.parentReference?.id } };
  }

  /**
   * Where in a project an item is; null if it has left the project, or is no file. Costs one request for each folder
   * between the item and its subfolder, so none for an item that is directly in one.
   *
   * @param item as the library has just returned it: when a folder moves, what is in it keeps its tags
   * @throws LibraryError `denied` if one of these folders is not visible to the caller
   */
  async placeOf(projectId: string, item: DriveItem): Promise<Place | null> {
    const remembered = await this.#parts.memory.find(projectId);
    if (!remembered || !isFile(item)) return null;
    const parentId = parentIdOf(item);
    const isEnd = (id: string): boolean =>
      id === remembered.rootId || subfolderOf(remembered, id) !== undefined;
    const { ancestors, endId } = await this.#climb(item, isEnd);
    const known = subfolderOf(remembered, endId);
    if (known !== undefined) return { folderName: known, folderPath: pathAlong(ancestors), parentId };
    const top = endId === remembered.rootId ? ancestors.at(-1) : undefined;
    const folderName = top && (await this.#recreated(remembered, top));
    if (!folderName) return null;
    return { folderName, folderPath: pathAlong(ancestors.slice(0, -1)), parentId };
  }

  /** Where an item is that is not in the project of its record. */
  async elsewhere(item: DriveItem): Promise<Elsewhere> {
    if (!isFile(item)) return 'outside';
    const { ancestors } = await this.#climb(item, () => false);
    // From the drive's root down, because the root folder of a project is nearer to it than its subfolders.
    for (const { id } of ancestors.toReversed()) {
      const owner = await this.#parts.memory.ownerOf(id);
      const its = owner === null ? null : await this.#parts.memory.find(owner);
      if (its && ancestors.some((folder) => subfolderOf(its, folder.id) !== undefined))
        return 'other_project';
    }
    return 'outside';
  }

  /** The folders above an item, up to one whose id ends the climb, which is not among them, or to the drive's root. */
  async #climb(
    item: DriveItem,
    isEnd: (id: string) => boolean,
  ): Promise<{ readonly ancestors: Ancestors; readonly endId: string | undefined }> {
    const ancestors: DriveItem[] = [];
    for (let id: string | undefined = parentIdOf(item); id !== undefined;) {
      if (isEnd(id)) return { ancestors, endId: id };
      if (ancestors.length === maxDepth) throw mayBeHidden();
      const folder: DriveItem | null = await this.#parts.library.itemOrNull(id);
      if (!folder) throw mayBeHidden();
      id = folder.parentReference?.id;
      // The drive's root has no parent, and is no folder of anybody.
      if (id !== undefined) ancestors.push(folder);
    }
    return { ancestors, endId: undefined };
  }

  /** The subfolder that was deleted, and created again in the library as this folder, with another id. */
  async #recreated(remembered: RememberedFolders, folder: DriveItem): Promise<Subfolder | undefined> {
    const name = subfolders.find((each) => isSameName(each, folder.name));
    if (name === undefined) return undefined;
    const root = await FolderView.open(this.#parts.library, remembered.rootId);
    const current = await subfolderIn(this.#parts.library, root, name, remembered.subfolderIds[name]);
    return typeof current === 'object' && current.id === folder.id ? name : undefined;
  }
}

function parentIdOf({ parentReference }: DriveItem): string {
  if (parentReference?.id !== undefined) return parentReference.id;
  throw new LibraryError('other', { cause: new Error('an item without the id of its folder') });
}

const subfolderOf = ({ subfolderIds }: RememberedFolders, id: string | undefined): Subfolder | undefined =>
  id === undefined ? undefined : subfolders.find((name) => subfolderIds[name] === id);

const pathAlong = (ancestors: Ancestors): string =>
  ancestors
    .map(({ name }) => name.normalize('NFC'))
    .toReversed()
    .join('/');

/**
 * The path of the folders between a folder and an item below it. Null if their paths do not prove that it is below: the paths
 * are compared exactly, because the library sends both, and a name can differ from another one only in case or accents.
 */
function pathBelow(folder: DriveItem, item: DriveItem): string | null {
  const [above, path] = [pathOf(folder), pathOf(item)];
  if (above === undefined || path === undefined || !path.startsWith(`${above}/`)) return null;
  return path.slice(above.length + 1, -item.name.length - 1).normalize('NFC');
}
