import type { TableClient } from '@azure/data-tables';
import { orNullIfMissing } from '../storage/rejections.ts';
import { partitionOf } from './document-key.ts';
import { subfolders, type Subfolder } from './subfolders.ts';

/** The last known folders of a project. */
export interface RememberedFolders {
  readonly rootName: string;
  readonly rootId: string;
  readonly subfolderIds: Readonly<Record<Subfolder, string>>;
  /** Whether the project owns the root folder (root-folder-owners.ts); false in rows from before there were owners. */
  readonly isOwned: boolean;
}

interface Row {
  readonly projectId: string;
  readonly rootName: string;
  readonly rootId: string;
  /** JSON: column names cannot contain umlauts or start with a digit, as the folder names do. */
  readonly subfolderIds: string;
  readonly isOwned?: boolean;
}

const rowKey = 'folders';

/**
 * The ids of a project's folders, in one row in the partition of its document records. Only a hint: users of an id verify
 * it against the library, and provisioning rewrites it.
 */
export class FolderMemory {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async find(projectId: string): Promise<RememberedFolders | null> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(partitionOf(projectId), rowKey));
    if (row?.projectId !== projectId) return null;
    const subfolderIds = JSON.parse(row.subfolderIds) as Record<Subfolder, string>;
    return { rootName: row.rootName, rootId: row.rootId, subfolderIds, isOwned: row.isOwned === true };
  }

  async remember(projectId: string, folders: RememberedFolders): Promise<void> {
    const row: Row = { ...folders, projectId, subfolderIds: JSON.stringify(folders.subfolderIds) };
    await this.#table.upsertEntity({ partitionKey: partitionOf(projectId), rowKey, ...row }, 'Replace');
  }
}

export const isSameMemory = (a: RememberedFolders | null, b: RememberedFolders): boolean =>
  a !== null &&
  a.rootId === b.rootId &&
  a.rootName === b.rootName &&
  a.isOwned === b.isOwned &&
  subfolders.every((name) => a.subfolderIds[name] === b.subfolderIds[name]);
