import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { AgentRegistry } from '../../../lib/folder-requests/agent-registry.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { claimFrom, agent } from '../../support/folder-queue.ts';
import { ended, pendingRequests, queueWorldWith, test, type Instance, type QueueWorld } from './fixture.ts';

const facts = { targetPath: 'a', requestedByUserId: 'user-1' };

interface History {
  readonly finished: number;
  readonly pending: number;
}

/** A queue with requests of yesterday, evenly in the shards. */
const worldWith = ({ finished, pending }: History, shards = 1): Promise<QueueWorld> =>
  queueWorldWith((nowMs) => {
    const targets = Array.from({ length: finished + pending }, () => facts.targetPath);
    return pendingRequests(targets, { sinceMs: nowMs - 86_400_000, shards }).map((request, at) =>
      at < finished ? ended(request, { status: 'FULFILLED' }, nowMs) : request,
    );
  });

/** Storage requests / sequential round trips of each operation. */
async function costs(
  { queue, watch }: Instance,
  { log, clock }: QueueWorld,
): Promise<Record<string, string>> {
  const result: Record<string, string> = {};
  const cost = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    watch.reset();
    const value = await call();
    result[name] = `${watch.calls.length} / ${watch.roundTrips}`;
    return value;
  };
  await queue.list({ limit: 1 });
  await cost('create', () => queue.create(facts, log));
  await cost('create with a key', () => queue.create({ ...facts, idempotencyKey: 'k' }, log));
  // The first claim of an instance also reads which leases end next.
  const first = await claimFrom(queue, agent('b'), log);
  await queue.release(first!.id, agent('b'), { claimToken: first!.claimToken, reason: 'stops' }, log);
  // Longer than the instance caches the heads of its shards.
  clock.advance(4_000);
  const claim = await cost('claim', () => claimFrom(queue, agent('a'), log));
  const { id = '', claimToken = '' } = claim ?? {};
  expect(watch.rowsRead).toBeLessThanOrEqual(8 * 4);
  await cost('heartbeat', () => queue.heartbeat(id, 'a', claimToken, log));
  await cost('report', () => queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'no' }, log));
  await cost('requeue', () => queue.requeue(id, { userId: 'admin' }, log));
  await cost('get', () => queue.get(id));
  for (const status of [undefined, 'PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const) {
    await cost(`list ${status ?? ''}`, () => queue.list({ status, limit: 50 }));
  }
  await cost('list PENDING again', () => queue.list({ status: 'PENDING', limit: 50 }));
  return result;
}

test.for([
  { shards: 1, finished: 0, pending: 0 },
  { shards: 1, finished: 1_200, pending: 1_200 },
  { shards: 4, finished: 0, pending: 0 },
  { shards: 4, finished: 1_200, pending: 1_200 },
])(
  'with %o the operations cost the same: more shards add parallel reads, no round trips',
  async ({ shards, ...history }) => {
    const world = await worldWith(history, shards);
    const list = `${shards} / 1`;
    expect(await costs(world.instance({ shards }), world)).toEqual({
      create: '1 / 1',
      'create with a key': '1 / 1',
      // The heads, the record, and the transaction.
      claim: `${shards + 2} / 3`,
      heartbeat: '2 / 2',
      report: '2 / 2',
      requeue: '2 / 2',
      get: '1 / 1',
      'list ': list,
      // Of more than 1,000 in a shard, the first read has only the oldest.
      'list PENDING': shards === 1 && history.pending > 1_000 ? '2 / 2' : list,
      'list PENDING again': list,
      'list PROCESSING': list,
      'list FULFILLED': list,
      'list FAILED': list,
    });
  },
);

