import { expect } from 'vitest';
import type { EventLog } from '../../../lib/base/event-log.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { claimFrom, agent, allRows } from '../../support/folder-queue.ts';
import { loadTable } from '../../support/shared-azurite.ts';
import { rowKeys } from '../../../lib/folder-requests/table/keys.ts';
import { agentKeyOf, hourMs, hourOf } from '../../../lib/folder-requests/table/outcomes.ts';
import {
  ended,
  pendingRequests,
  store,
  storeOutcomes,
  test,
  type Instance,
  type QueueWorld,
} from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function finish(
  { queue }: Instance,
  { log }: QueueWorld,
  status: 'FULFILLED' | 'FAILED',
  by = 'a',
): Promise<string> {
  await queue.create(facts, log);
  return claimAndReport(queue, log, status, by);
}

async function claimAndReport(
  queue: FolderRequestQueue,
  log: EventLog,
  status: 'FULFILLED' | 'FAILED',
  by: string,
): Promise<string> {
  const { id = '', claimToken = '' } = (await claimFrom(queue, agent(by), log)) ?? {};
  const report = status === 'FAILED' ? { status, errorMessage: 'no', claimToken } : { status, claimToken };
  await queue.report(id, agent(by), report, log);
  return id;
}

const countsOf = (hours: readonly { fulfilled: number; failed: number }[]): [number, number][] =>
  hours.map(({ fulfilled, failed }) => [fulfilled, failed]);

test('every outcome is counted once, by maintenance of several instances during the work', async ({
  world,
}) => {
  const instances = Array.from({ length: 3 }, () => world.instance({ shards: 2 }));
  const targets = Array.from({ length: 48 }, () => facts.targetPath);
  await store(world.table, pendingRequests(targets, { sinceMs: world.clock.now() - 1000, shards: 2 }));
  const runs: Promise<unknown>[] = [];
  let outcomes = 0;
  await Promise.all(
    Array.from({ length: 6 }, async (_, at) => {
      for (let n = 0; n < 8; n += 1) {
        const status = n % 4 === 0 ? 'FAILED' : 'FULFILLED';
        await claimAndReport(instances[at % 3]!.queue, world.log, status, `agent-${at}`);
        outcomes += 1;
        // All instances start together and find the same outcomes.
        if (outcomes % 8 === 0) runs.push(...instances.map(({ queue }) => queue.maintenance.run(world.log)));
      }
    }),
  );
  await Promise.all(runs);
  // Instances show what others have written within a minute.
  world.clock.advance(60_000);
  const total = (await instances[0]!.queue.statistics(1)).hours[0];
  expect(total).toMatchObject({ fulfilled: 36, failed: 12 });
  const { byAgent } = await instances[1]!.queue.agentStatistics(1);
  expect([...byAgent.values()]).toEqual(Array.from({ length: 6 }, () => ({ fulfilled: 6, failed: 2 })));
});

test('one run counts more outcomes of an hour than a transaction can have', async ({ world }) => {
  const { queue } = world.instance();
  const targets = Array.from({ length: 250 }, () => facts.targetPath);
  const requests = pendingRequests(targets, { sinceMs: world.clock.now() - 1000 });
  await storeOutcomes(
    world.table,
    requests.map((request) => ended(request, { status: 'FULFILLED' })),
  );
  await queue.maintenance.run(world.log);
  const rows = (await allRows(world.table)).filter(({ rowKey }) => rowKey.startsWith('E_'));
  expect(rows).toMatchObject([{ rowKey: expect.stringMatching(/^E_\d{15}$/), fulfilled: 250, failed: 0 }]);
});

