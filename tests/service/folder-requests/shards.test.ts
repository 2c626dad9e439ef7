import { describe, expect } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';
import { Shards } from '../../../lib/folder-requests/table/shards.ts';
import { agent, certain, claimFrom } from '../../support/folder-queue.ts';
import { until } from '../../../agent/smb/tests/support/until.ts';
import type { Fault } from '../../support/storage-watch.ts';
import { pendingRequests, store, test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function createMany({ queue }: Instance, { log }: QueueWorld, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const keyed = at % 2 === 1 && { idempotencyKey: `${count} ${at}` };
    ids.push((await queue.create({ ...facts, ...keyed }, log)).entry.id);
  }
  return ids;
}

test('raising the shards, and lowering them again, loses nothing', async ({ world }) => {
  const created = await createMany(world.instance({ shards: 1 }), world, 5);
  created.push(...(await createMany(world.instance({ shards: 16 }), world, 12)));
  const lowered = world.instance({ shards: 2 });
  created.push(...(await createMany(lowered, world, 8)));
  expect(new Set(created.slice(17).map((id) => id.slice(-1)))).toEqual(new Set(['0', '1']));

  const listed = await lowered.queue.list({ limit: 200 });
  expect(listed.items.map(({ id }) => id)).toEqual(created.toSorted().toReversed());
  const claimed: string[] = [];
  for (;;) {
    const claim = await claimFrom(lowered.queue, agent('a'), world.log);
    if (!claim) break;
    claimed.push(claim.id);
  }
  expect(claimed.toSorted()).toEqual(created.toSorted());
});

describe('an instance that still has the old number of shards', () => {
  const keys = Array.from({ length: 8 }, (_, at) => ({ ...facts, idempotencyKey: `key ${at}` }));
  const minuteMs = 60_000;

  test('finds requests of new shards after a minute, by key, in lists and in claims', async ({ world }) => {
    const old = world.instance({ shards: 1 }).queue;
    await old.create(facts, world.log);
    const raised = world.instance({ shards: 16 }).queue;
    const ids: string[] = [];
    for (const key of keys) ids.push((await raised.create(key, world.log)).entry.id);
    expect(new Set(ids.map((id) => id.slice(-1))).size).toBeGreaterThan(1);
    world.clock.advance(minuteMs);
    for (const [at, key] of keys.entries()) {
      const { entry, isNew } = await old.create(key, world.log);
      expect([entry.id, isNew]).toEqual([ids[at], false]);
    }
    expect((await old.list({ limit: 200 })).items).toHaveLength(1 + keys.length);
    for (let claim = 0; claim <= keys.length; claim += 1) {
      expect(await old.claim(agent('a'), world.log)).not.toBeNull();
    }
  });

  test('learns the new number in the background of its calls', async ({ world }) => {
    const old = world.instance({ shards: 1 });
    await old.queue.list({ limit: 1 });
    const created = await createMany(world.instance({ shards: 16 }), world, 8);
    world.clock.advance(minuteMs / 2);
    // The call that starts the reading does not wait for it.
    const held = Promise.withResolvers<void>();
    old.watch.gate = ({ kind }) => (kind === 'point read' ? held.promise : undefined);
    expect((await old.queue.list({ limit: 200 })).items.length).toBeLessThan(created.length);
    held.resolve();
    await until(
      'all new requests in the list',
      () => old.queue.list({ limit: 200 }),
      ({ items }) => items.length === created.length,
    );
  });

  test('is considered for a key that it has written up to a minute after it was last recorded', async ({
    world,
  }) => {
    const old = world.instance({ shards: 1 }).queue;
    await old.create(facts, world.log);
    const raised = world.instance({ shards: 16 }).queue;
    await raised.create(facts, world.log);
    world.clock.advance(29_000);
    const ids: string[] = [];
    for (const key of keys) ids.push((await old.create(key, world.log)).entry.id);
    // 15 s after the record is a day old, when the keys are not.
    world.clock.advance(24 * 60 * minuteMs - 14_000);
    for (const [at, key] of keys.entries()) {
      expect((await raised.create(key, world.log)).entry.id).toBe(ids[at]);
    }
  });

  test('is considered if version 1.0.0 has recorded the change', async ({ world }) => {
    const old = world.instance({ shards: 1 }).queue;
    const ids: string[] = [];
    for (const key of keys) ids.push((await old.create(key, world.log)).entry.id);
    const earlier = JSON.stringify([{ shards: 1, untilMs: world.clock.now() }]);
    const row = { partitionKey: 'fr-meta', rowKey: 'M', shards: 16, highest: 16, earlier };
    await world.table.updateEntity(row, 'Replace');
    const { queue: raised, watch } = world.instance({ shards: 16 });
    for (const [at, key] of keys.entries()) {
      expect((await raised.create(key, world.log)).entry.id).toBe(ids[at]);
    }
    // The storage has the time of the machine, which may be later.
    world.clock.advance(Math.max(0, Date.now() - world.clock.now()) + 25 * 60 * minuteMs);
    await raised.list({ limit: 1 });
    watch.reset();
    await raised.create({ ...facts, idempotencyKey: 'later' }, world.log);
    expect(watch.calls).toHaveLength(1);
  });

  test('is considered when a key is a day old, but no longer', async ({ world }) => {
    const old = world.instance({ shards: 1 }).queue;
    const { queue: raised, watch } = world.instance({ shards: 16 });
    for (let hour = 0; hour < 25; hour += 1) {
      await old.create(facts, world.log);
      await raised.create(facts, world.log);
      world.clock.advance(60 * minuteMs);
    }
    const ids: string[] = [];
    for (const key of keys) ids.push((await old.create(key, world.log)).entry.id);
    world.clock.advance(minuteMs);
    for (const [at, key] of keys.entries()) {
      expect((await raised.create(key, world.log)).entry.id).toBe(ids[at]);
    }
    world.clock.advance(24 * 60 * minuteMs + minuteMs);
    await raised.list({ limit: 1 });
    watch.reset();
    await raised.create({ ...facts, idempotencyKey: 'later' }, world.log);
    expect(watch.calls).toHaveLength(1);
  });
});

