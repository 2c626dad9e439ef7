import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ClaimRouting } from '../../../lib/contract/folder-requests.ts';
import { laneReadsOf } from '../../../lib/folder-requests/claims/claim-windows.ts';
import { claimFrom, agent, allRows, faultsOfTable } from '../../support/folder-queue.ts';
import { pendingRequests, queueWorldWith, store, test, type Instance, type QueueWorld } from './fixture.ts';

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

test('20 agents of three routings on 3 instances claim only what they serve, each request exactly once', async ({
  world,
}) => {
  const instances = Array.from({ length: 3 }, () => world.instance({ shards: 4 }));
  const servers = ['fs1', 'fs2', 'fs3'];
  const targets = Array.from({ length: 60 }, (_, at) => onServer(servers[at % 3]!, at));
  const requests = pendingRequests(targets, { sinceMs: world.clock.now() - 1_000, shards: 4 });
  await store(world.table, requests);
  const done = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { queue } = instances[at % 3]!;
      const me = agent(`agent-${at}`);
      const routing = at % 4 === 3 ? undefined : { servers: [servers[at % 4]!] };
      const mine: string[] = [];
      for (;;) {
        const claim = await claimFrom(queue, me, world.log, routing);
        if (!claim) return mine;
        if (routing) expect(claim.targetPath).toContain(routing.servers[0]);
        mine.push(claim.id);
        await queue.report(claim.id, me, { status: 'FULFILLED', claimToken: claim.claimToken }, world.log);
      }
    }),
  );
  expect(done.flat().toSorted()).toEqual(requests.map(({ id }) => id).toSorted());
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
    claimFrom(one.queue, agent('leader'), world.log, { servers: ['fs9'] }),
    claimFrom(one.queue, agent('any'), world.log),
    claimFrom(one.queue, agent('both'), world.log, { servers: ['fs1', 'fs2'] }),
    claimFrom(one.queue, agent('one'), world.log, fs1),
    claimFrom(one.queue, agent('relative'), world.log, relativeOnly),
  ]);
  expect(claims.map((claim) => claim?.id)).toEqual([undefined, undefined, second, first, third]);
  expect(one.watch.calls.filter(({ kind }) => kind === 'transaction')).toHaveLength(1);
});

test('claims that share a cycle each get the oldest of all shards that they can serve', async ({ world }) => {
  const one = world.instance({ shards: 2 });
  // The first and the last are in the same shard.
  const requests = pendingRequests([onServer('fs1', 1), onServer('fs2', 2), onServer('fs2', 3)], {
    sinceMs: world.clock.now() - 1000,
    shards: 2,
  });
  await store(world.table, requests);
  const claims = await Promise.all(
    ['fs9', 'fs1', 'fs2'].map((server) => claimFrom(one.queue, agent(server), world.log, serving(server))),
  );
  expect(claims.map((claim) => claim?.id)).toEqual([undefined, requests[0]!.id, requests[1]!.id]);
});

/** The id that was claimed, storage requests / sequential round trips, and rows read. */
async function costOf(
  { queue, watch }: Instance,
  { log }: QueueWorld,
  routing?: ClaimRouting,
): Promise<[string | undefined, string, number]> {
  watch.reset();
  watch.inLockStep = true;
  const id = (await claimFrom(queue, agent('a'), log, routing))?.id;
  return [id, `${watch.calls.length} / ${watch.roundTrips}`, watch.rowsRead];
}

