import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TableClient } from '@azure/data-tables';
import * as z from 'zod';
import { valueOfJson } from '../../contract/json.ts';
import { conditionalWrite, untilSettled } from '../../storage/conditional-write.ts';
import { textOfColumn } from '../../storage/column-values.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partitionOf } from './project-partition.ts';
import { folderName, subfolders, type Subfolder } from '../../contract/subfolders.ts';

/** The folders of a project as of its last provision. One that a release has added since has no id yet. */
export interface RememberedFolders {
  readonly rootId: string;
  readonly subfolderIds: Readonly<Partial<Record<Subfolder, string>>>;
  readonly webUrls: FolderLinks;
}

/** With an id for each subfolder. */
export interface ProvisionedFolders extends RememberedFolders {
  readonly subfolderIds: Readonly<Record<Subfolder, string>>;
}

export const isProvisioned = (folders: RememberedFolders): folders is ProvisionedFolders =>
  subfolders.every((name) => folders.subfolderIds[name] !== undefined);

const webUrl = z.string();
const folderLinks = z.object({
  root: z.object({ webUrl }),
  /** In the order of the contract. */
  folders: z.array(z.object({ name: folderName, webUrl })).readonly(),
});

/** Where the folders are opened in the library. */
export type FolderLinks = z.output<typeof folderLinks>;

// The next provision finds by name what a row does not say.
const subfolderIdsIn = z.partialRecord(folderName, z.string().min(1)).catch({});
const folderLinksIn = folderLinks.catch({ root: { webUrl: '' }, folders: [] });

/** A folder below a subfolder, at a path separated by `/`. */
export interface NestedFolder {
  readonly folderName: Subfolder;
  readonly folderPath: string;
}

/** What the last refresh that read everything has seen. */
export interface LastRefresh {
  readonly at: Date;
  /** Also those without files; none if they are too many for a row. */
  readonly nestedFolders: readonly NestedFolder[];
}

const packedFolders = z.array(z.tuple([folderName, z.string().min(1)])).catch([]);
// Of Table Storage: 64 KiB for a property. 2,000 folders of 5 names have about 20.
const maxPackedBytes = 64 * 1024;

interface OwnerRow {
  readonly projectId: string;
}

interface Row extends OwnerRow {
  readonly rootId: string;
  /** JSON: column names cannot contain umlauts or start with a digit, as the folder names do. */
  readonly subfolderIds: string;
  /** JSON. */
  readonly webUrls: string;
}

interface RefreshRow {
  readonly projectId: string;
  readonly begunAt: Date;
  /** Absent until a refresh has read everything. */
  readonly refreshedAt?: Date;
  /** Packed; absent in rows of 1.0.0. */
  readonly nestedFolders?: Uint8Array;
}

const rowKey = 'folders';
const refreshRowKey = 'refreshed';

/**
 * The folders that projects own: the ids of a project's folders in one row in the partition of its document records, and for
 * each root folder, by its id in the library, a row that names its owner. Two projects whose numbers and names result in the
 * same folder would replace each other's files; that row stops the second project.
 */
