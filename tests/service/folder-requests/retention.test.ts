import { describe, expect } from 'vitest';
import { claimFrom, agent, allRows } from '../../support/folder-queue.ts';
import { ended, pendingRequests, store, test, type Instance, type QueueWorld } from './fixture.ts';

const dayMs = 86_400_000;
const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function finish(
  { queue }: Instance,
  { log }: QueueWorld,
  status: 'FULFILLED' | 'FAILED',
  idempotencyKey?: string,
): Promise<string> {
  const { entry } = await queue.create({ ...facts, idempotencyKey }, log);
  await claimFrom(queue, agent('a'), log);
  const report = status === 'FAILED' ? { status, errorMessage: 'no' } : { status };
  await queue.report(entry.id, agent('a'), report, log);
  return entry.id;
}

/** Writes FULFILLED requests of ten days ago directly to the table. */
async function addFulfilled({ table, clock }: QueueWorld, count: number): Promise<void> {
  const targets = Array.from({ length: count }, () => 'a');
  const requests = pendingRequests(targets, { sinceMs: clock.now() - 10 * dayMs });
  await store(
    table,
    requests.map((request) => ended(request, { status: 'FULFILLED' })),
  );
}

const records = async ({ table }: QueueWorld): Promise<string[]> =>
  (await allRows(table)).filter(({ rowKey }) => rowKey.startsWith('J_')).map((row) => String(row['id']));

test('without a retention nothing is deleted, and no request searches for it', async ({ world }) => {
  const instance = world.instance();
  const id = await finish(instance, world, 'FULFILLED');
  world.clock.advance(4000 * dayMs);
  await instance.queue.list({ limit: 1 });
  instance.watch.reset();
  await instance.queue.maintenance.run(world.log);
  // Those of maintenance.test.ts.
  expect(instance.watch.calls.filter(({ kind }) => kind === 'query')).toHaveLength(8);
  expect(await records(world)).toEqual([id]);
});

describe.each([1, 4])('with %d shards', (shards) => {
  test('ended requests are deleted with all their rows when their outcome is old enough, others are kept', async ({
    world,
  }) => {
    const instance = world.instance({ shards, retentionMs: 7 * dayMs });
    const { queue } = instance;
    const old = [await finish(instance, world, 'FULFILLED', 'k'), await finish(instance, world, 'FULFILLED')];
    const failed = await finish(instance, world, 'FAILED');
    const { entry: late } = await queue.create(facts, world.log);
    world.clock.advance(3 * dayMs);
    await claimFrom(queue, agent('a'), world.log);
    await queue.report(late.id, agent('a'), { status: 'FULFILLED' }, world.log);
    // The key is free again after a day; its row then belongs to the new request.
    const reused = await finish(instance, world, 'FULFILLED', 'k');
    const { entry: waiting } = await queue.create(facts, world.log);

    world.clock.advance(4 * dayMs);
    await queue.maintenance.run(world.log);
    expect(await records(world)).toHaveLength(6);
    world.clock.advance(1);
    await queue.maintenance.run(world.log);
    expect((await records(world)).toSorted()).toEqual([late.id, reused, waiting.id].toSorted());
    const deleted = world.log.named('folder_requests_deleted').map(({ fields }) => Number(fields['count']));
    expect(deleted.reduce((total, count) => total + count, 0)).toBe(3);
    for (const id of [...old, failed])
      await expect(queue.get(id)).rejects.toMatchObject({ code: 'folder_request_not_found' });
    const keys = (await allRows(world.table)).filter(({ rowKey }) => rowKey.startsWith('K_'));
    expect(keys.map((row) => row['id'])).toEqual([reused]);

    world.clock.advance(365 * dayMs);
    await queue.maintenance.run(world.log);
    expect(await records(world)).toEqual([waiting.id]);
    expect((await allRows(world.table)).filter(({ rowKey }) => /^[KDF]_/.test(rowKey))).toEqual([]);
  });
});

