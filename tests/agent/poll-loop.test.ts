import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../lib/contract/clock.ts';
import { FileServer, logonRetryMs } from '../../agent/copy/file-server.ts';
import { type Ending, pollLoop, type WorkEnding } from '../../agent/claims/poll-loop.ts';
import type { FileServerSettings } from '../../agent/settings/settings.ts';
import { servedNames } from '../../agent/base/server-names.ts';
import { workOn } from '../../agent/claims/work.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { startService } from '../support/agent-service.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { type FakeFolderServiceOptions, misbehaviors } from '../support/fake-folder-service.ts';
import { logLines } from '../support/log-lines.ts';
import { closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { shareFolder } from '../../agent/base/share-folder.ts';
import { makeTree, treeOf } from '../support/share-trees.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { ntlmAccount } from '../support/ntlm-account.ts';

let server: TestFileServer;
beforeAll(async () => {
  server = await startFileServer();
  makeTree(server.templateFolder, { 'a/b.txt': 'b' });
});
afterAll(() => server.stop());

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

let clock: VirtualClock;
let random: () => number;
beforeEach(() => {
  clock = new VirtualClock({ rushing: true });
  random = () => 0.5;
});

const pollIntervalMs = 3000;
const maxBackoffMs = 30_000;

async function start(
  options: FakeFolderServiceOptions & {
    fileServer?: Partial<FileServerSettings>;
    once?: boolean;
    /** Instead of the work on a request. */
    workEnds?: WorkEnding;
  } = {},
) {
  const { service, client, stop } = await startService({ ...options, clock });
  const { log, lines } = logLines();
  const settings: FileServerSettings = {
    server: server.host,
    port: server.port,
    account: ntlmAccount(server.account.user, server.account.password),
    aliases: [],
    encryption: 'preferred',
    minimumDialect: '3.0',
    ownFolders: [],
    ...options.fileServer,
  };
  const fileServer = new FileServer(settings, clock, log);
  const stopping = new AbortController();
  const releasing = new AbortController();
  const signals = { stop: stopping.signal, release: releasing.signal };
  const template = shareFolder.parse(`//${server.host}/template`);
  const root = shareFolder.parse(`//${server.host}/projects`);
  const rules = { server: server.host, aliases: [], allowedRoots: undefined, template, root };
  // The loop's clock skips every wait. The clock of the work on a request does not advance: leases would expire immediately.
  const stillClock = new VirtualClock();
  const workClock: Clock = { now: () => clock.now(), wait: (ms, signal) => stillClock.wait(ms, signal) };
  const parts = { service: client, fileServer, pollIntervalMs, maxBackoffMs, random: () => random(), log };
  const work = { ...parts, rules, clock: workClock };
  const routing = { servers: servedNames(rules), relative: true };
  const loop = () =>
    pollLoop(
      {
        ...parts,
        routing,
        process: 'process-1',
        clock,
        work: async (claim) => options.workEnds ?? workOn(claim, work, signals),
      },
      signals,
      options.once ?? false,
    );
  cleanups.push(stop, () => fileServer.close());
  let ended: Promise<Ending> | undefined;
  const run = () => (ended ??= loop());
  cleanups.push(async () => {
    stopping.abort();
    await ended;
  });
  return { service, client, loop, run, stopping, releasing, lines, stillClock };
}

test('after a request, the next one is claimed immediately; after an empty claim, the wait is the interval ± 20 %', async () => {
  const { service, run, stopping } = await start();
  const ids = [service.add('one'), service.add('two'), service.add('three')];
  const draws = [0.1, 0.9, 0.5];
  random = () => draws.shift() ?? (stopping.abort(), 0);
  expect(await run()).toBe('stopped');
  for (const id of ids) expect(service.get(id).status).toBe('FULFILLED');
  expect(clock.waits).toEqual([2520, 3480, 3000, 2400]);
  expect(treeOf(server.projectFolder)).toMatchObject({ 'one/a/b.txt': 'b', 'three/a/b.txt': 'b' });
});

test('a stop while the file server is being reached ends the loop without a claim and without an error', async () => {
  const { service, run, stopping, lines } = await start();
  service.add('one');
  const ended = run();
  stopping.abort();
  expect(await ended).toBe('stopped');
  expect(service.count('claim')).toBe(0);
  expect(lines.join('')).not.toContain('cannot be reached');
});

test('a second signal during a report ends it, and the request is released by one try', async () => {
  const { service, run, stopping, releasing, lines } = await start();
  service.add('one');
  service.misbehave('report', () => {
    stopping.abort();
    releasing.abort();
  });
  service.misbehave('release', misbehaviors.htmlPage(502));
  expect(await run()).toBe('stopped');
  expect(service.count('release')).toBe(1);
  expect(lines.at(-1)).toContain('the release failed');
  expect(lines.join('')).not.toContain('retrying');
});

test('a second signal during a claim ends the loop without an error', async () => {
  const { service, run, stopping, releasing, lines } = await start();
  service.misbehave('claim', () => {
    stopping.abort();
    releasing.abort();
  });
  expect(await run()).toBe('stopped');
  expect(lines.join('')).not.toContain('"level":"error"');
});

// Repeated and logged as a failure of the service, it would never be found.
test.each(['claim', 'heartbeat'] as const)(
  'a fault of this program in a %s ends the agent, which writes what it is',
  async (call) => {
    const { service, client, loop } = await start({ once: true });
    service.add('one');
    client[call] = async () => {
      throw new TypeError('a fault');
    };
    await expect(loop()).rejects.toThrow(new TypeError('a fault'));
  },
);

test('an empty claim that is valid for less than the interval is repeated when it ends', async () => {
  const { service, run, stopping } = await start();
  const seconds = [2, 30, 0, 1];
  random = () => {
    service.idleSeconds = seconds.shift();
    if (service.idleSeconds === undefined) stopping.abort();
    return 0.5;
  };
  await run();
  // The first and the last response name no time, and 0 is none.
  expect(clock.waits).toEqual([3000, 2000, 3000, 3000, 1000]);
});

test('the first claim, and the first after a failure, must reach the service; so must every claim of --once', async () => {
  const { service, run, stopping } = await start();
  service.misbehave(
    'claim',
    () => 'respond',
    () => 'respond',
    misbehaviors.htmlPage(502),
  );
  random = () => (service.count('claim') >= 5 && stopping.abort(), 0);
  await run();
  expect(service.freshness).toEqual([true, false, false, true, false]);

  const once = await start({ once: true });
  once.service.add('one');
  expect(await once.run()).toBe('nothing-left');
  expect(once.service.freshness).toEqual([true, true]);
  // Nothing waits for the next heartbeat of a request that was reported.
  expect(once.stillClock.pending).toBe(0);
});

describe('several sites on one queue', () => {
  test('a claim names what the agent serves, so a target on another server remains for the agent of that server', async () => {
    const { service, run } = await start({ once: true });
    const elsewhere = service.add('\\\\fs9.firma.example\\projects\\x');
    const here = service.add(`\\\\${server.host}\\projects\\routed`);
    expect(await run()).toBe('nothing-left');
    expect(service.routings[0]).toEqual({ servers: [server.host], relative: true });
    expect(service.get(here).status).toBe('FULFILLED');
    expect(service.get(elsewhere)).toMatchObject({ status: 'PENDING', attempts: 0 });
  });

  test('a request for another agent from a service without routing is released, at growing intervals', async () => {
    const { service, run, stopping } = await start();
    random = () => 1 - Number.EPSILON;
    service.isRoutingUnknown = true;
    const elsewhere = service.add('\\\\fs9.firma.example\\projects\\x');
    void run();
    await service.until(() => service.releases.length === 4);
    stopping.abort();
    await run();
    expect(service.get(elsewhere)).toMatchObject({ status: 'PENDING', agentId: null, errorMessage: null });
    expect(service.releases[0]).toEqual({
      id: elsewhere,
      reason: expect.stringContaining('serves only 127.0.0.1'),
    });
    expect(clock.waits.slice(0, 3)).toEqual([3000, 6000, 12_000]);
  });
});

describe('an outage of the service', () => {
  test('causes exponential back-off, and the first success ends it', async () => {
    const { service, run, stopping, lines } = await start();
    random = () => 1 - Number.EPSILON;
    service.misbehave('claim', ...[502, 500, 200, 503, 504, 502].map(misbehaviors.htmlPage));
    void run();
    await service.until(() => service.count('claim') === 8);
    stopping.abort();
    await run();
    expect(clock.waits.slice(0, 7)).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000, 3600]);
    expect(lines.filter((line) => line.includes('recovered'))).toHaveLength(1);
  });

  test('obeys Retry-After', async () => {
    const { service, run } = await start();
    service.misbehave('claim', misbehaviors.retryAfter(429, 120), misbehaviors.retryAfter(503, 7));
    void run();
    await service.until(() => service.count('claim') === 3);
    expect(clock.waits.slice(0, 2)).toEqual([120_000 + 1500, 7000 + 3000]);
  });

  test('of an hour costs few calls, ends within the longest back-off, and loses nothing', async () => {
    const { service, run } = await start();
    let draw = 0;
    random = () => (draw = (draw + 0.37) % 1);
    service.goDown();
    const startedMs = clock.now();
    void run();
    while (clock.now() - startedMs < 3_600_000) await new Promise((resolve) => setImmediate(resolve));
    const attempts = clock.waits.length;
    expect(attempts).toBeGreaterThan(120);
    expect(attempts).toBeLessThan(400);
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(maxBackoffMs);
    const id = service.add('after the outage');
    service.goUp();
    expect((await service.finished(id)).status).toBe('FULFILLED');
  });

  test('caused by a rejected key keeps the agent running, with fatal log lines, until the key is accepted', async () => {
    const { service, run, lines } = await start();
    const rejection = misbehaviors.json(401, { code: 'invalid_agent_key', detail: 'unknown agent key' });
    service.misbehave('claim', ...Array.from({ length: 50 }, () => rejection));
    const id = service.add('late key');
    void run();
    expect((await service.finished(id)).status).toBe('FULFILLED');
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(maxBackoffMs);
    const fatal = lines.filter((line) => line.includes('"level":"fatal"'));
    expect(fatal).toHaveLength(50);
    expect(fatal[0]).toContain('FOLDER_AGENT_API_KEYS');
  });

  test('ends --once after five attempts, and immediately when the key is rejected', async () => {
    const failing = await start({ once: true });
    failing.service.misbehave('claim', ...Array.from({ length: 5 }, () => misbehaviors.reset()));
    expect(await failing.run()).toBe('gave-up');
    expect(failing.service.count('claim')).toBe(5);
    const rejected = await start({ once: true });
    rejected.service.misbehave('claim', misbehaviors.json(403, { code: 'forbidden' }));
    expect(await rejected.run()).toBe('gave-up');
    expect(rejected.service.count('claim')).toBe(1);
  });
});

