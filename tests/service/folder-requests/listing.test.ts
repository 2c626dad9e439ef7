import { beforeAll, describe, expect } from 'vitest';
import type { FolderRequest } from '../../../lib/contract/folder-requests.ts';
import {
  applyClaim,
  pendingFolderRequest,
  type StoredFolderRequest,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { createdAtMsOf, RequestIds } from '../../../lib/folder-requests/requests/request-id.ts';
import { claimFrom, agent, openQueue, seededBytes } from '../../support/folder-queue.ts';
import {
  ended,
  entryWithoutHistory,
  pendingRequests,
  queueWorldWith,
  store,
  test,
  type Instance,
  type QueueWorld,
} from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };
const statuses = [undefined, 'PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const;

type Query = Omit<Parameters<Instance['queue']['list']>[0], 'cursor'>;

interface Page {
  readonly items: readonly FolderRequest[];
  /** What it cost. */
  readonly calls: number;
  readonly rowsRead: number;
}

/** An instance that has read the number of shards, for which no call of a list waits. */
async function instanceOf(
  world: QueueWorld,
  rules?: Parameters<QueueWorld['instance']>[0],
): Promise<Instance> {
  const instance = world.instance(rules);
  await instance.queue.list({ limit: 1 });
  return instance;
}

async function pagesOf(
  { queue, watch }: Instance,
  query: Query,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    watch.reset();
    const { items, nextCursor } = await queue.list({ ...query, cursor });
    pages.push({ items, calls: watch.calls.length, rowsRead: watch.rowsRead });
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length < maxPages);
  return pages;
}

const idsOf = (requests: readonly { readonly id: string }[]): string[] => requests.map(({ id }) => id);
const entriesOf = (pages: readonly Page[]): FolderRequest[] => pages.flatMap(({ items }) => items);
const newestFirst = (requests: readonly StoredFolderRequest[]): string[] => idsOf(requests).toReversed();
const copies = (count: number): string[] => Array.from({ length: count }, () => facts.targetPath);

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

test('a list is newest first, in pages of any size, by status, agent, requester and time of creation', async ({
  world,
}) => {
  const instance = await instanceOf(world, { shards: 2 });
  const all = await twoOfEach(instance, world);
  const times = all.map(({ createdAt }) => Date.parse(createdAt));
  const [newest = 0, oldest = 0] = [times[0], times.at(-1)];
  const check = async (query: Omit<Query, 'limit'>, limit: number) => {
    const { status, agentId, fromMs = -Infinity, toMs = Infinity } = query;
    const expected = all.filter(
      (entry) =>
        (status === undefined || entry.status === status) &&
        (agentId === undefined || entry.agentId === agentId) &&
        Date.parse(entry.createdAt) >= fromMs &&
        Date.parse(entry.createdAt) < toMs,
    );
    const pages = await pagesOf(instance, { ...query, limit });
    expect(entriesOf(pages), JSON.stringify({ ...query, limit })).toEqual(expected);
    return { pages, expected };
  };
  const periods = [
    { fromMs: oldest + 3 },
    { toMs: newest - 2 },
    { fromMs: oldest + 2, toMs: newest - 1 },
    { fromMs: oldest + 4, toMs: oldest + 5 },
    { fromMs: newest + 1 },
    { toMs: oldest },
    { fromMs: newest, toMs: oldest },
    { fromMs: -1, toMs: newest + 86_400_000 },
  ];
  for (const status of statuses) {
    for (const agentId of [undefined, 'a', 'b', 'unknown']) {
      for (const limit of [2, 200]) {
        const { pages, expected } = await check({ status, agentId }, limit);
        // Only the last page can be short, and only a single one empty.
        expect(pages.slice(0, -1).every(({ items }) => items.length === limit)).toBe(true);
        expect(pages.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
      }
    }
    for (const other of [{}, { requestedBy: 'user-1' }, { agentId: 'a' }]) {
      for (const period of periods) await check({ status, ...other, ...period }, 2);
    }
  }
});

describe.each([1, 4])('with %d shards', (shards) => {
  test('requests that come and move while somebody pages neither repeat nor hide others', async ({
    world,
  }) => {
    const instance = world.instance({ shards });
    const all = await twoOfEach(instance, world);
    const first = await instance.queue.list({ limit: 3 });
    await instance.queue.create(facts, world.log);
    await claimFrom(instance.queue, agent('c'), world.log);
    const rest = await instance.queue.list({ limit: 200, cursor: first.nextCursor ?? undefined });
    expect(idsOf([...first.items, ...rest.items])).toEqual(idsOf(all));
  });

  test('a list by requester or project reads only what belongs to them, in pages, in any state', async ({
    world,
  }) => {
    const instance = await instanceOf(world, { shards });
    const { queue } = instance;
    const others = { sinceMs: world.clock.now() - 1_000, shards, seed: 9 };
    await store(world.table, pendingRequests(copies(60), others));
    const ids: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      world.clock.advance(1);
      const own = { targetPath: 'a', requestedByUserId: 'me', ...(at % 2 === 0 && { projectId: '4711' }) };
      ids.unshift((await queue.create(own, world.log)).entry.id);
    }
    const claim = await claimFrom(queue, agent('a'), world.log);
    await queue.report(claim!.id, agent('a'), { status: 'FULFILLED' }, world.log);
    const listed = async (query: { requestedBy?: string; projectId?: string }): Promise<string[][]> => {
      const pages = await pagesOf(instance, { ...query, limit: 3 });
      // Pointers, which have what an entry shows. Of a requester and a project, those of the requester are selected.
      const reads = Object.keys(query).length;
      for (const { calls, rowsRead } of pages) {
        expect(calls).toBeLessThanOrEqual(reads * shards);
        expect(rowsRead).toBeLessThanOrEqual(reads * shards * 4);
      }
      return pages.map(({ items }) => idsOf(items));
    };
    expect(await listed({ requestedBy: 'me' })).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    const ofProject = ids.filter((_, at) => at % 2 === 0);
    expect((await listed({ projectId: '4711' })).flat()).toEqual(ofProject);
    expect((await listed({ projectId: '4711', requestedBy: 'me' })).flat()).toEqual(ofProject);
    expect((await listed({ requestedBy: 'nobody' })).flat()).toEqual([]);
    const done = await queue.list({ requestedBy: 'user-1', status: 'FULFILLED', limit: 200 });
    expect(done.items).toMatchObject([{ id: claim!.id, status: 'FULFILLED' }]);
  });
});