test('a run deletes 330 of a shard in 17 transactions, or sends one request', async ({ world }) => {
  await addFulfilled(world, 700);
  const { queue, watch } = world.instance({ retentionMs: dayMs });
  await queue.list({ limit: 1 });
  const run = async (): Promise<[number, number, number]> => {
    watch.reset();
    await queue.maintenance.run(world.log);
    const of = (kind: string): number => watch.calls.filter((call) => call.kind === kind).length;
    return [(await records(world)).length, of('transaction'), of('query')];
  };
  // Of these, maintenance.test.ts has all but the one for each outcome.
  expect([await run(), await run(), await run(), await run()]).toEqual([
    [370, 17, 10],
    [40, 17, 7],
    [0, 2, 7],
    [0, 0, 7],
  ]);
});

test('maintenance of several instances, with lost responses, deletes each once', async ({ world }) => {
  await addFulfilled(world, 300);
  const instances = Array.from({ length: 3 }, () => world.instance({ retentionMs: dayMs }));
  instances[0]!.watch.fault = ({ kind, index }) =>
    kind === 'transaction' && index % 3 === 0 ? 'lost response' : undefined;
  for (let at = 0; at < 4; at += 1) {
    await Promise.all(instances.map(({ queue }) => queue.maintenance.run(world.log)));
  }
  expect(await records(world)).toEqual([]);
});

test('a record whose status was set to FULFILLED by hand is kept from then on for the time of the retention', async ({
  world,
}) => {
  const instance = world.instance({ retentionMs: dayMs });
  const id = await finish(instance, world, 'FAILED');
  const record = (await allRows(world.table)).find(({ rowKey }) => rowKey.startsWith('J_'))!;
  const { partitionKey, rowKey } = record;
  world.clock.advance(2 * dayMs);
  await world.table.updateEntity({ partitionKey, rowKey, status: 'FULFILLED' }, 'Merge');
  await instance.queue.maintenance.run(world.log);
  world.clock.advance(dayMs);
  await instance.queue.maintenance.run(world.log);
  expect(await records(world)).toEqual([id]);
  world.clock.advance(1);
  await instance.queue.maintenance.run(world.log);
  expect(await records(world)).toEqual([]);
});

test('a fulfilled request that an operator sets to wait again, in a batch that another request stops, is not deleted', async ({
  world,
}) => {
  const instance = world.instance({ retentionMs: dayMs });
  const edited = await finish(instance, world, 'FULFILLED');
  const broken = await finish(instance, world, 'FULFILLED');
  const records = (await allRows(world.table)).filter(({ rowKey }) => rowKey.startsWith('J_'));
  const { partitionKey, rowKey } = records.find((row) => row['id'] === edited)!;
  const pointer = (await allRows(world.table)).find(
    (row) => row.rowKey.startsWith('B_') && row['id'] === broken,
  )!;
  await world.table.deleteEntity(pointer.partitionKey, pointer.rowKey);
  world.clock.advance(2 * dayMs);
  instance.watch.gate = async ({ kind }) => {
    if (kind !== 'transaction') return;
    instance.watch.gate = () => undefined;
    await world.table.updateEntity({ partitionKey, rowKey, status: 'PENDING' }, 'Merge');
  };
  await instance.queue.maintenance.run(world.log);
  expect(await instance.queue.get(edited)).toMatchObject({ status: 'PENDING' });
  await expect(instance.queue.get(broken)).rejects.toMatchObject({ code: 'folder_request_not_found' });
});

test('a failed request that an operator sets to wait again during the run is not deleted', async ({
  world,
}) => {
  const instance = world.instance({ retentionMs: dayMs });
  const edited = await finish(instance, world, 'FAILED');
  await finish(instance, world, 'FAILED');
  const { partitionKey, rowKey } = (await allRows(world.table)).find(
    (row) => row.rowKey.startsWith('J_') && row['id'] === edited,
  )!;
  world.clock.advance(2 * dayMs);
  // The rows by which the run finds what to delete are read before, and say FAILED.
  instance.watch.gate = async ({ kind }) => {
    if (kind === 'point read')
      await world.table.updateEntity({ partitionKey, rowKey, status: 'PENDING' }, 'Merge');
  };
  await instance.queue.maintenance.run(world.log);
  expect(await records(world)).toEqual([edited]);
  expect(world.log.named('folder_requests_deleted')).toMatchObject([{ fields: { count: 1 } }]);
  instance.watch.gate = () => undefined;
  await instance.queue.maintenance.run(world.log);
  expect(await instance.queue.get(edited)).toMatchObject({ status: 'PENDING' });
});
