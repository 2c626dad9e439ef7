import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type TestContext, afterAll, beforeAll, expect, test } from 'vitest';
import { SmbClient, SmbError, type SmbOptions, isTemporaryName } from '../index.ts';
import type { TestFileServer } from './support/file-server.ts';
import { startFileServer } from './support/start-file-server.ts';
import { DelayProxy } from './support/delay-proxy.ts';
import { bytesOf, fileHas, ownName, rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';

let shared: TestFileServer;
beforeAll(async () => {
  shared = await startFileServer();
});
afterAll(() => shared?.stop());

/**
 * The tests wait concurrently, each with its own connection and directory; one that kills or suspends processes of the
 * server, with its own server.
 */
async function setUp(
  { onTestFinished }: TestContext,
  { server, ...options }: Partial<SmbOptions> & { server: 'own' | 'shared' },
) {
  const fileServer = server === 'shared' ? shared : await startFileServer();
  if (server === 'own') onTestFinished(() => fileServer.stop());
  const name = ownName();
  const folder = join(fileServer.projectFolder, name);
  await mkdir(folder);
  const proxy = await DelayProxy.start(fileServer.port);
  onTestFinished(() => proxy.stop());
  const client = new SmbClient({ ...clientOptions(fileServer, proxy.port), ...options });
  onTestFinished(() => client.close());
  const projects = client.share(fileServer.projectShare).folder(name);
  const template = client.share(fileServer.templateShare);
  return { fileServer, folder, proxy, client, projects, template };
}

/** Timeouts short enough for a test. Calls that must succeed despite them use `onNewConnection`. */
const impatient = { silenceMs: 1_000, requestMs: 3_000, connectMs: 3_000, logonMs: 3_000, closeMs: 500 };

const lost = ['CONNECTION_LOST', 'CONNECT_FAILED', 'TIMEOUT'];

async function expectLost(call: Promise<unknown>): Promise<SmbError> {
  const error = await rejection(call);
  expect(lost, error.message).toContain(error.code);
  expect(error.retryable).toBe(true);
  return error;
}

/**
 * A call made before the client detects the end of the connection is lost with it. The next call uses a new connection.
 */
async function onceMore<T>(call: () => Promise<T>): Promise<T> {
  return call().catch(async (error: unknown) => {
    if (!(error instanceof SmbError && error.code === 'CONNECTION_LOST')) throw error;
    return call();
  });
}

/**
 * A call that finds no connection and must succeed on a new one, regardless of the client's timeouts. On a busy
 * machine, the new connection may also time out or be rejected temporarily; the next attempt then counts.
 */
async function onNewConnection<T>(client: SmbClient, call: () => Promise<T>): Promise<T> {
  const before = client.traffic.connections;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await call();
      const made = client.traffic.connections - before;
      expect(made).toBeGreaterThan(0);
      expect(made).toBeLessThanOrEqual(attempt);
      return response;
    } catch (error) {
      if (!(error instanceof SmbError && error.retryable) || attempt === 10) throw error;
    }
  }
}

test.concurrent('smbd is killed in the middle of a large file: no partial file remains, and the next call after the restart succeeds', async (context) => {
  const { fileServer, folder, client, projects } = await setUp(context, { server: 'own' });
  let crashed: Promise<void> | undefined;
  async function* contents(): AsyncGenerator<Buffer> {
    for (let piece = 0; piece < 40; piece += 1) {
      if (piece === 20) {
        crashed = fileServer.crash();
        await crashed;
      }
      yield bytesOf(500_000);
    }
  }
  await expectLost(projects.publish('large.bin', contents()));
  expect(crashed).toBeDefined();
  const left = await readdir(folder);
  expect(left.filter((name) => !isTemporaryName(name))).toEqual([]);
  await fileServer.restart();
  expect(await projects.publish('large.bin', bytesOf(3_000_000))).toBe('created');
  expect(await fileHas(join(folder, 'large.bin'), bytesOf(3_000_000))).toBe(true);
  expect(client.traffic.connections).toBe(2);
});

