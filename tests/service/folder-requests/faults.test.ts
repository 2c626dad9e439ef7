import type { TableClient } from '@azure/data-tables';
import { describe, expect } from 'vitest';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import {
  claimFrom,
  agent,
  allRows,
  faultsOfTable,
  openQueue,
  PauselessClock,
  RecordedLog,
} from '../../support/folder-queue.ts';
import { QueueTable } from '../../../lib/folder-requests/table/queue-table.ts';
import { proxiedTable } from '../../support/proxied-table.ts';
import { StorageWatch, type Fault, type StorageCall } from '../../support/storage-watch.ts';
import { pendingRequests, store, test } from './fixture.ts';

const nowMs = Date.UTC(2026, 10, 20, 9);
const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user-1' };
// For the calls before and around the operation under test.
const log = new RecordedLog();

interface Case {
  readonly name: string;
  /** Brings the queue into the state that the operation requires. Runs without faults. */
  readonly prepare?: (
    queue: FolderRequestQueue,
    table: TableClient,
  ) => Promise<{ id: string; claimToken: string }>;
  readonly act: (
    queue: FolderRequestQueue,
    prepared: { id: string; claimToken: string },
    log: RecordedLog,
  ) => Promise<unknown>;
}

async function held(queue: FolderRequestQueue): Promise<{ id: string; claimToken: string }> {
  await queue.create(facts, log);
  const claim = await claimFrom(queue, agent('a'), log);
  if (!claim) throw new Error('expected a claimable request');
  return claim;
}

const failed = { status: 'FAILED', errorMessage: 'no' } as const;

const cases: readonly Case[] = [
  { name: 'create', act: (queue, _prepared, log) => queue.create(facts, log) },
  {
    name: 'create with a key',
    act: (queue, _prepared, log) => queue.create({ ...facts, idempotencyKey: 'k' }, log),
  },
  {
    name: 'create with a used key',
    prepare: async (queue) => {
      const { entry } = await queue.create({ ...facts, idempotencyKey: 'k' }, log);
      return { id: entry.id, claimToken: '' };
    },
    act: (queue, _prepared, log) => queue.create({ ...facts, idempotencyKey: 'k' }, log),
  },
  {
    name: 'claim',
    prepare: async (queue) => {
      const { entry } = await queue.create(facts, log);
      return { id: entry.id, claimToken: '' };
    },
    act: (queue, _prepared, log) => claimFrom(queue, agent('a'), log),
  },
  {
    name: 'claim with routing, behind requests for others',
    prepare: async (_queue, table) => {
      const others = Array.from({ length: 10 }, () => '\\\\fs2\\projects\\a');
      const requests = pendingRequests([...others, '\\\\fs1\\projects\\a'], { sinceMs: nowMs - 20 });
      await store(table, requests);
      return { id: requests.at(-1)!.id, claimToken: '' };
    },
    act: async (queue, { id }, log) => {
      const claim = await claimFrom(queue, agent('a'), log, { servers: ['FS1'] });
      expect(claim?.id).toBe(id);
      return claim;
    },
  },
  { name: 'claim of nothing', act: (queue, _prepared, log) => claimFrom(queue, agent('a'), log) },
  {
    name: 'report FULFILLED',
    prepare: held,
    act: (queue, { id, claimToken }, log) =>
      queue.report(id, agent('a'), { status: 'FULFILLED', claimToken }, log),
  },
  {
    name: 'report FAILED',
    prepare: held,
    act: (queue, { id, claimToken }, log) => queue.report(id, agent('a'), { ...failed, claimToken }, log),
  },
  {
    name: 'heartbeat',
    prepare: held,
    act: (queue, { id, claimToken }, log) => queue.heartbeat(id, 'a', claimToken, log),
  },
  {
    name: 'requeue',
    prepare: async (queue) => {
      const claim = await held(queue);
      await queue.report(claim.id, agent('a'), failed, log);
      return claim;
    },
    act: (queue, { id }, log) => queue.requeue(id, { userId: 'admin' }, log),
  },
  { name: 'statistics', prepare: held, act: (queue) => queue.statistics(2) },
  {
    name: 'statistics of agents',
    prepare: held,
    act: async (queue) => (await queue.agentStatistics(2)).work.size,
  },
  {
    name: 'maintenance that counts outcomes',
    prepare: async (queue) => {
      const claim = await held(queue);
      await queue.report(claim.id, agent('a'), { status: 'FULFILLED' }, log);
      return claim;
    },
    // Without its events: a repeated run logs them twice.
    act: async (queue) => {
      await queue.maintenance.run(log);
      return (await queue.statistics(1)).hours;
    },
  },
  { name: 'get', prepare: held, act: (queue, { id }) => queue.get(id) },
  { name: 'list', prepare: held, act: (queue) => queue.list({ limit: 10 }) },
  { name: 'list PROCESSING', prepare: held, act: (queue) => queue.list({ status: 'PROCESSING', limit: 10 }) },
];

