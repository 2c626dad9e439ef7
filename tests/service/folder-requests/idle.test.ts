import { describe, expect } from 'vitest';
import type { ClaimRouting } from '../../../lib/contract/folder-requests.ts';
import { claimFrom, agent } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

const leaseMs = 300_000;
const facts = { targetPath: '\\\\fs1\\projects\\a', requestedByUserId: 'user-1' };
const ofOtherServer: ClaimRouting = { servers: ['fs2'] };

/** For how long the queue says that the same claim finds nothing. */
async function idleOf({ queue }: Instance, { log }: QueueWorld, routing?: ClaimRouting): Promise<number> {
  const result = await queue.claim(agent('idle'), log, routing);
  if ('claimed' in result) throw new Error('expected an empty claim');
  return result.idleMs;
}

describe('an empty claim says for how long it is empty', () => {
  test('of an empty queue: the length of a lease, since another instance may grant one', async ({
    world,
  }) => {
    const one = world.instance({ leaseMs });
    expect(await idleOf(one, world)).toBe(leaseMs);
    world.clock.advance(20_000);
    expect(await idleOf(one, world)).toBe(leaseMs - 20_000);
  });

  test.for([1, 4])(
    'with %i shards it costs no further request, except once a minute',
    async (shards, { world }) => {
      const one = world.instance({ leaseMs, shards });
      const costs = [];
      for (let claim = 0; claim < 6; claim += 1) {
        one.watch.reset();
        expect(await idleOf(one, world, ofOtherServer)).toBeGreaterThan(200_000);
        costs.push(one.watch.calls.length);
        // The number of shards may still be read, which no claim waits for.
        await one.watch.untilIdle();
        world.clock.advance(30_000);
      }
      // The number of shards, and of each shard its window; once a minute also its leases.
      const [usual, withLeases] = [1 + shards, 1 + 2 * shards];
      expect(costs.slice(1)).toEqual([usual, withLeases, usual, withLeases, usual]);
    },
  );

  test('until the first lease ends, also one that another instance has granted', async ({ world }) => {
    const [one, other] = [world.instance({ leaseMs }), world.instance({ leaseMs })];
    await other.queue.create(facts, world.log);
    expect(await claimFrom(other.queue, agent('a'), world.log)).not.toBeNull();
    world.clock.advance(leaseMs - 7_000);
    expect(await idleOf(one, world, ofOtherServer)).toBe(7_000);
    world.clock.advance(6_999);
    // Reads the lease, which is alive.
    expect(await idleOf(world.instance({ leaseMs }), world, ofOtherServer)).toBe(1);
    world.clock.advance(1);
    // The request has returned, for another server.
    expect(await idleOf(one, world, ofOtherServer)).toBe(leaseMs);
    expect(await claimFrom(one.queue, agent('a'), world.log)).toMatchObject({ attempts: 2 });
  });

  test('from before the leases were read, since another instance may have granted one meanwhile', async ({
    world,
  }) => {
    const one = world.instance({ leaseMs });
    await one.queue.list({ limit: 1 });
    // The first query of a claim reads the leases, and takes five seconds.
    one.watch.gate = async ({ kind, index }) => {
      if (kind === 'query' && index === 0) world.clock.advance(5_000);
    };
    one.watch.reset();
    expect(await idleOf(one, world)).toBe(leaseMs - 5_000);
  });

  test('although requests for other servers wait', async ({ world }) => {
    const one = world.instance({ leaseMs });
    await one.queue.create(facts, world.log);
    expect(await idleOf(one, world, ofOtherServer)).toBe(leaseMs);
    expect(await one.queue.claim(agent('a'), world.log, { servers: ['fs1'] })).toMatchObject({
      claimed: { attempts: 1 },
    });
  });
});
