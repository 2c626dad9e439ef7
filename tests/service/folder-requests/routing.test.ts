import { afterEach, beforeAll, describe, expect } from 'vitest';
import type { ClaimRouting } from '../../../lib/contract/folder-requests.ts';
import { agent, allRows, faultsOfTable } from '../../support/folder-queue.ts';
import { newQueueWorld, pendingRequests, store, test, type Instance, type QueueWorld } from './fixture.ts';

/** Creates requests, each a millisecond later, and returns their ids in the order of the targets. */
async function created(
  { queue }: Instance,
  { log, clock }: QueueWorld,
  targets: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const targetPath of targets) {
    clock.advance(1);
    ids.push((await queue.create({ targetPath, requestedByUserId: 'user-1' }, log)).entry.id);
  }
  return ids;
}

const onServer = (server: string, at: number): string => `\\\\${server}\\projects\\P-${at}`;
const serving = (server: string): ClaimRouting => ({ servers: [`${server}.firma.example`] });
const fs1 = serving('fs1');
const relativeOnly: ClaimRouting = { servers: [], relative: true };

test('a claim gets what the agent can serve: its servers by short or full name in any case, and relative targets if stated', async ({
  world,
}) => {
  const one = world.instance();
  const [other, relative, long, short] = await created(one, world, [
    onServer('fs2.firma.example', 1),
    'Kunde\\Projekt',
    onServer('FS1.Firma.Example', 1),
    onServer('fs1', 2),
  ]);
  const claim = async (routing?: ClaimRouting): Promise<string | undefined> =>
    (await one.queue.claim(agent('a'), world.log, routing))?.id;
  expect(await claim({ servers: ['fs3'], relative: false })).toBeUndefined();
  expect(await claim(fs1)).toBe(long);
  expect(await claim(fs1)).toBe(short);
  expect(await claim(fs1)).toBeUndefined();
  expect(await claim(relativeOnly)).toBe(relative);
  expect(await claim(relativeOnly)).toBeUndefined();
  expect(await claim()).toBe(other);
});

describe.each([1, 4, 16])('with %d shards', (shards) => {
  test('claims get the fitting requests in the order of creation, whatever is ahead of them', async ({
    world,
  }) => {
    const one = world.instance({ shards });
    const targets = Array.from({ length: 60 }, (_, at) => onServer(at % 5 === 4 ? 'fs1' : 'fs2', at));
    const ids = await created(one, world, targets);
    const own = ids.filter((_, at) => at % 5 === 4);
    const taken: (string | undefined)[] = [];
    for (const _ of own) taken.push((await one.queue.claim(agent('a'), world.log, fs1))?.id);
    expect(taken).toEqual(own);
    expect(await one.queue.claim(agent('a'), world.log, fs1)).toBeNull();
  });

  test('20 agents of three routings on 3 instances claim only what they serve, each request exactly once', async ({
    world,
  }) => {
    const instances = Array.from({ length: 3 }, () => world.instance({ shards }));
    const servers = ['fs1', 'fs2', 'fs3'];
    const ids = await created(
      instances[0]!,
      world,
      Array.from({ length: 90 }, (_, at) => onServer(servers[at % 3]!, at)),
    );
    const done = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const { queue } = instances[at % 3]!;
        const me = agent(`agent-${at}`);
        const routing = at % 4 === 3 ? undefined : { servers: [servers[at % 4]!] };
        const mine: string[] = [];
        for (;;) {
          const claim = await queue.claim(me, world.log, routing);
          if (!claim) return mine;
          if (routing) expect(claim.targetPath).toContain(routing.servers[0]);
          mine.push(claim.id);
          await queue.report(claim.id, me, { status: 'FULFILLED', claimToken: claim.claimToken }, world.log);
        }
      }),
    );
    expect(done.flat().toSorted()).toEqual(ids.toSorted());
  });
});