test('a request costs the entities and storage requests that docs/scale.md calculates with', async () => {
  const world = await worldWith({ finished: 0, pending: 50 });
  const { queue, watch } = world.instance();
  // The first claim of an instance also reads the leases.
  const first = await claimFrom(queue, agent('b'), world.log);
  const held = { claimToken: first!.claimToken, reason: 'stops' };
  await queue.release(first!.id, agent('b'), held, world.log);
  let requests = 0;
  const cost = async <T>(call: () => Promise<T>): Promise<{ result: T; read: number; written: number }> => {
    watch.reset();
    const result = await call();
    const points = watch.calls.filter(({ kind }) => kind === 'point read').length;
    requests += watch.calls.length;
    return { result, read: watch.rowsRead + points, written: watch.rowsWritten };
  };
  const created = await cost(() => queue.create(facts, world.log));
  const claim = await cost(() => claimFrom(queue, agent('a'), world.log));
  const { id, claimToken } = claim.result!;
  const heartbeat = await cost(() => queue.heartbeat(id, 'a', claimToken, world.log));
  const report = await cost(() =>
    queue.report(id, agent('a'), { status: 'FULFILLED', claimToken }, world.log),
  );
  const storageRequests = requests;
  const timer = await cost(() => queue.maintenance.run(world.log));
  const entities = [
    created.written,
    claim.read,
    claim.written,
    ...[heartbeat, report].map((each) => each.read + each.written),
    // Its outcome, which is read and written in a transaction with the counter of the hour.
    1 + timer.written - 1,
  ];
  const total = entities.reduce((sum, each) => sum + each);
  const [create, head, write, beat, end, count] = entities;
  const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
  for (const text of [
    `A request costs ${total} entities in its life: ${create} to create it, ${head} to read the head of the queue and its record, and ${write} to claim, ${beat} for a heartbeat, ${end} for a report, ${count} for the timer that counts its outcome.`,
    `| ${Math.floor(2_000 / total)} requests a second, ${((2_000 / total) * 0.0864).toFixed(1)} million a day | ${Math.floor((16 * 2_000) / total).toLocaleString('en-US')} a second |`,
    `${Math.floor(20_000 / storageRequests).toLocaleString('en-US')} requests a second at ${storageRequests} storage requests each`,
  ])
    expect(page).toContain(text);
});

/** The requests of the overview page: statistics and agents every 15 s, the health every five minutes. */
async function overviewRequests(
  { queue, watch }: Instance,
  { clock, log }: QueueWorld,
  { refreshes = 240, changes = async (): Promise<unknown> => undefined } = {},
): Promise<number> {
  const client = tableClient(await newTable(), { additionalPolicies: watch.policies });
  const registry = new AgentRegistry(client, clock, log);
  await queue.statistics(24);
  watch.reset();
  for (let refresh = 0; refresh < refreshes; refresh += 1) {
    clock.advance(15_000);
    await changes();
    const before = watch.calls.length;
    await Promise.all([queue.statistics(24), registry.all(), queue.agentStatistics(24)]);
    expect(watch.calls.length - before).toBeLessThanOrEqual(4);
  }
  return watch.calls.length;
}

