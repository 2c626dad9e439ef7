import { describe, expect } from 'vitest';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { entryWithoutHistory, test } from './fixture.ts';

const facts = (idempotencyKey: string, targetPath = 'a', requestedByUserId = 'user-1') => ({
  targetPath,
  requestedByUserId,
  idempotencyKey,
});
const dayMs = 24 * 60 * 60 * 1000;

test('the same key with another path or project is rejected; other keys and other users are apart', async ({
  world,
}) => {
  const { queue } = world.instance();
  const { entry } = await queue.create(facts('k'), world.log);
  await expect(queue.create(facts('k', 'b'), world.log)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  await expect(queue.create({ ...facts('k'), projectId: '4711' }, world.log)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  const others = [
    await queue.create(facts('K'), world.log),
    await queue.create(facts('k', 'b', 'user-2'), world.log),
    await queue.create(facts(' k'), world.log),
    await queue.create(facts('x'.repeat(128)), world.log),
    await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log),
  ];
  expect(others.every(({ isNew }) => isNew)).toBe(true);
  expect(new Set([entry.id, ...others.map((other) => other.entry.id)]).size).toBe(6);
});

test('40 calls with one key on 4 instances make one request', async ({ world }) => {
  const instances = Array.from({ length: 4 }, () => world.instance({ shards: 16 }));
  const calls = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      (instances[at % 4] ?? instances[0]!).queue.create(facts('k'), world.log),
    ),
  );
  expect(new Set(calls.map(({ entry }) => entry.id)).size).toBe(1);
  expect(calls.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect((await instances[0]!.queue.list({ limit: 10 })).items).toHaveLength(1);
});

test('after 24 hours the key is free for one new request', async ({ world }) => {
  const instances = [world.instance(), world.instance(), world.instance()];
  const first = await instances[0]!.queue.create(facts('k'), world.log);
  world.clock.advance(dayMs - 1);
  expect(await instances[0]!.queue.create(facts('k'), world.log)).toMatchObject({ isNew: false });
  world.clock.advance(1);
  const calls = await Promise.all(instances.map(({ queue }) => queue.create(facts('k', 'b'), world.log)));
  expect(calls.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(calls.map(({ entry }) => entry.id)).size).toBe(1);
  expect(calls[0]?.entry.id).not.toBe(first.entry.id);
  expect(await entryWithoutHistory(instances[0]!.queue, first.entry.id)).toEqual(first.entry);
});

test('the key holds while the shards are raised or lowered', async ({ world }) => {
  const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`);
  const create = async (shards: number) => {
    const { queue } = world.instance({ shards });
    return Promise.all(keys.map(async (key) => (await queue.create(facts(key), world.log)).entry.id));
  };
  const first = await create(1);
  world.clock.advance(dayMs / 4);
  expect(await create(4)).toEqual(first);
  world.clock.advance(dayMs / 4);
  expect(await create(16)).toEqual(first);
  world.clock.advance(dayMs / 4);
  expect(await create(2)).toEqual(first);
});

test('a withdrawal keeps the key that a newer request has by now', async ({ world }) => {
  const { queue } = world.instance();
  const admin = { userId: 'admin', mayAny: true };
  const { entry: old } = await queue.create(facts('k'), world.log);
  world.clock.advance(dayMs);
  const { entry: newer } = await queue.create(facts('k'), world.log);
  await queue.withdraw(old.id, admin, world.log);
  expect(await queue.create(facts('k'), world.log)).toMatchObject({ isNew: false, entry: { id: newer.id } });
  await queue.withdraw(newer.id, admin, world.log);
  expect((await queue.create(facts('k'), world.log)).isNew).toBe(true);
});

describe('a batch whose storage', () => {
  const items = Array.from({ length: 100 }, (_, at) => facts(`k${at}`, `p${at}`));
  const outcomesOf = (results: Awaited<ReturnType<FolderRequestQueue['createEach']>>): readonly string[] =>
    results.map((result) => ('fault' in result ? result.fault : result.isNew ? 'created' : 'existing'));

  test('is slow ends within the time of a call, says what it has not reached, and continues when it is repeated', async ({
    world,
  }) => {
    const { queue, watch } = world.instance();
    await queue.list({ limit: 1 });
    watch.gate = async () => world.clock.advance(200);
    const startMs = world.clock.now();
    const outcomes = outcomesOf(await queue.createEach(items, world.log));
    expect(world.clock.now() - startMs).toBeLessThanOrEqual(12_000);
    expect(outcomes).toEqual([...items.keys()].map((at) => (at < 45 ? 'created' : 'not_reached')));
    watch.gate = () => undefined;
    const again = outcomesOf(await queue.createEach(items, world.log));
    expect(again).toEqual([...items.keys()].map((at) => (at < 45 ? 'existing' : 'created')));
  });

  test('fails for one item says that it may exist, and creates the others', async ({ world }) => {
    const { queue, watch } = world.instance();
    await queue.list({ limit: 1 });
    watch.reset();
    // Three tries and the read that looks for their trace.
    watch.fault = ({ index }) => (index >= 2 && index < 8 ? 'lost response' : undefined);
    const outcomes = outcomesOf(await queue.createEach(items.slice(0, 4), world.log));
    expect(outcomes).toEqual(['created', 'created', 'not_confirmed', 'created']);
    const again = outcomesOf(await queue.createEach(items.slice(0, 4), world.log));
    expect(again).toEqual(Array.from({ length: 4 }, () => 'existing'));
  });

  test('is down is 503', async ({ world }) => {
    const { queue, watch } = world.instance();
    watch.fault = () => 503;
    await expect(queue.createEach(items, world.log)).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
