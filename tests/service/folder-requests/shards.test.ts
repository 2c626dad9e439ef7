import { expect } from 'vitest';
import { Shards } from '../../../lib/folder-requests/shards.ts';
import { agent } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function createMany({ queue }: Instance, { log }: QueueWorld, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push((await queue.create(facts, log)).entry.id);
  return ids;
}

test('raising the shards, and lowering them again, loses nothing', async ({ world }) => {
  const created = await createMany(world.instance({ shards: 1 }), world, 5);
  created.push(...(await createMany(world.instance({ shards: 16 }), world, 40)));
  const lowered = world.instance({ shards: 2 });
  created.push(...(await createMany(lowered, world, 10)));
  expect(new Set(created.slice(45).map((id) => id.slice(-1)))).toEqual(new Set(['0', '1']));

  const listed = await lowered.queue.list({ limit: 200 });
  expect(listed.items.map(({ id }) => id)).toEqual(created.toSorted().toReversed());
  const claimed: string[] = [];
  for (;;) {
    const claim = await lowered.queue.claim(agent('a'), world.log);
    if (!claim) break;
    claimed.push(claim.id);
  }
  expect(claimed.toSorted()).toEqual(created.toSorted());
});

test('one agent gets the oldest of all shards', async ({ world }) => {
  const instance = world.instance({ shards: 4 });
  const created: string[] = [];
  for (let at = 0; at < 24; at += 1) {
    created.push(...(await createMany(instance, world, 1)));
    world.clock.advance(10);
  }
  const claimed: string[] = [];
  for (const _ of created) claimed.push((await instance.queue.claim(agent('a'), world.log))?.id ?? '');
  expect(claimed).toEqual(created);
});

test('new work of one shard is not starved by the backlog of another', async ({ world }) => {
  const instance = world.instance({ shards: 2 });
  const created = await createMany(instance, world, 120);
  const late = world.instance({ shards: 2 });
  const lateIds = await createMany(late, world, 20);
  // Claims and clock go on together; nothing may be older than the newest claim for long.
  for (let at = 0; at < 140; at += 1) {
    const claim = await instance.queue.claim(agent('a'), world.log);
    const place = [...created, ...lateIds].indexOf(claim?.id ?? '');
    expect(Math.abs(place - at)).toBeLessThan(40);
    world.clock.advance(100);
  }
});

test('instances with different settings that start at once all know the largest', async ({ world }) => {
  const counts = [1, 16, 2, 4, 8, 1, 16, 3];
  await Promise.all(counts.map((shards) => world.instance({ shards }).queue.list({ limit: 1 })));
  const created = await createMany(world.instance({ shards: 16 }), world, 40);
  const { items } = await world.instance({ shards: 1 }).queue.list({ limit: 200 });
  expect(items.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
});

test.each([0, 17, 1.5, Number.NaN])('%d is no number of shards', (shards) => {
  // The table is never reached.
  expect(() => new Shards(shards, undefined as never, () => 0)).toThrow('expected 1 to 16');
});
