import { beforeAll, describe, expect } from 'vitest';
import type { FolderRequest } from '../../../lib/contract/folder-requests.ts';
import {
  claimed,
  pendingFolderRequest,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { createdAtMsOf, RequestIds } from '../../../lib/folder-requests/requests/request-id.ts';
import { claimFrom, agent, openQueue, seededBytes } from '../../support/folder-queue.ts';
import { StorageWatch } from '../../support/storage-watch.ts';
import {
  ended,
  entryWithoutHistory,
  newQueueWorld,
  pendingRequests,
  store,
  test,
  type Instance,
  type QueueWorld,
} from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

async function allPages(
  { queue }: Instance,
  query: Omit<Parameters<Instance['queue']['list']>[0], 'cursor'>,
): Promise<FolderRequest[][]> {
  const pages: FolderRequest[][] = [];
  let cursor: string | undefined;
  do {
    const page = await queue.list({ ...query, cursor });
    pages.push(page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** Creates two requests of each status, claimed by the agents a and b in turn. Returns them newest first. */
async function twoOfEach({ queue }: Instance, { log, clock }: QueueWorld): Promise<FolderRequest[]> {
  const ids: string[] = [];
  for (let at = 0; at < 8; at += 1) {
    ids.push((await queue.create(facts, log)).entry.id);
    clock.advance(1);
  }
  const plan = ['FULFILLED', 'FAILED', 'PROCESSING', 'PROCESSING', 'FAILED', 'FULFILLED'] as const;
  for (const [at, status] of plan.entries()) {
    const me = agent(at % 2 === 0 ? 'a' : 'b');
    const claim = await claimFrom(queue, me, log);
    if (status === 'FULFILLED') await queue.report(claim?.id ?? '', me, { status }, log);
    if (status === 'FAILED') await queue.report(claim?.id ?? '', me, { status, errorMessage: 'no' }, log);
  }
  return Promise.all(ids.toReversed().map((id) => entryWithoutHistory(queue, id)));
}

describe.each([1, 4])('with %d shards', (shards) => {
  test('a list is newest first, in pages of any size, filtered by status and agent', async ({ world }) => {
    const instance = world.instance({ shards });
    const all = await twoOfEach(instance, world);
    for (const status of [undefined, 'PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const) {
      for (const agentId of [undefined, 'a', 'b', 'unknown']) {
        const expected = all.filter(
          (entry) =>
            (status === undefined || entry.status === status) &&
            (agentId === undefined || entry.agentId === agentId),
        );
        const narrowed = { ...(status && { status }), ...(agentId !== undefined && { agentId }) };
        for (const limit of [1, 2, 3, 200]) {
          const pages = await allPages(instance, { ...narrowed, limit });
          expect(pages.flat(), JSON.stringify({ ...narrowed, limit })).toEqual(expected);
          // Only the last page can be short, and only a single one empty.
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
          expect(pages.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
        }
      }
    }
  });

  test('requests that come and move while somebody pages neither repeat nor hide others', async ({
    world,
  }) => {
    const instance = world.instance({ shards });
    const all = await twoOfEach(instance, world);
    const first = await instance.queue.list({ limit: 3 });
    await instance.queue.create(facts, world.log);
    await claimFrom(instance.queue, agent('c'), world.log);
    const rest = await instance.queue.list({ limit: 200, cursor: first.nextCursor ?? undefined });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });
});

/** Creation times of 2,500 requests, oldest first, in ms before now. */
const distributions: readonly (readonly [string, (at: number) => number])[] = [
  ['a millisecond apart', (at) => 2_500 - at],
  ['a minute apart', (at) => (2_500 - at) * 60_000],
  ['all but ten of last week', (at) => (at < 2_490 ? 7 * 86_400_000 - at : 2_500 - at)],
  ['all but ten of the last second', (at) => (at < 10 ? 7 * 86_400_000 - at : (2_500 - at) / 4)],
];

test.each(distributions)(
  'thousands of PENDING requests are listed newest first, in bounded calls: %s',
  async (_, agoMs) => {
    const world = await newQueueWorld();
    const { queue, watch } = world.instance();
    const ids = new RequestIds(seededBytes(99));
    const requests = Array.from({ length: 2_500 }, (_, at) => {
      const id = ids.next(world.clock.now() - Math.floor(agoMs(at)), 0);
      return pendingFolderRequest({ id, ...facts, createdAtMs: createdAtMsOf(id) });
    });
    await store(world.table, requests);
    for (let at = 0; at < 3; at += 1) await claimFrom(queue, agent('a'), world.log);
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      watch.reset();
      const page = await queue.list({ status: 'PENDING', limit: 200, cursor });
      expect(watch.calls.length).toBeLessThanOrEqual(30);
      // Of the first page the first two reads have 1,000 rows.
      expect(watch.rowsRead).toBeLessThanOrEqual(cursor === undefined ? 4_000 : 3_000);
      listed.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const created = requests.map(({ id }) => id).toReversed();
    expect(listed).toEqual(created.slice(0, -3));
    const claimed = await allPages({ queue, watch }, { status: 'PROCESSING', limit: 2 });
    expect(claimed.flat().map(({ id }) => id)).toEqual(created.slice(-3));
  },
);

/** Creation times of 1,300 waiting requests, oldest first, in ms before now; 4,200 finished ones are newer than most. */
const backlogs: readonly (readonly [string, (at: number) => number])[] = [
  ['a second apart', (at) => (10_000 - at) * 1_000],
  ['of two days with a month between', (at) => (at < 650 ? 31 * 86_400_000 : 86_400_000) - at * 1_000],
  ['of one millisecond', () => 86_400_000],
  ['all but five of last week', (at) => (at < 1_295 ? 7 * 86_400_000 - at : 6_000 - at)],
];

test.each(backlogs)('no page of a status is empty before the end of the list: %s', async (backlog, agoMs) => {
  const world = await newQueueWorld();
  const { queue, watch } = world.instance();
  const nowMs = world.clock.now();
  const ids = new RequestIds(seededBytes(98));
  const waiting = Array.from({ length: 1_300 }, (_, at) => {
    const id = ids.next(nowMs - agoMs(at), 0);
    return pendingFolderRequest({ id, ...facts, createdAtMs: createdAtMsOf(id) });
  });
  const targets = Array.from({ length: 4_200 }, () => facts.targetPath);
  const finished = pendingRequests(targets, { sinceMs: nowMs - 4_200, seed: 97 });
  await store(world.table, [
    ...waiting,
    ...finished.map((request) => ended(request, { status: 'FULFILLED' })),
  ]);
  for (const limit of [50, 200]) {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      watch.reset();
      const page = await queue.list({ status: 'PENDING', limit, cursor });
      // The ids of one millisecond differ in their last bits only.
      expect(watch.calls.length).toBeLessThanOrEqual(backlog === 'of one millisecond' ? 70 : 30);
      expect(watch.rowsRead).toBeLessThanOrEqual(2_000);
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages.flat()).toEqual(waiting.map(({ id }) => id).toReversed());
    expect(pages.every((page) => page.length > 0)).toBe(true);
  }
  const [fromMs, toMs] = [300, 1_100].map((at) => waiting[at]!.createdAtMs) as [number, number];
  const inPeriod = waiting.filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < toMs);
  const ofPeriod = await allPages({ queue, watch }, { status: 'PENDING', fromMs, toMs, limit: 200 });
  expect(ofPeriod.flat().map(({ id }) => id)).toEqual(inPeriod.map(({ id }) => id).toReversed());
  const ofAgent = await allPages({ queue, watch }, { status: 'PENDING', agentId: 'a', limit: 50 });
  expect([ofAgent.flat(), ofAgent.length < 4]).toEqual([[], true]);
});

test('a list of claimed requests has them on its first page, whatever is newer', async () => {
  const world = await newQueueWorld();
  const { queue } = world.instance();
  const nowMs = world.clock.now();
  const held = pendingRequests(
    Array.from({ length: 1_100 }, () => facts.targetPath),
    { sinceMs: nowMs - 100_000 },
  ).map((request) => claimed(request, { agentId: 'a', claimToken: 't' }, { nowMs, leaseMs: 300_000 }));
  const finished = pendingRequests(
    Array.from({ length: 4_200 }, () => facts.targetPath),
    { sinceMs: nowMs - 4_200, seed: 97 },
  ).map((request) => ended(request, { status: 'FULFILLED' }));
  await store(world.table, [...held, ...finished]);
  const pages = await allPages(
    { queue, watch: world.instance().watch },
    { status: 'PROCESSING', limit: 200 },
  );
  expect(pages.map((page) => page.length)).toEqual([200, 200, 200, 200, 200, 100]);
  expect(pages.flat().map(({ id }) => id)).toEqual(held.map(({ id }) => id).toReversed());
});

describe.each([1, 4])('lists of a period, with %d shards', (shards) => {
  test('have what was created from its start to before its end, in pages', async ({ world }) => {
    const instance = world.instance({ shards });
    const all = await twoOfEach(instance, world);
    const times = all.map(({ createdAt }) => Date.parse(createdAt));
    const [newest = 0, oldest = 0] = [times[0], times.at(-1)];
    const periods = [
      {},
      { fromMs: oldest + 3 },
      { toMs: newest - 2 },
      { fromMs: oldest + 2, toMs: newest - 1 },
      { fromMs: oldest + 4, toMs: oldest + 5 },
      { fromMs: newest + 1 },
      { toMs: oldest },
      { fromMs: newest, toMs: oldest },
      { fromMs: -1, toMs: newest + 86_400_000 },
    ];
    const others = [{}, { requestedBy: 'user-1' }, { agentId: 'a' }];
    for (const status of [undefined, 'PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const) {
      for (const other of others) {
        for (const period of periods) {
          const { fromMs = -Infinity, toMs = Infinity } = period;
          const expected = all.filter(
            ({ createdAt, ...entry }) =>
              (status === undefined || entry.status === status) &&
              (!('agentId' in other) || entry.agentId === other.agentId) &&
              Date.parse(createdAt) >= fromMs &&
              Date.parse(createdAt) < toMs,
          );
          const query = { ...(status && { status }), ...other, ...period };
          const pages = await allPages(instance, { ...query, limit: 2 });
          expect(pages.flat(), JSON.stringify(query)).toEqual(expected);
        }
      }
    }
  });
});

test("an agent's requests among thousands take several calls, each bounded, and none is left out", async () => {
  const world = await newQueueWorld();
  const { queue, watch } = world.instance();
  const targets = Array.from({ length: 4_500 }, () => facts.targetPath);
  const all = pendingRequests(targets, { sinceMs: world.clock.now() - 10_000 });
  const mine = new Set([0, 1, 2_000, 4_400].map((at) => all[at]!.id));
  const by = (id: string): string => (mine.has(id) ? 'me' : 'a');
  await store(
    world.table,
    all.map((request) => ({ ...ended(request, { status: 'FULFILLED' }), agentId: by(request.id) })),
  );
  for (const status of [undefined, 'FULFILLED'] as const) {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      await queue.list({ limit: 1 });
      watch.reset();
      const page = await queue.list({ status, agentId: 'me', limit: 3, cursor });
      expect([watch.calls.length <= 4, watch.rowsRead <= 4_000]).toEqual([true, true]);
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages.flat()).toEqual([...mine].toReversed());
    expect(pages.length).toBe(2);
  }
});

describe('a page of a narrowed list is not empty while there are requests', () => {
  const ofUser = { requestedBy: 'user-1' };
  const ofProject = { projectId: '4711' };
  const narrowed: Omit<Parameters<Instance['queue']['list']>[0], 'limit'>[] = [
    { agentId: 'me' },
    { agentId: 'me', status: 'FULFILLED' },
    { agentId: 'me', ...ofUser },
    { agentId: 'me', ...ofProject, status: 'FULFILLED' },
    { status: 'PENDING', ...ofUser },
    { status: 'PENDING', ...ofProject },
    { status: 'PENDING', ...ofUser, ...ofProject },
  ];
  let world: QueueWorld;
  let oldest: readonly string[];

  beforeAll(async () => {
    world = await newQueueWorld();
    const targets = Array.from({ length: 4_600 }, () => facts.targetPath);
    const all = pendingRequests(targets, { sinceMs: world.clock.now() - 10_000 }).map((request) => ({
      ...request,
      projectId: '4711',
    }));
    const [first, second, third, fourth, ...others] = all;
    const done = (request: StoredFolderRequest, agentId: string): StoredFolderRequest => ({
      ...ended(request, { status: 'FULFILLED' }),
      agentId,
    });
    const mine = [done(first!, 'me'), second!, third!, done(fourth!, 'me')];
    await store(world.table, [...mine, ...others.map((request) => done(request, 'another'))]);
    oldest = mine.map(({ id }) => id);
  });

  test.each(narrowed)('%j', async (query) => {
    const { queue } = world.instance();
    const expected = (query.status === 'PENDING' ? oldest.slice(1, 3) : [oldest[0], oldest[3]]).toReversed();
    const pages = await allPages({ queue, watch: new StorageWatch() }, { ...query, limit: 1 });
    expect(pages.slice(0, 2).map((page) => page.map(({ id }) => id))).toEqual(expected.map((id) => [id]));
    // Only the end of the list may have to be found out by one more call.
    expect(pages.slice(2).flat()).toEqual([]);
    expect(pages.length).toBeLessThanOrEqual(3);
  });

  test('unless the search takes more than five seconds: then the next call continues', async () => {
    const { client, watch } = world.watched();
    const start = world.clock.now();
    // Each request to the storage takes a tenth of a second.
    const clock = { now: () => start + 100 * watch.calls.length, wait: async () => undefined };
    const queue = openQueue(client, { clock, seed: 77 });
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const before = watch.calls.length;
      const page = await queue.list({ status: 'PENDING', ...ofUser, limit: 200, cursor });
      // The number of shards, the pointers, and a record for each.
      expect(watch.calls.length - before).toBeLessThanOrEqual(202);
      pages.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages[0]).toEqual([]);
    expect(pages.flat()).toEqual(oldest.slice(1, 3).toReversed());
  });
});

describe.each([1, 4])('lists by requester and by project, with %d shards', (shards) => {
  test('read only what belongs to them, in pages, in any state', async ({ world }) => {
    const instance = world.instance({ shards });
    const { queue, watch } = instance;
    const others = Array.from({ length: 300 }, () => facts.targetPath);
    await store(
      world.table,
      pendingRequests(others, { sinceMs: world.clock.now() - 1_000, shards, seed: 9 }),
    );
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      world.clock.advance(1);
      const own = { targetPath: 'a', requestedByUserId: 'me', ...(at % 2 === 0 && { projectId: '4711' }) };
      ids.unshift((await queue.create(own, world.log)).entry.id);
    }
    const claim = await claimFrom(queue, agent('a'), world.log);
    await queue.report(claim!.id, agent('a'), { status: 'FULFILLED' }, world.log);
    const listed = async (query: { requestedBy?: string; projectId?: string }): Promise<string[][]> => {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        watch.reset();
        const page = await queue.list({ ...query, limit: 3, cursor });
        // Pointers of each shard, then a record for each entry.
        expect(watch.calls.length).toBeLessThanOrEqual(shards + 3);
        expect(watch.rowsRead).toBeLessThanOrEqual(shards * 4);
        pages.push(page.items.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return pages;
    };
    await queue.list({ limit: 1 });
    expect(await listed({ requestedBy: 'me' })).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    const ofProject = ids.filter((_, at) => at % 2 === 0);
    expect((await listed({ projectId: '4711' })).flat()).toEqual(ofProject);
    expect((await listed({ projectId: '4711', requestedBy: 'me' })).flat()).toEqual(ofProject);
    expect((await listed({ requestedBy: 'nobody' })).flat()).toEqual([]);
    const done = await queue.list({ requestedBy: 'user-1', status: 'FULFILLED', limit: 200 });
    expect(done.items).toMatchObject([{ id: claim!.id, status: 'FULFILLED' }]);
  });
});

test('a cursor that was not issued, or was issued for another list, is rejected', async ({ world }) => {
  const instance = world.instance();
  await twoOfEach(instance, world);
  const { nextCursor } = await instance.queue.list({ limit: 1 });
  const rejection = { code: 'invalid_request', facts: { errors: [{ path: 'query.cursor' }] } };
  for (const cursor of ['', 'x', 'eyJhIjoxfQ', `${nextCursor}A`]) {
    await expect(instance.queue.list({ limit: 1, cursor })).rejects.toMatchObject(rejection);
  }
  await expect(
    instance.queue.list({ limit: 1, status: 'FAILED', cursor: nextCursor ?? '' }),
  ).rejects.toMatchObject(rejection);
});
