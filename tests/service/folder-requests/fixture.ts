import { expect, test as base } from 'vitest';
import type { TableClient } from '@azure/data-tables';
import type { FolderRequest, FolderRequestReport } from '../../../lib/contract/folder-requests.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import type { QueueRules } from '../../../lib/folder-requests/table/queue-parts.ts';
import {
  applyClaim,
  pendingFolderRequest,
  applyReport,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { RequestIds } from '../../../lib/folder-requests/requests/request-id.ts';
import { outcomeActions } from '../../../lib/folder-requests/table/outcomes.ts';
import { creation } from '../../../lib/folder-requests/table/transitions.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import {
  allRows,
  faultsOfTable,
  openQueue,
  PauselessClock,
  RecordedLog,
  seededBytes,
} from '../../support/folder-queue.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { loadTable } from '../../support/shared-azurite.ts';
import { StorageWatch } from '../../support/storage-watch.ts';

/** A request as every response shows it, except that of its own route. */
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
  /** The table as an instance sees it, with its calls. */
  watched(): { readonly client: TableClient; readonly watch: StorageWatch };
  /** Starts another instance of the service on the same table. */
  instance(rules?: Partial<QueueRules>): Instance;
}

/** A queue in its own table. */
export async function newQueueWorld(): Promise<QueueWorld> {
  const name = await newTable();
  const clock = new PauselessClock({ nowMs: Date.UTC(2026, 10, 20, 9) });
  let seed = 0;
  const watched = () => {
    const watch = new StorageWatch();
    return { client: tableClient(name, { additionalPolicies: watch.policies }), watch };
  };
  return {
    watched,
    clock,
    log: new RecordedLog(),
    table: tableClient(name),
    instance(rules) {
      const { client, watch } = watched();
      seed += 1;
      return { queue: openQueue(client, { rules, clock, seed }), watch };
    },
  };
}

/** A queue in its own table with these requests, see {@link store}. */
export async function queueWorldWith(
  requests: (nowMs: number) => readonly StoredFolderRequest[],
  kinds?: RegExp,
): Promise<QueueWorld> {
  const world = await newQueueWorld();
  await store(world.table, requests(world.clock.now()), kinds);
  return world;
}

/**
 * Adds requests to the table without the calls that lead to their state: thousands in the time of a few calls.
 *
 * @param kinds keys of the rows that are added; by default all that requests have
 */
export async function store(
  table: TableClient,
  requests: readonly StoredFolderRequest[],
  kinds = /^/,
): Promise<void> {
  const rows = requests.flatMap((request) => creation(request, 'loaded').map(([, row]) => row));
  await loadTable(
    table.tableName,
    rows.filter(({ rowKey }) => kinds.test(rowKey)),
  );
}

/** Adds the outcomes of ended requests to the table, as their transitions write them. */
export async function storeOutcomes(
  table: TableClient,
  requests: readonly StoredFolderRequest[],
): Promise<void> {
  const rows = requests.flatMap((request) => outcomeActions(request).map(([, row]) => row));
  await loadTable(table.tableName, rows);
}

/**
 * PENDING requests in the order of the targets, alternating between the shards.
 *
 * @param sinceMs when the first was created; each of the others was created a millisecond after the previous one
 * @param seed a different one for each call with the same times
 */
export function pendingRequests(
  targets: readonly string[],
  { sinceMs, shards = 1, seed = 7 }: { sinceMs: number; shards?: number; seed?: number },
): StoredFolderRequest[] {
  const ids = new RequestIds(seededBytes(seed));
  return targets.map((targetPath, at) => {
    const createdAtMs = sinceMs + at;
    const id = ids.next(createdAtMs, at % shards);
    return pendingFolderRequest({ id, targetPath, requestedByUserId: 'user-1', createdAtMs });
  });
}

/** The request after agent `a` has claimed it and reported the outcome. */
export function ended(
  request: StoredFolderRequest,
  report: FolderRequestReport,
  nowMs = request.createdAtMs,
): StoredFolderRequest {
  const held = applyClaim(request, { agentId: 'a', claimToken: 't' }, { nowMs, leaseMs: 1 });
  const outcome = applyReport(held, 'a', report, nowMs);
  if (!('next' in outcome)) throw new Error('expected the report to be accepted');
  return outcome.next;
}

/** A test with its own queue. Checks the invariants of the table after every test. */
export const test = base.extend<{ world: QueueWorld }>({
  // vitest reads the names of required fixtures from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  world: async ({}, use) => {
    const world = await newQueueWorld();
    await use(world);
    expect(faultsOfTable(await allRows(world.table))).toEqual([]);
  },
});
