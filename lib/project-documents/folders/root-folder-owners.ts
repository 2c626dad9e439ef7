import { createHash } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import { conditionalWrite, untilSettled } from '../../storage/conditional-write.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';

interface Row {
  readonly projectId: string;
}

/** What a former owner has to do with its root folder. */
export interface FormerOwner {
  /** Whether the project still needs the root folder that it owns. */
  isInUse(projectId: string, rootId: string): Promise<boolean>;
  /** Makes the project look for its folder by name, should it return. */
  release(projectId: string): Promise<void>;
}

/**
 * The owners of root folders: one row per folder, by its id in the library. Two projects whose numbers and names result in
 * the same folder would replace each other's files; the row stops the second project. A deleted project keeps its folder
 * until `isInUse` reports that it no longer needs it.
 */
export class RootFolderOwners {
  readonly #table: TableClient;
  readonly #former: FormerOwner;

  constructor(table: TableClient, former: FormerOwner) {
    this.#table = table;
    this.#former = former;
  }

  /**
   * Makes the project the owner of the root folder, unless another project owns it. Exactly one of several concurrent
   * callers succeeds.
   *
   * @returns whether the project owns it
   */
  async claim(projectId: string, rootId: string): Promise<boolean> {
    const key = keysOf(rootId);
    const row: Row = { projectId };
    return untilSettled('owner of the root folder', async () => {
      const owner = await orNullIfMissing(this.#table.getEntity<Row>(key.partitionKey, key.rowKey));
      if (owner?.projectId === projectId) return true;
      if (owner) {
        if (await this.#former.isInUse(owner.projectId, rootId)) return false;
        await this.#former.release(owner.projectId);
      }
      // If the response is lost, the next attempt finds the project as the owner.
      const written = await conditionalWrite(
        owner
          ? this.#table.updateEntity({ ...key, ...row }, 'Replace', { etag: owner.etag })
          : this.#table.createEntity({ ...key, ...row }),
      );
      return written && true;
    });
  }
}

// Never equal to the partition of a project, which is 15 hexadecimal digits.
const keysOf = (rootId: string): { partitionKey: string; rowKey: string } => ({
  partitionKey: `root-${createHash('sha256').update(rootId, 'utf8').digest('hex').slice(0, 32)}`,
  rowKey: 'owner',
});
