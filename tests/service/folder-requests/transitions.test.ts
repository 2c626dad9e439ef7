import { describe, expect } from 'vitest';
import type { ClaimedFolderRequest } from '../../../lib/contract/folder-requests.ts';
import { claimFrom, agent, allRows } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user-1' };
const minuteMs = 60_000;

async function claimOne({ queue }: Instance, { log }: QueueWorld, by = 'a'): Promise<ClaimedFolderRequest> {
  const claim = await claimFrom(queue, agent(by), log);
  if (!claim) throw new Error('expected a claimable request');
  return claim;
}

const rejectedWith = (code: string): unknown => expect.objectContaining({ code });

test('a folder request transitions from PENDING to PROCESSING to FULFILLED', async ({ world }) => {
  const { queue } = world.instance();
  const { entry, isNew } = await queue.create(facts, world.log);
  expect(isNew).toBe(true);
  expect(entry).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{11}0$/),
    targetPath: 'Kunde\\Projekt',
    requestedByUserId: 'user-1',
    requestedByName: null,
    agentId: null,
    status: 'PENDING',
    errorMessage: null,
    attempts: 0,
    createdAt: '2026-11-20T09:00:00.000Z',
    updatedAt: '2026-11-20T09:00:00.000Z',
    processedAt: null,
  });
  expect(await queue.get(entry.id)).toMatchObject({ ...entry, history: expect.any(Array) });

  world.clock.advance(1000);
  const claim = await claimFrom(queue, agent('a'), world.log);
  expect(claim).toEqual({
    ...entry,
    agentId: 'a',
    status: 'PROCESSING',
    attempts: 1,
    updatedAt: '2026-11-20T09:00:01.000Z',
    claimToken: expect.stringMatching(/^[\w-]{22}$/),
    leaseExpiresAt: '2026-11-20T09:05:01.000Z',
  });
  expect(await claimFrom(queue, agent('b'), world.log)).toBeNull();

  world.clock.advance(1000);
  const claimToken = claim?.claimToken ?? '';
  const done = await queue.report(entry.id, agent('a'), { status: 'FULFILLED', claimToken }, world.log);
  expect(done).toEqual({
    ...entry,
    agentId: 'a',
    status: 'FULFILLED',
    attempts: 1,
    updatedAt: '2026-11-20T09:00:02.000Z',
    processedAt: '2026-11-20T09:00:02.000Z',
  });
  expect(await queue.get(entry.id)).toMatchObject({ ...done, history: expect.any(Array) });
  expect(world.log.events.map(({ event }) => event)).toEqual([
    'folder_request_created',
    'folder_request_claimed',
    'folder_request_fulfilled',
  ]);
});

test('a request keeps the name of its requester; one without the column, as of release 1.0, has none', async ({
  world,
}) => {
  const { queue } = world.instance();
  const named = { ...facts, requestedByName: 'Erika Muster' };
  const { entry } = await queue.create(named, world.log);
  await queue.create({ ...facts, requestedByName: 'n'.repeat(5_000) }, world.log);
  const older = await queue.create(named, world.log);
  for (const row of (await allRows(world.table)).filter((row) => row['id'] === older.entry.id)) {
    const { requested_by_name: _record, requestedByName: _index, ...columns } = row;
    await world.table.updateEntity(columns, 'Replace');
  }
  const names = [null, `${'n'.repeat(199)}…`, 'Erika Muster'];
  const listed = async () => (await queue.list({ limit: 5 })).items.map((item) => item.requestedByName);
  expect(await listed()).toEqual(names);
  const claim = await claimFrom(queue, agent('a'), world.log);
  expect(claim).toMatchObject({ id: entry.id, requestedByName: 'Erika Muster' });
  const report = { status: 'FAILED', errorMessage: 'no', claimToken: claim?.claimToken } as const;
  expect(await queue.report(entry.id, agent('a'), report, world.log)).toHaveProperty(
    'requestedByName',
    'Erika Muster',
  );
  await claimFrom(queue, agent('a'), world.log);
  expect(await claimFrom(queue, agent('a'), world.log)).toMatchObject({
    id: older.entry.id,
    requestedByName: null,
  });
  expect(await listed()).toEqual(names);
});

test('the record has the columns of the specification', async ({ world }) => {
  const instance = world.instance();
  const { queue } = instance;
  const { entry } = await queue.create(facts, world.log);
  const claim = await claimOne(instance, world);
  await queue.report(claim.id, agent('a'), { status: 'FAILED', errorMessage: 'no room' }, world.log);
  const found = [];
  for await (const row of world.table.listEntities({ queryOptions: { filter: "status eq 'FAILED'" } })) {
    found.push(row);
  }
  expect(found).toEqual([
    expect.objectContaining({
      id: entry.id,
      target_path: 'Kunde\\Projekt',
      requested_by_user_id: 'user-1',
      agent_id: 'a',
      status: 'FAILED',
      error_message: 'no room',
      attempts: 1,
      created_at: new Date('2026-11-20T09:00:00Z'),
      updated_at: new Date('2026-11-20T09:00:00Z'),
      processed_at: new Date('2026-11-20T09:00:00Z'),
    }),
  ]);
});

