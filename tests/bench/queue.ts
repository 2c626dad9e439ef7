import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { TableClient, type TransactionAction } from '@azure/data-tables';
import { systemClock } from '../../lib/contract/clock.ts';
import { startAzurite, type Azurite } from '../../local/stand-ins/azurite.ts';
import {
  applyClaim,
  pendingFolderRequest,
  applyReport,
} from '../../lib/folder-requests/requests/folder-request.ts';
import type { ClaimRouting } from '../../lib/contract/folder-requests.ts';
import { AgentRegistry } from '../../lib/folder-requests/agent-registry.ts';
import { FolderRequestQueue } from '../../lib/folder-requests/folder-request-queue.ts';
import { creation } from '../../lib/folder-requests/table/transitions.ts';
import { createdAtMsOf, RequestIds } from '../../lib/folder-requests/requests/request-id.ts';
import {
  RecordedLog,
  agent,
  allRows,
  certain,
  claimFrom,
  defaultRules,
  faultsOfTable,
} from '../support/folder-queue.ts';
import { costsOfOperations, newSlowQueue, rowsPerSecond, startSlowTables } from '../support/slow-queue.ts';
import { StorageWatch } from '../support/storage-watch.ts';

const log = new RecordedLog();
const oneUser = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user-1' };

/** Counts and ratios of the queue; Azurite is both its storage and what it is compared with. */
export async function run(): Promise<void> {
  const azurite = await startAzurite();
  try {
    await requestCounts(azurite);
    await routedClaims(azurite);
    await contention(azurite);
    await throughput(azurite);
  } finally {
    await azurite.stop();
  }
  await slowTable(50_000, 100_000);
}

/** Every operation on a table that scans as slowly as the real one. */
export async function slowTable(pending: number, finished: number): Promise<void> {
  const azurite = await startSlowTables();
  try {
    const costs = await costsOfOperations(await newSlowQueue(azurite, { waiting: pending, finished }));
    console.log(
      `\n${pending} pending for as many other servers, ${finished} finished, ${rowsPerSecond} rows a second; at the end of a page, a cursor`,
    );
    console.table(
      Object.fromEntries(
        [...costs].map(([name, { calls, roundTrips, returned, scanned, hasNext }]) => [
          name,
          {
            'requests / round trips / rows returned': `${calls} / ${roundTrips} / ${returned}`,
            'rows scanned': scanned,
            'seconds of scanning': (scanned / rowsPerSecond).toFixed(2),
            cursor: hasNext ? 'yes' : '',
          },
        ]),
      ),
    );
  } finally {
    await azurite.stop();
  }
}

interface Instance {
  readonly queue: FolderRequestQueue;
  readonly watch: StorageWatch;
}

function instanceAt(azurite: Azurite, table: string, shards: number): Instance {
  const watch = new StorageWatch();
  const client = clientOf(azurite, table, watch);
  const time = { clock: certain(systemClock), randomBytes };
  return { queue: new FolderRequestQueue(client, { ...defaultRules, shards }, time), watch };
}

function clientOf(azurite: Azurite, table: string, watch?: StorageWatch): TableClient {
  return TableClient.fromConnectionString(azurite.connectionString, table, {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
    ...(watch && { additionalPolicies: watch.policies }),
  });
}

async function newTable(azurite: Azurite): Promise<string> {
  const name = `t${randomUUID().replaceAll('-', '')}`;
  await clientOf(azurite, name).createTable();
  return name;
}

/** Writes requests directly to the table, up to 50 per transaction: some FULFILLED long ago, some PENDING. */
async function addHistory(
  client: TableClient,
  finished: number,
  pending: number,
  { shard = 0, targetPath = oneUser.targetPath } = {},
): Promise<void> {
  const ids = new RequestIds(randomBytes);
  const startMs = Date.now() - 86_400_000;
  let actions: TransactionAction[] = [];
  for (let at = 0; at < finished + pending; at += 1) {
    const id = ids.next(startMs + at, shard);
    const request = pendingFolderRequest({ id, ...oneUser, targetPath, createdAtMs: createdAtMsOf(id) });
    const claim = { agentId: 'a', claimToken: 'token' };
    const held = applyClaim(request, claim, { nowMs: startMs + at, leaseMs: 1 });
    const done = applyReport(held, 'a', { status: 'FULFILLED' }, startMs + at);
    const stored = at < finished && 'next' in done ? done.next : request;
    actions.push(...creation(stored, 'history'));
    if (actions.length > 96 || at === finished + pending - 1) {
      await client.submitTransaction(actions);
      actions = [];
    }
  }
}