describe.each([4, 16])('behind 1,600 requests for others, with %d shards', (shards) => {
  // The tests share the table. Each has its own server, and all advance the clock by less than a lease.
  let world: QueueWorld;

  beforeAll(async () => {
    const others = Array.from({ length: 1_600 }, (_, at) => onServer('other', at));
    world = await queueWorldWith((nowMs) => pendingRequests(others, { sinceMs: nowMs - 3_600_000, shards }));
  });

  afterAll(async () => expect(faultsOfTable(await allRows(world.table))).toEqual([]));

  test('a claim costs what it costs alone, and reads no request of others', async () => {
    const one = world.instance({ shards });
    const ids = await created(
      one,
      world,
      [0, 1].map((at) => onServer('fs11', at)),
    );
    // The first claim of an instance also reads the leases.
    await claimFrom(one.queue, agent('a'), world.log, serving('nothing'));
    const fs11 = serving('fs11');
    expect(await costOf(one, world, fs11)).toEqual([ids[0], `${shards + 2} / 3`, 2]);
    expect(await costOf(one, world, fs11)).toEqual([ids[1], `${shards + 2} / 3`, 1]);
    expect(await costOf(one, world, fs11)).toEqual([undefined, `${shards} / 1`, 0]);
    const [any, cost] = await costOf(one, world);
    expect([any !== undefined, cost]).toEqual([true, `${shards + 2} / 3`]);
  });

  test('an agent of several servers gets the oldest for any of them, at first by one more round trip', async () => {
    const one = world.instance({ shards });
    const targets = ['abc', 'xyz', 'abc', 'xyz'].map(onServer);
    const ids = await created(one, world, targets);
    await claimFrom(one.queue, agent('a'), world.log, serving('nothing'));
    const both = { servers: ['xyz', 'abc'] };
    const claims = [await costOf(one, world, both)];
    for (const laterMs of [0, 9_999, 1]) {
      world.clock.advance(laterMs);
      claims.push(await costOf(one, world, both));
      // With 16 shards the reads of one claim may not suffice; the next one continues.
      for (let more = 0; more < 3 && claims.at(-1)![0] === undefined; more += 1) {
        claims.push(await costOf(one, world, both));
      }
    }
    const claimed = claims.flatMap(([id]) => id ?? []);
    // With 16 shards a claim reads one lane of each: every name in turn.
    if (shards === 16) expect(claimed.toSorted()).toEqual(ids);
    else expect(claimed).toEqual(ids);
    for (const [, cost] of claims)
      expect(Number.parseInt(cost, 10)).toBeLessThanOrEqual(laneReadsOf(shards) + 2);
    // Per shard the range from `abc` to `xyz`, which has the others between them, and the two ranges of `xyz`, which are
    // remembered for ten seconds.
    if (shards === 16) expect(claims.length).toBeLessThanOrEqual(3 * claimed.length);
    else expect(claims.map(([, cost]) => cost.split(' / ')[1])).toEqual(['4', '3', '3', '4']);
  });

  test('a released request is next, at every instance', async () => {
    const [one, other] = [world.instance({ shards }), world.instance({ shards })];
    const [first, second] = await created(one, world, [onServer('fs12', 1), onServer('fs12', 2)]);
    world.clock.advance(1_000);
    const claim = ({ queue }: Instance) => claimFrom(queue, agent('a'), world.log, serving('fs12'));
    const [held, next] = [await claim(one), await claim(one)];
    expect([held?.id, next?.id]).toEqual([first, second]);
    expect([await claim(one), await claim(other)]).toEqual([null, null]);
    await one.queue.release(held!.id, agent('a'), { ...held!, reason: 'stops' }, world.log);
    await created(one, world, [onServer('fs12', 3)]);
    expect((await claim(other))?.id).toBe(first);
  });

  test('the oldest fitting request is claimed, whatever else is claimed meanwhile', async () => {
    const one = world.instance({ shards });
    const { queue } = one;
    const ids = await created(
      one,
      world,
      Array.from({ length: 12 }, (_, at) => onServer('fs13', at)),
    );
    const taken: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      if (at % 3 === 2) await claimFrom(queue, agent('b'), world.log, { servers: ['other'] });
      taken.push((await claimFrom(queue, agent('a'), world.log, serving('fs13')))?.id ?? 'none');
    }
    expect(taken).toEqual(ids);
  });
});

