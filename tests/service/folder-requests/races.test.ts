import { describe, expect } from 'vitest';
import type { ClaimedFolderRequest } from '../../../lib/contract/folder-requests.ts';
import { claimFrom, agent } from '../../support/folder-queue.ts';
import { test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user-1' };

/** Claims and reports until nothing is claimable, as an agent does. */
async function workUntilEmpty(
  { queue }: Instance,
  { log }: QueueWorld,
  id: string,
): Promise<ClaimedFolderRequest[]> {
  const done: ClaimedFolderRequest[] = [];
  for (;;) {
    const claim = await claimFrom(queue, agent(id), log);
    if (!claim) return done;
    await queue.report(claim.id, agent(id), { status: 'FULFILLED', claimToken: claim.claimToken }, log);
    done.push(claim);
  }
}

describe.each([1, 4, 16])('with %d shards', (shards) => {
  test('40 agents on 5 instances claim 200 requests, each exactly once', async ({ world }) => {
    const instances = Array.from({ length: 5 }, () => world.instance({ shards }));
    const created = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const { entry } = await (instances[at % 5] ?? instances[0]!).queue.create(facts, world.log);
        return entry.id;
      }),
    );
    expect(new Set(created).size).toBe(200);
    expect(new Set(created.map((id) => id.slice(-1))).size).toBe(shards);

    const done = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        workUntilEmpty(instances[at % 5] ?? instances[0]!, world, `agent-${at}`),
      ),
    );
    const ids = done.flat().map(({ id }) => id);
    expect(ids.toSorted()).toEqual(created.toSorted());
    for (const claim of done.flat()) expect(claim.attempts).toBe(1);
    const { items } = await world.instance({ shards }).queue.list({ status: 'FULFILLED', limit: 200 });
    expect(items.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
    expect(world.log.named('folder_request_claimed')).toHaveLength(200);
    expect(world.log.named('folder_request_fulfilled')).toHaveLength(200);
  });
});

test('100 callers of one instance share 10 requests', async ({ world }) => {
  const { queue, watch } = world.instance();
  for (let at = 0; at < 10; at += 1) await queue.create(facts, world.log);
  watch.reset();
  const claims = await Promise.all(
    Array.from({ length: 100 }, (_, at) => claimFrom(queue, agent(`a${at}`), world.log)),
  );
  const taken = claims.filter((claim) => claim !== null);
  expect(new Set(taken.map(({ id }) => id)).size).toBe(10);
  expect(taken).toHaveLength(10);
  expect(new Set(taken.map(({ claimToken }) => claimToken)).size).toBe(10);
  // One cycle for the first caller, then one for each 33: a read, and a transaction if a request is claimable.
  expect(watch.calls.length).toBeLessThanOrEqual(8);
});

