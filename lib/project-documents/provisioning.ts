import { backoffMs, systemTiming, type RetryTiming } from '../contract/retry.ts';
import type { User } from '../callers/caller.ts';
import { isSameName, type DriveItem } from '../document-library/drive-item.ts';
import type { Library } from '../document-library/library.ts';
import { isRefusal, LibraryError, libraryProblems } from '../document-library/library-error.ts';
import { ServiceError, type ProblemCode } from '../base/service-error.ts';
import type { Project } from '../projects/project.ts';
import { isSameMemory, type FolderMemory, type RememberedFolders } from './folder-memory.ts';
import { rootFolderName } from './root-folder-name.ts';
import type { RootFolderOwners } from './root-folder-owners.ts';
import { subfolders, type Subfolder } from './subfolders.ts';

export interface ProjectFolder {
  readonly id: string;
  readonly name: string;
  /** From the drive's root, e.g. `/Projekte/4711_Brücke/01_Angebote`. */
  readonly path: string;
  readonly webUrl: string;
  /** Whether this call made it. */
  readonly created: boolean;
}

export interface ProjectFolders {
  readonly projectId: string;
  readonly root: ProjectFolder;
  /** The eight, in the order of the contract. */
  readonly folders: readonly ProjectFolder[];
}

type Found = { readonly item: DriveItem; readonly created: boolean };

export interface ProvisioningParts {
  readonly library: Library;
  readonly memory: FolderMemory;
  readonly owners: RootFolderOwners;
  /** `DOCLIB_PROJECT_ROOT_PATH` */
  readonly rootPath: string;
}

/** What any route that makes a project's folders may answer; the OpenAPI document lists it. */
export const provisioningProblems = [
  'project_not_found',
  'folder_name_taken',
  'root_folder_taken',
  ...libraryProblems,
  'library_full',
] as const satisfies readonly ProblemCode[];

const maxLooks = 6;

/**
 * Makes a project's folders, idempotently and with any number of callers at once.
 *
 * Folders are found by path, so what somebody deleted or renamed in the library is simply missing and made again;
 * nothing that exists is ever renamed. A project whose name changes keeps the folder it has: its files stay together
 * and their addresses valid, until somebody renames the folder in the library too. A root folder belongs to one project
 * (root-folder-owners.ts).
 *
 * Depth in round trips: one look, and nothing more when all is there; a look, the missing parents with the root, the
 * subfolders side by side when nothing is. ($batch would make parent and subfolders in one, but siblings made in one
 * batch have hung and collided at the real service.)
 */
export class Provisioning {
  readonly #library: Library;
  readonly #memory: FolderMemory;
  readonly #owners: RootFolderOwners;
  readonly #rootPath: readonly string[];
  readonly #timing: RetryTiming;

  constructor({ library, memory, owners, rootPath }: ProvisioningParts, timing: RetryTiming = systemTiming) {
    this.#library = library;
    this.#memory = memory;
    this.#owners = owners;
    this.#rootPath = rootPath
      .normalize('NFC')
      .split('/')
      .filter((name) => name !== '');
    this.#timing = timing;
  }

  /**
   * @throws ServiceError `folder_name_taken` when a file is in the way, `root_folder_taken` when the folder belongs to
   * another project; LibraryError, `denied` where a folder is there but hidden from this caller
   */
  async provision(user: User, project: Project): Promise<ProjectFolders> {
    const remembered = await this.#memory.find(project.id);
    const root = await this.#root(user, project, remembered);
    const found = await this.#subfolders(user, root);
    await this.#remember(project.id, remembered, root, found);
    const path = this.#pathOf(root.item.name);
    return {
      projectId: project.id,
      root: folderOf(root, path),
      folders: subfolders.map((name) => folderOf(found[name], `${path}/${found[name].item.name}`)),
    };
  }

  /**
   * Where the folders were last, for use beside {@link isStillThere}; null when they were never made, or before root
   * folders had owners.
   */
  async remembered(projectId: string): Promise<RememberedFolders | null> {
    const remembered = await this.#memory.find(projectId);
    return remembered?.isOwned === true ? remembered : null;
  }