// One of each kind that an operation can tell apart: repeated, repeated although it was written, and rejected. All others:
// queue-table.test.ts.
const faultsOf: Readonly<Record<StorageCall['kind'], readonly Fault[]>> = {
  transaction: [503, 'lost response', 409],
  write: [503, 500, 'reset', 'no token', 'lost response', 404, 409, 412],
  query: [503, 'empty page', 404],
  'point read': [503, 404],
};

/** The part of the end state that must not depend on the fault. */
interface Outcome {
  readonly result: unknown;
  readonly requests: readonly unknown[];
  readonly events: readonly string[];
}

async function outcomeOf(
  { prepare, act }: Case,
  at?: { readonly call: number; readonly fault: Fault },
): Promise<{ outcome: Outcome; calls: readonly StorageCall[]; error?: unknown }> {
  const name = await newTable();
  const clock = new PauselessClock({ nowMs });
  const watch = new StorageWatch();
  const queue = openQueue(tableClient(name, { additionalPolicies: watch.policies }), {
    clock,
    seed: 1,
  });
  // The first call of an instance also reads row M, which is not under test here.
  await queue.list({ limit: 1 });
  const prepared = (await prepare?.(queue, tableClient(name))) ?? { id: '', claimToken: '' };
  clock.advance(1000);
  watch.reset();
  const ownLog = new RecordedLog();
  watch.fault = ({ index }) => (index === at?.call ? at.fault : undefined);
  let result: unknown;
  let error: unknown;
  try {
    result = await act(queue, prepared, ownLog);
  } catch (thrown) {
    error = thrown;
  }
  const { calls } = watch;
  watch.fault = () => undefined;
  // A caller that gets an error tries again.
  if (error !== undefined) result = await act(queue, prepared, ownLog);
  const rows = await allRows(tableClient(name));
  expect(faultsOfTable(rows)).toEqual([]);
  const { items } = await queue.list({ limit: 100 });
  return {
    outcome: {
      result: withoutRandomness(result),
      requests: withoutRandomness(items) as unknown[],
      events: ownLog.events.map(({ event }) => event),
    },
    calls,
    error,
  };
}

const withoutRandomness = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === 'id' || name === 'claimToken' ? '***' : inner)),
  );

describe.each(cases)('$name', (operation) => {
  test('has the same result with a fault in any of its calls to the storage as without', async () => {
    const { outcome: expected, calls } = await outcomeOf(operation);
    expect(calls.length).toBeGreaterThan(0);
    for (const [call, { kind }] of calls.entries()) {
      await Promise.all(
        faultsOf[kind].map(async (fault) => {
          const { outcome, error } = await outcomeOf(operation, { call, fault });
          expect(outcome, `call ${call} (${kind}) with ${fault}`).toEqual(expected);
          // A read that the storage rejects with 404, 409 or 412 fails with that error; all other faults are handled.
          const isPlainRejection = kind !== 'transaction' && typeof fault === 'number' && fault < 500;
          if (!isPlainRejection) expect(error, `call ${call} (${kind}) with ${fault}`).toBeUndefined();
        }),
      );
    }
  });
});

