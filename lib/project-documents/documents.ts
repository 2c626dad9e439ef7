import { tmpdir } from 'node:os';
import type { TableClient } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import type { Library } from '../document-library/library.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import type { Clock } from '../contract/clock.ts';
import { BlockPool } from '../uploads/block-pool.ts';
import { Deletion } from './transfer/deletion.ts';
import { DirectUploadIndex } from './intents/direct-upload-index.ts';
import { DirectUploadSweep } from './intents/direct-upload-sweep.ts';
import { DirectUploads } from './transfer/direct-uploads.ts';
import type { DocumentRecords } from './records/document-records.ts';
import { Downloads } from './transfer/downloads.ts';
import { FinishedFiles } from './intents/finished-files.ts';
import type { FolderMemory } from './folders/folder-memory.ts';
import { GoneFiles } from './presence/gone-files.ts';
import { OpenUploads } from './intents/open-uploads.ts';
import { LibraryAccess } from './transfer/library-access.ts';
import { Provisioning } from './folders/provisioning.ts';
import { Refresh } from './presence/refresh.ts';
import { RootFolderOwners } from './folders/root-folder-owners.ts';
import { SetAsideRecords } from './records/set-aside-records.ts';
import { SetAsideRevival } from './presence/set-aside-revival.ts';
import { StagingBlobs } from './form/staging-blobs.ts';
import { StagingDisk } from './form/staging-disk.ts';
import type { ProjectRecords } from '../projects/project.ts';
import { UploadIntents } from './intents/upload-intents.ts';
import type { UploadKeys } from './intents/upload-keys.ts';
import { UploadRepair } from './intents/upload-repair.ts';
import { UploadStaging } from './form/upload-staging.ts';
import { Uploads } from './transfer/uploads.ts';

export interface DocumentStorage {
  readonly table: TableClient;
  readonly keys: UploadKeys;
  readonly blobs: () => Promise<BlobServiceClient>;
  /** Encrypts the URLs of sessions in the table. */
  readonly sealed: SealedText;
  /** For everything that other instances compare with their time. */
  readonly clock: Clock;
}

export interface DocumentSettings {
  readonly rootPath: string;
  readonly defaultConflictBehavior: ConflictBehavior;
  readonly maxUploadBytes: number;
  /** For staged files, on the disk with the folder for temporary files. */
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
  readonly access: LibraryAccess;
}

// 20 MiB for all uploads of the process together. For a single upload: a fragment of 9 MiB being sent, and one that fills.
const uploadBlocks = 64;

export function connectDocuments(
  library: Library,
  {
    documents: records,
    projects,
    memory,
  }: {
    readonly documents: DocumentRecords;
    readonly projects: ProjectRecords;
    readonly memory: FolderMemory;
  },
  { keys, ...storage }: DocumentStorage,
  settings: DocumentSettings,
): ProjectDocuments {
  const { table, blobs, sealed, clock } = storage;
  const { defaultConflictBehavior, maxUploadBytes, stagingDiskBytes } = settings;
  const owners = new RootFolderOwners(table, {
    async isInUse(projectId, rootId) {
      const [project, folders] = await Promise.all([projects.find(projectId), memory.find(projectId)]);
      if (folders && folders.rootId !== rootId) return false;
      // A deleted project releases its folder only if it has no documents.
      return project !== null || (await records.list(projectId, { limit: 1 })).items.length > 0;
    },
    release: (projectId) => memory.forget(projectId),
  });
  const provisioning = new Provisioning({ library, memory, owners, rootPath: settings.rootPath });
  const intents = new UploadIntents({ table, sealed, clock });
  const own = { library, records, intents, keys, clock, provisioning, setAside: new SetAsideRecords(table) };
  const finishedFiles = new FinishedFiles(own);
  const index = new DirectUploadIndex(table);
  const pool = new BlockPool(uploadBlocks);
  const parts = {
    ...own,
    finishedFiles,
    openUploads: new OpenUploads(own),
    repair: new UploadRepair(own, finishedFiles),
    revival: new SetAsideRevival(own),
    goneFiles: new GoneFiles(own),
    index,
    staging: new UploadStaging({
      disk: new StagingDisk(tmpdir(), stagingDiskBytes),
      blobs: new StagingBlobs(blobs, clock),
      pool,
      maxBytes: maxUploadBytes,
    }),
    pool,
    maxBytes: maxUploadBytes,
    defaultConflictBehavior,
  };
  return {
    provisioning,
    access: new LibraryAccess(parts),
    repair: parts.repair,
    revival: parts.revival,
    refresh: new Refresh(own, parts.revival),
    downloads: new Downloads(parts),
    deletion: new Deletion(parts),
    directUploads: new DirectUploads(parts),
    directUploadSweep: new DirectUploadSweep(index, intents, clock),
    uploads: new Uploads(parts),
  };
}