export class FolderMemory {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async find(projectId: string): Promise<RememberedFolders | null> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(partitionOf(projectId), rowKey));
    if (textOfColumn(row?.projectId) !== projectId || !row) return null;
    return {
      rootId: row.rootId,
      subfolderIds: subfolderIdsIn.parse(valueOfJson(row.subfolderIds)),
      webUrls: folderLinksIn.parse(valueOfJson(row.webUrls)),
    };
  }

  /** The last refresh, of any caller, that read the whole project; null if there was none. */
  async lastRefresh(projectId: string): Promise<LastRefresh | null> {
    const row = await this.#refreshRow(projectId);
    return row?.refreshedAt ? { at: row.refreshedAt, nestedFolders: unpackFolders(row.nestedFolders) } : null;
  }

  /**
   * Records that a refresh begins.
   *
   * @param unlessSinceMs if given, nothing is recorded when one has begun after it
   * @returns whether it was recorded; of several concurrent calls with `unlessSinceMs`, one succeeds
   */
  async beginRefresh(projectId: string, nowMs: number, unlessSinceMs?: number): Promise<boolean> {
    const columns = { ...refreshKey(projectId), projectId, begunAt: new Date(nowMs) };
    if (unlessSinceMs === undefined) {
      await this.#table.upsertEntity(columns, 'Merge');
      return true;
    }
    const row = await this.#refreshRow(projectId);
    if (row && row.begunAt.getTime() > unlessSinceMs) return false;
    const written = await conditionalWrite(
      row
        ? this.#table.updateEntity(columns, 'Merge', { etag: row.etag })
        : this.#table.createEntity(columns),
    );
    return written !== null;
  }

  /** Records that a refresh has read everything, as it was at that time. */
  async refreshed(projectId: string, { at, nestedFolders }: LastRefresh): Promise<void> {
    const columns = { projectId, refreshedAt: at, nestedFolders: packFolders(nestedFolders) };
    await this.#table.upsertEntity({ ...refreshKey(projectId), ...columns }, 'Merge');
  }

  async #refreshRow(projectId: string): Promise<(RefreshRow & { readonly etag: string }) | null> {
    const { partitionKey, rowKey } = refreshKey(projectId);
    const row = await orNullIfMissing(this.#table.getEntity<RefreshRow>(partitionKey, rowKey));
    return textOfColumn(row?.projectId) === projectId ? row : null;
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

  /** The project that owns a folder as its root folder; null if none does. */
  async ownerOf(rootId: string): Promise<string | null> {
    const { partitionKey, rowKey } = ownerKeyOf(rootId);
    const row = await orNullIfMissing(this.#table.getEntity<OwnerRow>(partitionKey, rowKey));
    return textOfColumn(row?.projectId) ?? null;
  }

  /**
   * Makes the project the owner of the root folder, unless another project owns it. Exactly one of several concurrent
   * callers succeeds. A deleted project keeps its folder until it no longer needs it.
   *
   * @returns whether the project owns it
   */
  async claimRoot(
    projectId: string,
    rootId: string,
    needsFolders: (projectId: string) => Promise<boolean>,
  ): Promise<boolean> {
    const key = ownerKeyOf(rootId);
    const outcome = await untilSettled<'owned' | 'taken'>('owner of the root folder', async () => {
      const owner = await orNullIfMissing(this.#table.getEntity<OwnerRow>(key.partitionKey, key.rowKey));
      const ownerId = textOfColumn(owner?.projectId) ?? '';
      if (ownerId === projectId) return 'owned';
      if (owner) {
        const folders = await this.find(ownerId);
        const isElsewhere = folders !== null && folders.rootId !== rootId;
        if (!isElsewhere && (await needsFolders(ownerId))) return 'taken';
        // Should the project return, it looks for its folder by name.
        if (!isElsewhere) await orNullIfMissing(this.#table.deleteEntity(partitionOf(ownerId), rowKey));
      }
      // If the response is lost, the next attempt finds the project as the owner.
      const written = await conditionalWrite(
        owner
          ? this.#table.updateEntity({ ...key, projectId }, 'Replace', { etag: owner.etag })
          : this.#table.createEntity({ ...key, projectId }),
      );
      return written === null ? null : 'owned';
    });
    return outcome === 'owned';
  }
}

function packFolders(folders: readonly NestedFolder[]): Uint8Array {
  const rows = folders.map(({ folderName, folderPath }) => [folderName, folderPath]);
  const bytes = deflateRawSync(JSON.stringify(rows));
  return bytes.byteLength > maxPackedBytes ? new Uint8Array() : bytes;
}

function unpackFolders(bytes: Uint8Array | undefined): readonly NestedFolder[] {
  try {
    const text = inflateRawSync(bytes ?? new Uint8Array()).toString('utf8');
    return packedFolders
      .parse(JSON.parse(text))
      .map(([folderName, folderPath]) => ({ folderName, folderPath }));
  } catch {
    // None, or damaged by hand: the next refresh writes them again.
    return [];
  }
}

const refreshKey = (projectId: string): { partitionKey: string; rowKey: string } => ({
  partitionKey: partitionOf(projectId),
  rowKey: refreshRowKey,
});

// Never equal to the partition of a project, which is 15 hexadecimal digits.
const ownerKeyOf = (rootId: string): { partitionKey: string; rowKey: string } => ({
  partitionKey: `root-${createHash('sha256').update(rootId, 'utf8').digest('hex').slice(0, 32)}`,
  rowKey: 'owner',
});