test('a request of an instance whose clock is ahead is claimable immediately', async ({ world }) => {
  const ahead = world.instance();
  world.clock.advance(1_500);
  const { entry } = await ahead.queue.create(facts, world.log);
  world.clock.advance(-1_500);
  expect((await claimOne(world.instance(), world)).id).toBe(entry.id);
});

describe('a report', () => {
  test('can be repeated without effect', async ({ world }) => {
    const instance = world.instance();
    await instance.queue.create(facts, world.log);
    const { id, claimToken } = await claimOne(instance, world);
    const report = { status: 'FULFILLED', claimToken } as const;
    const first = await instance.queue.report(id, agent('a'), report, world.log);
    world.clock.advance(minuteMs);
    expect(await instance.queue.report(id, agent('a'), report, world.log)).toEqual(first);
    expect(await instance.queue.report(id, agent('a'), { status: 'FULFILLED' }, world.log)).toEqual(first);
    expect(await instance.queue.get(id)).toMatchObject(first);
    expect(world.log.named('folder_request_fulfilled')).toHaveLength(1);
  });

  test('takes effect exactly once if two opposite ones arrive together', async ({ world }) => {
    const instance = world.instance();
    await instance.queue.create(facts, world.log);
    const { id, claimToken } = await claimOne(instance, world);
    const outcomes = await Promise.allSettled([
      instance.queue.report(id, agent('a'), { status: 'FULFILLED', claimToken }, world.log),
      world
        .instance()
        .queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'no', claimToken }, world.log),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [won] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(await instance.queue.get(id)).toMatchObject({ ...won });
  });

  test('is rejected if the request does not exist, as every other change', async ({ world }) => {
    const { queue } = world.instance();
    const { entry } = await queue.create(facts, world.log);
    const unknown = entry.id.replace(/^.{8}/, '00000000');
    for (const call of [
      queue.report(unknown, agent('a'), { status: 'FULFILLED' }, world.log),
      queue.heartbeat(unknown, 'a', 't'),
      queue.requeue(unknown, { userId: 'admin' }, world.log),
      queue.get(unknown),
    ]) {
      await expect(call).rejects.toEqual(rejectedWith('folder_request_not_found'));
    }
  });

  test('can cross a heartbeat of the same claim, and both take effect', async ({ world }) => {
    const instance = world.instance();
    await instance.queue.create(facts, world.log);
    const { id, claimToken } = await claimOne(instance, world);
    world.clock.advance(minuteMs);
    const beats = Promise.allSettled(
      Array.from({ length: 4 }, () => world.instance().queue.heartbeat(id, 'a', claimToken)),
    );
    const done = await instance.queue.report(id, agent('a'), { status: 'FULFILLED', claimToken }, world.log);
    expect(done.status).toBe('FULFILLED');
    for (const beat of await beats) {
      if (beat.status === 'rejected') expect(beat.reason).toEqual(rejectedWith('claim_lost'));
    }
  });
});

