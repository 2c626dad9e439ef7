import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountSettings } from '../../agent/settings/account-settings.ts';
import { FileServer } from '../../agent/copy/file-server.ts';
import type { FileServerSettings } from '../../agent/settings/settings.ts';
import { type Outcome, fulfil, stuckLimitMs } from '../../agent/copy/fulfil.ts';
import { parseTargetPath } from '../../lib/contract/target-path.ts';
import { shareFolder } from '../../agent/base/share-folder.ts';
import { logLines } from '../support/log-lines.ts';
import { type ClosedPort, closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { inTheMiddle, makeTree, treeOf } from '../support/share-trees.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { isTemporaryName, type Timeouts } from '../../agent/smb/index.ts';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { command } from '../../agent/smb/tests/support/scripted-server/responses.ts';
import { scriptedAccount } from '../../agent/smb/tests/support/scripted-server/security.ts';
import { ScriptedServer } from '../../agent/smb/tests/support/scripted-server/server.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { ntlmAccount } from '../support/ntlm-account.ts';

let server: TestFileServer;
let proxy: DelayProxy;
let clock: VirtualClock;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startFileServer({ moreShares: { readonly: 'readOnly' } });
  makeTree(server.templateFolder, { 'a/b.txt': 'b' });
});
afterAll(() => server.stop());
beforeEach(async () => {
  proxy = await DelayProxy.start(server.port);
  clock = new VirtualClock({ rushing: true });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function start({
  password = server.account.password,
  account = ntlmAccount(server.account.user, password),
  port = proxy.port,
  timeouts,
  template = 'template',
  root = 'projects',
  allowedRoot,
  ownsFolders = false,
}: {
  password?: string;
  account?: AccountSettings;
  port?: number;
  timeouts?: Partial<Timeouts>;
  template?: string;
  root?: string;
  allowedRoot?: string | undefined;
  /** Whether the shares of template and root are connected before a claim. */
  ownsFolders?: boolean;
} = {}) {
  const { log, lines } = logLines();
  const own = ownsFolders ? [template, root] : [];
  const ownFolders = own.map((path) => shareFolder.parse(`//${server.host}/${path}`));
  const settings: FileServerSettings = {
    server: server.host,
    port,
    account,
    aliases: [],
    encryption: 'preferred',
    minimumDialect: '3.0',
    ownFolders,
  };
  const fileServer = new FileServer(settings, clock, log, timeouts);
  cleanups.push(() => fileServer.close());
  const stop = new AbortController();
  const end = new AbortController();
  const run = (targetPath: string): Promise<Outcome> => {
    const rules = {
      server: server.host,
      aliases: [],
      allowedRoots:
        allowedRoot === undefined ? undefined : [shareFolder.parse(`//${server.host}/${allowedRoot}`)],
      template: shareFolder.parse(`//${server.host}/${template}`),
      root: shareFolder.parse(`//${server.host}/${root}`),
    };
    const parts = { fileServer, rules, maxBackoffMs: 30_000, clock, random: () => 0.5 };
    return fulfil(parseTargetPath(targetPath), parts, { end: end.signal, stop: stop.signal }, log);
  };
  return { run, stop, end, lines, fileServer };
}

describe('a file server that cannot be reached', () => {
  let closed: ClosedPort;
  beforeAll(async () => {
    closed = await closedPort();
  });
  afterAll(() => closed.release());
  afterEach(() => proxy.stop());

  test('is retried for five minutes, then the request is released; nothing is lost, and no requeue is necessary', async () => {
    const { run } = start({ port: closed.port });
    const startedMs = clock.now();
    expect(await run('x')).toMatchObject({
      kind: 'release',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(clock.now() - startedMs).toBeGreaterThanOrEqual(stuckLimitMs);
    expect(clock.now() - startedMs).toBeLessThan(stuckLimitMs + 30_000);
  });

  test('does not fail a request when it goes silent in the middle and drops packets', async () => {
    const { run, fileServer, lines } = start({ timeouts: { requestMs: 50, logonMs: 50 } });
    const connected = (what: string) =>
      until(
        what,
        () => fileServer.readiness(new AbortController().signal),
        ({ ready }) => ready,
      );
    // On a busy machine, one logon may take longer than these timeouts.
    await connected('the first connection');
    proxy.goSilent();
    const startedMs = clock.now();
    expect(await run('silent')).toMatchObject({
      kind: 'release',
      reason: expect.stringMatching(
        /^the file server cannot be reached \(.*NEGOTIATE got no response in time\)$/,
      ),
    });
    expect(clock.now() - startedMs).toBeGreaterThanOrEqual(stuckLimitMs);
    // The first failure is on the request's own connection; all others are attempts to log on.
    expect(lines.filter((line) => line.includes('retrying')).length).toBeGreaterThan(10);
    // The agent claims nothing until the server is back.
    expect(await fileServer.readiness(new AbortController().signal)).toMatchObject({ ready: false });
    proxy.forward();
    await connected('the connection after the silence');
  });

  test('does not delay an agent that should stop', async () => {
    const { run, stop } = start({ port: closed.port });
    stop.abort();
    expect(await run('x')).toMatchObject({ kind: 'release' });
    expect(clock.waits).toEqual([]);
  });

  test('does not delay the stop when it is silent, either', async () => {
    const { fileServer, stop } = start();
    proxy.goSilent();
    const readiness = fileServer.readiness(stop.signal);
    await until(
      'a connection',
      () => proxy.counters.connections,
      (connections) => connections > 0,
    );
    stop.abort();
    expect(await readiness).toMatchObject({ ready: false, error: { code: 'ABORTED' } });
  });

  test('does not delay the end when it is silent', async () => {
    const forever = 600_000;
    const timeouts = { closeMs: forever, requestMs: forever, silenceMs: forever, keepAliveMs: forever };
    const { fileServer, stop } = start({ timeouts });
    expect(await fileServer.readiness(stop.signal)).toEqual({ ready: true });
    proxy.goSilent();
    await fileServer.close();
  });

  test('is used again when it returns', async () => {
    await server.crash();
    const { run } = start({ port: server.port });
    const wait = clock.wait.bind(clock);
    clock.wait = async (ms, signal) => {
      if (clock.waits.length === 3) await server.restart();
      await wait(ms, signal);
    };
    expect(await run('back')).toEqual({ kind: 'fulfilled' });
    expect(treeOf(server.projectFolder)).toMatchObject({ 'back/a/b.txt': 'b' });
    expect(clock.waits.length).toBeGreaterThanOrEqual(4);
  });
});

describe('a file server that responds', () => {
  afterEach(() => proxy.stop());

  test('but loses every connection in the middle makes the agent leave the request to its lease, with the reason', async () => {
    const { run, fileServer } = start({ ownsFolders: true });
    await fileServer.connect();
    const wait = clock.wait.bind(clock);
    proxy.cutAfter(300);
    clock.wait = async (ms, signal) => {
      await wait(ms, signal);
      await fileServer.connect();
      proxy.cutAfter(300);
    };
    const startedMs = clock.now();
    expect(await run('cut')).toMatchObject({
      kind: 'leave',
      reason: expect.stringMatching(
        /accepts the logon, but the copy makes no progress \(.*connection was lost/,
      ),
    });
    expect(clock.now() - startedMs).toBeGreaterThanOrEqual(stuckLimitMs);
  });

  test('but only sends what nobody can read is reported after five minutes', async () => {
    const broken = await ScriptedServer.start({
      respond: (response, request) => {
        if (request.readUInt16LE(12) === command.create) response.writeUInt16LE(0, 64);
        return [response];
      },
    });
    cleanups.push(() => broken.stop());
    const { user, password, domain } = scriptedAccount;
    const account = { ...ntlmAccount(user, password), domain };
    const startedMs = clock.now();
    const { run, end } = start({ account, port: broken.port });
    const wait = clock.wait.bind(clock);
    clock.wait = async (ms, signal) => {
      if (clock.now() - startedMs > 2 * stuckLimitMs) end.abort(new Error('it was not reported'));
      await wait(ms, signal);
    };
    expect(await run('neu')).toMatchObject({ kind: 'failed', errorCode: 'server_error' });
    expect(clock.now() - startedMs).toBeGreaterThanOrEqual(stuckLimitMs);
  });

  test('is used again after one lost connection, even after more than five minutes on one file', async () => {
    const { run } = start();
    proxy.setOneWayMs(50);
    const outcome = run('long');
    await until(
      'the destination',
      () => readdir(server.projectFolder),
      (names) => names.includes('long'),
    );
    clock.advance(stuckLimitMs);
    proxy.cut();
    expect(await outcome).toEqual({ kind: 'fulfilled' });
    expect(clock.waits).toEqual([500]);
    expect(treeOf(server.projectFolder)).toMatchObject({ 'long/a/b.txt': 'b' });
  });

  test('is used again after every lost connection before which the copy made progress, for any time', async () => {
    const levels = Array.from({ length: 20 }, (_, level) => `level ${level}`).join('/');
    makeTree(server.projectFolder, { [`chain/${levels}/b.txt`]: 'b' });
    const { run } = start({ template: 'projects/chain' });
    proxy.setOneWayMs(10);
    const outcome = run('twice');
    for (const entries of [3, 10]) {
      await inTheMiddle(proxy, join(server.projectFolder, 'twice'), entries);
      clock.advance(stuckLimitMs);
      proxy.cut();
      proxy.release();
    }
    expect(await outcome).toEqual({ kind: 'fulfilled' });
    expect(clock.waits).toEqual([500, 500]);
  });

  test('keeps no temporary file, even if it does not detect a broken connection', async () => {
    const files = Array.from({ length: 60 }, (_, index) => [
      `source/file ${index}`,
      Buffer.alloc(200_000, index),
    ]);
    makeTree(server.projectFolder, Object.fromEntries(files));
    const { run, lines } = start({ template: 'projects/source' });
    const namesIn = async (name: string) => readdir(join(server.projectFolder, name)).catch(() => []);
    const wait = clock.wait.bind(clock);
    let left = -1;
    clock.wait = async (ms, signal) => {
      left = (await namesIn('silent')).filter(isTemporaryName).length;
      proxy.forward();
      await wait(ms, signal);
    };
    proxy.setOneWayMs(20);
    const outcome = run('silent');
    await until(
      'temporary files',
      () => namesIn('silent'),
      (names) => names.some(isTemporaryName),
    );
    // The test cuts the connection rather than rely on the client's timeout: on a busy machine, any timeout short enough
    // for a test also ends requests to a live server.
    proxy.cutClients();
    expect(await outcome).toEqual({ kind: 'fulfilled' });
    expect(clock.waits).toHaveLength(1);
    expect(left).toBeGreaterThan(0);
    expect(treeOf(join(server.projectFolder, 'silent'))).toEqual(
      treeOf(join(server.projectFolder, 'source')),
    );
    expect(lines.filter((line) => line.includes('leftoversKept'))).toEqual([]);
  });

  test('gets no second logon attempt after it rejects the first', async () => {
    const { run } = start({ password: 'wrong' });
    expect(await run('x')).toMatchObject({
      kind: 'release',
      reason: expect.stringContaining('the file server rejects the logon'),
    });
    expect(clock.waits).toEqual([]);
    expect(proxy.counters.connections).toBe(1);
  });

  test('is not used after the claim is lost; the work ends immediately with that reason', async () => {
    const { run, end } = start();
    end.abort(new Error('the claim is lost'));
    await expect(run('ended')).rejects.toThrow('the claim is lost');
    expect(Object.keys(treeOf(server.projectFolder))).not.toContain('ended/');
  });
});

describe('a request that cannot be fulfilled fails with a reason', () => {
  afterEach(() => proxy.stop());

  test.each<[string, { template?: string; root?: string }, string, string, readonly string[]]>([
    [
      'a file at the destination',
      {},
      'taken',
      'name_clash',
      [
        'Destination \\\\127.0.0.1\\projects\\taken: is not a directory. For operators: A file exists where a directory is needed. Rename it, or choose another target path.',
      ],
    ],
    [
      'a read-only share',
      {},
      '\\\\127.0.0.1\\readonly\\x',
      'access_denied',
      [
        'Destination \\\\127.0.0.1\\readonly\\x',
        'ACCESS_DENIED',
        'folder-agent has no write permission, or the share is read-only',
      ],
    ],
    [
      'a missing template',
      { template: 'template/gone' },
      'without-template',
      'template_unreadable',
      ['Template \\\\127.0.0.1\\template\\gone', 'Check FOLDER_AGENT_TEMPLATE_PATH'],
    ],
    [
      'a missing root path',
      { root: 'projects/gone' },
      'x',
      'not_found',
      ['Destination \\\\127.0.0.1\\projects\\gone: the root path does not exist'],
    ],
    ['a missing share', {}, '\\\\127.0.0.1\\nowhere\\x', 'share_not_found', ['no share of this name']],
    [
      'a path that breaks the rules',
      {},
      '..\\..\\etc',
      'path_not_allowed',
      ['would point at another folder'],
    ],
    [
      'a file in the way of a directory',
      {},
      'partial',
      'name_clash',
      ['has a file or link where the template has a directory, or the reverse: a'],
    ],
    [
      'two names in the template that are the same name to the file server',
      { template: 'projects/_clash' },
      'clash',
      'name_clash',
      [
        'names that are the same name to the file server',
        'lan.txt. For operators: rename one of each pair in the template',
      ],
    ],
  ])('%s', async (_, options, targetPath, errorCode, texts) => {
    makeTree(server.projectFolder, {
      taken: 'a file',
      'partial/a': 'a file',
      '_clash/Plan.txt': '1',
      '_clash/plan.txt': '2',
    });
    const outcome = await start(options).run(targetPath);
    expect(outcome).toMatchObject({ kind: 'failed', errorCode });
    for (const text of texts) expect(outcome).toHaveProperty('errorMessage', expect.stringContaining(text));
    expect(treeOf(server.projectFolder)).toMatchObject({ taken: 'a file', 'partial/a': 'a file' });
    expect(treeOf(server.projectFolder)).not.toHaveProperty(['gone/']);
  });
});

describe('a destination', () => {
  afterEach(() => proxy.stop());

  test.each([
    ['TEMPLATE\\neu', 'template', 'is inside'],
    ['Template\\A', 'template/a', 'is inside'],
    ['projects\\_intern', 'projects/_intern/Vorlage', 'contains'],
  ])('%s is rejected with the template %s, which it %s', async (path, template, overlaps) => {
    makeTree(server.projectFolder, { '_intern/Vorlage/a/b.txt': 'b' });
    const before = [treeOf(server.templateFolder), treeOf(server.projectFolder)];
    for (const allowedRoot of [undefined, path.split('\\', 1)[0]]) {
      const outcome = await start({ template, allowedRoot }).run(`\\\\${server.host}\\${path}`);
      expect(outcome).toMatchObject({
        kind: 'failed',
        errorCode: 'path_not_allowed',
        errorMessage: expect.stringContaining(` ${overlaps} the template directory `),
      });
    }
    expect([treeOf(server.templateFolder), treeOf(server.projectFolder)]).toEqual(before);
  });

  // Samba follows symbolic links itself; Windows does not follow a junction that the client opens as one.
  test('is not created below a junction', async () => {
    const dispositions: number[] = [];
    const [directory, reparsePoint, openOnly] = [0x10, 0x400, 1];
    const windows = await ScriptedServer.start({
      respond: (response, request) => {
        if (request.readUInt16LE(12) !== command.create) return [response];
        dispositions.push(request.readUInt32LE(100));
        const isJunction = request.includes(Buffer.from('verweis', 'utf16le'));
        response.writeUInt32LE(isJunction ? directory | reparsePoint : directory, 120);
        return [response];
      },
    });
    cleanups.push(() => windows.stop());
    const { user, password, domain } = scriptedAccount;
    const account = { ...ntlmAccount(user, password), domain };
    expect(await start({ account, port: windows.port }).run('verweis\\neu')).toMatchObject({
      kind: 'failed',
      errorParams: { path: '\\\\127.0.0.1\\projects\\verweis' },
      errorMessage: expect.stringContaining('is a link or junction, which the agent does not follow'),
    });
    expect(new Set(dispositions)).toEqual(new Set([openOnly]));
  });

  test('is not served on another server: the request is for another agent', async () => {
    expect(await start().run('\\\\other.example\\projects\\neu')).toMatchObject({
      kind: 'not-served',
      reason: expect.stringContaining('is on the server other.example'),
    });
  });

  test('must be below an allowed root, each of which the message names once', async () => {
    const outcome = await start({ allowedRoot: 'projects' }).run(`\\\\${server.host}\\alt\\neu`);
    const projects = `\\\\${server.host}\\projects`;
    expect(outcome).toMatchObject({
      kind: 'failed',
      errorCode: 'path_not_allowed',
      errorMessage: expect.stringContaining(`(FOLDER_AGENT_ALLOWED_ROOTS: ${projects})`),
    });
  });

  test('may be beside the template, with a name that begins alike', async () => {
    makeTree(server.projectFolder, { '_intern/a.txt': 'a' });
    expect(await start({ template: 'projects/_intern' }).run('_intern2')).toEqual({ kind: 'fulfilled' });
  });
});