test('claims with different bodies that arrive together share a cycle, and none gets what only another can serve', async ({
  world,
}) => {
  const one = world.instance();
  const [first, second, third] = await created(one, world, [
    onServer('fs1', 1),
    onServer('fs2', 2),
    'Kunde\\Projekt',
  ]);
  one.watch.reset();
  const claims = await Promise.all([
    one.queue.claim(agent('leader'), world.log, { servers: ['fs9'] }),
    one.queue.claim(agent('any'), world.log),
    one.queue.claim(agent('both'), world.log, { servers: ['fs1', 'fs2'] }),
    one.queue.claim(agent('one'), world.log, fs1),
    one.queue.claim(agent('relative'), world.log, relativeOnly),
  ]);
  expect(claims.map((claim) => claim?.id)).toEqual([undefined, undefined, second, first, third]);
  expect(one.watch.calls.filter(({ kind }) => kind === 'transaction')).toHaveLength(1);
});

/** Writes requests for another server, an hour old, directly to the table. */
async function addForOthers({ table, clock }: QueueWorld, shards: number, count: number): Promise<void> {
  const targets = Array.from({ length: count }, (_, at) => onServer('other', at));
  await store(table, pendingRequests(targets, { sinceMs: clock.now() - 3_600_000, shards }));
}

describe.each([1, 4, 16])('behind 1,600 requests for others, with %d shards', (shards) => {
  // The tests share the table, because filling it costs more than using it. Each has its own server, and all advance the clock
  // by less than a lease.
  let world: QueueWorld;

  beforeAll(async () => {
    world = await newQueueWorld();
    await addForOthers(world, shards, 1_600);
  });

  afterEach(async () => expect(faultsOfTable(await allRows(world.table))).toEqual([]));

  test('a claim costs one more filtered range per shard, and for half a minute only that range', async () => {
    const one = world.instance({ shards });
    const { queue, watch } = one;
    const ids = await created(
      one,
      world,
      [0, 1, 2, 3].map((at) => onServer('fs11', at)),
    );
    await queue.list({ limit: 1 });
    const claim = async (): Promise<[string | undefined, string, number]> => {
      watch.reset();
      const id = (await queue.claim(agent('a'), world.log, serving('fs11')))?.id;
      return [id, `${watch.calls.length} / ${watch.roundTrips}`, watch.rowsRead];
    };
    // The heads, the ranges behind them, the transaction. No row of others is read but those of the heads.
    const withSearch = `${2 * shards + 1} / 3`;
    const [first, cost, rowsRead] = await claim();
    expect([first, cost]).toEqual([ids[0], withSearch]);
    expect(rowsRead).toBe(8 * shards + 4);
    // From now on, the head is known to have no fitting request.
    expect((await claim()).slice(0, 2)).toEqual([ids[1], `${shards + 1} / 2`]);
    expect((await claim()).slice(0, 2)).toEqual([ids[2], `${shards + 1} / 2`]);
    expect((await claim()).slice(0, 2)).toEqual([ids[3], `${shards + 1} / 2`]);
    expect(await claim()).toEqual([undefined, `${shards} / 1`, 0]);
    world.clock.advance(30_000);
    await queue.list({ limit: 1 });
    expect(await claim()).toEqual([undefined, `${2 * shards} / 2`, 8 * shards]);
    // Claims without routing cost the same as before.
    world.clock.advance(4_000);
    watch.reset();
    expect(await queue.claim(agent('b'), world.log)).not.toBeNull();
    expect([watch.calls.length, watch.roundTrips]).toEqual([shards + 1, 2]);
  });

  test('a released request is next, at the same instance immediately, at others after half a minute', async () => {
    const [one, other] = [world.instance({ shards }), world.instance({ shards })];
    const [first, second] = await created(one, world, [onServer('fs12', 1), onServer('fs12', 2)]);
    world.clock.advance(120_000);
    const claim = ({ queue }: Instance) => queue.claim(agent('a'), world.log, serving('fs12'));
    const [held, next] = [await claim(one), await claim(one)];
    expect([held?.id, next?.id]).toEqual([first, second]);
    expect([await claim(one), await claim(other)]).toEqual([null, null]);

    const release = { claimToken: held!.claimToken, reason: 'stops' };
    await one.queue.release(held!.id, agent('a'), release, world.log);
    const [third] = await created(one, world, [onServer('fs12', 3)]);
    expect((await claim(other))?.id).toBe(third);
    expect(await claim(other)).toBeNull();
    expect((await claim(one))?.id).toBe(first);

    await one.queue.release(
      next!.id,
      agent('a'),
      { claimToken: next!.claimToken, reason: 'stops' },
      world.log,
    );
    world.clock.advance(30_000);
    expect((await claim(other))?.id).toBe(second);
  });

  test('the oldest fitting request is claimed, even if a newer one is in a head that was read', async () => {
    const one = world.instance({ shards });
    const { queue } = one;
    // Newer than all others, and the heads of their shards after the others before them are claimed.
    const ids = await created(
      one,
      world,
      Array.from({ length: 24 }, (_, at) => onServer('fs13', at)),
    );
    const taken: string[] = [];
    for (let at = 0; at < 24; at += 1) {
      if (at % 6 === 5) await queue.claim(agent('b'), world.log, { servers: ['other'] });
      taken.push((await queue.claim(agent('a'), world.log, serving('fs13')))?.id ?? 'none');
    }
    expect(taken).toEqual(ids);
  });
});

