import { describe, expect } from 'vitest';
import type { ClaimedFolderRequest, FolderRequest } from '../../../lib/contract/folder-requests.ts';
import type { ServiceError } from '../../../lib/base/service-error.ts';
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

// With four shards: routing.test.ts.
test('40 agents on 5 instances claim 100 requests, each exactly once', async ({ world }) => {
  const instances = Array.from({ length: 5 }, () => world.instance());
  const created = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const { entry } = await (instances[at % 5] ?? instances[0]!).queue.create(facts, world.log);
      return entry.id;
    }),
  );
  expect(new Set(created).size).toBe(100);

  const done = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      workUntilEmpty(instances[at % 5] ?? instances[0]!, world, `agent-${at}`),
    ),
  );
  const ids = done.flat().map(({ id }) => id);
  expect(ids.toSorted()).toEqual(created.toSorted());
  for (const claim of done.flat()) expect(claim.attempts).toBe(1);
  const { items } = await world.instance().queue.list({ status: 'FULFILLED', limit: 200 });
  expect(items.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
  expect(world.log.named('folder_request_claimed')).toHaveLength(100);
  expect(world.log.named('folder_request_fulfilled')).toHaveLength(100);
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
  // One cycle for the first caller, then one for each 16: a read, and a transaction if a request is claimable.
  const records = watch.calls.filter(({ kind }) => kind === 'point read');
  expect(records).toHaveLength(10);
  expect(watch.calls.length - records.length).toBeLessThanOrEqual(11);
});

describe('instances that have read the same row', () => {
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

  type Held = { readonly id: string; readonly claimToken: string };
  type Call = (instance: Instance, world: QueueWorld, held: Held) => Promise<unknown>;
  type Prepare = (instance: Instance, world: QueueWorld) => Promise<Held>;

  const waiting: Prepare = async ({ queue }, { log }) => ({
    id: (await queue.create(facts, log)).entry.id,
    claimToken: 'none',
  });
  const held: Prepare = async (instance, world) => {
    await waiting(instance, world);
    return (await claimFrom(instance.queue, agent('holder'), world.log))!;
  };
  const endedLease: Prepare = async (instance, world) => {
    const claim = await held(instance, world);
    world.clock.advance(600_000);
    return claim;
  };
  const failed: Prepare = async (instance, world) => {
    const claim = await held(instance, world);
    await reportFailed(instance, world, claim);
    return claim;
  };
  const reportFulfilled: Call = ({ queue }, { log }, { id, claimToken }) =>
    queue.report(id, agent('holder'), { status: 'FULFILLED', claimToken }, log);
  const reportFailed: Call = ({ queue }, { log }, { id, claimToken }) =>
    queue.report(id, agent('holder'), { status: 'FAILED', errorMessage: 'no', claimToken }, log);
  const release: Call = ({ queue }, { log }, { id, claimToken }) =>
    queue.release(id, agent('holder'), { claimToken, reason: 'stops' }, log);
  const claim: Call = ({ queue }, { log }) => claimFrom(queue, agent('new'), log);
  const requeue: Call = ({ queue }, { log }, { id }) => queue.requeue(id, { userId: 'admin' }, log);
  const withdraw: Call = ({ queue }, { log }, { id }) =>
    queue.withdraw(id, { userId: 'user-1', mayAny: false }, log);

  type Outcome = { readonly done: unknown } | { readonly lost: string };
  async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
    try {
      const done = await call;
      return done === null ? { lost: 'nothing' } : { done };
    } catch (error) {
      return { lost: (error as ServiceError).code };
    }
  }

  test.for<readonly [string, Prepare, readonly Call[], readonly string[]]>([
    ['claims', waiting, [claim, claim, claim], ['nothing']],
    ['takeovers of an ended lease', endedLease, [claim, claim], ['nothing']],
    ['a report and a takeover', endedLease, [reportFulfilled, claim], ['claim_lost', 'nothing']],
    ['opposite reports', held, [reportFulfilled, reportFailed], ['not_processing']],
    ['a report and a release', held, [reportFulfilled, release], ['claim_lost']],
    ['a withdrawal and a claim', waiting, [withdraw, claim], ['not_pending', 'nothing']],
    ['requeues', failed, [requeue, requeue], ['not_failed']],
  ])('of %s exactly one takes effect', async ([, prepare, calls, losses], { world }) => {
    const instances = calls.map(() => world.instance());
    const request = await prepare(instances[0]!, world);
    holdAtTransaction(instances);
    const outcomes = await Promise.all(
      calls.map((call, at) => outcomeOf(call(instances[at]!, world, request))),
    );
    const lost = outcomes.flatMap((outcome) => ('lost' in outcome ? [outcome.lost] : []));
    expect(lost).toHaveLength(calls.length - 1);
    for (const code of lost) expect(losses).toContain(code);
    const conflicts = instances.reduce((sum, { watch }) => sum + watch.conflicts, 0);
    expect(conflicts).toBeGreaterThanOrEqual(lost.length);

    const { queue } = world.instance();
    const [won] = outcomes.flatMap((outcome) => ('done' in outcome ? [outcome.done] : []));
    if (won === undefined) {
      await expect(queue.get(request.id)).rejects.toMatchObject({ code: 'folder_request_not_found' });
    } else {
      const { status, agentId, attempts } = won as FolderRequest;
      expect(await queue.get(request.id)).toMatchObject({ status, agentId, attempts });
    }
  });

  test('a report and a heartbeat of the same claim both take effect', async ({ world }) => {
    const instances = [world.instance(), world.instance(), world.instance()];
    const request = await held(instances[0]!, world);
    holdAtTransaction(instances);
    const beats = instances
      .slice(1)
      .map(({ queue }) => queue.heartbeat(request.id, 'holder', request.claimToken, world.log));
    const done = reportFulfilled(instances[0]!, world, request);
    for (const beat of await Promise.allSettled(beats)) {
      if (beat.status === 'rejected') expect(beat.reason).toMatchObject({ code: 'claim_lost' });
    }
    expect(await done).toMatchObject({ status: 'FULFILLED' });
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
});