async function requestCounts(azurite: Azurite): Promise<void> {
  const rows: Record<string, Record<string, string>> = {};
  for (const [finished, pending] of [
    [0, 0],
    [10_000, 5_000],
  ] as const) {
    const table = await newTable(azurite);
    await addHistory(clientOf(azurite, table), finished, pending);
    const { queue, watch } = instanceAt(azurite, table, 1);
    // The first call of a process also reads row M.
    await queue.list({ limit: 1 });
    const column = `${finished} finished, ${pending} pending`;
    const measured = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
      watch.reset();
      const result = await call();
      (rows[name] ??= {})[column] = `${watch.calls.length} / ${watch.roundTrips} / ${watch.rowsRead}`;
      return result;
    };

    if (pending === 0) await measured('claim, no work', () => claimFrom(queue, agent('a'), log));
    await measured('create', () => queue.create(oneUser, log));
    await measured('create, with Idempotency-Key', () =>
      queue.create({ ...oneUser, idempotencyKey: 'k' }, log),
    );
    const claim = await measured('claim, with work', () => claimFrom(queue, agent('a'), log));
    if (!claim) throw new Error('nothing was claimed');
    const { id, claimToken } = claim;
    await measured('heartbeat', () => queue.heartbeat(id, 'a', claimToken, log));
    await measured('report', () =>
      queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'no', claimToken }, log),
    );
    await measured('requeue', () => queue.requeue(id, { userId: 'admin' }, log));
    const again = await claimFrom(queue, agent('a'), log, { servers: [], relative: true });
    if (!again) throw new Error('nothing was claimed again');
    const held = { claimToken: again.claimToken, reason: 'the agent stops' };
    await measured('release', () => queue.release(again.id, agent('a'), held, log));
    await measured('get', () => queue.get(id));
    await measured('list', () => queue.list({ limit: 50 }));
    for (const status of ['FULFILLED', 'FAILED', 'PROCESSING', 'PENDING'] as const) {
      await measured(`list ${status}`, () => queue.list({ status, limit: 50 }));
    }
    await measured('statistics of 168 hours', () => queue.statistics(168));
    await measured("agents: the queue's part, besides statistics", () => queue.agentStatistics(24));
    await measured('maintenance, every minute', () => queue.maintenance.run(log));
    await measured('withdraw', () => queue.withdraw(again.id, { userId: 'user-1', mayAny: false }, log));
    const { registry, registryWatch } = await agentsAt(azurite);
    watch.reset();
    await registry.recordCall(agent('a'), null);
    const written = registryWatch.calls.length;
    await registry.all();
    (rows['agents: their rows (first write of an instance; list)'] ??= {})[column] =
      `${written}; ${registryWatch.calls.length - written}`;
  }
  console.log('\nStorage requests / sequential round trips / rows read');
  console.table(rows);
}

async function agentsAt(azurite: Azurite): Promise<{ registry: AgentRegistry; registryWatch: StorageWatch }> {
  const registryWatch = new StorageWatch();
  const client = clientOf(azurite, await newTable(azurite), registryWatch);
  return { registry: new AgentRegistry(client, systemClock, log), registryWatch };
}

/** Claims of an agent whose requests follow 5,000 requests for other servers. */
async function routedClaims(azurite: Azurite): Promise<void> {
  const others = 5_000;
  const own = 20;
  const table: Record<string, Record<string, string>> = {};
  for (const shards of [1, 4, 16]) {
    const name = await newTable(azurite);
    const client = clientOf(azurite, name);
    for (let shard = 0; shard < shards; shard += 1) {
      await addHistory(client, 0, Math.ceil(others / shards), { shard, targetPath: '\\\\other\\p\\a' });
    }
    const { queue, watch } = instanceAt(azurite, name, shards);
    const ids: string[] = [];
    for (let at = 0; at < own; at += 1) {
      const facts = { ...oneUser, targetPath: '\\\\fs1.firma.example\\p\\a' };
      ids.push((await queue.create(facts, log)).entry.id);
    }
    const column = `${shards} shards`;
    const measured = async (what: string, routing?: ClaimRouting): Promise<string | undefined> => {
      watch.reset();
      const claim = await claimFrom(queue, agent('a'), log, routing);
      (table[what] ??= {})[column] = `${watch.calls.length} / ${watch.roundTrips} / ${watch.rowsRead}`;
      return claim?.id;
    };
    const routing = { servers: ['FS1'] };
    const taken = [
      await measured('first claim of an instance', routing),
      await measured('next claim', routing),
    ];
    for (let at = 2; at < own; at += 1) taken.push((await claimFrom(queue, agent('a'), log, routing))?.id);
    const inOrder = taken.every((id, at) => id === ids[at]);
    if (!inOrder) throw new Error('requests were not claimed in the order of their creation');
    await measured('claim when no request fits', routing);
    await measured('for comparison, a claim of anything');
  }
  console.log(
    `\nClaims for one server behind ${others} requests for others: storage requests / round trips / rows read`,
  );
  console.table(table);
}

const agents = 100;
const requests = 600;
const instances = 3;

async function contention(azurite: Azurite): Promise<void> {
  console.log(
    `\n${agents} agents on ${requests} requests over ${instances} instances of the service; 5 to 15 ms latency to the storage, 30 ms of work`,
  );
  const table: Record<string, Record<string, number>> = {};
  for (const shards of [1, 4, 16]) table[`${shards} shards`] = await contentionAt(azurite, shards);
  console.table(table);
}

