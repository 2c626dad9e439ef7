import { z } from 'zod';
import type { DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import { inSlices } from '../../base/slices.ts';
import type { Project } from '../../projects/project.ts';
import { documentIdOf, documentKey } from '../records/document-key.ts';
import type { DocumentRecord } from '../records/document-records.ts';
import type { NewRecord } from '../records/document-row.ts';
import { FolderView, mayBeHidden, visibleChildren } from '../folders/folder-view.ts';
import type { IntentParts } from '../intents/intent-parts.ts';
import { agrees, seenFile } from './seen-file.ts';
import { revive } from './set-aside-revival.ts';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';
import { evidenceOf, mayStillFinish } from '../intents/upload-evidence.ts';
import type { UploadIntent } from '../intents/upload-intent.ts';

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

// Concurrent writes per folder; the eight folders are read in parallel.
const parallelWrites = 8;

/**
 * Updates a project's records to match the eight folders as visible to the caller. One request to the library for each
 * page of a folder, with the folders in parallel. Records of files that were not found are set aside only after a second
 * look at their folder, which must hide nothing from the caller (folder-view.ts).
 *
 * @throws ServiceError `root_folder_taken`; LibraryError, `denied` if no folder is visible to the caller
 */
export async function refresh(parts: IntentParts, project: Project): Promise<RefreshCounts> {
  const { provisioning, records, intents } = parts;
  const startedAt = new Date(parts.clock.now()).toISOString();
  const { rootId, subfolderIds } = await provisioning.folderIds(project);
  const [known, aside, running] = await Promise.all([
    byDocumentId(records.ofProject(project.id)),
    records.setAsideOf(project.id),
    intents.ofProject(project.id),
  ]);
  const counts: RefreshCounts = { added: 0, updated: 0, missing: 0, incompleteFolders: [] };
  const run: Run = {
    ...parts,
    project,
    counts,
    known,
    seen: new Set(),
    aside: new Map(aside.map((each) => [each.document.id, each])),
    running: running
      .map(({ intent }) => intent)
      .filter((intent) => mayStillFinish(intent, parts.clock.now())),
  };
  const [stored, ...read] = await Promise.all([
    storedCounts(parts, rootId),
    ...subfolders.map((name) => readFolder(run, name, subfolderIds[name])),
  ]);
  if (read.every((folder) => folder === null)) throw mayBeHidden();
  const isComplete = await Promise.all(
    subfolders.map(async (name, index) => {
      const folder = read[index];
      if (!folder) return false;
      const missing = [...known.values()].filter(
        ({ document }) =>
          document.folderName === name &&
          !run.seen.has(document.id) &&
          // Files with a later record may have been uploaded after their folder was read.
          document.uploadedAt < startedAt,
      );
      if (missing.length === 0) return (stored.get(folder.id) ?? 0) <= folder.children;
      return setAsideGone(run, folder.id, missing);
    }),
  );
  counts.incompleteFolders = subfolders.filter((_, index) => !isComplete[index]);
  return counts;
}

/** The number of children that the library stores with each of the folders. */
async function storedCounts(parts: IntentParts, rootId: string): Promise<ReadonlyMap<string, number>> {
  const folders = await visibleChildren(parts.library, rootId);
  return new Map([...(folders?.values() ?? [])].map(({ id, folder }) => [id, folder?.childCount ?? 0]));
}

/** @returns whether the caller sees the whole folder; otherwise nothing has changed */
async function setAsideGone(
  { library, records, counts }: Run,
  folderId: string,
  missing: readonly DocumentRecord[],
): Promise<boolean> {
  const view = await FolderView.open(library, folderId);
  if (!view || (await view.hidesSome())) return false;
  const gone = missing.filter(({ itemId }) => !view.children.has(itemId));
  await inSlices(gone, parallelWrites, (record) => records.setAside(record));
  counts.missing += gone.length;
  return true;
}

/** @returns null if the folder is not visible to the caller */
async function readFolder(run: Run, name: Subfolder, rememberedId: string): Promise<ReadFolder | null> {
  const read = await readPages(run, name, rememberedId);
  if (read) return read;
  // Deleted and created again in the library, with another id; or hidden.
  const id = await run.provisioning.visibleSubfolder(run.project.id, name);
  return id === null || id === rememberedId ? null : readPages(run, name, id);
}

async function readPages(run: Run, name: Subfolder, id: string): Promise<ReadFolder | null> {
  let children = 0;
  try {
    for await (const page of run.library.childPagesOf(id)) {
      children += page.length;
      await settlePage(run, name, page);
    }
    return { id, children };
  } catch (error) {
    if (isLibraryError(error, 'notFound')) return null;
    throw error;
  }
}

async function settlePage(run: Run, folderName: Subfolder, page: readonly DriveItem[]): Promise<void> {
  const { records, project, known, aside, running, counts, seen } = run;
  const unknown: DriveItem[] = [];
  const changed: { record: DocumentRecord; item: DriveItem }[] = [];
  const returned: { record: DocumentRecord; item: DriveItem }[] = [];
  for (const item of page) {
    if (item.folder !== undefined) continue;
    const id = documentIdOf(documentKey(project.id, item.id));
    const record = known.get(id);
    const setAside = aside.get(id);
    seen.add(id);
    if (record) {
      if (!agrees(record, item) || record.document.folderName !== folderName) changed.push({ record, item });
    } else if (setAside) {
      returned.push({ record: setAside, item });
    } else if (running.every((intent) => evidenceOf(intent, item) === null)) {
      // A running upload writes the record of its own file.
      unknown.push(item);
    }
  }
  await records.add(unknown.map((item) => recordOf(project.id, folderName, item)));
  await inSlices(returned, parallelWrites, async ({ record, item }) => {
    await revive(run, record, item);
  });
  await inSlices(changed, parallelWrites, async ({ record, item }) => {
    await records.correct(record.document.id, { ...seenFile(item), folderName });
  });
  counts.added += unknown.length + returned.length;
  counts.updated += changed.length;
}

interface ReadFolder {
  readonly id: string;
  /** How many the caller has seen. */
  readonly children: number;
}

interface Run extends IntentParts {
  readonly project: Project;
  readonly counts: RefreshCounts;
  readonly known: ReadonlyMap<string, DocumentRecord>;
  /** Document ids of the files found in any of the folders. */
  readonly seen: Set<string>;
  readonly aside: ReadonlyMap<string, DocumentRecord>;
  readonly running: readonly UploadIntent[];
}

async function byDocumentId(records: AsyncIterable<DocumentRecord>): Promise<Map<string, DocumentRecord>> {
  const found = new Map<string, DocumentRecord>();
  for await (const record of records) found.set(record.document.id, record);
  return found;
}

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