test('behind its own backlog an agent with several names takes three round trips, and the order is exact', async ({
  world,
}) => {
  const one = world.instance();
  const lanes = ['fs1.firma.example', 'fs1', 'alias', 'firma.example'];
  const targets = Array.from({ length: 200 }, (_, at) =>
    at % 5 === 4 ? `Kunde\\P-${at}` : onServer(lanes[at % 5]!, at),
  );
  const requests = pendingRequests(targets, { sinceMs: world.clock.now() - 10_000 });
  await store(world.table, requests);
  const routing = { servers: ['fs1.firma.example', 'alias', 'firma.example'], relative: true };
  await claimFrom(one.queue, agent('a'), world.log, serving('nothing'));
  const roundTrips: string[] = [];
  for (const { id } of requests.slice(0, 30)) {
    const [claimed, cost] = await costOf(one, world, routing);
    expect(claimed).toBe(id);
    roundTrips.push(cost.split(' / ')[1]!);
  }
  expect(roundTrips.slice(1).every((trips) => trips === '3')).toBe(true);
});

test('an agent of fifty names reads one range while little is waiting', async ({ world }) => {
  const one = world.instance();
  const ids = await created(one, world, [onServer('fs40', 1), onServer('fs2', 2), 'Kunde\\Projekt']);
  const routing = { servers: Array.from({ length: 49 }, (_, at) => `fs${at}.firma.example`), relative: true };
  await claimFrom(one.queue, agent('a'), world.log, serving('nothing'));
  for (const id of ids) expect((await costOf(one, world, routing)).slice(0, 2)).toEqual([id, '3 / 3']);
});

test('servers of two domains with the same first label do not block each other, with any number of requests', async ({
  world,
}) => {
  const one = world.instance();
  const others = Array.from({ length: 60 }, (_, at) => onServer('fs1.other.example', at));
  await store(world.table, pendingRequests(others, { sinceMs: world.clock.now() - 60 }));
  const [own, short] = await created(one, world, [onServer('fs1.firma.example', 1), onServer('FS1', 2)]);
  await claimFrom(one.queue, agent('a'), world.log, serving('nothing'));
  // The lanes of both names, with the 60 between them.
  expect((await costOf(one, world, fs1)).slice(0, 2)).toEqual([own, '4 / 4']);
  expect((await claimFrom(one.queue, agent('a'), world.log, fs1))?.id).toBe(short);
  expect(await claimFrom(one.queue, agent('a'), world.log, fs1)).toBeNull();
});

