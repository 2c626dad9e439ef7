import type { User } from '../callers/caller.ts';
import type { DriveItem } from '../document-library/drive-item.ts';
import { isLibraryError, LibraryError } from '../document-library/library-error.ts';
import type { Library } from '../document-library/library.ts';
import type { EventLog } from '../base/event-log.ts';
import type { Project } from '../projects/project.ts';
import { documentIdOf, documentKey } from './document-key.ts';
import type { DocumentRecord, DocumentRecords } from './document-records.ts';
import type { NewRecord } from './document-row.ts';
import type { Provisioning } from './provisioning.ts';
import type { SetAsideRecord, SetAsideRecords } from './set-aside-records.ts';
import type { SetAsideRevival } from './set-aside-revival.ts';
import { subfolders, type Subfolder } from './subfolders.ts';
import { evidenceOf, mayStillFinish } from './upload-evidence.ts';
import type { UploadIntent, UploadIntents } from './upload-intents.ts';

export interface RefreshParts {
  readonly library: Library;
  readonly provisioning: Provisioning;
  readonly records: DocumentRecords;
  readonly intents: UploadIntents;
  readonly setAside: SetAsideRecords;
  readonly revival: SetAsideRevival;
}

export interface RefreshCounts {
  /** Files that had no record before. */
  added: number;
  /** Records whose name, size, web URL, or folder changed. */
  updated: number;
  /** Records removed from the list because their file is not in its folder. */
  missing: number;
}

// Concurrent writes per folder; the eight folders are read in parallel.
const parallelWrites = 8;

/**
 * Updates a project's records to match the eight folders as visible to the caller. One request to the library for each
 * page of a folder, with the folders in parallel. A folder that is not visible to the caller is skipped with its records.
 */
export class Refresh {
  readonly #parts: RefreshParts;
  readonly #now: () => number;

  constructor(parts: RefreshParts, now: () => number = () => Date.now()) {
    this.#parts = parts;
    this.#now = now;
  }

  /** @throws ServiceError `root_folder_taken`; LibraryError, `denied` if no folder is visible to the caller */
  async run(user: User, project: Project, log: EventLog): Promise<RefreshCounts> {
    const { provisioning, records, intents, setAside } = this.#parts;
    const startedAt = new Date(this.#now()).toISOString();
    const { subfolderIds } = await provisioning.folderIds(user, project);
    const [known, aside, running] = await Promise.all([
      byDocumentId(records.ofProject(project.id)),
      setAside.ofProject(project.id),
      intents.ofProject(project.id),
    ]);
    const counts: RefreshCounts = { added: 0, updated: 0, missing: 0 };
    const state: FolderState = {
      user,
      project,
      log,
      counts,
      known,
      seen: new Set(),
      aside: new Map(aside.map((each) => [each.documentId, each])),
      running: running.map(({ intent }) => intent).filter((intent) => mayStillFinish(intent, this.#now())),
    };
    const isRead = await Promise.all(
      subfolders.map((name) => this.#readFolder(state, name, subfolderIds[name])),
    );
    const readFolders = new Set(subfolders.filter((_, index) => isRead[index]));
    if (readFolders.size === 0) {
      throw new LibraryError('denied', { cause: new Error('none of the folders is visible') });
    }
    const gone = [...known.values()].filter(
      ({ document }) =>
        !state.seen.has(document.id) &&
        readFolders.has(document.folderName) &&
        // Files with a later record may have been uploaded after their folder was read.
        document.uploadedAt < startedAt,
    );
    await inSlices(gone, (record) => records.setAside(record, new Date(this.#now())));
    counts.missing = gone.length;
    return counts;
  }

  /** @returns whether the folder is visible to the caller */
  async #readFolder(state: FolderState, name: Subfolder, rememberedId: string): Promise<boolean> {
    if (await this.#readPages(state, name, rememberedId)) return true;
    // Deleted and created again in the library, with another id; or hidden.
    const { user, project } = state;
    const folder = await this.#parts.provisioning.visibleSubfolder(user, project.id, name);
    return folder !== null && folder.id !== rememberedId && this.#readPages(state, name, folder.id);
  }

  async #readPages(state: FolderState, name: Subfolder, folderId: string): Promise<boolean> {
    try {
      for await (const page of this.#parts.library.childPagesOf(state.user, folderId)) {
        await this.#settlePage(state, name, page);
      }
      return true;
    } catch (error) {
      if (isLibraryError(error, 'notFound')) return false;
      throw error;
    }
  }

  async #settlePage(state: FolderState, folderName: Subfolder, page: readonly DriveItem[]): Promise<void> {
    const { records, revival } = this.#parts;
    const { user: _user, project, known, aside, running, counts, seen, log } = state;
    const unknown: DriveItem[] = [];
    const changed: { record: DocumentRecord; item: DriveItem }[] = [];
    const returned: { record: SetAsideRecord; item: DriveItem }[] = [];
    for (const item of page) {
      if (item.folder !== undefined) continue;
      const id = documentIdOf(documentKey(project.id, item.id));
      const record = known.get(id);
      const setAside = aside.get(id);
      seen.add(id);
      if (record) {
        if (!agrees(record, item, folderName)) changed.push({ record, item });
      } else if (setAside) {
        returned.push({ record: setAside, item });
      } else if (running.every((intent) => evidenceOf(intent, item) === null)) {
        // A running upload writes the record of its own file.
        unknown.push(item);
      }
    }
    await records.add(unknown.map((item) => recordOf(project.id, folderName, item)));
    await inSlices(returned, async ({ record, item }) => {
      await revival.revive(record, item, log);
    });
    await inSlices(changed, async ({ record, item }) => {
      await records.correct(record.document.id, { ...seenFile(item), folderName });
    });
    counts.added += unknown.length + returned.length;
    counts.updated += changed.length;
  }
}

interface FolderState {
  readonly user: User;
  readonly project: Project;
  readonly log: EventLog;
  readonly counts: RefreshCounts;
  readonly known: ReadonlyMap<string, DocumentRecord>;
  /** Document ids of the files found in any of the folders. */
  readonly seen: Set<string>;
  readonly aside: ReadonlyMap<string, SetAsideRecord>;
  readonly running: readonly UploadIntent[];
}

async function byDocumentId(records: AsyncIterable<DocumentRecord>): Promise<Map<string, DocumentRecord>> {
  const found = new Map<string, DocumentRecord>();
  for await (const record of records) found.set(record.document.id, record);
  return found;
}

async function inSlices<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < values.length; start += parallelWrites) {
    await Promise.all(values.slice(start, start + parallelWrites).map(work));
  }
}

const seenFile = ({ name, size, webUrl }: DriveItem) => ({ fileName: name.normalize('NFC'), size, webUrl });

const agrees = ({ document, librarySize }: DocumentRecord, item: DriveItem, folderName: Subfolder): boolean =>
  item.name.normalize('NFC') === document.fileName &&
  (item.size ?? librarySize) === librarySize &&
  (item.webUrl ?? document.webUrl) === document.webUrl &&
  folderName === document.folderName;

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