// That it is one of this list and these filters, its seal says: tests/service/forged-cursors.test.ts.
test('a cursor that is no place of the list is rejected', async ({ world }) => {
  const instance = world.instance();
  await twoOfEach(instance, world);
  const { nextCursor } = await instance.queue.list({ limit: 1 });
  const rejection = { code: 'invalid_request', facts: { errors: [{ path: 'query.cursor' }] } };
  for (const cursor of ['', 'x', 'eyJhIjoxfQ', `${nextCursor}A`]) {
    await expect(instance.queue.list({ limit: 1, cursor })).rejects.toMatchObject(rejection);
  }
});

describe('among thousands of requests', () => {
  // Of thousands, the tables have only the records and the rows of the states that the list is about, and those of lanes for
  // claims.

  /** Waiting requests, oldest first, that were created so many milliseconds ago. */
  function waitingSince(nowMs: number, count: number, agoMs: (at: number) => number): StoredFolderRequest[] {
    const ids = new RequestIds(seededBytes(99));
    return Array.from({ length: count }, (_, at) => {
      const id = ids.next(nowMs - Math.floor(agoMs(at)), 0);
      return pendingFolderRequest({ id, ...facts, createdAtMs: createdAtMsOf(id) });
    });
  }

  /** More of the last seconds than a step of a page reads. */
  const finishedLately = (nowMs: number): StoredFolderRequest[] =>
    pendingRequests(copies(3_400), { sinceMs: nowMs - 3_400, seed: 97 }).map((request) =>
      ended(request, { status: 'FULFILLED' }),
    );

  // More than the 1,000 rows of a read.
  const many = 1_100;
  // And fewer than the 2,000 that a page reads.
  const backlogLength = 1_500;

  test.for<readonly [string, (at: number) => number]>([
    ['a millisecond apart', (at) => many - at],
    ['a minute apart', (at) => (many - at) * 60_000],
    ['all but ten of last week', (at) => (at < many - 10 ? 7 * 86_400_000 - at : many - at)],
    ['all but ten of the last second', (at) => (at < 10 ? 7 * 86_400_000 - at : (many - at) / 4)],
  ])('PENDING ones are listed newest first, in bounded calls: %s', async ([, agoMs]) => {
    let requests: readonly StoredFolderRequest[] = [];
    const world = await queueWorldWith((nowMs) => (requests = waitingSince(nowMs, many, agoMs)), /^[JQW]_/);
    const instance = await instanceOf(world);
    for (let at = 0; at < 3; at += 1) await claimFrom(instance.queue, agent('a'), world.log);
    const pages = await pagesOf(instance, { status: 'PENDING', limit: 200 });
    expect(idsOf(entriesOf(pages))).toEqual(newestFirst(requests.slice(3)));
    for (const [at, { calls, rowsRead }] of pages.entries()) {
      expect(calls).toBeLessThanOrEqual(3);
      // Of the first page the first read has 1,000 rows.
      expect(rowsRead).toBeLessThanOrEqual(at === 0 ? 2_000 : 1_200);
    }
    const held = await pagesOf(instance, { status: 'PROCESSING', limit: 2 });
    expect(idsOf(entriesOf(held))).toEqual(newestFirst(requests.slice(0, 3)));
  });

  test.for<readonly [string, (at: number) => number]>([
    ['a second apart', (at) => (10_000 - at) * 1_000],
    ['of two days with a month between', (at) => (at < 650 ? 31 * 86_400_000 : 86_400_000) - at * 1_000],
    ['of one millisecond', () => 86_400_000],
    ['all but five of last week', (at) => (at < backlogLength - 5 ? 7 * 86_400_000 - at : 7_000 - at)],
  ])('no page of PENDING ones behind newer finished ones is empty: %s', async ([, agoMs]) => {
    let waiting: readonly StoredFolderRequest[] = [];
    const world = await queueWorldWith((nowMs) => {
      waiting = waitingSince(nowMs, backlogLength, agoMs);
      return [...waiting, ...finishedLately(nowMs)];
    }, /^[JQ]_/);
    const instance = await instanceOf(world);
    for (const [limit, maxPages] of [
      [50, 12],
      [200, 8],
    ] as const) {
      const pages = await pagesOf(instance, { status: 'PENDING', limit }, maxPages);
      expect(idsOf(entriesOf(pages))).toEqual(newestFirst(waiting).slice(0, limit * maxPages));
      expect(pages.every(({ items }) => items.length > 0)).toBe(true);
      for (const { calls, rowsRead } of pages) {
        expect(calls).toBeLessThanOrEqual(3);
        expect(rowsRead).toBeLessThanOrEqual(2_000);
      }
    }
    const [fromMs, toMs] = [300, 1_100].map((at) => waiting[at]!.createdAtMs) as [number, number];
    const inPeriod = waiting.filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < toMs);
    const ofPeriod = await pagesOf(instance, { status: 'PENDING', fromMs, toMs, limit: 200 });
    expect(idsOf(entriesOf(ofPeriod))).toEqual(newestFirst(inPeriod));
    for (const ofFew of [{ agentId: 'a' }, { pathPart: 'nowhere' }]) {
      const pages = await pagesOf(instance, { status: 'PENDING', ...ofFew, limit: 50 });
      expect(pages).toMatchObject([{ items: [], calls: 2 }]);
    }
  });

  // A page reads up to 2,000 that wait.
  test.for([2_000, 2_500])(
    'of %i PENDING ones behind newer finished ones, those with a part of a path fill a page',
    async (count) => {
      let wanted: readonly StoredFolderRequest[] = [];
      const world = await queueWorldWith((nowMs) => {
        const all = waitingSince(nowMs, count, (at) => (count - at) * 60_000).map((request, at) =>
          at % 800 === 0 ? { ...request, targetPath: '\\\\fs1\\p\\Neubau Süd' } : request,
        );
        wanted = all.filter(({ targetPath }) => targetPath !== facts.targetPath);
        return [...all, ...finishedLately(nowMs)];
      }, /^[JQ]_/);
      const query = { status: 'PENDING', pathPart: 'neubau s' } as const;
      const pages = await pagesOf(await instanceOf(world), { ...query, limit: wanted.length - 1 });
      expect(idsOf(entriesOf(pages))).toEqual(newestFirst(wanted));
      expect(pages[0]!.items).toHaveLength(wanted.length - 1);
      expect(pages.length).toBeLessThanOrEqual(3);
      for (const { calls } of pages) expect(calls).toBeLessThanOrEqual(20);
    },
  );

  test("a user's own, behind 2,000 newer ones of others in their state", async () => {
    let own: StoredFolderRequest | undefined;
    const world = await queueWorldWith((nowMs) => {
      const all = pendingRequests(copies(2_001), { sinceMs: nowMs - 100_000 });
      own = { ...all[2_000]!, requestedByUserId: 'user-2' };
      return [...all.slice(0, 2_000), own];
    }, /^[JQB]_/);
    const { queue } = await instanceOf(world);
    const { items } = await queue.list({ status: 'PENDING', requestedBy: 'user-2', limit: 5 });
    expect(idsOf(items)).toEqual([own?.id]);
  });

  test('a list of claimed requests has them on its first page, whatever is newer', async () => {
    let held: readonly StoredFolderRequest[] = [];
    const world = await queueWorldWith((nowMs) => {
      held = pendingRequests(copies(1_100), { sinceMs: nowMs - 100_000 }).map((request) =>
        applyClaim(request, { agentId: 'a', claimToken: 't' }, { nowMs, leaseMs: 300_000 }),
      );
      return [...held, ...finishedLately(nowMs)];
    }, /^[JP]_/);
    const pages = await pagesOf(await instanceOf(world), { status: 'PROCESSING', limit: 200 });
    expect(pages.map(({ items }) => items.length)).toEqual([200, 200, 200, 200, 200, 100]);
    expect(idsOf(entriesOf(pages))).toEqual(newestFirst(held));
  });

  test("an agent's, and those with a part of a path, take several calls, each bounded, and none is left out", async () => {
    let mine: readonly StoredFolderRequest[] = [];
    const world = await queueWorldWith((nowMs) => {
      const all = pendingRequests(copies(4_500), { sinceMs: nowMs - 10_000 }).map((request, at) => ({
        ...ended(request, { status: 'FULFILLED' }),
        ...([0, 1, 2_000, 4_400].includes(at)
          ? { agentId: 'me', targetPath: '\\\\FS1\\Projekte\\Müller & Söhne' }
          : { agentId: 'a' }),
      }));
      mine = all.filter(({ agentId }) => agentId === 'me');
      return all;
    }, /^[JD]_/);
    const instance = await instanceOf(world);
    const queries = [undefined, 'FULFILLED'].flatMap((status) =>
      // The umlaut in two code points, as some systems type it.
      [
        { agentId: 'me' },
        { pathPart: 'projekte/MU\u0308LLER' },
        { pathPart: '\u202a"Projekte\\Müller" ' },
      ].map((filter) => ({ status, ...filter })),
    ) as readonly Omit<Query, 'limit'>[];
    for (const query of queries) {
      const pages = await pagesOf(instance, { ...query, limit: 3 });
      expect(idsOf(entriesOf(pages))).toEqual(newestFirst(mine));
      expect(pages.length).toBe(2);
      for (const { calls, rowsRead } of pages) expect([calls <= 6, rowsRead <= 4_500]).toEqual([true, true]);
    }
  });

  describe('a page of a narrowed list is not empty while there are requests', () => {
    const ofUser = { requestedBy: 'user-1' };
    const ofProject = { projectId: '4711' };
    let world: QueueWorld;
    let oldest: readonly string[];

    /** Four requests, the second and third PENDING and the others of the agent `me`, behind newer ones of another agent. */
    const behind = async (count: number, kinds?: RegExp): Promise<void> => {
      world = await queueWorldWith((nowMs) => {
        const all = pendingRequests(copies(count + 4), { sinceMs: nowMs - 10_000 }).map((request) => ({
          ...request,
          ...ofProject,
        }));
        oldest = idsOf(all.slice(0, 4));
        return all.map((request, at) =>
          at === 1 || at === 2
            ? request
            : { ...ended(request, { status: 'FULFILLED' }), agentId: at < 4 ? 'me' : 'another' },
        );
      }, kinds);
    };

    // One step reads about 3,000 rows to select an agent's, and 100 records of a user or a project.
    describe.each([
      [4_600, 10, /^[JD]_/, [{ agentId: 'me' }, { agentId: 'me', status: 'FULFILLED' }]],
      [
        150,
        160,
        /^/,
        [
          { agentId: 'me', ...ofUser },
          { agentId: 'me', ...ofProject, status: 'FULFILLED' },
          { status: 'PENDING', ...ofUser },
          { status: 'PENDING', ...ofProject },
          { status: 'PENDING', ...ofUser, ...ofProject },
        ],
      ],
    ] as const)(
      'behind %i others, with at most %i requests to the storage',
      (count, maxCalls, kinds, queries) => {
        beforeAll(() => behind(count, kinds));

        test.for<Omit<Query, 'limit'>>(queries)('%j', async (query) => {
          const expected = query.status === 'PENDING' ? [oldest[2], oldest[1]] : [oldest[3], oldest[0]];
          const pages = await pagesOf(await instanceOf(world), { ...query, limit: 1 });
          expect(pages.slice(0, 2).map(({ items }) => idsOf(items))).toEqual(expected.map((id) => [id]));
          for (const { calls } of pages) expect(calls).toBeLessThanOrEqual(maxCalls);
          // Only the end of the list may have to be found out by one more call.
          expect(entriesOf(pages.slice(2))).toEqual([]);
          expect(pages.length).toBeLessThanOrEqual(3);
        });
      },
    );

    test('unless the search takes more than five seconds: then the next call continues', async () => {
      await behind(250);
      const { client, watch } = world.watched();
      let spent = 0;
      watch.gate = () => void (spent += 1);
      // Each request to the storage takes more than five seconds.
      const start = world.clock.now();
      const clock = { now: () => start + 5_100 * spent, wait: async () => undefined };
      const queue = openQueue(client, { clock, seed: 77 });
      await queue.list({ limit: 1 });
      const pages = await pagesOf({ queue, watch }, { agentId: 'me', limit: 50 });
      expect(pages[0]!.items).toEqual([]);
      expect(idsOf(entriesOf(pages))).toEqual([oldest[3], oldest[0]]);
      for (const { calls } of pages) expect(calls).toBeLessThanOrEqual(2);
    });
  });
});
