import { describe, expect } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { DelayProxy } from '../../support/delay-proxy.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import { agent, allRows, faultsOfTable, openQueue, RecordedLog } from '../../support/folder-queue.ts';
import { StorageWatch, type Fault, type StorageCall } from '../../support/storage-watch.ts';
import { test } from './fixture.ts';

const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user-1' };
// Of what is done before and around the operation under test.
const log = new RecordedLog();

interface Case {
  readonly name: string;
  /** Brings the queue, which has no faults yet, to where the operation applies. */
  readonly prepare?: (queue: FolderRequestQueue) => Promise<{ id: string; claimToken: string }>;
  readonly act: (
    queue: FolderRequestQueue,
    prepared: { id: string; claimToken: string },
    log: RecordedLog,
  ) => Promise<unknown>;
}

async function held(queue: FolderRequestQueue): Promise<{ id: string; claimToken: string }> {
  await queue.create(facts, log);
  const claim = await queue.claim(agent('a'), log);
  if (!claim) throw new Error('expected something to claim');
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
    act: (queue, _prepared, log) => queue.claim(agent('a'), log),
  },
  {
    name: 'claim with routing, behind requests for others',
    prepare: async (queue) => {
      for (let at = 0; at < 10; at += 1) {
        await queue.create({ ...facts, targetPath: '\\\\fs2\\projects\\a' }, log);
      }
      const { entry } = await queue.create({ ...facts, targetPath: '\\\\fs1\\projects\\a' }, log);
      return { id: entry.id, claimToken: '' };
    },
    act: async (queue, { id }, log) => {
      const claim = await queue.claim(agent('a'), log, { servers: ['FS1'] });
      expect(claim?.id).toBe(id);
      return claim;
    },
  },
  { name: 'claim of nothing', act: (queue, _prepared, log) => queue.claim(agent('a'), log) },
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
    act: (queue, { id, claimToken }) => queue.heartbeat(id, 'a', claimToken),
  },
  {
    name: 'requeue',
    prepare: async (queue) => {
      const claim = await held(queue);
      await queue.report(claim.id, agent('a'), failed, log);
      return claim;
    },
    act: (queue, { id }, log) => queue.requeue(id, 'admin', log),
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
    // Without its events: who repeats a run has two of them.
    act: async (queue) => {
      await queue.maintenance.run(log);
      return (await queue.statistics(1)).hours;
    },
  },
  { name: 'get', prepare: held, act: (queue, { id }) => queue.get(id) },
  { name: 'list', prepare: held, act: (queue) => queue.list({ limit: 10 }) },
  { name: 'list PROCESSING', prepare: held, act: (queue) => queue.list({ status: 'PROCESSING', limit: 10 }) },
];

const faults: readonly Fault[] = [
  503,
  500,
  'reset',
  'no token',
  'lost response',
  'empty page',
  404,
  409,
  412,
];

/** What of the end state must not depend on the fault. */
interface Outcome {
  readonly answer: unknown;
  readonly requests: readonly unknown[];
  readonly events: readonly string[];
}

async function outcomeOf(
  { prepare, act }: Case,
  at?: { readonly call: number; readonly fault: Fault },
): Promise<{ outcome: Outcome; calls: readonly StorageCall[]; error?: unknown }> {
  const name = await newTable();
  const clock = new VirtualClock({ nowMs: Date.UTC(2026, 10, 20, 9) });
  const watch = new StorageWatch();
  const queue = openQueue(tableClient(name, { additionalPolicies: watch.policies }), {
    clock,
    seed: 1,
  });
  // The first call of a process reads row M; that one is not under test here.
  await queue.list({ limit: 1 });
  const prepared = (await prepare?.(queue)) ?? { id: '', claimToken: '' };
  clock.advance(1000);
  watch.reset();
  const ownLog = new RecordedLog();
  watch.fault = ({ index }) => (index === at?.call ? at.fault : undefined);
  let answer: unknown;
  let error: unknown;
  try {
    answer = await act(queue, prepared, ownLog);
  } catch (thrown) {
    error = thrown;
  }
  const { calls } = watch;
  watch.fault = () => undefined;
  // Whoever was told of a failure tries again.
  if (error !== undefined) answer = await act(queue, prepared, ownLog);
  const rows = await allRows(tableClient(name));
  expect(faultsOfTable(rows)).toEqual([]);
  const { items } = await queue.list({ limit: 100 });
  return {
    outcome: {
      answer: withoutRandomness(answer),
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
  test('ends as without the fault, whatever goes wrong with any of its calls to the storage', async () => {
    const { outcome: expected, calls } = await outcomeOf(operation);
    expect(calls.length).toBeGreaterThan(0);
    for (const [call, { kind }] of calls.entries()) {
      const applicable = faults.filter((fault) => fault !== 'empty page' || kind === 'query');
      await Promise.all(
        applicable.map(async (fault) => {
          const { outcome, error } = await outcomeOf(operation, { call, fault });
          expect(outcome, `call ${call} (${kind}) with ${fault}`).toEqual(expected);
          // A read that is told 404, 409 or 412 has no better answer than the storage's; all else is coped with.
          const isPlainRefusal = kind !== 'transaction' && typeof fault === 'number' && fault < 500;
          if (!isPlainRefusal) expect(error, `call ${call} (${kind}) with ${fault}`).toBeUndefined();
        }),
      );
    }
  });
});

describe('a storage that does not come back', () => {
  test.each(cases)(
    'is reported by $name as storage_unavailable, after few tries',
    async ({ prepare, act }) => {
      const watch = new StorageWatch();
      const name = await newTable();
      const queue = openQueue(tableClient(name, { additionalPolicies: watch.policies }), {
        clock: new VirtualClock({ nowMs: 1_795_000_000_000 }),
        seed: 1,
      });
      await queue.list({ limit: 1 });
      const prepared = (await prepare?.(queue)) ?? { id: '', claimToken: '' };
      const before = await allRows(tableClient(name));
      for (const fault of [503, 'reset', 'no token'] as const) {
        watch.reset();
        watch.fault = () => fault;
        await expect(act(queue, prepared, log)).rejects.toMatchObject({ code: 'storage_unavailable' });
        expect(watch.calls.length).toBeLessThanOrEqual(6);
      }
      expect(await allRows(tableClient(name))).toEqual(before);
    },
  );

  test('and keeps silent is given up', async () => {
    const name = await newTable();
    const port = Number(/TableEndpoint=http:\/\/127\.0\.0\.1:(\d+)/.exec(azuriteConnectionString())?.[1]);
    const proxy = await DelayProxy.start(port);
    try {
      const { TableClient } = await import('@azure/data-tables');
      const through = azuriteConnectionString().replace(
        `TableEndpoint=http://127.0.0.1:${port}`,
        `TableEndpoint=http://127.0.0.1:${proxy.port}`,
      );
      const client = TableClient.fromConnectionString(through, name, {
        allowInsecureConnection: true,
        retryOptions: { maxRetries: 0 },
      });
      const queue = openQueue(client, { clock: systemClock, seed: 1 });
      const hasty = openQueue(client, { rules: { callTimeoutMs: 500 }, clock: systemClock, seed: 2 });
      await queue.create(facts, log);
      proxy.goSilent();
      await expect(hasty.claim(agent('a'), log)).rejects.toMatchObject({ code: 'storage_unavailable' });
      proxy.forward();
      proxy.cut();
      expect(await queue.claim(agent('a'), log)).toMatchObject({ attempts: 1 });
    } finally {
      await proxy.stop();
    }
  });
});