describe('a lease that expires', () => {
  test('returns the request without a timer, and rejects the stalled agent', async ({ world }) => {
    const instance = world.instance();
    const { entry } = await instance.queue.create(facts, world.log);
    const stalled = await claimOne(instance, world, 'a');
    world.clock.advance(5 * minuteMs - 1);
    expect(await claimFrom(instance.queue, agent('b'), world.log)).toBeNull();
    world.clock.advance(1);
    const taken = await claimOne(instance, world, 'b');
    expect(taken).toMatchObject({ id: entry.id, agentId: 'b', attempts: 2, status: 'PROCESSING' });
    expect(taken.claimToken).not.toBe(stalled.claimToken);

    const { claimToken } = stalled;
    const late = [{ status: 'FULFILLED', claimToken }, { status: 'FULFILLED' }] as const;
    for (const report of late) {
      await expect(instance.queue.report(entry.id, agent('a'), report, world.log)).rejects.toEqual(
        rejectedWith('claim_lost'),
      );
    }
    await expect(instance.queue.heartbeat(entry.id, 'a', claimToken)).rejects.toEqual(
      rejectedWith('claim_lost'),
    );
    expect(await instance.queue.get(entry.id)).toMatchObject({ status: 'PROCESSING', agentId: 'b' });

    await instance.queue.report(entry.id, agent('b'), { status: 'FULFILLED' }, world.log);
    await expect(instance.queue.report(entry.id, agent('a'), late[0], world.log)).rejects.toEqual(
      rejectedWith('claim_lost'),
    );
    expect(world.log.named('folder_request_lease_expired')).toHaveLength(1);
  });

  test('five times makes the request FAILED, and later requests are claimable', async ({ world }) => {
    const instance = world.instance();
    const { entry: poison } = await instance.queue.create(facts, world.log);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await claimOne(instance, world)).toMatchObject({ id: poison.id, attempts: attempt });
      world.clock.advance(5 * minuteMs);
    }
    const { entry: next } = await instance.queue.create(facts, world.log);
    expect(await claimOne(instance, world)).toMatchObject({ id: next.id });
    expect(await instance.queue.get(poison.id)).toMatchObject({
      status: 'FAILED',
      attempts: 5,
      errorMessage: expect.stringContaining('expired 5 times'),
      errorCode: 'lease_expired',
      errorParams: { times: '5' },
      processedAt: new Date(world.clock.now()).toISOString(),
    });
    expect(world.log.named('folder_request_failed')).toEqual([
      {
        level: 'warn',
        event: 'folder_request_failed',
        fields: { id: poison.id, attempts: 5, reason: 'lease_expired' },
      },
    ]);

    // A requeue resets the number of expired leases, not that of the attempts.
    await instance.queue.requeue(poison.id, { userId: 'admin' }, world.log);
    expect(await claimOne(instance, world)).toMatchObject({ id: poison.id, attempts: 6 });
  });

  test('too often in a whole window of requests does not hide the requests behind them', async ({
    world,
  }) => {
    const instance = world.instance({ maxExpiredLeases: 1 });
    for (let at = 0; at < 40; at += 1) await instance.queue.create(facts, world.log);
    const dead = new Set<string>();
    for (let at = 0; at < 40; at += 1) dead.add((await claimOne(instance, world)).id);
    world.clock.advance(10 * minuteMs);
    const { entry } = await instance.queue.create(facts, world.log);
    expect(await claimOne(instance, world)).toMatchObject({ id: entry.id });
    for (const id of dead) expect(await instance.queue.get(id)).toMatchObject({ status: 'FAILED' });
  });
});

describe('a requeue', () => {
  test('returns a FAILED request to its place in the queue', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const { entry: first } = await queue.create(facts, world.log);
    world.clock.advance(1000);
    const { entry: second } = await queue.create(facts, world.log);
    await claimOne(instance, world);
    await queue.report(first.id, agent('a'), { status: 'FAILED', errorMessage: 'no' }, world.log);
    world.clock.advance(1000);
    expect(await queue.requeue(first.id, { userId: 'admin' }, world.log)).toEqual({
      ...first,
      attempts: 1,
      updatedAt: new Date(world.clock.now()).toISOString(),
    });
    expect(await claimOne(instance, world)).toMatchObject({ id: first.id, attempts: 2, errorMessage: null });
    expect(await claimOne(instance, world)).toMatchObject({ id: second.id });
  });

  test('can correct the target path: agents of the new server get the request', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const wrong = '\\\\old\\p\\a';
    const { entry } = await queue.create({ ...facts, targetPath: wrong }, world.log);
    const { claimToken } = await claimOne(instance, world);
    const failed = { status: 'FAILED', errorMessage: 'no', claimToken } as const;
    await queue.report(entry.id, agent('a'), failed, world.log);
    const targetPath = '\\\\fs1\\p\\a';
    expect(await queue.requeue(entry.id, { userId: 'admin' }, world.log, targetPath)).toMatchObject({
      targetPath,
    });
    expect((await queue.get(entry.id)).history.at(-1)).toMatchObject({
      event: 'requeued',
      message: `The target path was ${wrong}`,
    });
    const claimFor = (server: string) => claimFrom(queue, agent('a'), world.log, { servers: [server] });
    expect(await claimFor('old')).toBeNull();
    expect(await claimFor('fs1')).toMatchObject({ id: entry.id, targetPath });
  });
});

test('keys, values and messages keep all their characters', async ({ world }) => {
  const instance = world.instance();
  const { queue } = instance;
  const targetPath = `\\\\files\\projects\\${'Ä'.repeat(255)}\\it's #1 & 100% + 📁\\${'x'.repeat(200)}`;
  await queue.create({ targetPath, requestedByUserId: "o'brien/\\?#" }, world.log);
  const claim = await claimOne(instance, world, "agent/\\?#'\u00e4");
  expect(claim.targetPath).toBe(targetPath);
  const errorMessage = `'"<&>\\ \u0001 📁 ${'"\\'.repeat(3_900)}`;
  const done = await queue.report(
    claim.id,
    agent("agent/\\?#'\u00e4"),
    { status: 'FAILED', errorMessage, claimToken: claim.claimToken },
    world.log,
  );
  expect(done).toMatchObject({
    errorMessage,
    requestedByUserId: "o'brien/\\?#",
    agentId: "agent/\\?#'\u00e4",
  });
  expect(await queue.get(claim.id)).toMatchObject(done);
  expect(await queue.list({ agentId: "agent/\\?#'\u00e4", limit: 5 })).toEqual({
    items: [done],
    nextCursor: null,
  });
});
