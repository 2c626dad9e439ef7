import * as z from 'zod';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { inSlices } from '../../base/slices.ts';
import type { Project } from '../../projects/project.ts';
import { certainNowBy } from '../../storage/storage-clock.ts';
import {
  correctedBy,
  isSameFile,
  type DocumentRecord,
  type NewRecord,
} from '../document-records/document-row.ts';
import { FolderView, mayBeHidden, visibleChildren, type Absence } from '../folders/folder-view.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import { revive } from './set-aside-revival.ts';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';
import { evidenceOf, mayStillFinish } from '../intents/upload-evidence.ts';
import { withProgress } from '../document-records/refresh-progress.ts';

export const refreshed = z
  .object({
    added: z.int().meta({ description: 'Files that had no record' }),
    updated: z.int().meta({ description: 'Records whose name, size, web URL or folder changed' }),
    missing: z.int().meta({ description: 'Records removed from the list because their file is gone' }),
    incompleteFolders: z.array(folderName).meta({
      description:
        'Folders of which the caller does not see everything: records of files that were not found there remain',
    }),
  })
  .meta({ id: 'RefreshCounts' });

type RefreshCounts = z.output<typeof refreshed>;

// Concurrent writes per folder; the subfolders are read in parallel.
const parallelWrites = 8;

/**
 * Updates a project's records to match the subfolders as visible to the caller. One request to the library for each
 * page of a folder, with the folders in parallel. Records of files that were not found are set aside only after a second
 * look at their folder, which must hide nothing from the caller (folder-view.ts), or once their folder is gone.
 *
 * @throws ServiceError `root_folder_taken`; LibraryError, `denied` if no folder is visible to the caller and some may be hidden
 */
export async function refresh(parts: IntentParts, project: Project): Promise<RefreshCounts> {
  const { provisioning, records, intents, library } = parts;
  const { rootId, subfolderIds } = await provisioning.folderIds(project);
  // Before the folders: the file of a record that is listed here was in the library before its folder is read.
  const [listed, aside, pending] = await Promise.all([
    records.readAll(project.id),
    records.expireSetAside(project.id),
    intents.ofProject(project.id),
  ]);
  const nowMs = await certainNowBy(parts);
  const running = pending.map(({ intent }) => intent).filter((intent) => mayStillFinish(intent, nowMs));
  const [root, ...folders] = await Promise.all([
    visibleChildren(library, rootId),
    ...subfolders.map((name) => readFolder(parts, project.id, name, subfolderIds[name])),
  ]);
  if (folders.includes('hidden') && folders.every((folder) => typeof folder === 'string'))
    throw mayBeHidden();
  const seen = new Set(
    folders.flatMap((folder) => (typeof folder === 'string' ? [] : [...folder.children.keys()])),
  );
  const known = byItem([...aside, ...listed]);
  const files = subfolders.flatMap((name, index) => filesIn(folders[index]).map((item) => ({ name, item })));
  const unknown = files.filter(
    ({ item }) =>
      !known.has(item.id) &&
      // A running upload writes the record of its own file.
      running.every((intent) => evidenceOf(intent, item) === null),
  );
  await withProgress(parts, { projectId: project.id, files: unknown.length }, (onWritten) =>
    records.add(
      unknown.map(({ name, item }) => recordOf(project.id, name, item)),
      onWritten,
    ),
  );
  const changes = await Promise.all(
    subfolders.map(async (name, index) => {
      const folder = folders[index] ?? 'hidden';
      const missing = listed.filter((record) => record.folderName === name && !seen.has(record.itemId));
      return typeof folder === 'string'
        ? withoutFolder(parts, folder, missing)
        : withFolder({ ...parts, known, missing, root }, name, folder);
    }),
  );
  const sumOf = (count: 'revived' | 'updated' | 'missing'): number =>
    changes.reduce((sum, change) => sum + change[count], 0);
  return {
    added: unknown.length + sumOf('revived'),
    updated: sumOf('updated'),
    missing: sumOf('missing'),
    incompleteFolders: subfolders.filter((_, index) => !changes[index]?.isComplete),
  };
}

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

async function withFolder(run: Run, name: Subfolder, folder: ReadFolder): Promise<FolderChanges> {
  const { root, missing } = run;
  const corrected = await correctFiles(run, name, folder);
  if (missing.length === 0) {
    // The number of children that the library stores with the folder.
    const stored = root?.get(folder.id)?.folder?.childCount ?? 0;
    return { ...corrected, missing: 0, isComplete: stored <= folder.children.size };
  }
  const view = await FolderView.open(run.library, folder.id);
  if (!view || (await view.hidesSome())) return { ...corrected, missing: 0, isComplete: false };
  const gone = missing.filter(({ itemId }) => !view.children.has(itemId));
  await setAside(run, gone);
  return { ...corrected, missing: gone.length, isComplete: true };
}

async function readFolder(
  { library, provisioning }: IntentParts,
  projectId: string,
  name: Subfolder,
  rememberedId: string,
): Promise<ReadFolder | Absence> {
  const remembered = await visibleChildren(library, rememberedId);
  if (remembered) return { id: rememberedId, children: remembered };
  // Deleted and created again in the library, with another id; or hidden.
  const folder = await provisioning.visibleSubfolder(projectId, name);
  if (typeof folder === 'string') return folder;
  const children = await visibleChildren(library, folder.id);
  return children ? { id: folder.id, children } : 'hidden';
}

const filesIn = (folder: ReadFolder | Absence | undefined): readonly DriveItem[] =>
  typeof folder === 'object' ? [...folder.children.values()].filter((item) => item.folder === undefined) : [];

/** Writes the records of the files that had one again, if they differ or are set aside. */
async function correctFiles(
  run: Run,
  folderName: Subfolder,
  folder: ReadFolder,
): Promise<Pick<FolderChanges, 'revived' | 'updated'>> {
  const { records, known } = run;
  const outcomes = await inSlices(filesIn(folder), parallelWrites, async (item) => {
    const record = known.get(item.id);
    if (record?.setAsideAt !== undefined) {
      await revive(run, record, item, folderName);
      return 'revived';
    }
    if (!record || isSameFile(record, correctedBy(record, item, folderName))) return 'same';
    await records.correct(record, item, folderName);
    return 'updated';
  });
  const countOf = (outcome: 'revived' | 'updated'): number =>
    outcomes.filter((each) => each === outcome).length;
  return { revived: countOf('revived'), updated: countOf('updated') };
}

async function setAside({ records }: IntentParts, gone: readonly DocumentRecord[]): Promise<void> {
  await inSlices(gone, parallelWrites, (record) => records.setAside(record));
}

interface ReadFolder {
  readonly id: string;
  /** What the caller has seen. */
  readonly children: ReadonlyMap<string, DriveItem>;
}

interface Run extends IntentParts {
  /** What the caller sees in the root folder. */
  readonly root: ReadonlyMap<string, DriveItem> | null;
  /** The listed records of this folder whose files were not seen. */
  readonly missing: readonly DocumentRecord[];
  /** By the ids of their files; also those that are set aside. */
  readonly known: ReadonlyMap<string, DocumentRecord>;
}

const byItem = (records: readonly DocumentRecord[]): ReadonlyMap<string, DocumentRecord> =>
  new Map(records.map((record) => [record.itemId, record]));

/** The record of a file that was not uploaded through the service. */
function recordOf(projectId: string, folderName: Subfolder, item: DriveItem): NewRecord {
  const { user } = item.createdBy ?? {};
  const createdAt = new Date(item.createdDateTime ?? Number.NaN);
  return {
    projectId,
    folderName,
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