describe('the overview page', () => {
  // Of an hour with 240 refreshes. Twelve of /health take 12 and, once an hour, four more: tests/service/health.test.ts.
  const health = 16;

  test('costs less than one request per refresh, with any number of viewers', async ({ world }) => {
    const instance = world.instance();
    const alone = await overviewRequests(instance, world);
    expect(alone + health).toBeLessThanOrEqual(240);
    const { queue, watch } = instance;
    watch.reset();
    for (let viewer = 0; viewer < 10; viewer += 1) await queue.statistics(72);
    expect(watch.calls.length).toBe(0);
  });

  test('costs no more while this instance writes', async () => {
    const refreshes = 24;
    const quiet = await worldWith({ finished: 0, pending: 0 });
    const alone = await overviewRequests(quiet.instance(), quiet, { refreshes });
    const world = await worldWith({ finished: 0, pending: 0 });
    const instance = world.instance();
    const { queue, watch } = instance;
    let writes = 0;
    let outcomes = 0;
    const changes = async (): Promise<void> => {
      const before = watch.calls.length;
      await queue.create(facts, world.log);
      const { id = '' } = (await claimFrom(queue, agent('a'), world.log)) ?? {};
      const hasFailed = outcomes++ % 3 === 2;
      const report = hasFailed
        ? ({ status: 'FAILED', errorMessage: 'x' } as const)
        : ({ status: 'FULFILLED' } as const);
      await queue.report(id, agent('a'), report, world.log);
      writes += watch.calls.length - before;
    };
    const requests = await overviewRequests(instance, world, { refreshes, changes });
    expect(requests - writes).toBeLessThanOrEqual(alone);
    // The cached reads agree with the table.
    const fresh = await world.instance().queue.statistics(2);
    expect(await queue.statistics(2)).toEqual(fresh);
    expect(fresh).toMatchObject({ pending: 0, processing: 0, failed: 8 });
  });

  test('shows writes of this instance immediately and those of others within a minute', async ({ world }) => {
    const [one, other] = [world.instance(), world.instance()];
    const pending = async ({ queue }: Instance): Promise<number> => (await queue.statistics(1)).pending;
    expect(await Promise.all([pending(one), pending(other)])).toEqual([0, 0]);
    await one.queue.create(facts, world.log);
    expect(await Promise.all([pending(one), pending(other)])).toEqual([1, 0]);
    world.clock.advance(60_000);
    expect(await pending(other)).toBe(1);
  });

  test.for(['well', 'with lost responses'])(
    'agrees with the table after each transition, %s',
    async (how, { world }) => {
      const { queue, watch } = world.instance();
      const { log, clock } = world;
      if (how !== 'well') {
        let transactions = 0;
        watch.fault = ({ kind }) => {
          if (kind !== 'transaction') return undefined;
          transactions += 1;
          // Every other one, so the retry succeeds.
          return transactions % 2 === 1 ? 'lost response' : undefined;
        };
      }
      const agrees = async (live: Record<string, number>): Promise<void> => {
        const { queue: fresh } = world.instance();
        const [mine, table] = [await queue.statistics(2), await fresh.statistics(2)];
        expect(mine).toEqual(table);
        expect(mine).toMatchObject(live);
        expect(await queue.agentStatistics(2)).toEqual(await fresh.agentStatistics(2));
        clock.advance(1_000);
      };
      await agrees({ pending: 0, processing: 0, failed: 0 });
      const { entry } = await queue.create(facts, log);
      await agrees({ pending: 1, processing: 0 });
      const first = await claimFrom(queue, agent('a'), log);
      await agrees({ pending: 0, processing: 1 });
      const { id, claimToken } = first!;
      await queue.heartbeat(id, 'a', claimToken, world.log);
      await agrees({ pending: 0, processing: 1 });
      await queue.release(id, agent('a'), { claimToken, reason: 'stops' }, log);
      await agrees({ pending: 1, processing: 0 });
      await claimFrom(queue, agent('a'), log);
      await queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'x' }, log);
      await agrees({ pending: 0, processing: 0, failed: 1 });
      await queue.requeue(id, { userId: 'admin' }, log);
      await agrees({ pending: 1, processing: 0, failed: 0 });
      await queue.maintenance.run(log);
      await agrees({ pending: 1, processing: 0, failed: 0 });
      await queue.withdraw(entry.id, { userId: 'user-1', mayAny: false }, log);
      await agrees({ pending: 0, processing: 0, failed: 0 });
    },
  );

  test('counts 1,000 of more than 1,000 requests, also after a claim', async () => {
    const world = await worldWith({ finished: 0, pending: 1_010 });
    const { queue } = world.instance();
    expect(await queue.statistics(1)).toMatchObject({ pending: 1_000, processing: 0 });
    await claimFrom(queue, agent('a'), world.log);
    expect(await queue.statistics(1)).toMatchObject({ pending: 1_000, processing: 1 });
  });

  test('does not remember a failure', async ({ world }) => {
    const { queue, watch } = world.instance();
    await queue.list({ limit: 1 });
    watch.fault = () => 404;
    await expect(queue.statistics(1)).rejects.toThrow();
    watch.fault = () => undefined;
    expect(await queue.statistics(1)).toMatchObject({ pending: 0 });
  });
});