describe('a transaction in doubt', () => {
  const partitionKey = 'p';
  const rowKey = 'a';

  async function committed(wasWritten: boolean) {
    const name = await newTable();
    await tableClient(name).createEntity({ partitionKey, rowKey });
    const watch = new StorageWatch();
    const told: boolean[] = [];
    const client = tableClient(name, { additionalPolicies: watch.policies });
    const table = new QueueTable(client, new PauselessClock({ nowMs }), 60_000, (_actions, isCertain) =>
      told.push(isCertain),
    );
    let checks = 0;
    watch.fault = ({ index }) => (index === 0 ? 500 : undefined);
    // Another instance deletes the row between the two tries.
    watch.gate = async ({ index }) => {
      if (index === 1) await tableClient(name).deleteEntity(partitionKey, rowKey);
    };
    const outcome = await table.commit([['delete', { partitionKey, rowKey }]], async () => {
      checks += 1;
      return checks === 2 && wasWritten;
    });
    return { outcome, told, checks };
  }

  test('that then conflicts is written if its trace is found, otherwise lost, and listeners are told', async () => {
    expect(await committed(true)).toEqual({ outcome: true, told: [true], checks: 2 });
    expect(await committed(false)).toEqual({ outcome: false, told: [false], checks: 2 });
  });

  test('that was not written is not counted by statistics', async ({ world }) => {
    const { queue, watch } = world.instance();
    await queue.create(facts, log);
    const { id, claimToken } = (await claimFrom(queue, agent('a'), log))!;
    const before = await queue.statistics(1);
    watch.fault = ({ kind }) => (kind === 'transaction' ? 500 : undefined);
    const unavailable = { code: 'storage_unavailable' };
    await expect(queue.create(facts, log)).rejects.toMatchObject(unavailable);
    const report = queue.report(id, agent('a'), { status: 'FULFILLED', claimToken }, log);
    await expect(report).rejects.toMatchObject(unavailable);
    expect(await queue.statistics(1)).toEqual(before);
  });
});

test('an ended lease that a claim could not return is returned by the next one', async ({ world }) => {
  const { queue, watch } = world.instance();
  const { id } = await held(queue);
  world.clock.advance(300_001);
  watch.fault = ({ kind }) => (kind === 'transaction' ? 503 : undefined);
  await expect(claimFrom(queue, agent('b'), log)).rejects.toMatchObject({ code: 'storage_unavailable' });
  watch.fault = () => undefined;
  expect((await claimFrom(queue, agent('b'), log))?.id).toBe(id);
});

test('the largest claims share a transaction', async ({ world }) => {
  const { queue, watch } = world.instance();
  const longest = Array.from({ length: 16 }, () =>
    Array.from({ length: 15 }, () => 'Ä'.repeat(255)).join('\\'),
  );
  await store(world.table, pendingRequests(longest, { sinceMs: nowMs - 1_000 }));
  await claimFrom(queue, agent('first'), world.log, { servers: ['nothing'] });
  const claims = async (): Promise<number> => {
    watch.reset();
    // The first call has its own cycle.
    const waiting = claimFrom(queue, agent('none'), world.log, { servers: ['nothing'] });
    const taken = await Promise.all(
      Array.from({ length: 16 }, (_, at) => claimFrom(queue, agent(`a${at}`), world.log)),
    );
    await waiting;
    expect(new Set(taken.map((claim) => claim?.id)).size).toBe(16);
    for (const claim of taken) {
      const { id, claimToken } = claim!;
      await queue.release(id, agent(claim!.agentId!), { claimToken, reason: 'x'.repeat(500) }, world.log);
    }
    return watch.calls.filter(({ kind }) => kind === 'transaction').length - 16;
  };
  for (let round = 0; round < 3; round += 1) expect(await claims()).toBe(1);
});

describe('a storage that does not recover', () => {
  test.each(cases)(
    'makes $name fail with storage_unavailable after a few tries',
    async ({ prepare, act }) => {
      const watch = new StorageWatch();
      const name = await newTable();
      const clock = new PauselessClock({ nowMs });
      const queue = openQueue(tableClient(name, { additionalPolicies: watch.policies }), { clock, seed: 1 });
      await queue.list({ limit: 1 });
      const prepared = (await prepare?.(queue, tableClient(name))) ?? { id: '', claimToken: '' };
      const before = await allRows(tableClient(name));
      watch.reset();
      watch.fault = () => 503;
      await expect(act(queue, prepared, log)).rejects.toMatchObject({ code: 'storage_unavailable' });
      // Three of each read that it sends at once.
      expect(watch.calls.length).toBeLessThanOrEqual(6);
      expect(new Set(clock.waits)).toEqual(new Set([200, 400]));
      expect(await allRows(tableClient(name))).toEqual(before);
    },
  );

  test('and does not respond is given up', async () => {
    const { client, proxy } = await proxiedTable();
    try {
      const clock = new PauselessClock();
      const queue = openQueue(client, { clock, seed: 1 });
      const hasty = openQueue(client, { rules: { callTimeoutMs: 100 }, clock, seed: 2 });
      await queue.create(facts, log);
      proxy.goSilent();
      await expect(hasty.claim(agent('a'), log)).rejects.toMatchObject({ code: 'storage_unavailable' });
      proxy.forward();
      proxy.cut();
      expect(await claimFrom(queue, agent('a'), log)).toMatchObject({ attempts: 1 });
    } finally {
      await proxy.stop();
    }
  });
});
