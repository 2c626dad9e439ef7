import { describe, expect, test } from 'vitest';
import { agentUserAgent } from '../../../lib/contract/agent-identity.ts';
import { claimRouting } from '../../../lib/contract/folder-requests.ts';
import { maxRoutingServers } from '../../../lib/contract/server-names.ts';
import { agentItems, AgentRegistry } from '../../../lib/folder-requests/agent-registry.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { claimFrom, agent, allRows, openQueue, RecordedLog } from '../../support/folder-queue.ts';
import { proxiedTable } from '../../support/proxied-table.ts';
import { StorageWatch } from '../../support/storage-watch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const nowMs = Date.UTC(2026, 10, 20, 9);
const berlin = agentUserAgent({ version: '1.2.3', host: 'srv-berlin', platform: 'linux x64' });

async function registries(count: number) {
  const name = await newTable();
  const clock = new VirtualClock({ nowMs });
  const log = new RecordedLog();
  const watch = new StorageWatch();
  const client = tableClient(name, { additionalPolicies: watch.policies });
  return {
    name,
    clock,
    log,
    watch,
    all: Array.from({ length: count }, () => new AgentRegistry(client, clock, log)),
  };
}

describe('the row of an agent', () => {
  test('is written once a minute, and its event is logged every five minutes', async () => {
    const { all, clock, log, watch } = await registries(1);
    const [registry] = all;
    // Ten minutes of polling every three seconds.
    for (let at = 0; at < 200; at += 1) {
      await registry!.pauseOf(agent('berlin'));
      await registry!.recordCall(agent('berlin'), berlin);
      clock.advance(3_000);
    }
    expect(watch.calls.filter(({ kind }) => kind === 'write')).toHaveLength(10);
    // The others read whether the agent is paused, about once a minute.
    expect(watch.calls).toHaveLength(21);
    expect(log.events).toEqual(
      Array.from({ length: 2 }, () => ({
        level: 'info',
        event: 'agent_seen',
        fields: { agent: 'berlin', version: '1.2.3', host: 'srv-berlin', tooOld: false },
      })),
    );
    expect(await registry!.all()).toEqual([
      {
        key: expect.stringMatching(/^[\da-f]{16}$/),
        name: 'berlin',
        lastSeenAtMs: nowMs + 540_000,
        version: '1.2.3',
        host: 'srv-berlin',
        isPaused: false,
        serves: null,
      },
    ]);
  });

  test('is shared by the instances of the service: one of them writes, one logs', async () => {
    const { all, clock, log } = await registries(4);
    const written = new Set<number>();
    for (let at = 0; at < 200; at += 1) {
      const registry = all[(at * 7 + Math.floor(at / 3)) % 4]!;
      await registry.recordCall(agent('berlin'), berlin);
      written.add((await registry.all())[0]!.lastSeenAtMs);
      clock.advance(3_000);
    }
    // An instance that lost the race reads before it tries again, so a minute becomes a few seconds longer.
    expect(written.size).toBeLessThanOrEqual(10);
    expect(written.size).toBeGreaterThanOrEqual(8);
    expect(log.named('agent_seen')).toHaveLength(2);
    // All in parallel.
    clock.advance(60_000);
    await Promise.all(all.map((registry) => registry.recordCall(agent('berlin'), berlin)));
    expect((await all[0]!.all())[0]!.lastSeenAtMs).toBe(clock.now());
    expect(log.named('agent_not_recorded')).toEqual([]);
  });

  test('is due again a minute after any instance has written it', async () => {
    const { all, clock } = await registries(2);
    const [one, other] = all as [AgentRegistry, AgentRegistry];
    await one.recordCall(agent('berlin'), berlin);
    const seenAfter = async (ms: number): Promise<number | undefined> => {
      clock.advance(ms);
      await other.recordCall(agent('berlin'), berlin);
      return (await other.all())[0]?.lastSeenAtMs;
    };
    expect(await seenAfter(59_999)).toBe(nowMs);
    expect(await seenAfter(1)).toBe(nowMs + 60_000);
  });

  test('shows an upgrade within a minute, and a client that is not an agent as unknown', async () => {
    const { all, clock } = await registries(1);
    const registry = all[0]!;
    const versions: (string | null)[] = [];
    for (const header of [
      'folder-agent/0.0.9',
      berlin,
      'curl/8.0',
      null,
      `folder-agent/1.0.0 (${'x'.repeat(9000)}; y)`,
    ]) {
      await registry.recordCall(agent('berlin'), header);
      versions.push((await registry.all())[0]!.version);
      clock.advance(60_000);
    }
    expect(versions).toEqual(['0.0.9', '1.2.3', null, null, null]);
  });

  test('accepts any id, and hides an id that is a key', async () => {
    const { all, name } = await registries(1);
    const ids = ['a/b\\c#d?e', 'ä'.repeat(200), "o'hara", 'only-a-secret-of-24-chars'];
    await Promise.all(
      ids.map((id) =>
        all[0]!.recordCall({ id, logName: id.startsWith('only') ? 'key-12345678' : id }, berlin),
      ),
    );
    expect((await all[0]!.all()).map((seen) => seen.name).toSorted()).toEqual(
      [...ids.slice(0, 3), 'key-12345678'].toSorted(),
    );
    expect(JSON.stringify(await allRows(tableClient(name)))).not.toContain('only-a-secret');
  });

  test('that was changed or deleted by hand is repaired', async () => {
    const { all, clock, name } = await registries(1);
    const registry = all[0]!;
    const see = async (): Promise<number | undefined> => {
      clock.advance(60_000);
      await registry.recordCall(agent('berlin'), berlin);
      return (await registry.all())[0]?.lastSeenAtMs;
    };
    await see();
    const [row] = await allRows(tableClient(name));
    const { partitionKey, rowKey } = row!;
    await tableClient(name).updateEntity({ partitionKey, rowKey, seenAt: 'yesterday' }, 'Merge');
    await see();
    expect(await see()).toBe(clock.now());
    await tableClient(name).deleteEntity(partitionKey, rowKey);
    await see();
    expect(await see()).toBe(clock.now());
  });

  test('is hidden 30 days after the agent was last seen', async () => {
    const { all, clock } = await registries(1);
    await all[0]!.recordCall(agent('berlin'), berlin);
    clock.advance(30 * 86_400_000);
    expect(await all[0]!.all()).toHaveLength(1);
    clock.advance(1);
    expect(await all[0]!.all()).toHaveLength(0);
  });
});

