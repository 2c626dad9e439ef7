import { describe, expect } from 'vitest';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import {
  applyClaim,
  applyReport,
  applyRequeue,
  extendLease,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { retryDelaysMs } from '../../../lib/folder-requests/table/queue-parts.ts';
import { recordOf, type Entity } from '../../../lib/folder-requests/table/rows.ts';
import { transitionFromRecord } from '../../../lib/folder-requests/table/transitions.ts';
import { allRows, claimFrom, agent } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

function accepted(result: { readonly next: StoredFolderRequest } | object): StoredFolderRequest {
  if (!('next' in result)) throw new Error(`expected a transition, not ${JSON.stringify(result)}`);
  return result.next;
}

type ClaimRepeat = Parameters<FolderRequestQueue['claim']>[4];

// All transitions and their order: random-walk.test.ts, and tests/unit/folder-requests.

test('a request of an instance whose clock is ahead is claimable immediately', async ({ world }) => {
  world.clock.advance(1_500);
  const facts = { targetPath: 'a', requestedByUserId: 'user-1' };
  const { entry } = await world.instance().queue.create(facts, world.log);
  world.clock.advance(-1_500);
  expect((await claimFrom(world.instance().queue, agent('a'), world.log))?.id).toBe(entry.id);
});

describe('a repeated claim', () => {
  const turn = { process: 'p1', poll: 1 };
  const again = { turn, mayBeRepeated: true };
  const facts = { targetPath: 'a', requestedByUserId: 'user-1' };
  const claimBy = async ({ queue }: Instance, { log }: QueueWorld, repeat: ClaimRepeat, id = 'a') =>
    claimFrom(queue, agent(id), log, undefined, undefined, repeat);

  test('returns the same request at any instance, and no other agent gets it', async ({ world }) => {
    const [one, other] = [world.instance(), world.instance()];
    for (let at = 0; at < 3; at += 1) await one.queue.create(facts, world.log);
    const first = (await claimBy(one, world, { turn }))!;
    expect(await claimBy(one, world, { turn })).toEqual(first);
    expect(await claimBy(other, world, again)).toEqual(first);
    // Also when it works.
    await one.queue.heartbeat(first.id, 'a', first.claimToken, world.log);
    expect(await claimBy(other, world, again)).toMatchObject({ id: first.id, claimToken: first.claimToken });
    const next = await claimBy(one, world, { turn: { ...turn, poll: 2 }, mayBeRepeated: true });
    expect(next?.id).not.toBe(first.id);
    expect((await claimBy(other, world, again, 'b'))?.id).not.toBe(first.id);
    await one.queue.report(first.id, agent('a'), { status: 'FULFILLED' }, world.log);
    expect(await claimBy(one, world, again)).toBeNull();
  });

  test('while the first is in progress has one result', async ({ world }) => {
    const instance = world.instance();
    for (let at = 0; at < 3; at += 1) await instance.queue.create(facts, world.log);
    const claims = await Promise.all(Array.from({ length: 3 }, () => claimBy(instance, world, again)));
    expect(new Set(claims.map((claim) => claim?.id)).size).toBe(1);
    expect((await instance.queue.list({ status: 'PROCESSING', limit: 9 })).items).toHaveLength(1);
  });

  test('of a new process gets what the last one has claimed, until that sends a heartbeat', async ({
    world,
  }) => {
    const [one, other] = [world.instance(), world.instance()];
    for (let at = 0; at < 3; at += 1) await one.queue.create(facts, world.log);
    const first = (await claimBy(one, world, { turn }))!;
    const restarted = (await claimBy(other, world, { turn: { process: 'p2', poll: 1 } }))!;
    expect(restarted).toMatchObject({ id: first.id, attempts: 2 });
    await expect(one.queue.heartbeat(first.id, 'a', first.claimToken, world.log)).rejects.toMatchObject({
      code: 'claim_lost',
    });
    await other.queue.heartbeat(first.id, 'a', restarted.claimToken, world.log);
    const third = await claimBy(one, world, { turn: { process: 'p3', poll: 1 }, mayBeRepeated: true });
    expect(third?.id).not.toBe(first.id);
    expect((await one.queue.get(first.id)).history.map(({ event }) => event)).toEqual([
      'created',
      'claimed',
      'lease_expired',
      'claimed',
    ]);
  });

  test('of a new process gets a request whose lease ends while its record is read', async ({ world }) => {
    const [one, other] = [world.instance(), world.instance()];
    await one.queue.create(facts, world.log);
    const first = (await claimBy(one, world, { turn }))!;
    await other.queue.list({ limit: 1 });
    other.watch.gate = async ({ kind }) => {
      if (kind === 'point read') world.clock.advance(2_000);
    };
    world.clock.advance(Date.parse(first.leaseExpiresAt) - world.clock.now() - 1_000);
    const again = await claimBy(other, world, { turn: { process: 'p2', poll: 1 } });
    expect(again).toMatchObject({ id: first.id, attempts: 2 });
  });

  test('of two processes that begin at once at two instances never returns one request to both', async ({
    world,
  }) => {
    const instances = Array.from({ length: 4 }, () => world.instance());
    await instances[0]!.queue.create(facts, world.log);
    await claimBy(instances[0]!, world, { turn });
    const claims = await Promise.all(
      instances.map((instance, at) => claimBy(instance, world, { turn: { process: `new-${at}`, poll: 1 } })),
    );
    const works = await Promise.allSettled(
      claims
        .filter((claim) => claim !== null)
        .map(({ id, claimToken }) => instances[0]!.queue.heartbeat(id, 'a', claimToken, world.log)),
    );
    expect(works.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  // The columns of the turn are unknown to it: it keeps that of the record, and writes other rows without.
  test.for(['claim', 'heartbeat'] as const)(
    'never takes over work after a %s at an instance of an earlier version',
    async (what, { world }) => {
      const instance = world.instance();
      const { queue } = instance;
      const { id } = (await queue.create(facts, world.log)).entry;
      const first = (await claimBy(instance, world, { turn }))!;
      const write = async (next: (request: StoredFolderRequest) => StoredFolderRequest): Promise<void> => {
        const row = (await allRows(world.table)).find(({ rowKey }) => rowKey.startsWith('J_'))!;
        const record = recordOf(row);
        const actions = transitionFromRecord(record, next(record.request), 'earlier');
        for (const [, entity] of actions) {
          const columns: Partial<Entity> = entity;
          delete columns['claimTurn'];
          if (entity.rowKey === row.rowKey) columns['claim_turn'] = row['claim_turn'];
        }
        await world.table.submitTransaction([...actions]);
      };
      const limits = { nowMs: world.clock.now(), leaseMs: 300_000 };
      if (what === 'claim') {
        await queue.release(id, agent('a'), { claimToken: first.claimToken, reason: 'test' }, world.log);
        await write((request) => applyClaim(request, { agentId: 'a', claimToken: 'earlier' }, limits));
      } else {
        const holder = { agentId: 'a', claimToken: first.claimToken };
        await write((request) => {
          const extended = extendLease(request, holder, limits);
          if (!('next' in extended)) throw new Error('expected the heartbeat to be accepted');
          return extended.next;
        });
      }
      // Settles the rows that differ from the record.
      await queue.maintenance.run(world.log);
      expect(await claimBy(world.instance(), world, { turn: { process: 'p2', poll: 1 } })).toBeNull();
      const repeated = await claimBy(world.instance(), world, again);
      expect(repeated?.id).toBe(what === 'claim' ? undefined : id);
    },
  );

  test('reads what the agent holds only if it may be repeated', async ({ world }) => {
    const { queue, watch } = world.instance();
    const idle = { turn: { process: 'p', poll: 1 } };
    await queue.claim(agent('a'), world.log, undefined, undefined, idle);
    watch.reset();
    await queue.claim(agent('a'), world.log, undefined, undefined, idle);
    expect(watch.calls.map(({ kind }) => kind)).toEqual(['query']);
    watch.reset();
    await queue.claim(agent('a'), world.log, undefined, undefined, { ...idle, mayBeRepeated: true });
    expect(watch.calls.map(({ kind }) => kind)).toEqual(['query', 'query']);
  });
});

describe('a failure that may pass', () => {
  const fails = async ({ queue }: Instance, { log }: QueueWorld): Promise<string> => {
    const { id = '' } = (await claimFrom(queue, agent('a'), log)) ?? {};
    const report = { status: 'FAILED', errorMessage: 'full', errorCode: 'disk_full', mayPass: true } as const;
    await queue.report(id, agent('a'), report, log);
    return id;
  };

  test('is tried again after 1, 5 and 30 minutes, and then stays FAILED', async ({ world }) => {
    const instance = world.instance({ retryDelaysMs });
    const { queue, watch } = instance;
    const { entry } = await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log);
    for (const minutes of [1, 5, 30]) {
      expect(await fails(instance, world)).toBe(entry.id);
      world.clock.advance(minutes * 60_000 - 1);
      await queue.maintenance.run(world.log);
      expect(await queue.get(entry.id)).toMatchObject({ status: 'FAILED', errorCode: 'disk_full' });
      expect(await claimFrom(queue, agent('a'), world.log)).toBeNull();
      world.clock.advance(1);
      // The timer of another instance at the same time.
      await Promise.all(
        [instance, world.instance({ retryDelaysMs })].map((one) => one.queue.maintenance.run(world.log)),
      );
    }
    await fails(instance, world);
    world.clock.advance(86_400_000);
    watch.reset();
    await queue.maintenance.run(world.log);
    const { history, ...request } = await queue.get(entry.id);
    expect(request).toMatchObject({ status: 'FAILED', attempts: 4 });
    expect(history.flatMap(({ event, message }) => (event === 'requeued' ? [message] : []))).toEqual([
      'Tried again by itself, 1 of 3',
      'Tried again by itself, 2 of 3',
      'Tried again by itself, 3 of 3',
    ]);
    expect(world.log.named('folder_request_retried')).toHaveLength(3);
    expect(world.log.named('folder_request_retry_planned')).toHaveLength(3);
    expect(world.log.named('folder_request_failed')).toHaveLength(1);
  });

  test('stays FAILED after the retries are switched off', async ({ world }) => {
    const instance = world.instance({ retryDelaysMs });
    const { entry } = await instance.queue.create(
      { targetPath: 'a', requestedByUserId: 'user-1' },
      world.log,
    );
    await fails(instance, world);
    world.clock.advance(60_000);
    await world.instance({ retryDelaysMs: [] }).queue.maintenance.run(world.log);
    expect(await instance.queue.get(entry.id)).toMatchObject({ status: 'FAILED' });
  });

  test.for(['requeue', 'withdraw', 'edit', 'empty the time', 'delete the record', 'delete the row'] as const)(
    'leaves no other try after %s',
    async (what, { world }) => {
      const instance = world.instance({ retryDelaysMs });
      const { queue } = instance;
      const { id } = (await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log)).entry;
      await fails(instance, world);
      const rows = (await allRows(world.table)).filter((row) => row['id'] === id);
      const rowOf = (prefix: string) => rows.find(({ rowKey }) => rowKey.startsWith(prefix))!;
      const remove = async (prefix: string) => {
        const { partitionKey, rowKey } = rowOf(prefix);
        await world.table.deleteEntity(partitionKey, rowKey);
      };
      const { partitionKey, rowKey } = rowOf('J_');
      if (what === 'requeue') await queue.requeue(id, { userId: 'admin' }, world.log);
      else if (what === 'withdraw') await queue.withdraw(id, { userId: 'admin', mayAny: true }, world.log);
      else if (what === 'edit')
        await world.table.updateEntity({ partitionKey, rowKey, status: 'FULFILLED' }, 'Merge');
      else if (what === 'empty the time')
        await world.table.updateEntity({ partitionKey, rowKey, retry_at: '' }, 'Merge');
      else await remove(what === 'delete the record' ? 'J_' : 'R_');
      world.clock.advance(60_000);
      await queue.maintenance.run(world.log);
      // A row that was deleted is written again, and found by the next run.
      await queue.maintenance.run(world.log);
      const retried = world.log.named('folder_request_retried');
      expect(retried).toHaveLength(what === 'delete the row' ? 1 : 0);
      expect((await allRows(world.table)).filter(({ rowKey }) => rowKey.startsWith('R_'))).toEqual([]);
    },
  );

  // It keeps both columns that are unknown to it in the record, and writes rows without them.
  test.for(['itself', 'an instance of this version'] as const)(
    'is not tried again for a requeue at an instance of an earlier version, after a claim at %s',
    async (claims, { world }) => {
      const instance = world.instance({ retryDelaysMs });
      const { queue } = instance;
      const { id } = (await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, world.log)).entry;
      await fails(instance, world);
      const recordRow = async () =>
        (await allRows(world.table)).find(({ rowKey }) => rowKey.startsWith('J_'))!;
      const write = async (next: (request: StoredFolderRequest) => StoredFolderRequest): Promise<void> => {
        const row = await recordRow();
        const actions = transitionFromRecord(recordOf(row), next(recordOf(row).request), 'earlier');
        const isRecord = ({ rowKey }: { readonly rowKey: string }) => rowKey === row.rowKey;
        const written: Partial<Entity> = actions.find(([, entity]) => isRecord(entity))![1];
        written['retry_at'] = row['retry_at'];
        written['retry_of'] = row['retry_of'];
        await world.table.submitTransaction(actions);
      };
      const nowMs = world.clock.now();
      await write((request) => accepted(applyRequeue(request, nowMs, { userId: 'admin' })));
      const held = { agentId: 'a', claimToken: 't' };
      if (claims === 'itself')
        await write((request) => applyClaim(request, held, { nowMs, leaseMs: 300_000 }));
      else expect(await claimFrom(queue, agent('a'), world.log)).toMatchObject({ id });
      const report = { status: 'FAILED', errorMessage: 'full' } as const;
      await write((request) => accepted(applyReport(request, 'a', report, nowMs)));
      expect(await recordRow()).toMatchObject({ status: 'FAILED', retry_at: expect.any(Date) });
      world.clock.advance(3_600_000);
      for (let run = 0; run < 2; run += 1) await queue.maintenance.run(world.log);
      expect(await queue.get(id)).toMatchObject({ status: 'FAILED', attempts: 2 });
      // An operator who types a time wants a try.
      await queue.requeue(id, { userId: 'admin' }, world.log);
      await claimFrom(queue, agent('a'), world.log);
      await queue.report(id, agent('a'), report, world.log);
      const { partitionKey, rowKey } = await recordRow();
      await world.table.updateEntity({ partitionKey, rowKey, retry_at: new Date(nowMs) }, 'Merge');
      for (let run = 0; run < 2; run += 1) await queue.maintenance.run(world.log);
      expect(await queue.get(id)).toMatchObject({ status: 'PENDING' });
    },
  );

  test('a row for another try that names no request keeps neither other tries nor the rest of maintenance', async ({
    world: { table, clock, log, ...world },
  }) => {
    const instance = world.instance({ retryDelaysMs });
    const { queue } = instance;
    const { id } = (await queue.create({ targetPath: 'a', requestedByUserId: 'user-1' }, log)).entry;
    await fails(instance, { table, clock, log, ...world });
    const { partitionKey } = (await allRows(table)).find(({ rowKey }) => rowKey.startsWith('R_'))!;
    const rowKey = `R_${'0'.repeat(15)}_by hand`;
    await table.createEntity({ partitionKey, rowKey });
    clock.advance(60_000);
    await queue.maintenance.run(log);
    expect(await queue.get(id)).toMatchObject({ status: 'PENDING' });
    expect(log.named('folder_queue_gauges')).toHaveLength(1);
    await table.deleteEntity(partitionKey, rowKey);
  });
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
