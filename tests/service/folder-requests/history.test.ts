import { describe, expect } from 'vitest';
import { claimFrom, agent, allRows } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user-1' };
const minuteMs = 60_000;
const rejectedWith = (code: string): unknown => expect.objectContaining({ code });
const requester = { userId: 'user-1', mayAny: false };

async function claimOne({ queue }: Instance, { log }: QueueWorld, by = 'a') {
  const claim = await claimFrom(queue, agent(by), log);
  if (!claim) throw new Error('expected a claimable request');
  return claim;
}
const storyOf = async ({ queue }: Instance, id: string) =>
  (await queue.get(id)).history.map(({ at: _at, ...entry }) => entry);

describe('history', () => {
  test('has every transition, oldest first, with its actor and reason', async ({ world }) => {
    const instance = world.instance({ maxExpiredLeases: 3 });
    const { queue } = instance;
    const { entry } = await queue.create(facts, world.log);
    world.clock.advance(1000);
    const first = await claimOne(instance, world);
    await queue.release(entry.id, agent('a'), { ...first, reason: 'the agent stops' }, world.log);
    await claimOne(instance, world);
    world.clock.advance(6 * minuteMs);
    await claimOne(instance, world, 'b');
    await queue.report(entry.id, agent('b'), { status: 'FAILED', errorMessage: 'no room' }, world.log);
    await queue.requeue(entry.id, { userId: 'admin', name: 'Erika Muster' }, world.log);
    await claimOne(instance, world, 'b');
    await queue.report(entry.id, agent('b'), { status: 'FULFILLED' }, world.log);

    const { history } = await queue.get(entry.id);
    expect(history.map(({ at: _at, ...rest }) => rest)).toEqual([
      { event: 'created', userId: 'user-1' },
      { event: 'claimed', agentId: 'a' },
      { event: 'released', agentId: 'a', message: 'the agent stops' },
      { event: 'claimed', agentId: 'a' },
      { event: 'lease_expired', agentId: 'a' },
      { event: 'claimed', agentId: 'b' },
      { event: 'failed', agentId: 'b', message: 'no room' },
      { event: 'requeued', userId: 'admin', userName: 'Erika Muster' },
      { event: 'claimed', agentId: 'b' },
      { event: 'fulfilled', agentId: 'b' },
    ]);
    const times = history.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(times[0]).toBe('2026-11-20T09:00:00.000Z');
    // The time is the end of the lease, five minutes after the claim, not that of its detection a minute later.
    expect(Date.parse(times[4]!) - Date.parse(times[3]!)).toBe(5 * minuteMs);
  });

  test('has leases that expire too often, and a repair by hand', async ({ world }) => {
    const instance = world.instance({ maxExpiredLeases: 1 });
    const { queue } = instance;
    const { entry } = await queue.create(facts, world.log);
    await claimOne(instance, world);
    world.clock.advance(6 * minuteMs);
    expect(await claimFrom(queue, agent('b'), world.log)).toBeNull();
    for (const row of await allRows(world.table)) {
      if (!row.rowKey.startsWith('J_')) continue;
      const { partitionKey, rowKey } = row;
      await world.table.updateEntity({ partitionKey, rowKey, status: 'PENDING' }, 'Merge');
    }
    await queue.maintenance.run(world.log);
    expect(await storyOf(instance, entry.id)).toEqual([
      { event: 'created', userId: 'user-1' },
      { event: 'claimed', agentId: 'a' },
      { event: 'lease_expired', agentId: 'a' },
      { event: 'failed', message: expect.stringContaining('The lease expired once') },
      { event: 'repaired_by_hand' },
    ]);
  });

  test('keeps at most 50 entries: the first and the newest ones', async ({ world }) => {
    const instance = world.instance();
    const { entry } = await instance.queue.create(facts, world.log);
    for (let round = 0; round < 30; round += 1) {
      const claim = await claimOne(instance, world);
      const release = { claimToken: claim.claimToken, reason: `round ${round}` };
      await instance.queue.release(entry.id, agent('a'), release, world.log);
    }
    const story = await storyOf(instance, entry.id);
    expect(story).toHaveLength(50);
    expect(story[0]).toEqual({ event: 'created', userId: 'user-1' });
    expect(story.at(-1)).toEqual({ event: 'released', agentId: 'a', message: 'round 29' });
  });

  test('fits into its column with long ids and reasons', async ({ world }) => {
    const instance = world.instance();
    const { entry } = await instance.queue.create(facts, world.log);
    const long = agent('ä'.repeat(200));
    for (let round = 0; round < 30; round += 1) {
      const claim = await claimFrom(instance.queue, long, world.log);
      const release = { claimToken: claim!.claimToken, reason: `${round} ${'"'.repeat(490)}` };
      await instance.queue.release(entry.id, long, release, world.log);
    }
    const story = await storyOf(instance, entry.id);
    expect(story[0]).toEqual({ event: 'created', userId: 'user-1' });
    expect(story.at(-1)?.message).toMatch(/^29 /);
    expect(story.length).toBeGreaterThan(10);
  });

  test('leaves out an entry that was broken by hand', async ({ world }) => {
    const instance = world.instance();
    const { entry } = await instance.queue.create(facts, world.log);
    await claimOne(instance, world);
    const { partitionKey, rowKey } = (await allRows(world.table)).find((row) => row.rowKey.startsWith('J_'))!;
    await world.table.updateEntity({ partitionKey, rowKey, history_00: 'by Anna' }, 'Merge');
    expect(await storyOf(instance, entry.id)).toEqual([{ event: 'claimed', agentId: 'a' }]);
  });
});

