import { backoffMs, systemTiming, type RetryTiming } from '../contract/retry.ts';
import type { User } from '../callers/caller.ts';
import { isSameName, type DriveItem } from '../document-library/drive-item.ts';
import type { Library } from '../document-library/library.ts';
import { isLibraryError, LibraryError, libraryProblems } from '../document-library/library-error.ts';
import { ServiceError, type ProblemCode } from '../base/service-error.ts';
import type { Project } from '../projects/project.ts';
import { isSameMemory, type FolderMemory, type RememberedFolders } from './folder-memory.ts';
import { rootFolderName } from './root-folder-name.ts';
import type { RootFolderOwners } from './root-folder-owners.ts';
import { subfolders, type Subfolder } from './subfolders.ts';

export interface ProjectFolder {
  readonly id: string;
  readonly name: string;
  /** Path from the drive's root, e.g. `/Projekte/4711_Brücke/01_Angebote`. */
  readonly path: string;
  readonly webUrl: string;
  /** Whether this call created it. */
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

/** Problems of any route that creates a project's folders; the OpenAPI document lists them. */
export const provisioningProblems = [
  'project_not_found',
  'folder_name_taken',
  'root_folder_taken',
  ...libraryProblems,
  'library_full',
] as const satisfies readonly ProblemCode[];

const maxAttempts = 6;

/**
 * Creates a project's folders, idempotently and with any number of concurrent callers.
 *
 * Folders are found by path, so one that was deleted or renamed in the library is missing and is created again; nothing
 * that exists is ever renamed. A project whose name changes keeps its folder, so its files remain together and their
 * addresses valid, until the folder is renamed in the library too. A root folder belongs to one project
 * (root-folder-owners.ts).
 *
 * Sequential round trips: one check if all folders exist; if none does, the check, the missing parents with the root,
 * then the subfolders in parallel. ($batch could create parent and subfolders in one request, but siblings created in
 * one batch have hung and collided at the real service.)
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
   * @throws ServiceError `folder_name_taken` when a file has the name of a folder, `root_folder_taken` when the folder
   * belongs to another project; LibraryError, `denied` if a folder exists but is hidden from this caller
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
   * The last known folders, for use together with {@link isStillThere}; null if they were never created, or were created
   * before root folders had owners.
   */
  async remembered(projectId: string): Promise<RememberedFolders | null> {
    const remembered = await this.#memory.find(projectId);
    return remembered?.isOwned === true ? remembered : null;
  }

  /** The last known folders; creates them if there are none. */
  async folderIds(user: User, project: Project): Promise<Pick<RememberedFolders, 'subfolderIds'>> {
    const remembered = await this.remembered(project.id);
    if (remembered) return remembered;
    const { folders } = await this.provision(user, project);
    const ids = subfolders.map((name, index) => [name, folders[index]?.id ?? ''] as const);
    return { subfolderIds: Object.fromEntries(ids) as Record<Subfolder, string> };
  }

  /**
   * A project's subfolder as visible to this caller, by its path or, if renamed in the library, by its id; null if it is
   * not visible to the caller or does not exist.
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

  /** Whether the remembered subfolder is unchanged: not deleted, moved, or renamed. */
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
    for (let attempt = 1; ; attempt += 1) {
      const seen = await this.#check(user, names);
      if (seen.root) return seen.root;
      const made = await this.#createRoot(user, name, seen.parents);
      if (made !== null && made !== 'exists') return { item: made, created: true, children: [], isAll: true };
      // Another request is creating the same folders, or they are not visible yet.
      if (attempt === maxAttempts) throw made === 'exists' ? hidden(name) : unsettled(name);
      await this.#pause(attempt);
    }
  }

  /**
   * The possible names of the project's root folder, with the one for its current number and name first. A project that
   * was renamed to a name that another project owns keeps its folder.
   */
  async #ownRootNames(project: Project, remembered: RememberedFolders | null): Promise<readonly string[]> {
    const name = rootFolderName(project);
    const names = [...new Set([name, remembered?.rootName ?? name])];
    const owned = await Promise.all(names.map((each) => this.#owners.claim(project.id, each)));
    const own = names.filter((_, index) => owned[index]);
    if (own.length === 0) throw rootFolderTaken(name);
    return own;
  }

  #pause(attempt: number): Promise<void> {
    const { clock, random } = this.#timing;
    return clock.wait(backoffMs({ failures: attempt, baseMs: 200, jitter: 'equal' }, random()));
  }

  /** Checks all folders in parallel. */
  async #check(user: User, names: readonly string[]): Promise<Seen> {
    const parentPaths = this.#rootPath.map((_, index) => this.#rootPath.slice(0, index + 1));
    const rootChecks = Promise.all(names.map((each) => this.#checkRoot(user, each)));
    // If a parent is a file, the library may reject the request for the root, so the parents are checked first.
    rootChecks.catch(() => undefined);
    const parents = await Promise.all(parentPaths.map((path) => this.#library.itemAt(user, path)));
    for (const [index, parent] of parents.entries())
      requireFolder(parent, this.#rootPath.slice(0, index + 1));
    const roots = await rootChecks;
    return { root: roots.find((root) => root !== null) ?? null, parents };
  }

  async #checkRoot(user: User, name: string): Promise<(Found & Listed) | null> {
    const path = [...this.#rootPath, name];
    const listing = this.#library.childrenAt(user, path);
    // Listing a file is rejected as a bad request; the item itself is more informative.
    listing.catch(() => undefined);
    const item = await this.#library.itemAt(user, path);
    requireFolder(item, path);
    const listed = await listing;
    if (!item) return null;
    return { item, created: false, children: listed?.items ?? [], isAll: listed?.isAll ?? false };
  }

  /** `exists` if the folder exists already; null if a parent is not visible yet. */
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
      if (isLibraryError(error, 'nameExists')) return 'exists';
      if (isLibraryError(error, 'notFound', 'changed')) return null;
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
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { item: await this.#library.createFolder(user, root.id, name), created: true };
      } catch (error) {
        if (!isLibraryError(error, 'nameExists', 'notFound', 'changed')) throw error;
        const item = error.reason === 'nameExists' ? await this.#library.childOf(user, root.id, name) : null;
        requireFolder(item, [...this.#rootPath, root.name, name]);
        if (item) return { item, created: false };
        if (attempt === maxAttempts) throw error.reason === 'nameExists' ? hidden(name) : error;
      }
      await this.#pause(attempt);
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

/** The library repeatedly reports that the name exists, but not the item: this caller has no permission on it. */
const hidden = (name: string): LibraryError =>
  new LibraryError('denied', { cause: new Error(`the folder ${name} exists, but is not visible`) });

const unsettled = (name: string): LibraryError =>
  new LibraryError('busy', { cause: new Error(`the library keeps reporting different states of ${name}`) });

const rootFolderTaken = (name: string): ServiceError =>
  new ServiceError('root_folder_taken', {
    detail: `The root folder ${name} belongs to another project; give this project another number or name.`,
  });

function requireFolder(item: DriveItem | null, path: readonly string[]): void {
  if (item === null || item.folder !== undefined) return;
  throw new ServiceError('folder_name_taken', {
    detail: `A file has the name of the folder /${path.join('/')}; rename or move it in the library.`,
  });
}

const folderOf = ({ item, created }: Found, path: string): ProjectFolder => ({
  id: item.id,
  name: item.name,
  path,
  webUrl: item.webUrl ?? '',
  created,
});
