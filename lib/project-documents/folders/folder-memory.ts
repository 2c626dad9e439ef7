import type { TableClient } from '@azure/data-tables';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partitionOf } from './project-partition.ts';
import type { Subfolder } from '../../contract/subfolders.ts';

/** The folders of a project as of its last provision. */
export interface RememberedFolders {
  readonly rootId: string;
  readonly subfolderIds: Readonly<Record<Subfolder, string>>;
  readonly webUrls: FolderLinks;
}

/** Where the folders are opened in the library. */
export interface FolderLinks {
  readonly root: { readonly webUrl: string };
  /** The eight, in the order of the contract. */
  readonly folders: readonly { readonly name: Subfolder; readonly webUrl: string }[];
}

interface Row {
  readonly projectId: string;
  readonly rootId: string;
  /** JSON: column names cannot contain umlauts or start with a digit, as the folder names do. */
  readonly subfolderIds: string;
  /** JSON. */
  readonly webUrls: string;
}

const rowKey = 'folders';

/** The ids of a project's folders, in one row in the partition of its document records: what the project owns. */
export class FolderMemory {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async find(projectId: string): Promise<RememberedFolders | null> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(partitionOf(projectId), rowKey));
    if (row?.projectId !== projectId) return null;
    return {
      rootId: row.rootId,
      subfolderIds: JSON.parse(row.subfolderIds) as Record<Subfolder, string>,
      webUrls: JSON.parse(row.webUrls) as FolderLinks,
    };
  }

  async remember(projectId: string, folders: RememberedFolders): Promise<void> {
    const { rootId, subfolderIds, webUrls } = folders;
    const row: Row = {
      projectId,
      rootId,
      subfolderIds: JSON.stringify(subfolderIds),
      webUrls: JSON.stringify(webUrls),
    };
    await this.#table.upsertEntity({ partitionKey: partitionOf(projectId), rowKey, ...row }, 'Replace');
  }

  async forget(projectId: string): Promise<void> {
    await orNullIfMissing(this.#table.deleteEntity(partitionOf(projectId), rowKey));
  }
}
