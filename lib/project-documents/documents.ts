import { tmpdir } from 'node:os';
import type { TableClient } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import type { Library } from '../document-library/library.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import { systemClock } from '../contract/clock.ts';
import { BlockPool } from '../uploads/block-pool.ts';
import { Deletion } from './deletion.ts';
import { DirectUploadIndex } from './direct-upload-index.ts';
import { DirectUploadSweep } from './direct-upload-sweep.ts';
import { DirectUploads } from './direct-uploads.ts';
import type { DocumentRecords } from './document-records.ts';
import { Downloads } from './downloads.ts';
import { DocumentStore } from './document-store.ts';
import { FinishedFiles } from './finished-files.ts';
import { FolderMemory } from './folder-memory.ts';
import { GoneFiles } from './gone-files.ts';
import { OpenUploads } from './open-uploads.ts';
import { KeyedUploads } from './keyed-uploads.ts';
import { Provisioning } from './provisioning.ts';
import { Refresh } from './refresh.ts';
import { rootFolderKey, rootFolderName } from './root-folder-name.ts';
import { RootFolderOwners } from './root-folder-owners.ts';
import { SetAsideRecords } from './set-aside-records.ts';
import { SetAsideRevival } from './set-aside-revival.ts';
import { StagingBlobs } from './staging-blobs.ts';
import { StagingDisk } from './staging-disk.ts';
import type { ProjectRecords } from '../projects/project-records.ts';
import { UploadIntents } from './upload-intents.ts';
import type { UploadKeys } from './upload-keys.ts';
import { UploadRepair } from './upload-repair.ts';
import { UploadStaging } from './upload-staging.ts';
import { Uploads } from './uploads.ts';

export interface DocumentStorage {
  readonly table: TableClient;
  readonly keys: UploadKeys;
  readonly blobs: () => Promise<BlobServiceClient>;
  /** Encrypts the URLs of sessions in the table. */
  readonly sealed: SealedText;
}

export interface DocumentSettings {
  readonly rootPath: string;
  readonly defaultConflictBehavior: ConflictBehavior;
  readonly maxUploadBytes: number;
  /** Space in the folder for temporary files that staged uploads may occupy together. */
  readonly stagingDiskBytes: number;
}

/** The parts of the operations on project documents, besides the records. */
export interface ProjectDocuments {
  readonly provisioning: Provisioning;
  readonly repair: UploadRepair;
  readonly uploads: Uploads;
  readonly directUploads: DirectUploads;
  readonly directUploadSweep: DirectUploadSweep;
  readonly downloads: Downloads;
  readonly deletion: Deletion;
  readonly revival: SetAsideRevival;
  readonly refresh: Refresh;
}

// 20 MiB for all uploads of the process together. For a single upload: a fragment of 9 MiB being sent, and one that fills.
const uploadBlocks = 64;

export function connectDocuments(
  library: Library,
  {
    documents: records,
    projects,
  }: { readonly documents: DocumentRecords; readonly projects: ProjectRecords },
  { keys, ...storage }: DocumentStorage,
  settings: DocumentSettings,
): ProjectDocuments {
  const { table, blobs, sealed } = storage;
  const { defaultConflictBehavior, maxUploadBytes, stagingDiskBytes } = settings;
  const intents = new UploadIntents(table, sealed, systemClock);
  const openUploads = new OpenUploads(intents, systemClock);
  const directUploadIndex = new DirectUploadIndex(table);
  const memory = new FolderMemory(table);
  const owners = new RootFolderOwners(table, async (projectId, rootName) => {
    const isRoot = (name: string): boolean => rootFolderKey(name) === rootFolderKey(rootName);
    const [project, folders] = await Promise.all([projects.find(projectId), memory.find(projectId)]);
    if (project && isRoot(rootFolderName(project))) return true;
    if (!folders || !isRoot(folders.rootName)) return false;
    // A deleted project releases its folder only if it has no documents.
    return project !== null || (await records.list(projectId, 1, undefined)).items.length > 0;
  });
  const provisioning = new Provisioning({ library, memory, owners, rootPath: settings.rootPath });
  const setAside = new SetAsideRecords(table);
  const revival = new SetAsideRevival(library, records, setAside);
  const goneFiles = new GoneFiles(library, provisioning, records);
  const finishedFiles = new FinishedFiles(library, records, intents);
  const repair = new UploadRepair(finishedFiles, records, intents, keys);
  const pool = new BlockPool(uploadBlocks);
  const storeParts = {
    library,
    provisioning,
    records,
    intents,
    openUploads,
    finishedFiles,
    setAside,
    goneFiles,
    keys,
  };
  return {
    provisioning,
    repair,
    revival,
    refresh: new Refresh({ library, provisioning, records, intents, setAside, revival }),
    downloads: new Downloads({ library, records, setAside, revival, goneFiles }),
    deletion: new Deletion(library, records, setAside, goneFiles),
    directUploads: new DirectUploads({
      ...storeParts,
      repair,
      revival,
      defaultConflictBehavior,
      index: directUploadIndex,
    }),
    directUploadSweep: new DirectUploadSweep(directUploadIndex, intents, systemClock),
    uploads: new Uploads({
      store: new DocumentStore(storeParts),
      keyed: new KeyedUploads({ keys, intents, openUploads, repair, maxBytes: maxUploadBytes }, systemClock),
      repair,
      revival,
      staging: new UploadStaging({
        disk: new StagingDisk(tmpdir(), stagingDiskBytes),
        blobs: new StagingBlobs(blobs, systemClock),
        pool,
        maxBytes: maxUploadBytes,
      }),
      pool,
      maxBytes: maxUploadBytes,
      defaultConflictBehavior,
    }),
  };
}