test('an hour with more agents than a row can have is counted in several, and maintenance goes on', async ({
  world,
}) => {
  const { queue } = world.instance();
  const nowMs = world.clock.now();
  const storeEnded = async (first: number, count: number): Promise<void> => {
    const targets = Array.from({ length: count }, () => facts.targetPath);
    const requests = pendingRequests(targets, { sinceMs: nowMs - 2_000, seed: first }).map((request, at) => ({
      ...ended(
        request,
        at % 2 === 0 ? { status: 'FULFILLED' } : { status: 'FAILED', errorMessage: 'x' },
        nowMs,
      ),
      agentId: `agent-${first + at}`,
    }));
    await storeOutcomes(world.table, requests);
  };
  const counters = async () =>
    (await allRows(world.table)).filter(({ rowKey }) => rowKey.startsWith('E_')).map(({ rowKey }) => rowKey);
  await storeEnded(0, 1_700);
  await queue.maintenance.run(world.log);
  const first = rowKeys.counter.of({ hourMs: hourOf(nowMs) });
  expect(await counters()).toEqual([first, `${first}_.2`, `${first}_.3`]);
  // One of an agent in the first row, and one of a new agent.
  await storeEnded(1, 1);
  await storeEnded(5_000, 1);
  await queue.maintenance.run(world.log);
  expect(await counters()).toHaveLength(3);
  world.clock.advance(60_000);
  expect(countsOf((await queue.statistics(1)).hours)).toEqual([[852, 850]]);
  const { byAgent } = await queue.agentStatistics(1);
  expect(byAgent.size).toBe(1_701);
  expect(byAgent.get(agentKeyOf('agent-1'))).toEqual({ fulfilled: 1, failed: 1 });
});

test('an outcome behind more counters than one read returns is counted', async ({ world }) => {
  const instance = world.instance();
  await finish(instance, world, 'FULFILLED');
  const counters = [2, 1].flatMap((hoursAgo) =>
    Array.from({ length: 600 }, (_, at) => ({
      partitionKey: 'fr-0',
      rowKey: rowKeys.furtherCounter.of({
        hourMs: hourOf(world.clock.now()) - hoursAgo * hourMs,
        place: at + 2,
      }),
      fulfilled: 1,
      failed: 0,
      agents: '{}',
    })),
  );
  await loadTable(world.table.tableName, counters);
  await instance.queue.maintenance.run(world.log);
  const outcomes = (await allRows(world.table)).filter(({ rowKey }) => rowKeys.counted.has(rowKey));
  expect(outcomes).toHaveLength(1);
});

test('an outcome that another instance has counted is not counted twice', async ({ world }) => {
  const [one, other] = [world.instance(), world.instance()];
  await one.queue.statistics(1);
  await finish(one, world, 'FULFILLED');
  await other.queue.maintenance.run(world.log);
  await finish(one, world, 'FULFILLED');
  await one.queue.maintenance.run(world.log);
  expect(countsOf((await one.queue.statistics(1)).hours)).toEqual([[2, 0]]);
});

test('a counter whose agents were edited by hand still has the sums of its hour, and goes on', async ({
  world,
}) => {
  const instance = world.instance();
  const { queue } = instance;
  await finish(instance, world, 'FULFILLED');
  await queue.maintenance.run(world.log);
  const counter = (await allRows(world.table)).find(({ rowKey }) => rowKeys.counter.has(rowKey));
  const { partitionKey, rowKey } = counter!;
  for (const agents of ['{', '["a"]', '{"a":"1"}']) {
    await world.table.updateEntity({ partitionKey, rowKey, agents }, 'Merge');
    world.clock.advance(60_000);
    expect(countsOf((await queue.statistics(1)).hours)).toEqual([[1, 0]]);
    expect((await queue.agentStatistics(1)).byAgent).toEqual(new Map());
  }
  await finish(instance, world, 'FAILED', 'b');
  await queue.maintenance.run(world.log);
  world.clock.advance(60_000);
  expect(countsOf((await queue.statistics(1)).hours)).toEqual([[1, 1]]);
  expect([...(await queue.agentStatistics(1)).byAgent.values()]).toEqual([{ fulfilled: 0, failed: 1 }]);
});