describe('release', () => {
  test('returns the request to PENDING immediately, in its old place, without an expired lease', async ({
    world,
  }) => {
    const instance = world.instance({ maxExpiredLeases: 2 });
    const { queue } = instance;
    const { entry } = await queue.create(facts, world.log);
    world.clock.advance(1000);
    await queue.create(facts, world.log);
    for (let round = 0; round < 3; round += 1) {
      const claim = await claimOne(instance, world);
      expect(claim.id).toBe(entry.id);
      const released = await queue.release(entry.id, agent('a'), { ...claim, reason: 'stops' }, world.log);
      expect(released).toMatchObject({ status: 'PENDING', agentId: null, attempts: round + 1 });
    }
    expect(world.log.named('folder_request_released')).toHaveLength(3);
    expect(world.log.named('folder_request_lease_expired')).toEqual([]);
  });

  test('requires the token of a claim that is still held', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const { entry } = await queue.create(facts, world.log);
    const { claimToken } = await claimOne(instance, world);
    const release = (by: string, token: string) =>
      queue.release(entry.id, agent(by), { claimToken: token, reason: 'x' }, world.log);
    await expect(release('b', claimToken)).rejects.toEqual(rejectedWith('claim_lost'));
    await expect(release('a', 'another')).rejects.toEqual(rejectedWith('claim_lost'));
    await release('a', claimToken);
    await expect(release('a', claimToken)).rejects.toEqual(rejectedWith('claim_lost'));
    const again = await claimOne(instance, world);
    await queue.report(entry.id, agent('a'), { status: 'FULFILLED' }, world.log);
    await expect(release('a', again.claimToken)).rejects.toEqual(rejectedWith('claim_lost'));
  });
});