async function contentionAt(azurite: Azurite, shards: number): Promise<Record<string, number>> {
  const table = await newTable(azurite);
  const latency = async (): Promise<void> => wait(5 + Math.random() * 10);
  const services = Array.from({ length: instances }, () => instanceAt(azurite, table, shards));
  // Reports use separate clients, so the watches count only claims.
  const reports = instanceAt(azurite, table, shards).queue;
  const order: string[] = [];
  for (let at = 0; at < requests; at += 1) order.push((await reports.create(oneUser, log)).entry.id);
  await Promise.all(services.map(({ queue }) => queue.list({ limit: 1 })));
  for (const { watch } of services) {
    watch.reset();
    watch.gate = latency;
  }

  const sum = (of: (watch: StorageWatch) => number): number =>
    services.reduce((total, { watch }) => total + of(watch), 0);
  const conflictsOf = (watch: StorageWatch): number => watch.conflicts;
  const callsOf = (watch: StorageWatch): number => watch.calls.length;
  const claimedIds: string[] = [];
  // Later calls only poll without work.
  let atLastClaim = { conflicts: NaN, calls: NaN };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: agents }, async (_, at) => {
      const me = agent(`agent-${at}`);
      const { queue } = services[at % instances] ?? services[0]!;
      for (;;) {
        const claim = await claimFrom(queue, me, log);
        if (!claim) return;
        claimedIds.push(claim.id);
        if (claimedIds.length === requests)
          atLastClaim = { conflicts: sum(conflictsOf), calls: sum(callsOf) };
        await wait(30);
        await reports.report(claim.id, me, { status: 'FULFILLED', claimToken: claim.claimToken }, log);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;

  const slips = claimedIds.map((id, at) => Math.abs(order.indexOf(id) - at));
  const faults = faultsOfTable(await allRows(clientOf(azurite, table)));
  const taken = new Set(claimedIds).size;
  if (taken !== requests || claimedIds.length !== requests) {
    throw new Error(
      `${claimedIds.length} claims of ${taken} requests; expected each of ${requests} requests once`,
    );
  }
  if (faults.length > 0) throw new Error(`the table is broken: ${faults.join('; ')}`);
  return {
    claimed: claimedIds.length,
    duplicates: claimedIds.length - taken,
    lost: requests - taken,
    'conflicts per claim': round(atLastClaim.conflicts / requests),
    'storage requests per claim': round(atLastClaim.calls / requests),
    'positions out of order, mean': round(slips.reduce((total, slip) => total + slip, 0) / requests),
    'positions out of order, maximum': Math.max(...slips),
    'claims per second': Math.round(requests / seconds),
  };
}

async function throughput(azurite: Azurite): Promise<void> {
  const count = 600;
  const results: Record<string, Record<string, string>> = {};
  for (const callers of [1, 100]) {
    const bareTable = await newTable(azurite);
    const bare = await perSecond(count, callers, await bareTransactions(clientOf(azurite, bareTable), count));
    const table = await newTable(azurite);
    const { queue } = instanceAt(azurite, table, 1);
    await addHistory(clientOf(azurite, table), 0, count);
    const claims = await perSecond(
      count,
      callers,
      async () => void (await claimFrom(queue, agent('a'), log)),
    );
    results[`${callers} at a time`] = {
      'bare transactions per second': bare.toFixed(0),
      'claims per second': claims.toFixed(0),
      share: `${((claims / bare) * 100).toFixed(0)} %`,
    };
  }
  console.log(
    '\nClaims compared with bare transactions of the same four entities (two deletes, insert, merge)',
  );
  console.table(results);
}

async function bareTransactions(client: TableClient, count: number): Promise<(at: number) => Promise<void>> {
  const partitionKey = 'p';
  const filler = { targetPath: oneUser.targetPath, attempts: 1, updatedAt: new Date() };
  for (let at = 0; at < count; at += 30) {
    await client.submitTransaction(
      Array.from({ length: 30 }, (_, of) => at + of).flatMap((n): TransactionAction[] => [
        ['create', { partitionKey, rowKey: `J_${n}`, ...filler }],
        ['create', { partitionKey, rowKey: `Q_${n}`, ...filler }],
        ['create', { partitionKey, rowKey: `W_${n}`, ...filler }],
      ]),
    );
  }
  return async (n) =>
    void (await client.submitTransaction([
      ['delete', { partitionKey, rowKey: `Q_${n}` }],
      ['delete', { partitionKey, rowKey: `W_${n}` }],
      ['create', { partitionKey, rowKey: `R_${n}`, ...filler }],
      ['update', { partitionKey, rowKey: `J_${n}`, ...filler }, 'Merge'],
    ]));
}

async function perSecond(
  count: number,
  callers: number,
  call: (at: number) => Promise<void>,
): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < count) await call(next++);
    }),
  );
  return count / ((performance.now() - startedAt) / 1000);
}

const round = (value: number): number => Math.round(value * 100) / 100;
