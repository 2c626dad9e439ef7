import { tmpdir } from 'node:os';
import type { TableClient } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import type { Library } from '../document-library/library.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import type { Clock } from '../contract/clock.ts';
import { BlockPool } from '../uploads/block-pool.ts';
import { DirectUploadIndex } from './intents/direct-upload-index.ts';
import { sweepDirectUploads } from './intents/direct-upload-sweep.ts';
import type { DocumentRecords } from './records/document-records.ts';
import type { FolderMemory } from './folders/folder-memory.ts';
import { Provisioning } from './folders/provisioning.ts';
import { RootFolderOwners } from './folders/root-folder-owners.ts';
import { SetAsideRecords } from './records/set-aside-records.ts';
import { StagingBlobs } from './form/staging-blobs.ts';
import { StagingDisk } from './form/staging-disk.ts';
import type { ProjectRecords } from '../projects/project.ts';
import { UploadIntents } from './intents/upload-intents.ts';
import type { IdempotencyKeys } from '../storage/idempotency-keys.ts';
import type { DocumentParts } from './transfer/document-parts.ts';
import { UploadStaging } from './form/upload-staging.ts';

export interface DocumentStorage {
  readonly table: TableClient;
  readonly keys: IdempotencyKeys;
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

type Caller = Pick<DocumentParts, 'user' | 'log'>;

/** The operations on project documents. */
export interface ProjectDocuments {
  /** What the operations of one call work with. */
  of(caller: Caller): DocumentParts;
  /** @returns how many abandoned direct uploads it removed */
  sweep(): Promise<number>;
}

// 20 MiB for all uploads of the process together. For a single upload: a fragment of 9 MiB being sent, and one that fills.
const uploadBlocks = 64;

export function connectDocuments(
  libraryOf: (user: Caller['user']) => Library,
  {
    documents: records,
    projects,
    memory,
  }: {
    readonly documents: DocumentRecords;
    readonly projects: ProjectRecords;
    readonly memory: FolderMemory;
  },
  { table, keys, blobs, sealed, clock }: DocumentStorage,
  { rootPath, defaultConflictBehavior, maxUploadBytes: maxBytes, stagingDiskBytes }: DocumentSettings,
): ProjectDocuments {
  const owners = new RootFolderOwners(table, {
    async isInUse(projectId, rootId) {
      const [project, folders] = await Promise.all([projects.find(projectId), memory.find(projectId)]);
      if (folders && folders.rootId !== rootId) return false;
      // A deleted project releases its folder only if it has no documents.
      return project !== null || (await records.list(projectId, { limit: 1 })).items.length > 0;
    },
    release: (projectId) => memory.forget(projectId),
  });
  const intents = new UploadIntents({ table, sealed, clock });
  const index = new DirectUploadIndex(table);
  const pool = new BlockPool(uploadBlocks);
  const disk = new StagingDisk(tmpdir(), stagingDiskBytes);
  const parts = {
    records,
    intents,
    keys,
    clock,
    setAside: new SetAsideRecords(table, clock),
    index,
    staging: new UploadStaging({ disk, blobs: new StagingBlobs(blobs, clock), pool, maxBytes }),
    pool,
    maxBytes,
    defaultConflictBehavior,
  };
  return {
    of(caller) {
      const library = libraryOf(caller.user);
      const provisioning = new Provisioning({ library, memory, owners, rootPath });
      return { ...parts, ...caller, library, provisioning };
    },
    sweep: () => sweepDirectUploads(parts),
  };
}
