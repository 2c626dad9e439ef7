import { createHash } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import { orNullIfMissing, rejectedWith } from '../storage/rejections.ts';
import { rootFolderKey } from './root-folder-name.ts';

interface Row {
  readonly projectId: string;
  readonly rootName: string;
}

/** Whether a project still needs the root folder that it owns. */
export type IsInUse = (projectId: string, rootName: string) => Promise<boolean>;

const maxTries = 4;

/**
 * The owners of root folders: one row per name, compared as the library compares names. Two projects whose numbers and
 * names result in the same folder would replace each other's files; the row stops the second project.
 *
 * When a project is renamed or deleted, its name is not released, because its folder and files remain. Another project
 * can acquire the name when `isInUse` reports that the owner no longer needs it.
 */
export class RootFolderOwners {
  readonly #table: TableClient;
  readonly #isInUse: IsInUse;

  constructor(table: TableClient, isInUse: IsInUse) {
    this.#table = table;
    this.#isInUse = isInUse;
  }

  /**
   * Makes the project the owner of the root folder, unless another project owns it. Exactly one of several concurrent
   * callers succeeds.
   *
   * @returns whether the project owns it
   */
  async claim(projectId: string, rootName: string): Promise<boolean> {
    const key = keysOf(rootName);
    const row: Row = { projectId, rootName };
    for (let tries = 1; ; tries += 1) {
      const owner = await orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, key.rowKey));
      if (owner?.projectId === projectId) return true;
      if (owner && (await this.#isInUse(owner.projectId, rootName))) return false;
      try {
        await (owner
          ? this.#table.updateEntity({ ...key, ...row }, 'Replace', { etag: owner.etag })
          : this.#table.createEntity({ ...key, ...row }));
        return true;
      } catch (error) {
        const status = rejectedWith(error);
        const isRace = status === 404 || status === 409 || status === 412;
        if (!isRace || tries === maxTries) throw error;
      }
    }
  }
}

// Never equal to the partition of a project, which is 15 hexadecimal digits.
const keysOf = (rootName: string): { partitionKey: string; rowKey: string } => ({
  partitionKey: `root-${createHash('sha256').update(rootFolderKey(rootName), 'utf8').digest('hex').slice(0, 32)}`,
  rowKey: 'owner',
});
