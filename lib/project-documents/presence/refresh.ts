import * as z from 'zod';
import { isFile, isFolder, isSameName, type DriveItem } from '../../document-library/drive-item.ts';
import { inSlices } from '../../base/slices.ts';
import type { Project } from '../../projects/project.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import {
  correctedRecord,
  isSameFile,
  type DocumentRecord,
  type NewRecord,
} from '../document-records/document-row.ts';
import type { NestedFolder } from '../folders/folder-memory.ts';
import { nearestFolder, readTrees, type FolderTree, type TreeFolder } from '../folders/folder-tree.ts';
import { FolderView, mayBeHidden, visibleChildren, type Absence } from '../folders/folder-view.ts';
import type { Place } from '../folders/places.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import { withPublication } from './correction.ts';
import { revive } from './set-aside-revival.ts';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';
import { evidenceOf, mayStillFinish } from '../intents/upload-evidence.ts';
import { RunningRefresh } from '../document-records/refresh-progress.ts';

export const refreshed = z
  .object({
    added: z.int().meta({ description: 'Files that had no record' }),
    updated: z
      .int()
      .meta({ description: 'Records whose name, size, type, web URL, folder or check-out changed' }),
    missing: z.int().meta({ description: 'Records removed from the list because their file is gone' }),
    incompleteFolders: z.array(folderName).meta({
      description:
        'Folders of which the caller does not see everything, or that have too many folders: records of files that were not found there remain',
    }),
    secondFolders: z.array(folderName).meta({
      description:
        'Subfolders that were renamed, while another folder of the root has their name now: what is in that one does not belong to the project',
    }),
    isSkipped: z
      .literal(true)
      .optional()
      .meta({ description: 'Nothing was read, because another refresh began less than maxAgeSeconds ago' }),
  })
  .meta({ id: 'RefreshCounts' });

export type RefreshCounts = z.output<typeof refreshed>;

// Concurrent writes per subfolder.
const parallelWrites = 8;
const parallelLooks = 2;

/**
 * Updates a project's records to match everything below its subfolders, as visible to the caller. One request to the library
 * for each folder and page. Records of files that were not found are set aside only after a second look at their folder,
 * which must hide nothing from the caller (folder-view.ts), or once their folder is gone.
 *
 * @param maxAgeMs if given, nothing is done when another refresh, of any caller, began less than this ago
 * @throws ServiceError `root_folder_taken`; LibraryError, `denied` if no folder is visible to the caller and some may be hidden
 */
export async function refresh(
  parts: IntentParts,
  project: Project,
  maxAgeMs?: number,
): Promise<RefreshCounts> {
  const { memory } = parts;
  const nowMs = await certainNowBy(parts);
  if (
    !(await memory.beginRefresh(project.id, nowMs, maxAgeMs === undefined ? undefined : nowMs - maxAgeMs))
  ) {
    return { ...nothing, isSkipped: true };
  }
  const { counts, nestedFolders } = await RunningRefresh.during(parts, project.id, (running) =>
    refreshNow(parts, project, running),
  );
  if (counts.incompleteFolders.length === 0) {
    await memory.refreshed(project.id, { at: new Date(nowMs), nestedFolders });
  }
  return counts;
}

const nothing: RefreshCounts = { added: 0, updated: 0, missing: 0, incompleteFolders: [], secondFolders: [] };