describe('a shard that does not respond', () => {
  /** Two requests in each of four shards, and an instance for which the second one fails. */
  async function withFailing(world: QueueWorld, fault: Fault) {
    const targets = Array.from({ length: 8 }, () => 'a');
    await store(world.table, pendingRequests(targets, { sinceMs: world.clock.now() - 10, shards: 4 }));
    const { queue, watch } = world.instance({ shards: 4 });
    // It knows when the next lease can end in each of them.
    expect(await claimFrom(queue, agent('a'), world.log, { servers: ['nothing'] })).toBeNull();
    watch.reset();
    watch.fault = ({ partition }) => (partition === 'fr-1' ? fault : undefined);
    const asked = (): number => watch.calls.filter(({ partition }) => partition === 'fr-1').length;
    return { queue, watch, asked };
  }
  const shardOf = ({ id }: { id: string }): string => id.slice(-1);
  const unavailable = { code: 'storage_unavailable' };

  test.for(['timeout', 503, 'busy'] as const)(
    'is left out by claims and by creations without a key for half a minute: %s',
    async (fault, { world }) => {
      const { queue, watch, asked } = await withFailing(world, fault);
      const claims = [];
      for (let at = 0; at < 6; at += 1) claims.push((await claimFrom(queue, agent('a'), world.log))!);
      expect(claims.map(shardOf).toSorted()).toEqual(['0', '0', '2', '2', '3', '3']);
      // An agent that gets nothing asks again soon: there may be something.
      expect(await queue.claim(agent('a'), world.log)).toEqual({ idleMs: 0 });
      const created = [];
      for (let at = 0; at < 12; at += 1) created.push((await queue.create(facts, world.log)).entry);
      expect(new Set(created.map(shardOf))).toEqual(new Set(['0', '2', '3']));
      // By the first claim only.
      expect(asked()).toBeLessThanOrEqual(3);
      watch.fault = () => undefined;
      world.clock.advance(30_000);
      const later = [];
      for (let at = 0; at < 14; at += 1) later.push((await claimFrom(queue, agent('a'), world.log))!);
      expect(later.map(shardOf).filter((shard) => shard === '1')).toHaveLength(2);
    },
  );

  test('is asked once, for three seconds, by a claim that others wait for, also by one that may be repeated', async ({
    world,
  }) => {
    const { queue, watch, asked } = await withFailing(world, 'timeout');
    watch.gate = async ({ partition }) => {
      if (partition === 'fr-1') world.clock.advance(3_000);
    };
    const turn = { process: 'p', poll: 1 };
    const repeat = { turn, mayBeRepeated: true };
    const first = await queue.claim(agent('a'), world.log, undefined, 15_000, repeat);
    expect(asked()).toBe(1);
    expect(await queue.claim(agent('a'), world.log, undefined, 15_000, repeat)).toEqual(first);
    expect(asked()).toBe(1);
  });

  test('makes a creation with one of its keys fail, and none of another shard', async ({ world }) => {
    const { queue } = await withFailing(world, 'timeout');
    const other = world.instance({ shards: 4 }).queue;
    const shards = new Set<string>();
    for (let at = 0; at < 24; at += 1) {
      const keyed = { ...facts, idempotencyKey: `k${at}` };
      const { entry } = await other.create(keyed, world.log);
      const again = queue.create(keyed, world.log);
      if (shardOf(entry) === '1') await expect(again).rejects.toMatchObject(unavailable);
      else expect(await again).toEqual({ entry, isNew: false });
      shards.add(shardOf(entry));
    }
    expect([...shards].toSorted()).toEqual(['0', '1', '2', '3']);
  });

  test('in the middle of a claim leaves the rest to the others; with all of them, the storage is unavailable', async ({
    world,
  }) => {
    const { queue, watch } = await withFailing(world, 'timeout');
    // The oldest request of all is in this shard; its record is not read.
    watch.fault = ({ partition, kind }) =>
      partition === 'fr-0' && kind === 'point read' ? 'timeout' : undefined;
    expect(shardOf((await claimFrom(queue, agent('a'), world.log))!)).toBe('1');
    watch.fault = ({ partition }) => (partition === 'fr-meta' ? undefined : 'timeout');
    for (let times = 0; times < 2; times += 1)
      await expect(queue.claim(agent('a'), world.log)).rejects.toMatchObject(unavailable);
    watch.fault = () => undefined;
    expect(await claimFrom(queue, agent('a'), world.log)).not.toBeNull();
  });
});

