import { expect } from 'vitest';
import { claimFrom, agent } from '../../support/folder-queue.ts';
import { test } from './fixture.ts';

// All transitions and their order: random-walk.test.ts, and tests/unit/folder-requests.

test('a request of an instance whose clock is ahead is claimable immediately', async ({ world }) => {
  world.clock.advance(1_500);
  const facts = { targetPath: 'a', requestedByUserId: 'user-1' };
  const { entry } = await world.instance().queue.create(facts, world.log);
  world.clock.advance(-1_500);
  expect((await claimFrom(world.instance().queue, agent('a'), world.log))?.id).toBe(entry.id);
});

test('keys, values and messages keep all their characters', async ({ world }) => {
  const { queue } = world.instance();
  const targetPath = `\\\\files\\projects\\${'Ä'.repeat(255)}\\it's #1 & 100% + 📁\\${'x'.repeat(200)}`;
  const me = agent("agent/\\?#'\u00e4");
  await queue.create({ targetPath, requestedByUserId: "o'brien/\\?#" }, world.log);
  const { id, claimToken, ...claim } = (await claimFrom(queue, me, world.log))!;
  expect(claim.targetPath).toBe(targetPath);
  const errorMessage = `'"<&>\\ \u0001 📁 ${'"\\'.repeat(3_900)}`;
  const failed = { status: 'FAILED', errorMessage, claimToken } as const;
  const done = await queue.report(id, me, failed, world.log);
  expect(done).toMatchObject({ errorMessage, requestedByUserId: "o'brien/\\?#", agentId: me.id });
  expect(await queue.get(id)).toMatchObject(done);
  expect(await queue.list({ agentId: me.id, limit: 5 })).toEqual({ items: [done], nextCursor: null });
});
