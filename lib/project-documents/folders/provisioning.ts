import { isDeepStrictEqual } from 'node:util';
import { pause } from '../../contract/retry.ts';
import { isSameName, pathOf, type DriveItem } from '../../document-library/drive-item.ts';
import type { Library } from '../../document-library/library.ts';
import { isLibraryError, LibraryError, libraryProblems } from '../../document-library/library-error.ts';
import { ServiceError, type ProblemCode } from '../../base/service-error.ts';
import type { Project } from '../../projects/project.ts';
import { FolderView, mayBeHidden, requireGone } from './folder-view.ts';
import type { ProjectFolder, ProjectFolders } from './project-folders.ts';
import type { FolderMemory, RememberedFolders } from './folder-memory.ts';
import { rootFolderName } from './root-folder-name.ts';
import type { RootFolderOwners } from './root-folder-owners.ts';
import { subfolders, type Subfolder } from '../../contract/subfolders.ts';

interface Found {
  readonly item: DriveItem;
  readonly created: boolean;
}

interface FoundSubfolder extends Found {
  readonly name: Subfolder;
}

interface Root extends Found {
  readonly view: FolderView | null;
  /** The ids of the subfolders as of the last provision, if the root is the same. */
  readonly known?: RememberedFolders['subfolderIds'];
}

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
 * The folders of a project are followed by their ids; one is created again only when it is gone (folder-view.ts). A project
 * without folders gets those that exist under its name, unless they belong to another project (root-folder-owners.ts).
 *
 * Sequential round trips: one check if all folders exist; if none does, the check, the missing parents with the root,
 * then the subfolders in parallel. ($batch could create parent and subfolders in one request, but siblings created in
 * one batch have hung and collided at the real service.)
 */
export class Provisioning {
  readonly #parts: ProvisioningParts;
  readonly #rootPath: readonly string[];

  constructor(parts: ProvisioningParts) {
    this.#parts = parts;
    this.#rootPath = parts.rootPath
      .normalize('NFC')
      .split('/')
      .filter((name) => name !== '');
  }

  /**
   * @throws ServiceError `folder_name_taken` when a file has the name of a folder, `root_folder_taken` when the folder
   * belongs to another project; LibraryError, `denied` if a folder exists but is hidden from this caller
   */
  async provision(project: Project): Promise<ProjectFolders> {
    const { root, found } = await this.#provisioned(project);
    const expectedName = rootFolderName(project);
    const rootPath = pathOf(root.item) ?? `/${[...this.#rootPath, root.item.name].join('/')}`;
    return {
      projectId: project.id,
      ...(!isSameName(expectedName, root.item.name) && { renamedSince: { expectedName } }),
      root: folderOf(root, rootPath),
      folders: found.map((each) => folderOf(each, pathOf(each.item) ?? `${rootPath}/${each.item.name}`)),
    };
  }

