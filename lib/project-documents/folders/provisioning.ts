import { isDeepStrictEqual } from 'node:util';
import { pause } from '../../contract/retry.ts';
import { isSameName, pathOf, type DriveItem } from '../../document-library/drive-item.ts';
import type { Library } from '../../document-library/library.ts';
import { isLibraryError, LibraryError, libraryProblems } from '../../document-library/library-error.ts';
import { ServiceError, type ProblemCode } from '../../base/service-error.ts';
import type { Project } from '../../projects/project.ts';
import {
  absenceBelow,
  FolderView,
  mayBeHidden,
  requireGone,
  subfolderIn,
  type Absence,
} from './folder-view.ts';
import type { ProjectFolder, ProjectFolders } from './project-folders.ts';
import {
  isProvisioned,
  type FolderMemory,
  type ProvisionedFolders,
  type RememberedFolders,
} from './folder-memory.ts';
import { namesIn } from './folder-path.ts';
import { rootFolderName } from './root-folder-name.ts';
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
  /** Whether a project still needs its folders: it exists, or has documents. */
  readonly needsFolders: (projectId: string) => Promise<boolean>;
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
 * without folders gets those that exist under its name, unless they belong to another project (folder-memory.ts).
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
    const { root, found } = await this.#ensureFolders(project);
    const expectedName = rootFolderName(project);
    const rootPath = pathOf(root.item) ?? `/${[...this.#rootPath, root.item.name].join('/')}`;
    return {
      projectId: project.id,
      ...(!isSameName(expectedName, root.item.name) && { renamedSince: { expectedName } }),
      root: folderOf(root, rootPath),
      folders: found.map((each) => folderOf(each, pathOf(each.item) ?? `${rootPath}/${each.item.name}`)),
    };
  }

  /** The ids as of the last provision; provisions if there was none, or if it knew fewer subfolders. */
  async folderIds(project: Project): Promise<ProvisionedFolders> {
    const remembered = await this.remembered(project.id);
    return remembered && isProvisioned(remembered) ? remembered : (await this.#ensureFolders(project)).ids;
  }

  /** Where a new root folder would be. */
  rootPathOf(project: Project): readonly string[] {
    return [...this.#rootPath, rootFolderName(project)];
  }

  /** The folders as of the last provision; null if there was none. */
  remembered(projectId: string): Promise<RememberedFolders | null> {
    return this.#parts.memory.find(projectId);
  }

  /** A subfolder of a project as this caller sees it; without its root, why that is not visible. */
  async visibleSubfolder(projectId: string, name: Subfolder): Promise<DriveItem | Absence> {
    const remembered = await this.remembered(projectId);
    if (!remembered) return 'missing';
    const root = await FolderView.open(this.#parts.library, remembered.rootId);
    const folder = await subfolderIn(this.#parts.library, root, name, remembered.subfolderIds[name]);
    return folder === 'missing' && !root ? this.rootAbsence() : folder;
  }

  /** Why the caller does not see a root folder. */
  rootAbsence(): Promise<Absence> {
    return absenceBelow(this.#parts.library, this.#rootPath);
  }

  /**
   * The folder at a path below a subfolder; it and those above it are created if they are missing. One request if it exists.
   *
   * @returns its id; null if the subfolder is not there
   * @throws ServiceError `folder_name_taken`; LibraryError, `denied` if one exists but is hidden from this caller
   */
  async ensureBelow(subfolderId: string, folderPath: string): Promise<string | null> {
    const { library } = this.#parts;
    const names = namesIn(folderPath);
    const found = await library.itemBelow(subfolderId, names);
    requireFolder(found, names);
    if (found) return found.id;
    const [subfolder, ...above] = await Promise.all([
      library.itemOrNull(subfolderId),
      ...names.slice(0, -1).map((_, at) => library.itemBelow(subfolderId, names.slice(0, at + 1))),
    ]);
    if (!subfolder) return null;
    let parentId = subfolderId;
    for (const [at, item] of [...above, null].entries()) {
      const path = names.slice(0, at + 1);
      requireFolder(item, path);
      parentId = (item ?? (await this.#createFolder(parentId, path)).item).id;
    }
    return parentId;
  }

  async #ensureFolders(project: Project) {
    const remembered = await this.remembered(project.id);
    const root = (remembered && (await this.#follow(remembered))) ?? (await this.#rootByName(project));
    const found = await this.#subfolders(root);
    const byName = found.map(({ name, item }) => [name, item.id] as const);
    const subfolderIds = Object.fromEntries(byName) as ProvisionedFolders['subfolderIds'];
    const webUrls = {
      root: { webUrl: root.item.webUrl ?? '' },
      folders: found.map(({ name, item }) => ({ name, webUrl: item.webUrl ?? '' })),
    };
    const ids = { rootId: root.item.id, subfolderIds, webUrls };
    if (!isDeepStrictEqual(remembered, ids)) await this.#parts.memory.remember(project.id, ids);
    return { root, found, ids };
  }

  /** The root folder of the last provision, wherever it is now; null if it is gone. */
  async #follow({ rootId, subfolderIds: known }: RememberedFolders): Promise<Root | null> {
    const view = await FolderView.open(this.#parts.library, rootId);
    if (view) return { item: view.item, created: false, view, known };
    const isInDrive = this.#rootPath.length === 0;
    const parentId = isInDrive ? 'root' : (await this.#parts.library.itemAt(this.#rootPath))?.id;
    // Without the parent, creating it shows whether it is gone or hidden.
    if (parentId !== undefined) await requireGone(this.#parts.library, parentId, rootId);
    return null;
  }

  async #rootByName(project: Project): Promise<Root> {
    const path = this.rootPathOf(project);
    const items = await this.#itemsAlong(path);
    const root = (await this.#chainBelow(path, items)) ?? (await this.#ensure(path, items));
    if (!(await this.#parts.memory.claimRoot(project.id, root.item.id, this.#parts.needsFolders))) {
      throw rootFolderTaken(path.at(-1) ?? '');
    }
    const view = root.created ? null : await FolderView.open(this.#parts.library, root.item.id);
    return { ...root, view };
  }

  /** The folder at a path and its parents, checked in parallel. */
  async #itemsAlong(path: readonly string[]): Promise<readonly (DriveItem | null)[]> {
    const checks = path.map((_, index) => this.#parts.library.itemAt(path.slice(0, index + 1)));
    // If a parent is a file, the library may reject the requests for what is below it, so they are awaited in order.
    for (const each of checks) each.catch(() => undefined);
    const items: (DriveItem | null)[] = [];
    for (const [index, each] of checks.entries()) {
      const item = await each;
      requireFolder(item, path.slice(0, index + 1));
      items.push(item);
    }
    return items;
  }

  /** All folders of a path in one request, if a parent is missing; null if that is not possible. */
  async #chainBelow(path: readonly string[], items: readonly (DriveItem | null)[]): Promise<Found | null> {
    const at = items.indexOf(null);
    if (items.at(-1) || at === path.length - 1) return null;
    const item = await this.#parts.library.createFolderChain(path.slice(0, at), path.slice(at));
    return item && { item, created: true };
  }

  /** Creates the folder at a path, and its parents, unless they are among the items along the path. */
  async #ensure(path: readonly string[], items: readonly (DriveItem | null)[]): Promise<Found> {
    const item = items[path.length - 1];
    if (item) return { item, created: false };
    const parent = path.length > 1 ? (await this.#ensure(path.slice(0, -1), items)).item.id : 'root';
    return this.#createFolder(parent, path);
  }

  async #subfolders({ item: root, view, known }: Root): Promise<readonly FoundSubfolder[]> {
    const found = await Promise.all(
      subfolders.map(async (name): Promise<FoundSubfolder> => {
        const path = [...this.#rootPath, root.name, name];
        const item = await subfolderIn(this.#parts.library, view, name, known?.[name]);
        if (item === 'hidden') throw mayBeHidden();
        if (item === 'missing') return { name, ...(await this.#createFolder(root.id, path)) };
        requireFolder(item, path);
        return { name, item, created: false };
      }),
    );
    requireDifferent(found);
    return found;
  }

  /** Creates a folder, or finds the one that another request has created in the meantime. */
  async #createFolder(parentId: string, path: readonly string[]): Promise<Found> {
    const name = path.at(-1) ?? '';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { item: await this.#parts.library.createFolder(parentId, name), created: true };
      } catch (error) {
        // Not found: the parent was just created, and is not visible yet.
        if (!isLibraryError(error, 'nameExists', 'notFound', 'changed')) throw error;
        const exists = error.reason === 'nameExists';
        const item = exists ? await this.#parts.library.childOf(parentId, name) : null;
        requireFolder(item, path);
        if (item) return { item, created: false };
        if (attempt === maxAttempts)
          throw exists ? hiddenFolderError(name) : new LibraryError('busy', { cause: error });
      }
      await pause(attempt, 200);
    }
  }
}

/** The library repeatedly reports that the name exists, but not the item: this caller has no permission on it. */
const hiddenFolderError = (name: string): LibraryError =>
  new LibraryError('denied', { cause: new Error(`the folder ${name} exists, but is not visible`) });

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
