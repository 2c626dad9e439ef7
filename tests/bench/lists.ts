import { randomBytes } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { systemClock } from '../../lib/contract/clock.ts';
import { FolderRequestQueue } from '../../lib/folder-requests/folder-request-queue.ts';
import {
  applyClaim,
  applyReport,
  pendingFolderRequest,
  type StoredFolderRequest,
} from '../../lib/folder-requests/requests/folder-request.ts';
import { RequestIds } from '../../lib/folder-requests/requests/request-id.ts';
import { creation } from '../../lib/folder-requests/table/transitions.ts';
import { certain, defaultRules } from '../support/folder-queue.ts';
import { startSlowTables } from '../support/slow-queue.ts';
import { StorageWatch } from '../support/storage-watch.ts';

type Query = Omit<Parameters<FolderRequestQueue['list']>[0], 'limit' | 'cursor'>;

// The oldest of all: what a list searches for longest.
const waiting = 1_200;
const held = 50;

/**
 * Storage requests of a page, by each filter and each pair of filters of the list, whatever it finds: of requests that one user
 * and one project have, of which the oldest wait or are held, one of ten has failed, and the others are fulfilled.
 */
export async function run(): Promise<void> {
  const azurite = await startSlowTables();
  try {
    for (const count of [10_000, 100_000]) {
      const table = `lists${count}`;
      const client = (watch?: StorageWatch): TableClient =>
        TableClient.fromConnectionString(azurite.connectionString, table, {
          allowInsecureConnection: true,
          retryOptions: { maxRetries: 0 },
          ...(watch && { additionalPolicies: watch.policies }),
        });
      await client().createTable();
      await azurite.load(table, rowsOf(count));
      const costs = await costsOf([...singles(), ...pairs()], client);
      console.log(`\n${count} requests, pages of 50: storage requests of the first page`);
      console.table(costs);
      const most = Object.values(costs).reduce((max, cost) => Math.max(max, cost.requests), 0);
      console.log(`${Object.keys(costs).length} queries, at most ${most} storage requests a page`);
    }
  } finally {
    await azurite.stop();
  }
}

function singles(): readonly Query[] {
  const nowMs = Date.now();
  const periods = { fromMs: nowMs - 86_400_000, toMs: nowMs - 3_600_000 };
  return [
    {},
    ...(['PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const).map((status) => ({ status })),
    ...['a', 'nobody'].map((agentId) => ({ agentId })),
    ...['user-1', 'nobody'].map((requestedBy) => ({ requestedBy })),
    ...['p-1', 'none'].map((projectId) => ({ projectId })),
    ...['kunde', 'nowhere'].map((pathPart) => ({ pathPart })),
    { fromMs: periods.fromMs },
    { toMs: periods.toMs },
  ];
}

function pairs(): readonly Query[] {
  const values = singles().slice(1);
  return values.flatMap((one, at) =>
    values.slice(at + 1).flatMap((other) => {
      const isSame = Object.keys(one).some((name) => Object.hasOwn(other, name));
      return isSame ? [] : [{ ...one, ...other }];
    }),
  );
}

interface Cost {
  readonly requests: number;
  readonly items: number;
  readonly cursor: string;
}

async function costsOf(
  all: readonly Query[],
  client: (watch: StorageWatch) => TableClient,
): Promise<Record<string, Cost>> {
  const costs: Record<string, Cost> = {};
  for (const query of all) {
    const watch = new StorageWatch();
    const time = { clock: certain(systemClock), randomBytes };
    const queue = new FolderRequestQueue(client(watch), defaultRules, time);
    // The first call of a process also reads row M.
    await queue.list({ limit: 1 });
    watch.reset();
    const { items, nextCursor } = await queue.list({ ...query, limit: 50 });
    const name = JSON.stringify(query, (field, value: unknown) => (field.endsWith('Ms') ? '…' : value));
    costs[name] = {
      requests: watch.calls.length,
      items: items.length,
      cursor: nextCursor === null ? '' : 'yes',
    };
  }
  return costs;
}

function* rowsOf(count: number): Generator<Record<string, unknown>> {
  const ids = new RequestIds(randomBytes);
  const sinceMs = Date.now() - 30 * 86_400_000;
  for (let at = 0; at < count; at += 1) {
    const createdAtMs = sinceMs + Math.floor((at * 30 * 86_400_000) / count);
    const id = ids.next(createdAtMs, 0);
    const facts = { targetPath: `Kunde\\P-${at}`, requestedByUserId: 'user-1', projectId: 'p-1' };
    const request = stateOf(pendingFolderRequest({ id, ...facts, createdAtMs }), at);
    for (const [, entity] of creation(request, 'loaded')) yield entity;
  }
}

function stateOf(request: StoredFolderRequest, at: number): StoredFolderRequest {
  if (at < waiting) return request;
  const limits = { nowMs: Date.now(), leaseMs: 86_400_000 };
  const claimed = applyClaim(request, { agentId: 'a', claimToken: 't' }, limits);
  if (at < waiting + held) return claimed;
  const report =
    at % 10 === 0
      ? ({ status: 'FAILED', errorMessage: 'full' } as const)
      : ({ status: 'FULFILLED' } as const);
  const outcome = applyReport(claimed, 'a', report, request.createdAtMs);
  if (!('next' in outcome)) throw new Error('expected the report to be accepted');
  return outcome.next;
}
