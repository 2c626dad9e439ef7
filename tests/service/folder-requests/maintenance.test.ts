import { describe, expect } from 'vitest';
import { idleMinute } from '../../bench/costs/bill.ts';
import { claimFrom, agent, allRows } from '../../support/folder-queue.ts';
import { ended, pendingRequests, store, test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function failOne({ queue }: Instance, { log }: QueueWorld): Promise<string> {
  await queue.create(facts, log);
  const claim = await claimFrom(queue, agent('a'), log);
  const id = claim?.id ?? '';
  await queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'share is full' }, log);
  return id;
}

/** Finds the record by its columns and changes some, as an operator does in Storage Explorer. */
async function setByHand({ table }: QueueWorld, id: string, columns: Record<string, unknown>): Promise<void> {
  const filter = `id eq '${id}' and target_path eq 'a'`;
  const found = [];
  for await (const row of table.listEntities({ queryOptions: { filter } })) found.push(row);
  expect(found).toHaveLength(1);
  await table.updateEntity(
    { partitionKey: found[0]?.partitionKey ?? '', rowKey: found[0]?.rowKey ?? '', ...columns },
    'Merge',
  );
}

describe('a FAILED record set to PENDING by hand', () => {
  test('can be corrected in other columns too, and keeps unknown columns', async ({ world }) => {
    const instance = world.instance();
    const id = await failOne(instance, world);
    await setByHand(world, id, { status: 'PENDING', target_path: 'b', attempts: '0', note: 'by Anna' });
    await instance.queue.maintenance.run(world.log);
    expect(await claimFrom(instance.queue, agent('b'), world.log)).toMatchObject({
      id,
      targetPath: 'b',
      attempts: 1,
    });
    await instance.queue.report(id, agent('b'), { status: 'FULFILLED' }, world.log);
    const record = (await allRows(world.table)).find((row) => row['note'] !== undefined);
    expect(record).toMatchObject({ id, note: 'by Anna', status: 'FULFILLED' });
  });

  test('is repaired once by several instances, and by a requeue, which finds it PENDING', async ({
    world,
  }) => {
    const instances = [world.instance(), world.instance(), world.instance()];
    const [id, other] = [await failOne(instances[0]!, world), await failOne(instances[0]!, world)];
    await setByHand(world, id, { status: 'PENDING' });
    await Promise.all(instances.map(({ queue }) => queue.maintenance.run(world.log)));
    expect(world.log.named('folder_request_settled')).toHaveLength(1);

    await setByHand(world, other, { status: 'PENDING' });
    const requeued = instances[0]!.queue.requeue(other, { userId: 'admin' }, world.log);
    await expect(requeued).rejects.toMatchObject({ code: 'not_failed' });
    const claims = [
      await claimFrom(instances[0]!.queue, agent('b'), world.log),
      await claimFrom(instances[0]!.queue, agent('b'), world.log),
    ];
    expect(claims.map((claim) => claim?.id)).toEqual([id, other]);
  });

  test('costs the same reads for up to 200 requests', async ({ world }) => {
    const instance = world.instance();
    const { queue, watch } = instance;
    const callsOfARun = async (): Promise<Record<string, number>> => {
      watch.reset();
      await queue.maintenance.run(world.log);
      return Object.fromEntries(
        [...Map.groupBy(watch.calls, ({ kind }) => kind)].map(([kind, calls]) => [kind, calls.length]),
      );
    };
    await queue.list({ limit: 1 });
    // Leases, records and the three ranges of their rows, outcomes, and the two ranges of the statistics.
    expect(await callsOfARun()).toEqual({ query: 8 });
    world.clock.advance(60_000);
    // Row M, which is a minute old.
    expect(await callsOfARun()).toEqual({ query: 8, 'point read': 1 });
    expect(watch.calls).toHaveLength(idleMinute);
    // Within a minute no lease can end that a run has not read.
    for (let at = 0; at < 6; at += 1) await failOne(instance, world);
    // The transaction counts the outcomes since the previous run, which then looks for old ones.
    expect(await callsOfARun()).toEqual({ query: 8, transaction: 1, 'point read': 1 });
    for (let at = 0; at < 12; at += 1) {
      await queue.create(facts, world.log);
      const claim = await claimFrom(queue, agent('a'), world.log);
      if (at % 2 === 0) await queue.report(claim?.id ?? '', agent('a'), { status: 'FULFILLED' }, world.log);
    }
    expect(await callsOfARun()).toEqual({ query: 8, transaction: 1, 'point read': 2 });
    // The statistics have just been read.
    expect(await callsOfARun()).toEqual({ query: 5, 'point read': 2 });
  });
});

test('a column that is changed by hand in the middle of a transition is kept', async ({ world }) => {
  const instance = world.instance();
  const id = await failOne(instance, world);
  let isChanged = false;
  instance.watch.gate = async ({ kind }) => {
    if (kind !== 'transaction' || isChanged) return;
    isChanged = true;
    await setByHand(world, id, { note: 'by Anna' });
  };
  expect(await instance.queue.requeue(id, { userId: 'admin' }, world.log)).toMatchObject({
    status: 'PENDING',
  });
  const record = (await allRows(world.table)).find((row) => row['note'] !== undefined);
  expect([isChanged, record?.['status']]).toEqual([true, 'PENDING']);
});

const gaugesIn = ({ log }: QueueWorld) => log.named('folder_queue_gauges').at(-1)?.fields;

test('with more than a thousand FAILED requests, each run compares the next ones', async ({ world }) => {
  const { queue, watch } = world.instance();
  const count = 1_020;
  const requests = pendingRequests(
    Array.from({ length: count }, () => facts.targetPath),
    { sinceMs: world.clock.now() - 1000 },
  ).map((request) =>
    ended({ ...request, requestedByUserId: null }, { status: 'FAILED', errorMessage: 'share is full' }),
  );
  await store(world.table, requests);
  await queue.maintenance.run(world.log);
  watch.reset();
  await queue.maintenance.run(world.log);
  // The last twenty records and the FAILED ones of the turn, with their rows and records. The statistics have just been read.
  expect(watch.rowsRead).toBeLessThanOrEqual(20 + 20 + 200);
  expect(watch.calls.filter(({ kind }) => kind === 'point read').length).toBeLessThanOrEqual(200 + 4);
  for (const { id } of [requests[0]!, requests[500]!, requests[count - 1]!])
    await setByHand(world, id, { status: 'PENDING' });
  for (let run = 0; run < 2; run += 1) await queue.maintenance.run(world.log);
  expect(gaugesIn(world)).toMatchObject({ pending: 3 });
});

describe.each([1, 4])('the gauges of %d shards', (shards) => {
  test('report the number of requests and the age of the oldest', async ({ world }) => {
    const instance = world.instance({ shards });
    const { queue } = instance;
    await queue.maintenance.run(world.log);
    expect(gaugesIn(world)).toEqual({
      pending: 0,
      processing: 0,
      failed: 0,
      oldestPendingSeconds: 0,
    });
    await failOne(instance, world);
    await queue.create(facts, world.log);
    await claimFrom(queue, agent('a'), world.log);
    await queue.create(facts, world.log);
    world.clock.advance(890_000);
    await queue.create(facts, world.log);
    world.clock.advance(10_000);
    // The lease has ended.
    const gauges = { pending: 3, processing: 0, failed: 1, oldestPendingSeconds: 900 };
    await queue.maintenance.run(world.log);
    expect(gaugesIn(world)).toEqual(gauges);
  });
});
