import { beforeAll, describe, expect, test as plain } from 'vitest';
import { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { claimFrom, agent } from '../../support/folder-queue.ts';
import type { StoredFolderRequest } from '../../../lib/folder-requests/requests/folder-request.ts';
import { applyClaim } from '../../../lib/folder-requests/requests/folder-request.ts';
import { ended, newQueueWorld, pendingRequests, store, test, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

describe('a page of the list', () => {
  // More than one read returns; docs/decisions has the figures for 10,000 and 100,000.
  const finished = 1_200;
  let world: QueueWorld;

  beforeAll(async () => {
    world = await newQueueWorld();
    const sinceMs = world.clock.now() - 86_400_000;
    const requests = pendingRequests(
      Array.from({ length: finished + 10 }, () => 'a'),
      { sinceMs },
    ).map((request): StoredFolderRequest => ({ ...request, projectId: 'p-1' }));
    const states = requests.map((request, at): StoredFolderRequest => {
      // Among the oldest.
      if (at < 5) return request;
      if (at < 10) {
        const limits = { nowMs: world.clock.now(), leaseMs: 300_000 };
        return applyClaim(request, { agentId: 'b', claimToken: 't' }, limits);
      }
      return ended(
        request,
        at % 10 === 0 ? { status: 'FAILED', errorMessage: 'full' } : { status: 'FULFILLED' },
      );
    });
    await store(world.table, states);
  }, 240_000);

  const filters = {
    status: ['PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'],
    agentId: ['a', 'nobody'],
    requestedBy: ['user-1', 'nobody'],
    projectId: ['p-1', 'none'],
  } as const;
  const single = Object.entries(filters).flatMap(([name, values]) =>
    values.map((value) => ({ [name]: value })),
  );
  const queries = [
    {},
    ...single,
    ...single
      .flatMap((one) => single.map((other) => ({ ...one, ...other })))
      .filter((query) => Object.keys(query).length === 2),
  ];

  plain(
    'costs at most 20 storage requests with any filter and pair of filters, and its cursor goes on',
    async () => {
      const costs = new Map<string, readonly [requests: number, pages: number]>();
      for (const query of queries) {
        const { queue, watch } = world.instance();
        await queue.list({ limit: 1 });
        let cursor: string | null | undefined;
        let most = 0;
        let pages = 0;
        let found = 0;
        do {
          watch.reset();
          const page = await queue.list({
            ...query,
            limit: 50,
            ...(cursor !== undefined && cursor !== null && { cursor }),
          });
          most = Math.max(most, watch.calls.length);
          cursor = page.nextCursor;
          found += page.items.length;
          pages += 1;
        } while (cursor !== null && found < 50 && pages < 3);
        costs.set(JSON.stringify(query), [most, pages]);
      }
      expect([...costs].filter(([, [most, pages]]) => most > 20 || pages > 2)).toEqual([]);
      // The console asks for the first every 15 s.
      expect(costs.get('{"status":"PENDING","requestedBy":"user-1"}')).toEqual([1, 1]);
    },
  );
});

describe('a storage with endless continuation tokens', () => {
  test('ends a claim, a list, and maintenance with 503', async ({ world }) => {
    const { queue, watch } = world.instance();
    await queue.create(facts, world.log);
    await queue.list({ limit: 1 });
    watch.fault = ({ kind }) => (kind === 'query' ? 'empty page' : undefined);
    const unavailable = { code: 'storage_unavailable', facts: { retryAfterSeconds: expect.any(Number) } };
    for (const call of [
      () => queue.claim(agent('a'), world.log),
      () => queue.list({ limit: 50 }),
      () => queue.list({ requestedBy: 'user-1', limit: 50 }),
      () => queue.maintenance.run(world.log),
      () => queue.statistics(24),
    ]) {
      watch.reset();
      await expect(call()).rejects.toMatchObject(unavailable);
      expect(watch.calls.length).toBeLessThanOrEqual(150);
    }
  });
});

// A caller waits 15 s, the timer a minute. A call that is added to the queue has a row here.
const longestMs = {
  create: 15_000,
  createEach: 15_000,
  // Its agent no longer waits: the request that came too late is returned first.
  claim: 20_000,
  heartbeat: 15_000,
  report: 15_000,
  requeue: 15_000,
  correctPath: 15_000,
  get: 15_000,
  list: 15_000,
  statistics: 15_000,
  agentStatistics: 15_000,
  free: 15_000,
  release: 15_000,
  withdraw: 15_000,
  maintenance: 60_000,
} as const;

describe('a storage that takes 2.5 s for each response', () => {
  test.for(['an empty page of those that go on', 'a page'])(
    'and returns %s, lets every call end in time',
    async (page, { world }) => {
      const { clock, log } = world;
      const by = { userId: 'user-1', mayAny: true };
      const me = agent('a');
      const prepare = world.instance().queue;
      for (let at = 0; at < 120; at += 1) await prepare.create({ ...facts, targetPath: `k\\${at}` }, log);
      const { id, claimToken } = (await claimFrom(prepare, me, log))!;
      type Queue = typeof prepare;
      const calls: Record<keyof typeof longestMs, (queue: Queue) => Promise<unknown>> = {
        create: (queue) => queue.create({ ...facts, idempotencyKey: 'k' }, log),
        createEach: (queue) =>
          queue.createEach(
            Array.from({ length: 100 }, (_, at) => ({ ...facts, idempotencyKey: `k${at}` })),
            log,
          ),
        claim: (queue) => queue.claim(me, log, undefined, undefined, { turn: { process: 'p', poll: 1 } }),
        heartbeat: (queue) => queue.heartbeat(id, 'a', claimToken, log),
        release: (queue) => queue.release(id, me, { claimToken, reason: 'stops' }, log),
        free: (queue) => queue.free(id, by, 'stuck', log),
        report: (queue) => queue.report(id, me, { status: 'FAILED', errorMessage: 'no' }, log),
        requeue: (queue) => queue.requeue(id, by, log),
        correctPath: (queue) => queue.correctPath(id, by, 'elsewhere', log),
        get: (queue) => queue.get(id),
        withdraw: (queue) => queue.withdraw(id, by, log),
        list: (queue) => queue.list({ agentId: 'nobody', limit: 200 }),
        statistics: (queue) => queue.statistics(24),
        agentStatistics: (queue) => queue.agentStatistics(24),
        maintenance: (queue) => queue.maintenance.run(log),
      };
      const methods = Object.getOwnPropertyNames(FolderRequestQueue.prototype);
      expect(Object.keys(longestMs)).toEqual(
        expect.arrayContaining(methods.filter((name) => name !== 'constructor')),
      );
      const late: string[] = [];
      for (const [name, longest] of Object.entries(longestMs)) {
        const { queue, watch } = world.instance();
        // Requests in parallel take this time together.
        watch.gate = async () => {
          const untilMs = clock.now() + 2_500;
          await new Promise((resolve) => setImmediate(resolve));
          clock.advance(Math.max(0, untilMs - clock.now()));
        };
        if (page !== 'a page') watch.fault = ({ kind }) => (kind === 'query' ? 'empty page' : undefined);
        const startMs = clock.now();
        const [result] = await Promise.allSettled([calls[name as keyof typeof longestMs](queue)]);
        const tookMs = clock.now() - startMs;
        if (tookMs > longest) late.push(`${name}: ${tookMs} ms`);
        if (result.status === 'rejected')
          expect([name, result.reason]).toMatchObject([
            name,
            { code: expect.stringMatching(/^(storage_unavailable|claim_lost|not_processing)$/) },
          ]);
        await watch.untilIdle();
      }
      expect(late).toEqual([]);
    },
  );
});

test('a 404 that is not about the row is never a lost claim or a request that is gone', async ({ world }) => {
  const { queue, watch } = world.instance();
  await queue.create(facts, world.log);
  const claim = await claimFrom(queue, agent('a'), world.log);
  watch.fault = () => 404;
  for (const call of [
    () => queue.heartbeat(claim!.id, 'a', claim!.claimToken, world.log),
    () => queue.report(claim!.id, agent('a'), { status: 'FULFILLED' }, world.log),
    () => queue.get(claim!.id),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'storage_unavailable' });
});

describe('an agent that has stopped waiting', () => {
  test('gets no request: one that was claimed for it waits again immediately', async ({ world }) => {
    const { queue, watch } = world.instance();
    const { entry } = await queue.create(facts, world.log);
    watch.gate = async ({ kind }) => {
      if (kind !== 'transaction') return;
      watch.gate = () => undefined;
      world.clock.advance(11_999);
    };
    // It is in time with a response that takes less than a second.
    expect(await claimFrom(queue, agent('a'), world.log, undefined, 13_000)).toMatchObject({ id: entry.id });
    await queue.report(entry.id, agent('a'), { status: 'FAILED', errorMessage: 'x' }, world.log);
    await queue.requeue(entry.id, { userId: 'admin' }, world.log);
    watch.gate = async ({ kind }) => {
      if (kind !== 'transaction') return;
      watch.gate = () => undefined;
      world.clock.advance(12_000);
    };
    await expect(claimFrom(queue, agent('a'), world.log, undefined, 13_000)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(world.log.named('folder_request_claimed_late')).toMatchObject([{ fields: { isReleased: true } }]);
    expect((await queue.get(entry.id)).history.at(-1)).toMatchObject({ event: 'released' });
    expect(await claimFrom(queue, agent('b'), world.log)).toMatchObject({ id: entry.id });
  });

  test('that waited for the cycle of another is not given a request that the storage hangs on', async ({
    world,
  }) => {
    const { queue, watch } = world.instance();
    for (let at = 0; at < 40; at += 1) await queue.create(facts, world.log);
    await queue.list({ limit: 1 });
    watch.gate = async () => {
      watch.gate = () => undefined;
      world.clock.advance(17_000);
    };
    const claims = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => queue.claim(agent(`a${at}`), world.log)),
    );
    expect(claims.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    expect((await queue.list({ status: 'PROCESSING', limit: 50 })).items).toEqual([]);
  });
});
