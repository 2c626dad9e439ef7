import type { TableClient } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import type { ConflictBehavior, Library } from '../document-library/library.ts';
import { BlockPool } from '../uploads/block-pool.ts';
import type { DocumentRecords } from './document-records.ts';
import { Downloads } from './downloads.ts';
import { Filing } from './filing.ts';
import { FinishedFiles } from './finished-files.ts';
import { FolderMemory } from './folder-memory.ts';
import { Provisioning } from './provisioning.ts';
import { UploadIntents } from './upload-intents.ts';
import { UploadRepair } from './upload-repair.ts';
import { UploadStaging } from './upload-staging.ts';
import { Uploads } from './uploads.ts';

export interface DocumentSettings {
  readonly rootPath: string;
  readonly defaultConflictBehavior: ConflictBehavior;
  readonly maxUploadBytes: number;
}

/** What the operations on project documents work with, beside the records. */
export interface ProjectDocuments {
  readonly provisioning: Provisioning;
  readonly repair: UploadRepair;
  readonly uploads: Uploads;
  readonly downloads: Downloads;
}

// 20 MiB for all uploads of the process together: for one, a fragment of 9 MiB on its way and one that fills.
const uploadBlocks = 64;

export function connectDocuments(
  library: Library,
  records: DocumentRecords,
  storage: { readonly table: TableClient; readonly blobs: () => Promise<BlobServiceClient> },
  settings: DocumentSettings,
): ProjectDocuments {
  const { table, blobs } = storage;
  const { defaultConflictBehavior, maxUploadBytes } = settings;
  const intents = new UploadIntents(table);
  const provisioning = new Provisioning(library, new FolderMemory(table), settings.rootPath);
  const finishedFiles = new FinishedFiles(library, records, intents);
  const repair = new UploadRepair(finishedFiles, records, intents);
  const pool = new BlockPool(uploadBlocks);
  return {
    provisioning,
    repair,
    downloads: new Downloads(library, records),
    uploads: new Uploads({
      filing: new Filing({ library, provisioning, records, intents, finishedFiles }),
      repair,
      staging: new UploadStaging(blobs, pool, maxUploadBytes),
      pool,
      maxBytes: maxUploadBytes,
      defaultConflictBehavior,
    }),
  };
}