async function refreshNow(
  parts: IntentParts,
  project: Project,
  running: RunningRefresh,
): Promise<{ readonly counts: RefreshCounts; readonly nestedFolders: readonly NestedFolder[] }> {
  const { provisioning, records, intents, library } = parts;
  const { rootId, subfolderIds } = await provisioning.folderIds(project);
  // Before the folders: the file of a record that is listed here was in the library before its folder is read.
  const [listed, aside, pending] = await Promise.all([
    records.readAll(project.id),
    records.expireSetAside(project.id),
    intents.ofProject(project.id),
  ]);
  const nowMs = await certainNowBy(parts);
  const unfinished = pending.map(({ intent }) => intent).filter((intent) => mayStillFinish(intent, nowMs));
  const [root, ...tops] = await Promise.all([
    visibleChildren(library, rootId),
    ...subfolders.map((name) => readTop(parts, project.id, name, subfolderIds[name])),
  ]);
  if (tops.includes('hidden') && tops.every((top) => typeof top === 'string')) throw mayBeHidden();
  const seenTops = tops.filter((top) => typeof top === 'object').map((top) => withStoredCount(top, root));
  const trees = await readTrees(library, seenTops, (count) => running.hasRead(count));
  const folders = tops.map((top) =>
    typeof top === 'string' ? top : (trees.find((tree) => tree.top.id === top.id) ?? 'hidden'),
  );
  const known = byItem([...aside, ...listed]);
  const files = subfolders.flatMap((name, index) => filesIn(name, folders[index]));
  const unknown = files.filter(
    ({ item }) =>
      !known.has(item.id) &&
      // A running upload writes the record of its own file.
      unfinished.every((intent) => evidenceOf(intent, item) === null),
  );
  await running.adds(unknown.length);
  await records.add(
    unknown.map(({ place, item }) => recordOf(project.id, place, item)),
    (count) => running.hasAdded(count),
  );
  const seen = new Set(files.map(({ item }) => item.id));
  const taken = new Set(files.map(({ item, place }) => shownPlaceOf({ ...place, fileName: item.name })));
  const changes = await Promise.all(
    subfolders.map(async (name, index) => {
      const folder = folders[index] ?? 'hidden';
      const missing = listed.filter((record) => record.folderName === name && !seen.has(record.itemId));
      return typeof folder === 'string'
        ? withoutFolder(parts, folder, missing)
        : withTree({ ...parts, known, missing, taken }, name, folder);
    }),
  );
  const sumOf = (count: 'revived' | 'updated' | 'missing'): number =>
    changes.reduce((sum, change) => sum + change[count], 0);
  const counts = {
    added: unknown.length + sumOf('revived'),
    updated: sumOf('updated'),
    missing: sumOf('missing'),
    incompleteFolders: subfolders.filter((_, index) => !changes[index]?.isComplete),
    secondFolders: subfolders.filter((name, index) => hasSecond(root, name, folders[index])),
  };
  return {
    counts,
    nestedFolders: subfolders.flatMap((name, index) => nestedFoldersIn(name, folders[index])),
  };
}

const nestedFoldersIn = (
  folderName: Subfolder,
  tree: FolderTree | Absence | undefined,
): readonly NestedFolder[] =>
  typeof tree !== 'object'
    ? []
    : [...tree.folders.values()]
        .filter(({ path }) => path !== '')
        .map(({ path }) => ({ folderName, folderPath: path }));

/** What a refresh has changed in one subfolder. */
interface FolderChanges {
  readonly revived: number;
  readonly updated: number;
  readonly missing: number;
  /** Whether the caller sees the whole folder. */
  readonly isComplete: boolean;
}

const unchanged = { revived: 0, updated: 0, missing: 0 };

/** A subfolder that is gone, or that may be hidden from the caller. */
async function withoutFolder(
  parts: IntentParts,
  absence: Absence,
  missing: readonly DocumentRecord[],
): Promise<FolderChanges> {
  if (absence === 'hidden') return { ...unchanged, isComplete: false };
  await setAside(parts, missing);
  return { ...unchanged, missing: missing.length, isComplete: true };
}

async function withTree(run: Run, name: Subfolder, tree: FolderTree): Promise<FolderChanges> {
  const { missing, taken } = run;
  const corrected = await correctFiles(run, name, tree);
  const isWhole =
    tree.isRead &&
    [...tree.folders.values()].every(({ storedCount, children }) => storedCount <= children.size);
  // Another file is where the record says: its own is elsewhere, or gone, even if the caller does not see which.
  const isReplaced = (record: DocumentRecord): boolean => taken.has(shownPlaceOf(record));
  const { gone, isCertain } = tree.isRead
    ? await certainlyGone(
        run,
        tree,
        missing.filter((record) => !isReplaced(record)),
      )
    : { gone: [], isCertain: false };
  const removed = [...missing.filter(isReplaced), ...gone];
  await setAside(run, removed);
  return { ...corrected, missing: removed.length, isComplete: isWhole && isCertain };
}

/** After a second look: the records whose folder, or if that is gone, the nearest one above it, does not have their file. */
async function certainlyGone(
  { library }: Run,
  tree: FolderTree,
  missing: readonly DocumentRecord[],
): Promise<{ readonly gone: readonly DocumentRecord[]; readonly isCertain: boolean }> {
  const byFolder = Map.groupBy(missing, (record) => nearestFolder(tree, record).id);
  const looks = await inSlices([...byFolder], parallelLooks, async ([folderId, records]) => {
    const view = await FolderView.open(library, folderId);
    if (!view || (await view.hidesSome())) return null;
    return records.filter(({ itemId }) => {
      const child = view.children.get(itemId);
      return !child || !isFile(child);
    });
  });
  return { gone: looks.flatMap((records) => records ?? []), isCertain: !looks.includes(null) };
}