  /** The ids as of the last provision; provisions if there was none. */
  async folderIds(project: Project): Promise<RememberedFolders> {
    return (await this.remembered(project.id)) ?? (await this.#provisioned(project)).ids;
  }

  /** Where a new root folder would be. */
  rootPathOf(project: Project): readonly string[] {
    return [...this.#rootPath, rootFolderName(project)];
  }

  /** The folders as of the last provision; null if there was none. */
  remembered(projectId: string): Promise<RememberedFolders | null> {
    return this.#parts.memory.find(projectId);
  }

  /**
   * The id of a project's subfolder that is visible to this caller: the last known one, or, if that is gone, the one that
   * has its name in the root folder; null if the caller sees neither.
   */
  async visibleSubfolder(projectId: string, name: Subfolder): Promise<string | null> {
    const remembered = await this.#parts.memory.find(projectId);
    if (!remembered) return null;
    const id = remembered.subfolderIds[name];
    if (await this.#parts.library.itemOrNull(id)) return id;
    const root = await FolderView.open(this.#parts.library, remembered.rootId);
    if (!root || root.children.has(id) || (await root.hidesSome())) return null;
    return childNamed(root, name)?.id ?? null;
  }

  async #provisioned(project: Project) {
    const remembered = await this.remembered(project.id);
    const root = (remembered && (await this.#followed(remembered))) ?? (await this.#rootByName(project));
    const found = await this.#subfolders(root);
    const byName = found.map(({ name, item }) => [name, item.id] as const);
    const subfolderIds = Object.fromEntries(byName) as RememberedFolders['subfolderIds'];
    const webUrls = {
      root: { webUrl: root.item.webUrl ?? '' },
      folders: found.map(({ name, item }) => ({ name, webUrl: item.webUrl ?? '' })),
    };
    const ids = { rootId: root.item.id, subfolderIds, webUrls };
    if (!isDeepStrictEqual(remembered, ids)) await this.#parts.memory.remember(project.id, ids);
    return { root, found, ids };
  }

  /** The root folder of the last provision, wherever it is now; null if it is gone. */
  async #followed({ rootId, subfolderIds: known }: RememberedFolders): Promise<Root | null> {
    const view = await FolderView.open(this.#parts.library, rootId);
    if (view) return { item: view.item, created: false, view, known };
    const isInDrive = this.#rootPath.length === 0;
    const parentId = isInDrive ? 'root' : (await this.#parts.library.itemAt(this.#rootPath))?.id;
    // Without the parent, creating it shows whether it is gone or hidden.
    if (parentId !== undefined) await requireGone(this.#parts.library, parentId, rootId);
    return null;
  }

  async #rootByName(project: Project): Promise<Root> {
    const name = rootFolderName(project);
    for (let attempt = 1; ; attempt += 1) {
      const { root, parents } = await this.#check(name);
      const made = root ?? (await this.#createRoot(name, parents));
      if (made !== null && made !== 'exists') {
        if (!(await this.#parts.owners.claim(project.id, made.id))) throw rootFolderTaken(name);
        const view = root && (await FolderView.open(this.#parts.library, root.id));
        return { item: made, created: !root, view };
      }
      // Another request is creating the same folders, or they are not visible yet.
      if (attempt === maxAttempts) throw made === 'exists' ? hidden(name) : unsettled(name);
      await pause(attempt, 200);
    }
  }

  /** Checks the root and its parents in parallel. */
  async #check(name: string): Promise<{ root: DriveItem | null; parents: readonly (DriveItem | null)[] }> {
    const path = [...this.#rootPath, name];
    const checks = path.map((_, index) => this.#parts.library.itemAt(path.slice(0, index + 1)));
    // If a parent is a file, the library may reject the requests for what is below it, so they are awaited in order.
    for (const each of checks) each.catch(() => undefined);
    const items: (DriveItem | null)[] = [];
    for (const [index, each] of checks.entries()) {
      const item = await each;
      requireFolder(item, path.slice(0, index + 1));
      items.push(item);
    }
    return { root: items.at(-1) ?? null, parents: items.slice(0, -1) };
  }

  /** `exists` if the folder exists already; null if a parent is not visible yet. */
  async #createRoot(
    name: string,
    parents: readonly (DriveItem | null)[],
  ): Promise<DriveItem | 'exists' | null> {
    const firstMissing = parents.indexOf(null);
    if (firstMissing !== -1) {
      const chain = [...this.#rootPath.slice(firstMissing), name];
      return this.#parts.library.createFolderChain(this.#rootPath.slice(0, firstMissing), chain);
    }
    try {
      return await this.#parts.library.createFolder(parents.at(-1)?.id ?? 'root', name);
    } catch (error) {
      if (isLibraryError(error, 'nameExists')) return 'exists';
      if (isLibraryError(error, 'notFound', 'changed')) return null;
      throw error;
    }
  }

  async #subfolders(root: Root): Promise<readonly FoundSubfolder[]> {
    const { view, known } = root;
    // Once for all of them.
    const hidesSome = subfolders.some((name) => known && !view?.children.has(known[name]))
      ? view?.hidesSome()
      : undefined;
    hidesSome?.catch(() => undefined);
    const found = await Promise.all(
      subfolders.map(async (name): Promise<FoundSubfolder> => {
        const id = known?.[name];
        if (id !== undefined) {
          // Perhaps moved out of the root.
          const item = view?.children.get(id) ?? (await this.#parts.library.itemOrNull(id));
          if (item) return { name, item, created: false };
          if (await hidesSome) throw mayBeHidden();
        }
        const item = view && childNamed(view, name);
        if (!item) return { name, ...(await this.#createSubfolder(root.item, name)) };
        requireFolder(item, [...this.#rootPath, root.item.name, name]);
        return { name, item, created: false };
      }),
    );
    requireDifferent(found);
    return found;
  }

  async #createSubfolder(root: DriveItem, name: Subfolder): Promise<Found> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { item: await this.#parts.library.createFolder(root.id, name), created: true };
      } catch (error) {
        if (!isLibraryError(error, 'nameExists', 'notFound', 'changed')) throw error;
        const item = error.reason === 'nameExists' ? await this.#parts.library.childOf(root.id, name) : null;
        requireFolder(item, [...this.#rootPath, root.name, name]);
        if (item) return { item, created: false };
        if (attempt === maxAttempts) throw error.reason === 'nameExists' ? hidden(name) : error;
      }
      await pause(attempt, 200);
    }
  }
}

const childNamed = ({ children }: FolderView, name: string): DriveItem | undefined =>
  [...children.values()].find((child) => isSameName(child.name, name));

/** The library repeatedly reports that the name exists, but not the item: this caller has no permission on it. */
const hidden = (name: string): LibraryError =>
  new LibraryError('denied', { cause: new Error(`the folder ${name} exists, but is not visible`) });

const unsettled = (name: string): LibraryError =>
  new LibraryError('busy', { cause: new Error(`the library keeps reporting different states of ${name}`) });

const rootFolderTaken = (name: string): ServiceError =>
  new ServiceError('root_folder_taken', {
    params: { name },
    detail: `The root folder ${name} belongs to another project; give this project another number or name.`,
  });

function requireFolder(item: DriveItem | null, path: readonly string[]): void {
  if (item === null || item.folder !== undefined) return;
  throw new ServiceError('folder_name_taken', {
    params: { name: path.at(-1) ?? '' },
    detail: `A file has the name of the folder /${path.join('/')}; rename or move it in the library.`,
  });
}

/** One subfolder was deleted, and another has its name. */
function requireDifferent(found: readonly FoundSubfolder[]): void {
  for (const { name, item } of found) {
    const other = found.find((each) => each.name !== name && each.item.id === item.id);
    if (!other || !isSameName(item.name, name)) continue;
    throw new ServiceError('folder_name_taken', {
      params: { name: item.name },
      detail: `The folder ${other.name} was renamed to ${item.name}, the name of another folder; rename it in the library.`,
    });
  }
}

const folderOf = ({ item, created }: Found, path: string): ProjectFolder => ({
  id: item.id,
  name: item.name,
  path,
  webUrl: item.webUrl ?? '',
  created,
});