test('--once ends after a request that the agent released or left, because the reason concerns this agent', async () => {
  const { service, run } = await start({ once: true, workEnds: 'left' });
  for (const name of ['a', 'b']) service.add(name);
  expect(await run()).toBe('gave-up');
  expect(service.count('claim')).toBe(1);
});

test('without --once, the agent claims the next request after one that it released or left', async () => {
  const { service, run, stopping } = await start({ workEnds: 'left' });
  for (const name of ['a', 'b']) service.add(name);
  random = () => (stopping.abort(), 0);
  expect(await run()).toBe('stopped');
  expect(service.count('claim')).toBe(3);
});

test('a claim whose response is lost returns the same request, and each request has its own number', async () => {
  const { service, run } = await start({ once: true });
  const ids = [service.add('one'), service.add('two')];
  service.misbehave('claim', misbehaviors.lostResponse());
  expect(await run()).toBe('nothing-left');
  for (const id of ids) expect(service.get(id)).toMatchObject({ status: 'FULFILLED', attempts: 1 });
  expect(service.turns).toEqual([1, 1, 2, 3].map((poll) => ({ process: 'process-1', poll })));
});

describe('claims that are lost', () => {
  // A lease this short is extended before the work starts.
  const leaseMs = 15_000;
  const gateway = (times: number) => Array.from({ length: times }, () => misbehaviors.htmlPage(504));

  test('cause exponential back-off until a request is reported', async () => {
    const { service, run, stopping } = await start({ leaseMs });
    const ids = Array.from({ length: 9 }, (_, at) => service.add(`lost ${at}`));
    service.misbehave('heartbeat', ...gateway(6));
    void run();
    for (const id of ids.slice(6)) expect((await service.finished(id)).status).toBe('FULFILLED');
    stopping.abort();
    await run();
    for (const id of ids.slice(0, 6))
      expect(service.get(id)).toMatchObject({ status: 'PROCESSING', attempts: 1 });
    expect(clock.waits.slice(0, 6)).toEqual([1500, 3000, 6000, 12_000, 15_000, 15_000]);
    // The three reported requests caused no wait; only empty claims did.
    expect(clock.waits.slice(6).filter((ms) => ms !== pollIntervalMs)).toEqual([]);
  });

  test('cause back-off also when only the report reveals them, and end --once after five', async () => {
    const { service, run } = await start({ once: true });
    const ids = Array.from({ length: 6 }, (_, at) => service.add(`rejected ${at}`));
    const rejection = misbehaviors.json(409, { code: 'claim_lost', detail: 'another agent has it' });
    service.misbehave('report', ...Array.from({ length: 5 }, () => rejection));
    expect(await run()).toBe('gave-up');
    expect(clock.waits).toEqual([1500, 3000, 6000, 12_000]);
    expect(service.get(ids[5]!).status).toBe('PENDING');
  });
});

