import type { TableClient } from '@azure/data-tables';
import type { Library } from '../document-library/library.ts';
import type { SealedText } from '../storage/sealed-text.ts';
import { LibraryHabits } from './intents/library-habits.ts';
import { removeAbandoned } from './intents/abandoned-uploads.ts';
import type { FolderMemory } from './folders/folder-memory.ts';
import { Places } from './folders/places.ts';
import { Provisioning } from './folders/provisioning.ts';
import type { ProjectRecords } from '../projects/project.ts';
import { UploadIntents } from './intents/upload-intents.ts';
import type { DocumentParts } from './transfer/document-parts.ts';

/** What all calls work with, and the settings. */
export interface DocumentServices extends Pick<
  DocumentParts,
  'records' | 'keys' | 'clock' | 'maxBytes' | 'defaultConflictBehavior'
> {
  readonly libraryOf: (user: Caller['user']) => Library;
  readonly projects: ProjectRecords;
  readonly memory: FolderMemory;
  readonly table: TableClient;
  /** Encrypts the URLs of sessions in the table. */
  readonly sealed: SealedText;
  readonly rootPath: string;
  /** For all uploads of the process together, on the disk with the folder for temporary files. */
  readonly uploadDiskBytes: number;
}

type Caller = Pick<DocumentParts, 'user' | 'log'>;

/** The operations on project documents. */
export interface ProjectDocuments {
  /** What the operations of one call work with. */
  of(caller: Caller): DocumentParts;
  /** @returns how many abandoned direct uploads it removed */
  sweep(): Promise<number>;
}

export function connectDocuments(services: DocumentServices): ProjectDocuments {
  const { records, projects, table, clock } = services;
  // A deleted project releases its root folder only if it has no documents.
  const needsFolders = async (projectId: string): Promise<boolean> =>
    (await projects.find(projectId)) !== null ||
    (await records.list(projectId, { limit: 1 })).items.length > 0;
  const intents = new UploadIntents(services);
  const parts = {
    ...services,
    intents,
    habits: new LibraryHabits(),
    disk: { freeBytes: services.uploadDiskBytes },
  };
  return {
    of(caller) {
      const library = services.libraryOf(caller.user);
      const provisioning = new Provisioning({ ...services, library, needsFolders });
      const places = new Places({ ...services, library });
      return { ...parts, ...caller, library, provisioning, places };
    },
    sweep: () => removeAbandoned({ table, intents, clock }),
  };
}