describe('two instances that have both read the same row', () => {
  /** Holds each instance before its first transaction until all have reached it. */
  function holdAtTransaction(instances: readonly Instance[]): void {
    const arrived = Promise.withResolvers<void>();
    let count = 0;
    for (const { watch } of instances) {
      let isFirst = true;
      watch.gate = ({ kind }) => {
        if (kind !== 'transaction' || !isFirst) return undefined;
        isFirst = false;
        count += 1;
        if (count === instances.length) arrived.resolve();
        return arrived.promise;
      };
    }
  }

  test('and there is no other: one claims it, the others nothing', async ({ world }) => {
    const instances = [world.instance(), world.instance(), world.instance()];
    const { entry } = await instances[0]!.queue.create(facts, world.log);
    holdAtTransaction(instances);
    const claims = await Promise.all(
      instances.map(({ queue }, at) => claimFrom(queue, agent(`a${at}`), world.log)),
    );
    const [winner, ...others] = claims.filter((claim) => claim !== null);
    expect(winner).toMatchObject({ id: entry.id, attempts: 1 });
    expect(others).toEqual([]);
    expect(await instances[0]!.queue.get(entry.id)).toMatchObject({ agentId: winner?.agentId, attempts: 1 });
    expect(instances.map(({ watch }) => watch.conflicts).toSorted((one, other) => one - other)).toEqual([
      0, 1, 1,
    ]);
  });

  test('and there is another: the loser claims that one', async ({ world }) => {
    const instances = [world.instance(), world.instance()];
    const ids: string[] = [];
    for (let at = 0; at < 2; at += 1) ids.push((await instances[0]!.queue.create(facts, world.log)).entry.id);
    holdAtTransaction(instances);
    const claims = await Promise.all(
      instances.map(({ queue }, at) => claimFrom(queue, agent(`a${at}`), world.log)),
    );
    expect(claims.map((claim) => claim?.id ?? '').toSorted()).toEqual(ids.toSorted());
  });

  test('and share a transaction that loses one of them: all others are claimed nevertheless', async ({
    world,
  }) => {
    const [one, other] = [world.instance(), world.instance()];
    for (let at = 0; at < 4; at += 1) await one.queue.create(facts, world.log);
    let transactions = 0;
    let taken: string | undefined;
    one.watch.gate = async ({ kind }) => {
      if (kind !== 'transaction' || ++transactions !== 2) return;
      taken = (await claimFrom(other.queue, agent('b'), world.log))?.id;
    };
    // The second and the third wait for the first, and share a transaction.
    const claims = await Promise.all(
      ['a1', 'a2', 'a3'].map((id) => claimFrom(one.queue, agent(id), world.log)),
    );
    expect(new Set([taken, ...claims.map((claim) => claim?.id)]).size).toBe(4);
    expect([taken, ...claims]).not.toContain(null);
    expect(one.watch.conflicts).toBe(1);
  });

  test('an expired lease is taken over once', async ({ world }) => {
    const instances = [world.instance(), world.instance()];
    await instances[0]!.queue.create(facts, world.log);
    await claimFrom(instances[0]!.queue, agent('stalled'), world.log);
    world.clock.advance(600_000);
    holdAtTransaction(instances);
    const claims = await Promise.all(
      instances.map(({ queue }, at) => claimFrom(queue, agent(`a${at}`), world.log)),
    );
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  });

  test('of a report and a takeover of its expired lease exactly one succeeds', async ({ world }) => {
    const [one, other] = [world.instance(), world.instance()];
    await one.queue.create(facts, world.log);
    const claim = await claimFrom(one.queue, agent('slow'), world.log);
    world.clock.advance(600_000);
    holdAtTransaction([one, other]);
    const { id = '', claimToken = '' } = claim ?? {};
    const [report, takeover] = await Promise.allSettled([
      one.queue.report(id, agent('slow'), { status: 'FULFILLED', claimToken }, world.log),
      claimFrom(other.queue, agent('new'), world.log),
    ]);
    const reportWon = report.status === 'fulfilled';
    const takenOver = takeover.status === 'fulfilled' && takeover.value !== null;
    expect(reportWon).toBe(!takenOver);
    if (!reportWon) expect(report.reason).toMatchObject({ code: 'claim_lost' });
    expect(await one.queue.get(id)).toMatchObject(
      reportWon
        ? { status: 'FULFILLED', agentId: 'slow' }
        : { status: 'PROCESSING', agentId: 'new', attempts: 2 },
    );
  });

  test('a requeue is done once', async ({ world }) => {
    const instances = [world.instance(), world.instance()];
    const { entry } = await instances[0]!.queue.create(facts, world.log);
    await claimFrom(instances[0]!.queue, agent('a'), world.log);
    await instances[0]!.queue.report(
      entry.id,
      agent('a'),
      { status: 'FAILED', errorMessage: 'no' },
      world.log,
    );
    holdAtTransaction(instances);
    const outcomes = await Promise.allSettled(
      instances.map(({ queue }) => queue.requeue(entry.id, { userId: 'admin' }, world.log)),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({
      code: 'not_failed',
    });
  });
});