  /** Where the folders were last; made now when they never were. */
  async folderIds(user: User, project: Project): Promise<Pick<RememberedFolders, 'subfolderIds'>> {
    const remembered = await this.remembered(project.id);
    if (remembered) return remembered;
    const { folders } = await this.provision(user, project);
    const ids = subfolders.map((name, index) => [name, folders[index]?.id ?? ''] as const);
    return { subfolderIds: Object.fromEntries(ids) as Record<Subfolder, string> };
  }

  /**
   * A project's subfolder as this caller sees it, by its path or, renamed in the library, by its id; null where the
   * caller does not see it, or it is gone.
   */
  async visibleSubfolder(user: User, projectId: string, name: Subfolder): Promise<DriveItem | null> {
    const remembered = await this.#memory.find(projectId);
    if (!remembered) return null;
    const [byPath, byId] = await Promise.all([
      this.#library.itemAt(user, [...this.#rootPath, remembered.rootName, name]),
      this.#library.itemOrNull(user, remembered.subfolderIds[name]),
    ]);
    return byPath ?? byId;
  }

  /** Whether the remembered subfolder is still where and what it was: not deleted, moved or renamed. */
  async isStillThere(
    user: User,
    { rootName, subfolderIds }: RememberedFolders,
    name: Subfolder,
  ): Promise<boolean> {
    const item = await this.#library.itemAt(user, [...this.#rootPath, rootName, name]);
    return item?.id === subfolderIds[name];
  }

