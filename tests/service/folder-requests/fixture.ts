import { expect, test as base } from 'vitest';
import type { TableClient } from '@azure/data-tables';
import type { FolderRequest } from '../../../lib/contract/folder-requests.ts';
import type { FolderRequestQueue, QueueRules } from '../../../lib/folder-requests/folder-request-queue.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { allRows, faultsOfTable, openQueue, RecordedLog } from '../../support/folder-queue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { StorageWatch } from '../../support/storage-watch.ts';

/** A request as lists and every other answer but that of its own route show it. */
export async function entryWithoutHistory(queue: FolderRequestQueue, id: string): Promise<FolderRequest> {
  const { history: _history, ...entry } = await queue.get(id);
  return entry;
}

export interface Instance {
  readonly queue: FolderRequestQueue;
  readonly watch: StorageWatch;
}

export interface QueueWorld {
  readonly clock: VirtualClock;
  readonly log: RecordedLog;
  /** The table as an operator sees it. */
  readonly table: TableClient;
  /** Starts one more instance of the service at the same table. */
  instance(rules?: Partial<QueueRules>): Instance;
}

/** A queue in its own table. */
export async function newQueueWorld(): Promise<QueueWorld> {
  const name = await newTable();
  const clock = new VirtualClock({ nowMs: Date.UTC(2026, 10, 20, 9) });
  let seed = 0;
  return {
    clock,
    log: new RecordedLog(),
    table: tableClient(name),
    instance(rules) {
      const watch = new StorageWatch();
      seed += 1;
      const client = tableClient(name, { additionalPolicies: watch.policies });
      return { queue: openQueue(client, { rules, clock, seed }), watch };
    },
  };
}

/** A test with its own queue; after every test the table is checked against its invariants. */
export const test = base.extend<{ world: QueueWorld }>({
  // vitest reads the fixtures a fixture needs off this pattern.
  // oxlint-disable-next-line no-empty-pattern
  world: async ({}, use) => {
    const world = await newQueueWorld();
    await use(world);
    expect(faultsOfTable(await allRows(world.table))).toEqual([]);
  },
});