describe('an outage of the file server', () => {
  test('a rejected logon is not repeated for 15 minutes, and nothing is claimed until then', async () => {
    const proxy = await DelayProxy.start(server.port);
    cleanups.push(() => proxy.stop());
    const wrong = { port: proxy.port, account: ntlmAccount(server.account.user, 'wrong') };
    const { service, run, stopping, lines } = await start({ fileServer: wrong });
    service.add('waiting');
    let slept = 0;
    const wait = clock.wait.bind(clock);
    clock.wait = async (ms, signal) => {
      await wait(ms, signal);
      slept += ms;
      if (slept > 3 * logonRetryMs) stopping.abort();
    };
    expect(await run()).toBe('stopped');
    expect(service.count('claim')).toBe(0);
    expect(new Set(clock.waits)).toEqual(new Set([logonRetryMs]));
    // One logon per attempt: at the start and every 15 minutes.
    expect(proxy.counters.connections).toBe(clock.waits.length);
    const fatal = lines.filter((line) => line.includes('"level":"fatal"'));
    expect(fatal).toHaveLength(clock.waits.length);
    expect(fatal[0]).toContain('the agent claims nothing');
    expect(fatal[0]).toContain('LOGON_FAILURE');
  });

  test('an unreachable server stops the claims, with back-off, until it responds', async () => {
    const { port, release } = await closedPort();
    cleanups.push(release);
    const { service, run, stopping } = await start({ fileServer: { port } });
    service.add('waiting');
    const wait = clock.wait.bind(clock);
    clock.wait = async (ms, signal) => {
      await wait(ms, signal);
      if (clock.waits.length === 10) stopping.abort();
    };
    expect(await run()).toBe('stopped');
    expect(service.count('claim')).toBe(0);
    expect(clock.waits.slice(0, 5)).toEqual([1500, 3000, 6000, 12_000, 15_000]);
  });
});