  async #root(
    user: User,
    project: Project,
    remembered: RememberedFolders | null,
  ): Promise<Found & Partial<Listed>> {
    const names = await this.#ownRootNames(project, remembered);
    const [name = ''] = names;
    for (let look = 1; ; look += 1) {
      const seen = await this.#look(user, names);
      if (seen.root) return seen.root;
      const made = await this.#createRoot(user, name, seen.parents);
      if (made !== null && made !== 'exists') return { item: made, created: true, children: [], isAll: true };
      // Somebody else is making the same folders, or the library does not show them yet.
      if (look === maxLooks) throw made === 'exists' ? hidden(name) : unsettled(name);
      await this.#pause(look);
    }
  }

  /**
   * The names under which the project may have its root folder, the one that number and name lead to now first. A
   * project that was renamed to what belongs to another one keeps what it has.
   */
  async #ownRootNames(project: Project, remembered: RememberedFolders | null): Promise<readonly string[]> {
    const name = rootFolderName(project);
    const names = [...new Set([name, remembered?.rootName ?? name])];
    const owned = await Promise.all(names.map((each) => this.#owners.claim(project.id, each)));
    const own = names.filter((_, index) => owned[index]);
    if (own.length === 0) throw rootFolderTaken(name);
    return own;
  }

  #pause(look: number): Promise<void> {
    const { clock, random } = this.#timing;
    return clock.wait(backoffMs({ failures: look, baseMs: 200, jitter: 'equal' }, random()));
  }

  /** Everything one look can tell, side by side. */
  async #look(user: User, names: readonly string[]): Promise<Seen> {
    const parentPaths = this.#rootPath.map((_, index) => this.#rootPath.slice(0, index + 1));
    const looksAtRoot = Promise.all(names.map((each) => this.#lookAtRoot(user, each)));
    // Below a file the library may refuse what it is asked about the root: the parents are judged first.
    looksAtRoot.catch(() => undefined);
    const parents = await Promise.all(parentPaths.map((path) => this.#library.itemAt(user, path)));
    for (const [index, parent] of parents.entries())
      requireFolder(parent, this.#rootPath.slice(0, index + 1));
    const roots = await looksAtRoot;
    return { root: roots.find((root) => root !== null) ?? null, parents };
  }

  async #lookAtRoot(user: User, name: string): Promise<(Found & Listed) | null> {
    const path = [...this.#rootPath, name];
    const listing = this.#library.childrenAt(user, path);
    // Listing a file is refused as a bad request; what the item is tells the caller more.
    listing.catch(() => undefined);
    const item = await this.#library.itemAt(user, path);
    requireFolder(item, path);
    const listed = await listing;
    if (!item) return null;
    return { item, created: false, children: listed?.items ?? [], isAll: listed?.isAll ?? false };
  }

  /** `exists` when it is there by now, null when a parent is not visible yet. */
  async #createRoot(
    user: User,
    name: string,
    parents: Seen['parents'],
  ): Promise<DriveItem | 'exists' | null> {
    const firstMissing = parents.indexOf(null);
    if (firstMissing !== -1) {
      const chain = [...this.#rootPath.slice(firstMissing), name];
      return this.#library.createFolderChain(user, this.#rootPath.slice(0, firstMissing), chain);
    }
    try {
      return await this.#library.createFolder(user, parents.at(-1)?.id ?? 'root', name);
    } catch (error) {
      if (isRefusal(error, 'nameExists')) return 'exists';
      if (isRefusal(error, 'notFound', 'changed')) return null;
      throw error;
    }
  }

  async #subfolders(user: User, root: Found & Partial<Listed>): Promise<Record<Subfolder, Found>> {
    const children = root.children ?? [];
    const seen = root.isAll ? children : await this.#allChildren(user, root.item.id);
    const found = await Promise.all(
      subfolders.map(async (name): Promise<[Subfolder, Found]> => {
        const item = seen.find((child) => isSameName(child.name, name));
        if (!item) return [name, await this.#createSubfolder(user, root.item, name)];
        requireFolder(item, [...this.#rootPath, root.item.name, name]);
        return [name, { item, created: false }];
      }),
    );
    return Object.fromEntries(found) as Record<Subfolder, Found>;
  }

  async #allChildren(user: User, rootId: string): Promise<readonly DriveItem[]> {
    const missing = new Set<string>(subfolders);
    const found: DriveItem[] = [];
    for await (const child of this.#library.childrenOf(user, rootId)) {
      const name = subfolders.find((subfolder) => isSameName(subfolder, child.name));
      if (name === undefined) continue;
      found.push(child);
      missing.delete(name);
      if (missing.size === 0) break;
    }
    return found;
  }

  async #createSubfolder(user: User, root: DriveItem, name: Subfolder): Promise<Found> {
    for (let look = 1; ; look += 1) {
      try {
        return { item: await this.#library.createFolder(user, root.id, name), created: true };
      } catch (error) {
        if (!isRefusal(error, 'nameExists', 'notFound', 'changed')) throw error;
        const item = error.reason === 'nameExists' ? await this.#library.childOf(user, root.id, name) : null;
        requireFolder(item, [...this.#rootPath, root.name, name]);
        if (item) return { item, created: false };
        if (look === maxLooks) throw error.reason === 'nameExists' ? hidden(name) : error;
      }
      await this.#pause(look);
    }
  }

  async #remember(
    projectId: string,
    old: RememberedFolders | null,
    root: Found,
    found: Record<Subfolder, Found>,
  ): Promise<void> {
    const ids = subfolders.map((name) => [name, found[name].item.id] as const);
    const memory: RememberedFolders = {
      rootName: root.item.name,
      rootId: root.item.id,
      subfolderIds: Object.fromEntries(ids) as Record<Subfolder, string>,
      isOwned: true,
    };
    if (!isSameMemory(old, memory)) await this.#memory.remember(projectId, memory);
  }

  #pathOf(rootName: string): string {
    return `/${[...this.#rootPath, rootName].join('/')}`;
  }
}

interface Listed {
  readonly children: readonly DriveItem[];
  readonly isAll: boolean;
}

interface Seen {
  readonly root: (Found & Listed) | null;
  readonly parents: readonly (DriveItem | null)[];
}

/** The library says that the name exists, look after look, and does not show it: this caller has no rights on it. */
const hidden = (name: string): LibraryError =>
  new LibraryError('denied', { cause: new Error(`the folder ${name} exists, but is not visible`) });

const unsettled = (name: string): LibraryError =>
  new LibraryError('busy', { cause: new Error(`${name} does not settle`) });

const rootFolderTaken = (name: string): ServiceError =>
  new ServiceError('root_folder_taken', {
    detail: `The root folder ${name} belongs to another project; give this project another number or name.`,
  });

function requireFolder(item: DriveItem | null, path: readonly string[]): void {
  if (item === null || item.folder !== undefined) return;
  throw new ServiceError('folder_name_taken', {
    detail: `A file is in the way of the folder /${path.join('/')}; rename or move it in the library.`,
  });
}

const folderOf = ({ item, created }: Found, path: string): ProjectFolder => ({
  id: item.id,
  name: item.name,
  path,
  webUrl: item.webUrl ?? '',
  created,
});