describe('withdraw', () => {
  test('deletes a PENDING request with all its rows, and its key is free', async ({ world }) => {
    const { queue } = world.instance();
    const keyed = { ...facts, idempotencyKey: 'key' };
    const { entry } = await queue.create(keyed, world.log);
    await queue.withdraw(entry.id, requester, world.log);
    expect((await allRows(world.table)).filter(({ partitionKey }) => partitionKey !== 'fr-meta')).toEqual([]);
    await expect(queue.get(entry.id)).rejects.toEqual(rejectedWith('folder_request_not_found'));
    expect(world.log.named('folder_request_withdrawn')).toHaveLength(1);
    expect((await queue.create(keyed, world.log)).isNew).toBe(true);
    await expect(queue.withdraw(entry.id, requester, world.log)).rejects.toEqual(
      rejectedWith('folder_request_not_found'),
    );
  });

  test('of a FAILED request is for administrators', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const { entry } = await queue.create({ ...facts, projectId: '4711' }, world.log);
    await claimOne(instance, world);
    await queue.report(entry.id, agent('a'), { status: 'FAILED', errorMessage: 'no' }, world.log);
    await expect(queue.withdraw(entry.id, requester, world.log)).rejects.toEqual(rejectedWith('not_pending'));
    await queue.withdraw(entry.id, { userId: 'admin', mayAny: true }, world.log);
    await expect(queue.get(entry.id)).rejects.toEqual(rejectedWith('folder_request_not_found'));
    expect((await queue.list({ projectId: '4711', limit: 5 })).items).toEqual([]);
  });

  test('deletes the key also after a claim and a requeue', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const { entry } = await queue.create({ ...facts, idempotencyKey: 'key' }, world.log);
    await claimOne(instance, world);
    await queue.report(entry.id, agent('a'), { status: 'FAILED', errorMessage: 'no' }, world.log);
    await queue.requeue(entry.id, { userId: 'admin' }, world.log);
    await queue.withdraw(entry.id, { userId: 'admin', mayAny: true }, world.log);
    // The outcome remains; statistics count it.
    const rows = (await allRows(world.table)).filter(({ partitionKey }) => partitionKey !== 'fr-meta');
    expect(rows.map(({ rowKey }) => rowKey.slice(0, 2))).toEqual(['E_']);
  });

  test('keeps the key if a newer request has it by now', async ({ world }) => {
    const { queue } = world.instance();
    const keyed = { ...facts, idempotencyKey: 'key' };
    const { entry: old } = await queue.create(keyed, world.log);
    world.clock.advance(25 * 3_600_000);
    const { entry: newer } = await queue.create(keyed, world.log);
    expect(newer.id).not.toBe(old.id);
    await queue.withdraw(old.id, { userId: 'admin', mayAny: true }, world.log);
    expect(await queue.create(keyed, world.log)).toMatchObject({ isNew: false, entry: { id: newer.id } });
    await queue.withdraw(newer.id, { userId: 'admin', mayAny: true }, world.log);
    expect((await allRows(world.table)).filter(({ partitionKey }) => partitionKey !== 'fr-meta')).toEqual([]);
  });

  test('requires the requester or an administrator, and a PENDING request', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const { entry } = await queue.create(facts, world.log);
    const stranger = { userId: 'user-2', mayAny: false };
    await expect(queue.withdraw(entry.id, stranger, world.log)).rejects.toEqual(rejectedWith('forbidden'));
    await claimOne(instance, world);
    await expect(queue.withdraw(entry.id, requester, world.log)).rejects.toEqual(rejectedWith('not_pending'));
    await queue.report(entry.id, agent('a'), { status: 'FULFILLED' }, world.log);
    await expect(queue.withdraw(entry.id, requester, world.log)).rejects.toEqual(rejectedWith('not_pending'));
  });

  test('competes with claims: each request is either claimed or withdrawn, never both', async ({ world }) => {
    const [one, two] = [world.instance(), world.instance()];
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) ids.push((await one.queue.create(facts, world.log)).entry.id);
    const withdrawals = ids.map(async (id) => {
      try {
        await one.queue.withdraw(id, requester, world.log);
        return id;
      } catch {
        return null;
      }
    });
    const claims = ids.map(() => claimFrom(two.queue, agent('a'), world.log));
    const withdrawn = (await Promise.all(withdrawals)).filter((id) => id !== null);
    const claimed = (await Promise.all(claims)).flatMap((claim) => (claim ? [claim.id] : []));
    expect([...withdrawn, ...claimed].toSorted()).toEqual(ids.toSorted());
  });
});