test.concurrent('smbd is killed in the middle of copying many files: every file is complete or absent, and the rest is copied later', async (context) => {
  const { fileServer, folder, projects, template } = await setUp(context, { server: 'own' });
  const names = Array.from({ length: 400 }, (_, index) => `file-${index}`);
  await Promise.all(names.map((name) => writeFile(join(fileServer.templateFolder, name), bytesOf(4_096))));
  let crashed: Promise<void> | undefined;
  let left = 20;
  const onComplete = () => {
    left -= 1;
    // The signal is sent before the client continues. Measured: 0 to 9 more files became complete.
    if (left === 0) crashed = fileServer.crash();
  };
  const copied = (name: string) =>
    projects
      .copyFile({ share: template, path: name, size: 4_096 }, name, { replace: false })
      .then(onComplete);
  // Fifty copies are in flight and none begins after the crash. Even a server ahead of its responses cannot have
  // created every file.
  const outcomes: PromiseSettledResult<void>[] = [];
  const waiting = names.values();
  const copyOn = async (_: unknown, worker: number) => {
    // Otherwise their requests share frames at every step, and all complete at the same moment.
    for (let behind = worker % 10; behind > 0; behind -= 1) await Promise.allSettled([projects.stat()]);
    for (const name of waiting) {
      if (crashed) return;
      outcomes.push(...(await Promise.allSettled([copied(name)])));
    }
  };
  await Promise.all(Array.from({ length: 50 }).map(copyOn));
  expect(crashed).toBeDefined();
  await crashed;
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) await expectLost(Promise.reject(failure.reason));
  const completeFiles = async () => {
    const present = (await readdir(folder)).filter((name) => !isTemporaryName(name));
    for (const name of present) {
      expect(await fileHas(join(folder, name), bytesOf(4_096)), name).toBe(true);
    }
    return present.length;
  };
  expect(await completeFiles()).toBeLessThan(400);
  await fileServer.restart();
  await Promise.all(names.map(copied));
  expect(await completeFiles()).toBe(400);
});

test.concurrent('the process of the connection is killed while requests are in flight', async (context) => {
  const { fileServer, client, projects } = await setUp(context, { server: 'own' });
  await projects.connect();
  const calls = Array.from({ length: 50 }, (_, index) => projects.publish(`f${index}`, bytesOf(100_000)));
  const settled = Promise.allSettled(calls);
  expect(await fileServer.signalConnections('SIGKILL')).toBe(1);
  for (const outcome of await settled) {
    if (outcome.status === 'rejected') await expectLost(Promise.reject(outcome.reason));
  }
  expect((await onceMore(() => projects.stat(''))).isDirectory()).toBe(true);
  expect(client.traffic.connections).toBe(2);
});

test.concurrent('after a restart between two calls, a call succeeds on a new connection', async (context) => {
  const { fileServer, client, projects } = await setUp(context, { server: 'own' });
  await projects.publish('before', bytesOf(10));
  await fileServer.restart();
  expect(await onceMore(() => projects.publish('after', bytesOf(10)))).toBe('created');
  expect(client.traffic.connections).toBe(2);
});

test.concurrent('a server that stops responding: TIMEOUT, and the next call opens a new connection', async (context) => {
  const { fileServer, client, projects } = await setUp(context, { server: 'own', timeouts: impatient });
  await onNewConnection(client, () => projects.connect());
  expect(await fileServer.signalConnections('SIGSTOP')).toBe(1);
  const calls = [projects.stat(''), projects.list(''), projects.publish('x', bytesOf(2_000_000))];
  const errors = await Promise.all(calls.map((call) => rejection(call)));
  for (const error of errors) expect(['TIMEOUT', 'CONNECTION_LOST']).toContain(error.code);
  expect(errors.map((error) => error.code)).toContain('TIMEOUT');
  expect((await onNewConnection(client, () => projects.stat(''))).isDirectory()).toBe(true);
});

test.concurrent('a connection that goes silent without closing: TIMEOUT', async (context) => {
  const { proxy, client, projects } = await setUp(context, { server: 'shared', timeouts: impatient });
  await onNewConnection(client, () => projects.connect());
  proxy.goSilent();
  await rejection(projects.stat(''), 'TIMEOUT');
  proxy.forward();
  expect((await onNewConnection(client, () => projects.stat(''))).isDirectory()).toBe(true);
});

test.concurrent('a server that missed the end of a connection closes its files when the client logs on again', async (context) => {
  const { fileServer, folder, proxy, client, projects } = await setUp(context, {
    server: 'shared',
    timeouts: impatient,
  });
  // The file is open without sharing, like every file while it is being written.
  const held = await projects.open('held.bin', 'wx');
  await held.write(bytesOf(100), { position: 0 });
  proxy.goSilent();
  await rejection(projects.stat(''), 'TIMEOUT');
  while (proxy.openConnections === 1) await delay(20);
  proxy.forward();
  // The server still has the first connection, so another client finds the file open.
  const other = new SmbClient(clientOptions(fileServer));
  context.onTestFinished(() => other.close());
  await rejection(other.share(fileServer.projectShare).rm(`${basename(folder)}\\held.bin`), 'EBUSY');
  await onNewConnection(client, () => projects.stat(''));
  await projects.rm('held.bin');
  expect(await readdir(folder)).toEqual([]);
});

