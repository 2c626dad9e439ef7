import { describe, expect, test } from 'vitest';
import { agentUserAgent } from '../../../lib/contract/agent-identity.ts';
import { agentItems, AgentRegistry } from '../../../lib/folder-requests/agent-registry.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { agent, allRows, openQueue, RecordedLog } from '../../support/folder-queue.ts';
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
      registry!.seen(agent('berlin'), berlin);
      await registry!.settled();
      clock.advance(3_000);
    }
    expect(watch.calls.filter(({ kind }) => kind === 'write')).toHaveLength(10);
    expect(watch.calls).toHaveLength(11);
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
      },
    ]);
  });

  test('is shared by the instances of the service: one of them writes, one logs', async () => {
    const { all, clock, log } = await registries(4);
    const written = new Set<number>();
    for (let at = 0; at < 200; at += 1) {
      const registry = all[(at * 7 + Math.floor(at / 3)) % 4]!;
      registry.seen(agent('berlin'), berlin);
      await registry.settled();
      written.add((await registry.all())[0]!.lastSeenAtMs);
      clock.advance(3_000);
    }
    // An instance that lost the race reads before it tries again, so a minute becomes a few seconds longer.
    expect(written.size).toBeLessThanOrEqual(10);
    expect(written.size).toBeGreaterThanOrEqual(8);
    expect(log.named('agent_seen')).toHaveLength(2);
    // All in parallel.
    clock.advance(60_000);
    for (const registry of all) registry.seen(agent('berlin'), berlin);
    await Promise.all(all.map((registry) => registry.settled()));
    expect((await all[0]!.all())[0]!.lastSeenAtMs).toBe(clock.now());
    expect(log.named('agent_not_recorded')).toEqual([]);
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
      registry.seen(agent('berlin'), header);
      await registry.settled();
      versions.push((await registry.all())[0]!.version);
      clock.advance(60_000);
    }
    expect(versions).toEqual(['0.0.9', '1.2.3', null, null, null]);
  });

  test('accepts any id, and hides an id that is a key', async () => {
    const { all, name } = await registries(1);
    const ids = ['a/b\\c#d?e', 'ä'.repeat(200), "o'hara", 'only-a-secret-of-24-chars'];
    for (const id of ids) all[0]!.seen({ id, logName: id.startsWith('only') ? 'key-12345678' : id }, berlin);
    await all[0]!.settled();
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
      registry.seen(agent('berlin'), berlin);
      await registry.settled();
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
    all[0]!.seen(agent('berlin'), berlin);
    await all[0]!.settled();
    clock.advance(30 * 86_400_000);
    expect(await all[0]!.all()).toHaveLength(1);
    clock.advance(1);
    expect(await all[0]!.all()).toHaveLength(0);
  });
});

describe('a storage that fails', () => {
  test.each([503, 'reset', 'no token', 404] as const)(
    '(%s) is logged once a minute, and the agent is listed nevertheless',
    async (fault) => {
      const { all, clock, log, watch } = await registries(1);
      const registry = all[0]!;
      watch.fault = () => fault;
      for (let at = 0; at < 40; at += 1) {
        registry.seen(agent('berlin'), berlin);
        await registry.settled();
        clock.advance(3_000);
      }
      expect(log.named('agent_not_recorded')).toHaveLength(2);
      expect(log.named('agent_seen')).toHaveLength(1);
      watch.fault = () => undefined;
      clock.advance(60_000);
      registry.seen(agent('berlin'), berlin);
      await registry.settled();
      expect((await registry.all())[0]?.lastSeenAtMs).toBe(clock.now());
      expect(log.named('agent_seen')).toHaveLength(1);
    },
  );

  test('a lost response is detected, and the next write follows a minute later', async () => {
    const { all, clock, watch } = await registries(1);
    const registry = all[0]!;
    watch.fault = ({ kind }) => (kind === 'write' ? 'lost response' : undefined);
    for (let at = 0; at < 3; at += 1) {
      registry.seen(agent('berlin'), berlin);
      await registry.settled();
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
  const first = await queue.claim(agent('berlin'), log);
  await queue.report(first!.id, agent('berlin'), { status: 'FULFILLED' }, log);
  const failed = await queue.claim(agent('berlin'), log);
  await queue.report(failed!.id, agent('berlin'), { status: 'FAILED', errorMessage: 'no' }, log);
  const held = await queue.claim(agent('berlin'), log);
  registry.seen(agent('berlin'), berlin);
  registry.seen(agent('bremen'), 'folder-agent/0.0.1');
  await registry.settled();
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
  await queue.heartbeat(held!.id, 'berlin', held!.claimToken);
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