test('an agent whose claims the gateway answers for 30 s at a time is idle, never silent, at every instance', async () => {
  const { all, clock, log } = await registries(2);
  const [called, asked] = all as [AgentRegistry, AgentRegistry];
  const queue = openQueue(tableClient(await newTable()), { clock, seed: 1 });
  const states = new Set<string>();
  // The agent claims up to one poll after the end of an entry, and always just before or just after the minute.
  const waits = [30_000, 29_999, 33_000, 26_999, 30_001];
  for (let claims = 0; claims < 40; claims += 1) {
    await called.recordCall(agent('berlin'), berlin);
    const endsAtMs = clock.now() + (waits[claims % waits.length] ?? 0);
    while (clock.now() < endsAtMs) {
      for (const { state } of agentItems(await asked.all(), await queue.agentStatistics(1), clock.now()))
        states.add(state);
      clock.advance(Math.min(5_000, endsAtMs - clock.now()));
    }
  }
  expect([...states]).toEqual(['idle']);
  expect(log.named('agent_not_recorded')).toEqual([]);
});

test('the largest routing of a claim fits the row of its agent', async () => {
  const { all } = await registries(2);
  const [one, other] = all as [AgentRegistry, AgentRegistry];
  // A quotation mark takes the most characters in JSON of those that a name may have.
  const names = Array.from({ length: maxRoutingServers }, (_, at) => `${at}`.padStart(255, '"'));
  const largest = claimRouting.parse({ servers: names, relative: true });
  await one.recordCall(agent('berlin'), berlin, largest);
  expect(await other.all()).toMatchObject([{ name: 'berlin', serves: largest }]);
});