test('more names than fit into a filter are several parallel ranges', async ({ world }) => {
  await addForOthers(world, 1, 100);
  const one = world.instance();
  const ids = await created(one, world, [onServer('fs40', 1), onServer('fs2', 2), 'Kunde\\Projekt']);
  const routing = { servers: Array.from({ length: 49 }, (_, at) => `fs${at}.firma.example`), relative: true };
  await one.queue.list({ limit: 1 });
  one.watch.reset();
  const claims = [
    await one.queue.claim(agent('a'), world.log, routing),
    await one.queue.claim(agent('a'), world.log, routing),
    await one.queue.claim(agent('a'), world.log, routing),
  ];
  expect(claims.map((claim) => claim?.id)).toEqual(ids);
  // 50 routes are five filters of twelve at most.
  expect([one.watch.calls.length, one.watch.roundTrips]).toEqual([1 + 5 + 1 + 2 * (5 + 1), 7]);
});

test('any number of requests for servers of other domains with the same first label does not block a claim', async ({
  world,
}) => {
  const one = world.instance();
  const targets = Array.from({ length: 60 }, (_, at) => onServer('fs1.other.example', at));
  await created(one, world, targets);
  const [own] = await created(one, world, [onServer('fs1.firma.example', 1)]);
  expect((await one.queue.claim(agent('a'), world.log, fs1))?.id).toBe(own);
  expect(await one.queue.claim(agent('a'), world.log, fs1)).toBeNull();
});

test('names with quotes are escaped', async ({ world }) => {
  const one = world.instance();
  await addForOthers(world, 1, 100);
  const routing = { servers: ["x' or server ne '", "o'hara"] };
  expect(await one.queue.claim(agent('a'), world.log, routing)).toBeNull();
});

test('instances that search for the same routing assign each request once', async ({ world }) => {
  await addForOthers(world, 1, 400);
  const instances = Array.from({ length: 3 }, () => world.instance());
  const ids = await created(
    instances[0]!,
    world,
    Array.from({ length: 40 }, (_, at) => onServer('fs1', at)),
  );
  const done = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const mine: string[] = [];
      for (;;) {
        const claim = await instances[at % 3]!.queue.claim(agent(`a${at}`), world.log, fs1);
        if (!claim) return mine;
        mine.push(claim.id);
      }
    }),
  );
  expect(done.flat().toSorted()).toEqual(ids.toSorted());
});