async function readTop(
  { library, provisioning }: IntentParts,
  projectId: string,
  name: Subfolder,
  rememberedId: string,
): Promise<ReadTop | Absence> {
  const remembered = await visibleChildren(library, rememberedId);
  if (remembered) return { id: rememberedId, children: remembered };
  // Deleted and created again in the library, with another id; or hidden.
  const folder = await provisioning.visibleSubfolder(projectId, name);
  if (typeof folder === 'string') return folder;
  const children = await visibleChildren(library, folder.id);
  return children ? { id: folder.id, children } : 'hidden';
}

type ReadTop = Pick<TreeFolder, 'id' | 'children'>;

const withStoredCount = (top: ReadTop, root: ReadonlyMap<string, DriveItem> | null): TreeFolder => ({
  ...top,
  path: '',
  storedCount: root?.get(top.id)?.folder?.childCount ?? 0,
});

/** Whether the root has a folder with the name of a subfolder that is another folder. */
const hasSecond = (
  root: ReadonlyMap<string, DriveItem> | null,
  name: Subfolder,
  folder: FolderTree | Absence | undefined,
): boolean =>
  typeof folder === 'object' &&
  [...(root?.values() ?? [])].some(
    (child) => isFolder(child) && child.id !== folder.top.id && isSameName(child.name, name),
  );

interface PlacedFile {
  readonly item: DriveItem;
  readonly place: Place;
}

const filesIn = (folderName: Subfolder, tree: FolderTree | Absence | undefined): readonly PlacedFile[] =>
  typeof tree !== 'object'
    ? []
    : [...tree.folders.values()].flatMap(({ id, path, children }) =>
        [...children.values()]
          .filter(isFile)
          .map((item) => ({ item, place: { folderName, folderPath: path, parentId: id } })),
      );

/** Writes the records of the files that had one again, if they differ or are set aside. */
async function correctFiles(
  run: Run,
  folderName: Subfolder,
  tree: FolderTree,
): Promise<Pick<FolderChanges, 'revived' | 'updated'>> {
  const { records, known: recorded } = run;
  const outcomes = await inSlices(filesIn(folderName, tree), parallelWrites, async ({ item, place }) => {
    const record = recorded.get(item.id);
    if (record?.setAsideAt !== undefined) {
      await revive(run, record, item, place);
      return 'revived';
    }
    if (!record) return 'same';
    const known = await withPublication(run, record, item);
    if (isSameFile(record, correctedRecord(record, known, place))) return 'same';
    await records.correct(record, known, place);
    return 'updated';
  });
  const countOf = (outcome: 'revived' | 'updated'): number =>
    outcomes.filter((each) => each === outcome).length;
  return { revived: countOf('revived'), updated: countOf('updated') };
}

async function setAside({ records }: IntentParts, gone: readonly DocumentRecord[]): Promise<void> {
  await inSlices(gone, parallelWrites, (record) => records.setAside(record));
}

interface Run extends IntentParts {
  /** The listed records of this folder whose files were not seen. */
  readonly missing: readonly DocumentRecord[];
  /** By the ids of their files; also those that are set aside. */
  readonly known: ReadonlyMap<string, DocumentRecord>;
  /** Where the files are that were seen, by {@link shownPlaceOf}. */
  readonly taken: ReadonlySet<string>;
}

const byItem = (records: readonly DocumentRecord[]): ReadonlyMap<string, DocumentRecord> =>
  new Map(records.map((record) => [record.itemId, record]));

/** What a person sees of a place: two files of a library cannot have the same. */
const shownPlaceOf = ({
  folderName,
  folderPath,
  fileName,
}: Pick<DocumentRecord, 'folderName' | 'folderPath' | 'fileName'>): string =>
  [folderName, folderPath, fileName.normalize('NFC')].join('/');

/** The record of a file that was not uploaded through the service. */
function recordOf(projectId: string, place: Place, item: DriveItem): NewRecord {
  const { user } = item.createdBy ?? {};
  const createdAt = new Date(item.createdDateTime ?? Number.NaN);
  return {
    projectId,
    ...place,
    fileName: item.name.normalize('NFC'),
    size: item.size ?? 0,
    librarySize: item.size ?? 0,
    contentType: item.file?.mimeType ?? 'application/octet-stream',
    webUrl: item.webUrl ?? '',
    uploadedByUserId: user?.id ?? '',
    uploadedByName: user?.displayName ?? null,
    uploadedAt: (Number.isNaN(createdAt.getTime()) ? new Date() : createdAt).toISOString(),
    itemId: item.id,
  };
}
