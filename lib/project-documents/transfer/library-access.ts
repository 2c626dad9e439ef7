import * as z from 'zod';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { Project } from '../../projects/project.ts';
import { FolderView, subfolderIn, type Absence } from '../folders/folder-view.ts';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';
import type { DocumentParts } from './document-parts.ts';
import { acceptsUpload } from './upload-probe.ts';

const state = z.enum(['seen', 'readOnly', 'hidden', 'missing', 'locked']).meta({
  description:
    '`readOnly`: seen, but the caller may not upload; `hidden`: the library denies it, or it may be hidden from the caller; `missing`: it does not exist; `locked`: the site is locked, archived or read-only',
});
const access = z.enum(['seen', 'read_only', 'hidden', 'missing', 'locked']).meta({
  deprecated: true,
  description: 'Use `state`. As in 1.0.0: the same, with `read_only` for `readOnly`',
});

export const libraryAccess = z
  .object({
    site: state,
    library: state,
    root: state,
    folders: z.array(z.object({ name: folderName, state, access })),
  })
  .meta({ id: 'LibraryAccess' });

type State = z.output<typeof state>;

/**
 * Reports what one caller may do with the site, the library, and the folders of a project. A missing folder is told from a
 * hidden one as folder-view.ts does.
 *
 * The right to upload is tested (upload-probe.ts). Each folder can have its own permissions, so each that is seen is tested.
 */
export async function checkAccess(
  parts: DocumentParts,
  project: Project,
): Promise<z.output<typeof libraryAccess>> {
  const [site, library] = await Promise.all([outcome(parts.library.site()), outcome(parts.library.drive())]);
  if (site === 'locked' || library === 'locked') return allLocked;
  const path = parts.provisioning.rootPathOf(project);
  const remembered = await parts.provisioning.remembered(project.id);
  const found = await outcome(remembered ? parts.library.item(remembered.rootId) : itemAt(parts, path));
  const view =
    typeof found === 'object' && found.folder ? await FolderView.open(parts.library, found.id) : null;
  const root = view ? null : await parts.provisioning.rootAbsence();
  const absence = root ?? ((await view?.hidesSome()) ? 'hidden' : 'missing');
  const [rootState, ...folders] = await Promise.all([
    view ? stateForUploads(parts, view.item.id) : absence,
    ...subfolders.map(async (name) => {
      const id = remembered?.subfolderIds[name];
      const found = await outcome(subfolderIn(parts.library, view, name, id));
      const folder = typeof found === 'object' && found.folder ? found : null;
      return folderIn(folder ? await stateForUploads(parts, folder.id) : absence, name);
    }),
  ]);
  return { site: nameOf(site), library: nameOf(library), root: rootState, folders };
}

function folderIn(state: State, name: Subfolder): z.output<typeof libraryAccess>['folders'][number] {
  return { name, state, access: state === 'readOnly' ? 'read_only' : state };
}

const allLocked: z.output<typeof libraryAccess> = {
  site: 'locked',
  library: 'locked',
  root: 'locked',
  folders: subfolders.map((name) => folderIn('locked', name)),
};

async function itemAt(parts: DocumentParts, path: readonly string[]): Promise<DriveItem | 'missing'> {
  return (await parts.library.itemAt(path)) ?? 'missing';
}

async function stateForUploads(parts: DocumentParts, folderId: string): Promise<State> {
  try {
    if (!(await acceptsUpload(parts.library, folderId))) return 'readOnly';
  } catch (error) {
    // No file of that name exists that could be open in an editor.
    if (isLibraryError(error, 'siteLocked', 'fileOrSiteLocked')) return 'locked';
    // Not about rights.
    if (!isLibraryError(error, 'full', 'pathTooLong')) throw error;
  }
  return 'seen';
}

const nameOf = (found: object | Absence | 'locked'): State => (typeof found === 'object' ? 'seen' : found);

async function outcome<T>(reply: Promise<T>): Promise<T | Absence | 'locked'> {
  try {
    return await reply;
  } catch (error) {
    if (isLibraryError(error, 'denied', 'policy')) return 'hidden';
    if (isLibraryError(error, 'siteLocked')) return 'locked';
    if (isLibraryError(error, 'notFound')) return 'missing';
    throw error;
  }
}
