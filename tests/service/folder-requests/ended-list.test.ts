import { expect } from 'vitest';
import type { FolderRequestOutcome } from '../../../lib/contract/folder-requests.ts';
import { partitionOf, rowKeys } from '../../../lib/folder-requests/table/keys.ts';
import { hourMs } from '../../../lib/folder-requests/table/outcomes.ts';
import { agent, allRows, claimFrom } from '../../support/folder-queue.ts';
import { loadTable } from '../../support/shared-azurite.ts';
import {
  ended,
  pendingRequests,
  store,
  storeOutcomes,
  test,
  type Instance,
  type QueueWorld,
} from './fixture.ts';

const hour = Date.UTC(2026, 10, 20, 9);
const ofHour = (start: number, outcome?: FolderRequestOutcome) => ({
  fromMs: start,
  toMs: start + hourMs,
  outcome,
});

async function reportNext({ queue }: Instance, { log }: QueueWorld, status: FolderRequestOutcome) {
  const { id = '', claimToken = '' } = (await claimFrom(queue, agent('a'), log)) ?? {};
  const report = status === 'FAILED' ? { status, errorMessage: 'no', claimToken } : { status, claimToken };
  await queue.report(id, agent('a'), report, log);
  return id;
}

async function idsOf({ queue }: Instance, query: Omit<Parameters<Instance['queue']['list']>[0], 'cursor'>) {
  const ids: string[] = [];
  let calls = 0;
  let cursor: string | undefined;
  do {
    const page = await queue.list({ ...query, cursor });
    calls += 1;
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { ids, calls };
}

test('the list of an hour has the requests that its bar counts, before and after the timer', async ({
  world,
}) => {
  const instance = world.instance({ shards: 4 });
  const { queue } = instance;
  const create = async () =>
    (await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log)).entry.id;
  // The second waits across the hour, and is then requeued and fulfilled in the third hour.
  const early = await create();
  await reportNext(instance, world, 'FULFILLED');
  const waiting = await create();
  world.clock.advance(hourMs);
  await reportNext(instance, world, 'FAILED');
  const late = await create();
  await reportNext(instance, world, 'FULFILLED');
  world.clock.advance(hourMs);
  await queue.requeue(waiting, { userId: 'user-2' }, world.log);
  await reportNext(instance, world, 'FULFILLED');
  const check = async () => {
    const { hours } = await queue.statistics(3);
    const lists = [
      [[early], []],
      [[late, waiting], [waiting]],
      [[waiting], []],
    ] as const;
    for (const [at, [all, failed]] of lists.entries()) {
      const start = hour + at * hourMs;
      expect(hours[at]).toMatchObject({ fulfilled: all.length - failed.length, failed: failed.length });
      for (const limit of [1, 200]) {
        expect((await idsOf(instance, { limit, ended: ofHour(start) })).ids).toEqual(all);
        expect((await idsOf(instance, { limit, ended: ofHour(start, 'FAILED') })).ids).toEqual(failed);
      }
    }
    const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    expect((await idsOf(instance, { limit: 1, ended: all })).ids).toEqual([waiting, late, waiting, early]);
    expect(
      (await idsOf(instance, { limit: 9, ended: all, requestedBy: 'user-2', status: 'FULFILLED' })).ids,
    ).toEqual([]);
    expect(
      (await idsOf(instance, { limit: 9, ended: { fromMs: hour + 1, toMs: hour + hourMs } })).ids,
    ).toEqual([]);
  };
  await check();
  await queue.maintenance.run(world.log);
  await check();
});

test('a request that has failed twice in an hour is in its list once', async ({ world }) => {
  const instance = world.instance();
  const { entry } = await instance.queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log);
  for (let times = 0; times < 2; times += 1) {
    await reportNext(instance, world, 'FAILED');
    await instance.queue.requeue(entry.id, { userId: 'user-2' }, world.log);
  }
  await instance.queue.maintenance.run(world.log);
  expect((await idsOf(instance, { limit: 200, ended: ofHour(hour) })).ids).toEqual([entry.id]);
  expect((await instance.queue.statistics(1)).hours).toMatchObject([{ failed: 2 }]);
});

test('60 requests of an hour among 300 outcomes are one call, which reads the rows of that hour only', async ({
  world,
}) => {
  const instance = world.instance();
  const { queue, watch } = instance;
  const { log, clock } = world;
  const targets = Array.from({ length: 60 }, () => 'a');
  const all = [];
  for (let ago = 0; ago < 5; ago += 1) {
    const sinceMs = clock.now() - ago * hourMs - 1000;
    const requests = pendingRequests(targets, { sinceMs, seed: ago }).map((request) =>
      ended(request, { status: 'FULFILLED' }),
    );
    if (ago === 3) await store(world.table, requests);
    all.push(...requests);
  }
  await storeOutcomes(world.table, all);
  await queue.maintenance.run(log);
  const rows = await allRows(world.table);
  expect(rows.filter(({ rowKey }) => rowKey.startsWith('O_'))).toHaveLength(300);
  watch.reset();
  const { ids, calls } = await idsOf(instance, { limit: 200, ended: ofHour(hour - 4 * hourMs) });
  expect(ids).toHaveLength(60);
  expect(calls).toBe(1);
  // And one counter.
  expect(watch.rowsRead).toBe(61);
});

test('what no statistics show is deleted, a thousand with each run that counts: more than a million a day', async ({
  world,
}) => {
  const instance = world.instance();
  const finish = async () => {
    await instance.queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log);
    await reportNext(instance, world, 'FULFILLED');
    await instance.queue.maintenance.run(world.log);
  };
  const places = async () =>
    (await allRows(world.table)).filter(({ rowKey }) => rowKey.startsWith('O_')).length;
  const counted = pendingRequests(
    Array.from({ length: 1_050 }, () => 'a'),
    { sinceMs: hour },
  ).map(({ id }) => ({
    partitionKey: partitionOf(id),
    rowKey: rowKeys.counted.of({ hourMs: hour, id, attempts: 1 }),
    outcome: 'FULFILLED',
    at: new Date(hour),
  }));
  await loadTable(world.table.tableName, counted);
  world.clock.advance(8 * 24 * hourMs);
  await finish();
  expect(await places()).toBe(1_051);
  world.clock.advance(hourMs);
  await finish();
  expect(await places()).toBe(52);
  await finish();
  expect(await places()).toBe(3);
});

// Filters, such as an outcome, are sealed with the cursor at the edge (sealed-cursor.test.ts).
test('a cursor of a list by outcome is no place of a list by creation, nor the reverse', async ({
  world,
}) => {
  const instance = world.instance();
  const create = () => instance.queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log);
  for (let times = 0; times < 3; times += 1) {
    await create();
    await reportNext(instance, world, 'FULFILLED');
  }
  await instance.queue.maintenance.run(world.log);
  const ofThis = { limit: 1, ended: ofHour(hour) };
  const cursor = (await instance.queue.list(ofThis)).nextCursor!;
  const ofOther = (await instance.queue.list({ limit: 1 })).nextCursor!;
  await expect(instance.queue.list({ limit: 1, cursor })).rejects.toThrow('cursor');
  await expect(instance.queue.list({ ...ofThis, cursor: ofOther })).rejects.toThrow('cursor');
  expect((await instance.queue.list({ ...ofThis, cursor })).items).toHaveLength(1);
});