describe('a shard whose transactions fail', () => {
  const unavailable = { code: 'storage_unavailable' };

  test.for(['creation', 'claim'] as const)(
    'makes one %s fail, whose outcome is not known, and is then left out',
    async (what, { world }) => {
      const targets = Array.from({ length: 8 }, () => 'a');
      await store(world.table, pendingRequests(targets, { sinceMs: world.clock.now() - 10, shards: 4 }));
      const { queue, watch } = world.instance({ shards: 4 });
      watch.fault = ({ partition, kind }) =>
        partition === 'fr-0' && kind === 'transaction' ? 'timeout' : undefined;
      const call = async (): Promise<string> => {
        const { id } =
          what === 'creation'
            ? (await queue.create(facts, world.log)).entry
            : (await claimFrom(queue, agent('a'), world.log))!;
        return id.slice(-1);
      };
      // The oldest request is in this shard; a creation chooses one by chance.
      const failures: unknown[] = [];
      const shards = new Set<string>();
      for (let at = 0; at < (what === 'creation' ? 30 : 6); at += 1)
        await call().then(
          (shard) => shards.add(shard),
          (error: unknown) => failures.push(error),
        );
      expect(failures).toMatchObject([unavailable]);
      expect([...shards].toSorted()).toEqual(['1', '2', '3']);
    },
  );
});

test('one agent claims the oldest of all shards', async ({ world }) => {
  const instance = world.instance({ shards: 4 });
  const created: string[] = [];
  for (let at = 0; at < 24; at += 1) {
    created.push(...(await createMany(instance, world, 1)));
    world.clock.advance(10);
  }
  const claimed: string[] = [];
  for (const _ of created) claimed.push((await claimFrom(instance.queue, agent('a'), world.log))?.id ?? '');
  expect(claimed).toEqual(created);
});

test('claims during a backlog of two shards remain close to the order of creation', async ({ world }) => {
  const instance = world.instance({ shards: 2 });
  const requests = pendingRequests(
    Array.from({ length: 120 }, () => 'a'),
    { sinceMs: world.clock.now() - 120, shards: 2 },
  );
  await store(world.table, requests);
  const created = requests.map(({ id }) => id);
  const late = world.instance({ shards: 2 });
  const lateIds = await createMany(late, world, 20);
  // Claims stay close to the order of creation while the clock advances.
  for (let at = 0; at < 140; at += 1) {
    const claim = await claimFrom(instance.queue, agent('a'), world.log);
    const place = [...created, ...lateIds].indexOf(claim?.id ?? '');
    expect(Math.abs(place - at)).toBeLessThan(40);
    world.clock.advance(100);
  }
});

test('an older request of a shard without a backlog waits at most three seconds', async ({ world }) => {
  const { queue } = world.instance({ shards: 2 });
  const at = (shard: number, count: number, sinceMs: number) =>
    pendingRequests(
      Array.from({ length: count * 2 }, () => 'a'),
      { sinceMs: world.clock.now() + sinceMs, shards: 2, seed: count },
    ).filter(({ id }) => id.endsWith(String(shard)));
  await store(world.table, at(0, 60, -1_000));
  await claimFrom(queue, agent('a'), world.log);
  const [older] = at(1, 1, -5_000);
  await store(world.table, [older!]);
  expect((await claimFrom(queue, agent('a'), world.log))?.id).not.toBe(older!.id);
  world.clock.advance(3_000);
  expect((await claimFrom(queue, agent('a'), world.log))?.id).toBe(older!.id);
});

test('instances with different settings that start together all read the shards of the largest within a minute', async ({
  world,
}) => {
  const counts = [1, 16, 2, 4, 8, 1, 16, 3];
  const instances = counts.map((shards) => world.instance({ shards }));
  await Promise.all(instances.map(({ queue }) => queue.list({ limit: 1 })));
  const created = await createMany(instances[1]!, world, 16);
  world.clock.advance(60_000);
  for (const { queue } of instances) {
    const { items } = await queue.list({ limit: 200 });
    expect(items.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
  }
});

test.each([0, 17, 1.5, Number.NaN])('%d is not a valid number of shards', (shards) => {
  // The table is never reached.
  expect(() => new Shards(shards, undefined as never, certain(systemClock))).toThrow('expected 1 to 16');
});