describe('an agent with many names, and a backlog of others between all of them', () => {
  const most = Array.from({ length: 50 }, (_, at) => `fs${String(at).padStart(2, '0')}`);
  const many: ClaimRouting = { servers: most.map((name) => `${name}.firma.example`) };
  const lastOwn = onServer('fs49', 0);
  /** Of 16 shards, about as many lanes as of four with all names. */
  const namesWith = (shards: number): readonly string[] => (shards === 16 ? most.slice(-12) : most);

  async function backlogged(shards: number, own: readonly string[] = []) {
    const others = namesWith(shards).flatMap((name) =>
      Array.from({ length: 10 * shards }, (_, at) => onServer(`${name}-x`, at)),
    );
    const world = await queueWorldWith((nowMs) =>
      pendingRequests([...others, ...own], { sinceMs: nowMs - 10_000, shards }),
    );
    return { world, one: world.instance({ shards }) };
  }

  test('costs at most 12 reads of lanes a claim, and one of each shard', () => {
    expect([1, 4, 12, 16].map(laneReadsOf)).toEqual([12, 12, 12, 16]);
  });

  test.for([1, 16])('costs no more reads than that with %i shards, and gets its request', async (shards) => {
    const { world, one } = await backlogged(shards, [lastOwn]);
    let claims = 0;
    for (;;) {
      claims += 1;
      one.watch.reset();
      const claim = await claimFrom(one.queue, agent('many'), world.log, many);
      // The leases of each shard are further queries, and the transaction is none.
      const queries = one.watch.calls.filter(({ kind }) => kind === 'query').length;
      expect(queries).toBeLessThanOrEqual(laneReadsOf(shards) + shards);
      if (claim) break;
      world.clock.advance(3_000);
    }
    // Two lanes of a name and shard, of which a claim reads in rotation what the ranges of the shards leave, but a few.
    expect(claims).toBeLessThanOrEqual((2 * namesWith(shards).length * shards) / 10);
  });

  test.for([1, 16])(
    'lets no lane starve with %i shards: neither a new request nor a returned one',
    async (shards) => {
      const { world, one } = await backlogged(shards);
      const claim = async () => {
        world.clock.advance(3_000);
        return claimFrom(one.queue, agent('many'), world.log, many);
      };
      const maxClaims = (2 * namesWith(shards).length * shards) / 6;
      const firstName = namesWith(shards)[0] ?? '';
      /** Claims until it gets this request; before each claim, the first lane of all gets a new one. */
      const claimed = async (id: string) => {
        for (let claims = 1; claims <= maxClaims; claims += 1) {
          await created(one, world, [onServer(firstName, claims)]);
          const got = await claim();
          if (got?.id === id) return { claims, claimToken: got.claimToken };
        }
        throw new Error(`not claimed with ${maxClaims} claims`);
      };
      const [id = ''] = await created(one, world, [lastOwn]);
      const first = await claimed(id);
      // Older than all that the other lanes have, but they have just been read.
      await one.queue.release(id, agent('many'), { ...first, reason: 'stops' }, world.log);
      await claimed(id);
    },
  );

  test('keeps no other agent waiting that shares its reads', async () => {
    const { world, one } = await backlogged(1, [onServer('fs48-y', 0)]);
    const [claim] = await Promise.all([
      claimFrom(one.queue, agent('first'), world.log, { servers: ['none'] }),
      claimFrom(one.queue, agent('many'), world.log, many),
      claimFrom(one.queue, agent('few'), world.log, { servers: ['fs48-y'] }),
    ]).then(([, ...shared]) => shared.toReversed());
    expect(claim).toMatchObject({ agentId: 'few' });
  });

  test('is not told that it finds nothing while lanes are left', async () => {
    const { world, one } = await backlogged(1);
    expect(await one.queue.claim(agent('many'), world.log, many)).toEqual({ idleMs: 0 });
  });
});

test('ten seconds after a backlog of others, one range has all lanes again, although one of them is long', async ({
  world,
}) => {
  const one = world.instance();
  const both: ClaimRouting = { servers: ['fs1.firma.example', 'fs3.firma.example'] };
  const waiting = (server: string, count: number, seed: number) =>
    pendingRequests(
      Array.from({ length: count }, (_, at) => onServer(server, at)),
      { sinceMs: world.clock.now() - 1_000, seed },
    );
  // What this claim has seen does not delay the memory of the backlog that follows.
  expect(await claimFrom(one.queue, agent('a'), world.log, both)).toBeNull();
  const [others, own] = [waiting('fs2', 20, 7), waiting('fs3', 30, 8)];
  await store(world.table, [...others, ...own]);
  const readsOf = async (): Promise<number> => {
    one.watch.reset();
    expect(await claimFrom(one.queue, agent('a'), world.log, both)).not.toBeNull();
    return one.watch.calls.filter(({ kind }) => kind === 'query').length;
  };
  await readsOf();
  const { roundTrips } = one.watch;
  const crowded = await readsOf();
  expect(crowded).toBeGreaterThan(1);
  expect(one.watch.roundTrips).toBeLessThan(roundTrips);
  for (const { id } of others) await one.queue.withdraw(id, { userId: 'admin', mayAny: true }, world.log);
  const reads: number[] = [];
  for (let at = 0; at < 4; at += 1) {
    world.clock.advance(3_000);
    reads.push(await readsOf());
  }
  expect(reads).toEqual([crowded, crowded, crowded, 1]);
});