test('refreshing a list of thousands of PENDING requests is one request, also while they are claimed', async () => {
  const world = await worldWith({ finished: 0, pending: 1_300 });
  const { queue, watch } = world.instance();
  const refresh = async (): Promise<[number, string | undefined]> => {
    watch.reset();
    const { items } = await queue.list({ status: 'PENDING', limit: 50 });
    return [watch.calls.length, items[0]?.id];
  };
  await queue.list({ limit: 1 });
  expect((await refresh())[0]).toBe(2);
  for (let at = 0; at < 3; at += 1) {
    const { entry } = await queue.create(facts, world.log);
    expect(await refresh()).toEqual([1, entry.id]);
    await claimFrom(queue, agent('a'), world.log);
  }
});

test('the number of shards is read in parallel to a claim, and before it only after an idle minute', async ({
  world,
}) => {
  const costAfter = async ({ queue, watch }: Instance, ms: number): Promise<string> => {
    world.clock.advance(ms);
    watch.reset();
    expect(await claimFrom(queue, agent('a'), world.log)).toBeNull();
    return `${watch.calls.length} / ${watch.roundTrips}`;
  };
  // Each first claim also reads the leases, before the window.
  const polled = world.instance();
  await polled.queue.list({ limit: 1 });
  expect(await costAfter(polled, 29_998)).toBe('2 / 2');
  expect(await costAfter(polled, 1)).toBe('1 / 1');
  expect(await costAfter(polled, 1)).toBe('2 / 1');
  const quiet = world.instance();
  await quiet.queue.list({ limit: 1 });
  expect(await costAfter(quiet, 60_000)).toBe('3 / 3');
  expect(await costAfter(quiet, 29_999)).toBe('1 / 1');
});

test('leases are read when one of them may have ended, and once a minute, for those of other instances', async ({
  world,
}) => {
  const { queue, watch } = world.instance();
  for (let at = 0; at < 8; at += 1) await queue.create(facts, world.log);
  for (let at = 0; at < 8; at += 1) expect(await claimFrom(queue, agent('a'), world.log)).not.toBeNull();
  const costAfter = async (ms: number): Promise<string> => {
    world.clock.advance(ms);
    await queue.list({ limit: 1 });
    watch.reset();
    expect(await claimFrom(queue, agent('a'), world.log)).toBeNull();
    return `${watch.calls.length} / ${watch.roundTrips}`;
  };
  expect(await costAfter(59_999)).toBe('1 / 1');
  expect(await costAfter(1)).toBe('2 / 2');
  expect(await costAfter(60_000)).toBe('2 / 2');
  expect(await costAfter(179_999)).toBe('2 / 2');
  world.clock.advance(1);
  expect(await claimFrom(queue, agent('a'), world.log)).toMatchObject({ attempts: 2 });
});

test('a claim without a result costs one round trip, also with many parallel callers', async ({ world }) => {
  for (const shards of [1, 4]) {
    const { queue, watch } = world.instance({ shards });
    expect(await claimFrom(queue, agent('a'), world.log)).toBeNull();
    watch.reset();
    expect(await claimFrom(queue, agent('a'), world.log)).toBeNull();
    expect([watch.calls.length, watch.roundTrips]).toEqual([shards, 1]);
    watch.reset();
    await Promise.all(Array.from({ length: 17 }, () => claimFrom(queue, agent('a'), world.log)));
    // The first caller's cycle, then one for the other 16.
    expect([watch.calls.length, watch.roundTrips]).toEqual([2 * shards, 2]);
  }
});