test('a counter that another instance has changed since it was read is read again', async ({ world }) => {
  const instance = world.instance();
  const { queue, watch } = instance;
  await finish(instance, world, 'FULFILLED');
  await queue.maintenance.run(world.log);
  await finish(instance, world, 'FULFILLED');
  const counter = (await allRows(world.table)).find(
    ({ rowKey }) => rowKeys.counter.parse(rowKey) !== undefined,
  )!;
  watch.gate = async ({ kind }) => {
    if (kind !== 'transaction') return;
    watch.gate = () => undefined;
    const { partitionKey, rowKey } = counter;
    await world.table.updateEntity({ partitionKey, rowKey, fulfilled: 10 }, 'Merge');
  };
  await queue.maintenance.run(world.log);
  expect(countsOf((await world.instance().queue.statistics(1)).hours)).toEqual([[11, 0]]);
});

test('a report is accepted after attempts were reset by hand', async ({ world }) => {
  const instance = world.instance();
  const { queue } = instance;
  const id = await finish(instance, world, 'FAILED');
  const record = (await allRows(world.table)).find(({ rowKey }) => rowKey.startsWith('J_'))!;
  const { partitionKey, rowKey } = record;
  await world.table.updateEntity({ partitionKey, rowKey, attempts: 0 }, 'Merge');
  await queue.requeue(id, { userId: 'admin' }, world.log);
  expect(await claimFrom(queue, agent('a'), world.log)).toMatchObject({ attempts: 1 });
  await queue.report(id, agent('a'), { status: 'FULFILLED' }, world.log);
  expect(await queue.get(id)).toMatchObject({ status: 'FULFILLED', attempts: 1 });
});

test('more leases that are the last permitted ones end than a transaction can have: the next request is claimed, and each counts as a failure of its agent', async ({
  world,
}) => {
  const { queue } = world.instance({ maxExpiredLeases: 1 });
  for (let at = 0; at < 40; at += 1) await queue.create(facts, world.log);
  await Promise.all(Array.from({ length: 40 }, () => claimFrom(queue, agent('lost'), world.log)));
  world.clock.advance(600_000);
  const { entry } = await queue.create(facts, world.log);
  expect(await claimFrom(queue, agent('next'), world.log)).toMatchObject({ id: entry.id });
  expect(await queue.statistics(1)).toMatchObject({ failed: 40, processing: 1, hours: [{ failed: 40 }] });
  const { byAgent } = await queue.agentStatistics(1);
  expect([...byAgent.values()]).toEqual([{ fulfilled: 0, failed: 40 }]);
});

test('the cost does not depend on history', async ({ world }) => {
  const instance = world.instance();
  const { queue, watch } = instance;
  await queue.list({ limit: 1 });
  const cost = async (call: () => Promise<unknown>): Promise<string> => {
    watch.reset();
    await call();
    return `${watch.calls.length} / ${watch.roundTrips}`;
  };
  expect(await cost(() => queue.statistics(168))).toBe('2 / 1');
  for (let hour = 0; hour < 5; hour += 1) {
    for (let at = 0; at < 3; at += 1) await finish(instance, world, 'FULFILLED');
    await queue.maintenance.run(world.log);
    world.clock.advance(hourMs);
  }
  await queue.list({ limit: 1 });
  expect(await cost(() => queue.statistics(168))).toBe('2 / 1');
  expect(await cost(() => queue.agentStatistics(24))).toBe('0 / 0');
  world.clock.advance(60_000);
  expect(await cost(() => queue.agentStatistics(24))).toBe('2 / 1');
  world.clock.advance(8 * 24 * hourMs);
  watch.reset();
  await queue.maintenance.run(world.log);
  expect(countsOf((await queue.statistics(168)).hours)).toEqual(Array.from({ length: 168 }, () => [0, 0]));
  // No outcomes: 15 records, and their rows.
  expect(watch.rowsRead).toBe(30);
});