test.concurrent('silence before the logon: TIMEOUT', async (context) => {
  const { proxy, projects } = await setUp(context, { server: 'shared', timeouts: impatient });
  proxy.goSilent();
  const error = await rejection(projects.stat(''), 'TIMEOUT');
  expect(error.retryable).toBe(true);
});

test.concurrent('the keep-alive detects a dead idle connection, so the next call does not use it', async (context) => {
  const states: string[] = [];
  const { proxy, client, projects } = await setUp(context, {
    server: 'shared',
    timeouts: { ...impatient, keepAliveMs: 200 },
    trace: (event) => {
      if (event.direction === 'state') states.push(event.what);
    },
  });
  await onNewConnection(client, () => projects.connect());
  const quiet = states.length;
  proxy.goSilent();
  while (states.length === quiet) await delay(50);
  proxy.forward();
  expect((await onNewConnection(client, () => projects.stat(''))).isDirectory()).toBe(true);
});

test.concurrent('an idle connection is kept alive by ECHO and closed after its idle time', async (context) => {
  const { proxy, client, projects } = await setUp(context, {
    server: 'shared',
    timeouts: { keepAliveMs: 100, idleCloseMs: 3_000 },
  });
  await projects.connect();
  const frames = proxy.counters.requestFrames;
  while (proxy.counters.requestFrames < frames + 3) await delay(20);
  expect(client.traffic.connections).toBe(1);
  while (proxy.openConnections > 0) await delay(20);
  expect((await projects.stat('')).isDirectory()).toBe(true);
  expect(client.traffic.connections).toBe(2);
});

test.concurrent('a connection is cut in the middle of a frame', async (context) => {
  const { proxy, folder, projects } = await setUp(context, { server: 'shared' });
  await projects.connect();
  for (const afterBytes of [1, 100, 70_000, 1_500_001]) {
    proxy.cutAfter(afterBytes);
    await expectLost(projects.publish(`cut-${afterBytes}`, bytesOf(6_000_000)));
    const names = await readdir(folder);
    expect(names.filter((name) => !isTemporaryName(name))).toEqual([]);
  }
  expect(await projects.publish('whole', bytesOf(6_000_000))).toBe('created');
});

test.concurrent('files opened before a reconnect report CONNECTION_LOST', async (context) => {
  const { fileServer, folder, client, projects } = await setUp(context, { server: 'own' });
  await writeFile(join(folder, 'file'), bytesOf(1_000));
  const file = await projects.open('file');
  await fileServer.signalConnections('SIGKILL');
  await expectLost(file.read(Buffer.alloc(10), 0, 10, 0));
  expect((await onNewConnection(client, () => projects.stat('file'))).size).toBe(1_000);
  await rejection(file.read(Buffer.alloc(10), 0, 10, 0), 'CONNECTION_LOST');
  await file.close().catch(() => undefined);
});

test.concurrent('close ends the calls in flight and rejects later calls', async (context) => {
  const { client, projects } = await setUp(context, { server: 'shared' });
  await projects.connect();
  const settled = Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => projects.publish(`f${index}`, bytesOf(2_000_000))),
  );
  await client.close();
  for (const outcome of await settled) {
    if (outcome.status === 'rejected') {
      const error = await rejection(Promise.reject(outcome.reason));
      expect(['CLOSED', 'ABORTED', ...lost]).toContain(error.code);
    }
  }
  await rejection(projects.stat(''), 'CLOSED');
  await client.close();
});

test.concurrent("the client's signal ends every call with ABORTED", async (context) => {
  const controller = new AbortController();
  const { projects, folder } = await setUp(context, { server: 'shared', signal: controller.signal });
  await mkdir(join(folder, 'd'));
  await projects.connect();
  const calls = Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => projects.publish(`d\\${index}`, bytesOf(2_000_000))),
  );
  controller.abort();
  for (const outcome of await calls) {
    if (outcome.status === 'rejected') await rejection(Promise.reject(outcome.reason), 'ABORTED');
  }
  await rejection(projects.stat(''), 'ABORTED');
});