describe('a paused agent', () => {
  const pausedAt = async (registry: AgentRegistry, id = 'berlin') =>
    (await registry.pauseOf(agent(id))).isPaused;

  test('is paused at once here, within a minute at other instances, and its calls keep it so', async () => {
    const { all, clock, watch } = await registries(2);
    const [one, other] = all as [AgentRegistry, AgentRegistry];
    await one.recordCall(agent('berlin'), berlin, { servers: ['fs1'] });
    await other.recordCall(agent('bremen'), berlin);
    expect(await Promise.all([pausedAt(one), pausedAt(other)])).toEqual([false, false]);
    expect(await one.setPaused('berlin', true)).toMatchObject({ name: 'berlin', isPaused: true });
    expect(await Promise.all([pausedAt(one), pausedAt(other), pausedAt(one, 'bremen')])).toEqual([
      true,
      false,
      false,
    ]);
    // Idle until the next reading; the response of a gateway's cache must not outlast it.
    expect(await one.pauseOf(agent('berlin'))).toEqual({ isPaused: true, forMs: 55_000 });
    clock.advance(50_000);
    expect(await one.pauseOf(agent('berlin'))).toEqual({ isPaused: true, forMs: 5_000 });
    // While the state is between 55 and 60 s old, it is read again in the background.
    clock.advance(8_000);
    expect(await one.pauseOf(agent('berlin'))).toEqual({ isPaused: true, forMs: 0 });
    clock.advance(2_000);
    expect(await pausedAt(other)).toBe(true);
    for (let minute = 0; minute < 3; minute += 1) {
      await Promise.all(all.map((registry) => registry.recordCall(agent('berlin'), berlin)));
      clock.advance(60_000);
    }
    expect(await one.all()).toMatchObject([
      { name: 'berlin', isPaused: true, serves: { servers: ['fs1'] } },
      { name: 'bremen', isPaused: false },
    ]);
    // While the storage fails, the last known state holds.
    watch.fault = () => 503;
    clock.advance(600_000);
    expect(await pausedAt(one)).toBe(true);
    watch.fault = () => undefined;
    await one.setPaused('berlin', false);
    expect(await pausedAt(one)).toBe(false);
  });

  test('gets no claim from an instance that was quiet for half an hour', async () => {
    const { all, clock } = await registries(2);
    const [one, quiet] = all as [AgentRegistry, AgentRegistry];
    await one.recordCall(agent('berlin'), berlin);
    expect(await pausedAt(quiet)).toBe(false);
    clock.advance(1_800_000);
    await one.setPaused('berlin', true);
    expect(await pausedAt(quiet)).toBe(true);
    await one.setPaused('berlin', false);
    clock.advance(1_800_000);
    expect(await pausedAt(quiet)).toBe(false);
  });

  test('has to be known', async () => {
    const { all } = await registries(1);
    await expect(all[0]!.setPaused('berlin', true)).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a target is served if an agent of the last day serves its server; if none is known for sure, as if it were', async () => {
  const { all, clock, watch } = await registries(1);
  const registry = all[0]!;
  const targets = ['\\\\FS1.firma.example\\p\\a', '\\\\fs2\\p\\a', 'relative'];
  const served = async (): Promise<boolean[]> => {
    const isServed = await registry.isServed();
    return targets.map((target) => isServed(target));
  };
  const see = async (
    ...[id, serves]: [string, Parameters<AgentRegistry['recordCall']>[2]]
  ): Promise<void> => {
    await registry.recordCall(agent(id), berlin, serves);
  };
  expect(await served()).toEqual([false, false, false]);
  await see('berlin', { servers: ['fs1'] });
  expect(await served()).toEqual([true, false, false]);
  await see('bremen', { servers: [], relative: true });
  expect(await served()).toEqual([true, false, true]);
  clock.advance(86_400_000);
  // A heartbeat says nothing about what the agent serves.
  await see('bremen', undefined);
  clock.advance(1);
  expect(await served()).toEqual([false, false, true]);
  await see('essen', 'all');
  expect(await served()).toEqual([true, true, true]);
  clock.advance(2 * 86_400_000);
  watch.fault = () => 503;
  expect(await served()).toEqual([true, true, true]);
});

describe('a storage that fails', () => {
  test.each([503, 'reset', 'no token', 404] as const)(
    '(%s) is logged once a minute, and the agent is recorded when it has recovered',
    async (fault) => {
      const { all, clock, log, watch } = await registries(1);
      const registry = all[0]!;
      watch.fault = () => fault;
      for (let at = 0; at < 40; at += 1) {
        await registry.recordCall(agent('berlin'), berlin);
        clock.advance(3_000);
      }
      expect(log.named('agent_not_recorded')).toHaveLength(2);
      expect(log.named('agent_seen')).toHaveLength(1);
      watch.fault = () => undefined;
      clock.advance(60_000);
      await registry.recordCall(agent('berlin'), berlin);
      expect((await registry.all())[0]?.lastSeenAtMs).toBe(clock.now());
      expect(log.named('agent_seen')).toHaveLength(1);
    },
  );

  test('by not responding is given up, and the next call reads again', async () => {
    const { client, proxy } = await proxiedTable();
    try {
      const registry = new AgentRegistry(client, new VirtualClock({ nowMs }), new RecordedLog(), 300);
      proxy.goSilent();
      await expect(registry.all()).rejects.toThrow();
      proxy.forward();
      proxy.cut();
      // On a busy machine, a response may take longer than this registry waits.
      await expect.poll(() => registry.all().catch(() => 'no response')).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  test('a lost response is detected, and the next write follows a minute later', async () => {
    const { all, clock, watch } = await registries(1);
    const registry = all[0]!;
    watch.fault = ({ kind }) => (kind === 'write' ? 'lost response' : undefined);
    for (let at = 0; at < 3; at += 1) {
      await registry.recordCall(agent('berlin'), berlin);
      clock.advance(60_000);
    }
    expect((await registry.all())[0]?.lastSeenAtMs).toBe(nowMs + 120_000);
  });
});

test('an agent is working, idle or silent according to the queue', async () => {
  const { all, clock, log } = await registries(1);
  const registry = all[0]!;
  const queue = openQueue(tableClient(await newTable()), { clock, seed: 1, rules: { shards: 4 } });
  for (let at = 0; at < 3; at += 1) {
    await queue.create({ targetPath: 'a', requestedByUserId: 'u' }, log);
  }
  const first = await claimFrom(queue, agent('berlin'), log);
  await queue.report(first!.id, agent('berlin'), { status: 'FULFILLED' }, log);
  const failed = await claimFrom(queue, agent('berlin'), log);
  await queue.report(failed!.id, agent('berlin'), { status: 'FAILED', errorMessage: 'no' }, log);
  const held = await claimFrom(queue, agent('berlin'), log);
  await registry.recordCall(agent('berlin'), berlin);
  await registry.recordCall(agent('bremen'), 'folder-agent/0.0.1');
  const items = async () =>
    agentItems(await registry.all(), await queue.agentStatistics(24), clock.now()).map(
      ({ id, state, folderRequestId, fulfilled24h, failed24h, tooOld }) =>
        [id, state, folderRequestId, fulfilled24h, failed24h, tooOld] as const,
    );
  expect(await items()).toEqual([
    ['berlin', 'working', held!.id, 1, 1, false],
    ['bremen', 'idle', null, 0, 0, true],
  ]);
  expect(await registry.tooOld()).toBe(1);
  clock.advance(120_000);
  await queue.heartbeat(held!.id, 'berlin', held!.claimToken, new RecordedLog());
  clock.advance(60_001);
  expect(await items()).toEqual([
    ['berlin', 'working', held!.id, 1, 1, false],
    ['bremen', 'silent', null, 0, 0, true],
  ]);
  expect(await registry.tooOld()).toBe(0);
  clock.advance(300_000);
  expect(await items()).toEqual([
    ['berlin', 'silent', null, 1, 1, false],
    ['bremen', 'silent', null, 0, 0, true],
  ]);
});
