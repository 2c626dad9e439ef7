import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { call } from '../../local/stack/call.ts';
import { readOptions } from '../../local/stack/start-options.ts';
import { processTree } from '../support/processes.ts';
import { runFolder } from '../../agent/smb/tests/support/run-folder.ts';
import { startStack } from '../support/stack.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import {
  allGone,
  builtBefore,
  processesOf,
  ready,
  run,
  runForTest,
  type Running,
  type Started,
} from './support/start-program.ts';
import { has } from '../../agent/smb/tests/support/needs.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

/** As where the shell has no `exec`; the run in a terminal below has the shell's. */
const startProgram = [process.execPath, 'local/processes/exec.ts', 'node', 'local/stack/start.ts'];

const start = async (...args: string[]): Promise<Started> =>
  ready(await run([...startProgram, '--port', '0', ...args], await builtBefore()));

interface Entry {
  readonly status: string;
  readonly targetPath: string;
}

const entries = async ({ description }: Started): Promise<readonly Entry[]> =>
  (await call<{ items: Entry[] }>(description, 'administrator', 'GET', 'folder-requests')).items;

/** Short: the path of a socket of Samba is several folders further down. */
let directory: string;
let data: string;
beforeAll(async () => {
  directory = await mkdtemp(join(dirname(runFolder()), 'start-'));
  data = join(directory, 'data');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

requires('script').describe('npm start -- --data, in a terminal', () => {
  let running: Started;
  let starting: Running | undefined;
  let lines: string[];
  let sourced: string[];
  let hanging: Promise<string>;
  beforeAll(async () => {
    // `script` provides npm and the program with a terminal.
    starting = await run(['script', '-qec', `npm start -- --port 0 --data ${data}`, '/dev/null'], {
      LOCAL_STACK_DIRECTORY: directory,
    });
    running = await ready(starting);
    lines = stripVTControlCharacters(running.output()).trimEnd().split(/\r*\n/);
    sourced = lines.filter((line) => line.startsWith('source '));
    // The host reports this request after ten seconds; the tests continue in the meantime.
    hanging = fetch(`${running.description.baseUrl}/api/v1/health`, {
      headers: { 'x-ms-invocation-id': 'of a client' },
    }).then(({ status }) => String(status), String);
  }, 300_000);
  afterAll(() => starting?.end());

  test('stack.json has the documented shape, and only its owner can access it', async () => {
    const { description, stackFile } = running;
    expect((await stat(stackFile)).mode & 0o777).toBe(0o600);
    const text = expect.stringMatching(/./) as string;
    const path = expect.stringMatching(/^\\\\127\.0\.0\.1\\/) as string;
    expect(description).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      tokens: {
        backOffice: text,
        management: text,
        projectManager: text,
        administrator: text,
        activityAuthor: text,
        noRole: text,
        assistant: text,
        recordsSync: text,
      },
      agents: [
        { id: text, key: text },
        { id: text, key: text },
      ],
      tables: { connectionString: expect.stringContaining('TableEndpoint=http://127.0.0.1:') as string },
      share: {
        server: '127.0.0.1',
        port: expect.any(Number) as number,
        share: text,
        templateShare: text,
        username: text,
        password: text,
        rootPath: path,
        templatePath: path,
      },
      library: { url: text, siteId: text, driveId: text, contentOrigin: text, adminUrl: text },
      identityProvider: { url: text, tenantId: text, clientId: text, clientSecret: text },
      aiProvider: { url: text, adminUrl: text, key: text },
      caCertificate: expect.stringMatching(/\.pem$/) as string,
      signIn: {
        authority: expect.stringMatching(/^http:/) as string,
        authorityHttps: expect.stringMatching(/^https:/) as string,
        clientId: text,
        scope: text,
        redirectUris: [],
      },
      samples: { projectId: text, contactId: text },
    });
  });

  test('npm run accept -- --local accepts it, and leaves neither folder nor letter', async () => {
    const { library, baseUrl } = running.description;
    // As a minute of the clock does.
    const headers = { 'content-type': 'application/json' };
    await fetch(`${baseUrl}/admin/functions/maintain-folder-queue`, { method: 'POST', headers });
    const accept = [process.execPath, 'tools/verify/verify.ts', 'deployment', '--local'];
    const accepting = await runForTest(accept, { LOCAL_STACK_DIRECTORY: directory });
    expect(await accepting.ended, accepting.output()).toBe('exit code 0');
    // On a machine whose folder for temporary files is memory, E6.3 warns.
    const warns = /^warns +E6\.3 /m.test(accepting.output());
    expect(accepting.output().match(/^ok /gm), accepting.output()).toHaveLength(warns ? 21 : 22);
    expect(accepting.output()).toMatch(
      /\nAccepted: \d+ rules hold, 0 differ(?:, 1 warns)?, 0 were not probed, 2 do not apply here\n$/,
    );
    const items = (await (await fetch(`${library.adminUrl}/items`)).json()) as { path: string }[];
    expect(items.filter(({ path }) => /ABNAHME|Aktivitäten\/./.test(path))).toEqual([]);
  });

  test('npm run verify -w tools -- --local probes its library, and its report starts such a library', async () => {
    const report = join(directory, 'report.json');
    const options = ['library', '--local', '--only', 'A9', '--report', report];
    const verify = [process.execPath, 'tools/verify/verify.ts', ...options];
    const verified = await runForTest(verify, { LOCAL_STACK_DIRECTORY: directory });
    expect(await verified.ended, verified.output()).toBe('exit code 0');
    expect(verified.output()).toMatch(/\n5 rules hold, 0 differ, 0 were not probed\n$/);
    expect(readOptions(['--like', report])).toMatchObject({ librarySettings: {} });
  });

  test('its output fits 24 lines', () => {
    // In a checkout, its paths begin with .local, whatever the machine's folder for temporary files is called.
    const shown = lines.map((line) => line.replaceAll(directory, '.local'));
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
    // The cursor is on the last line.
    expect(rows, lines.join('\n')).toBeLessThanOrEqual(23);
    expect(sourced).toHaveLength(1);
  });

  requires('bash', 'curl').test('the printed commands work unchanged', async () => {
    const shellFile = join(dirname(running.stackFile), 'stack.sh');
    expect(sourced[0]).toContain(`source ${shellFile} `);
    expect((await stat(shellFile)).mode & 0o777).toBe(0o600);
    const curls = lines.filter((line) => line.startsWith('curl '));
    expect(curls).toHaveLength(5);
    for (const line of curls) {
      expect(line.length, line).toBeLessThanOrEqual(80);
      const shell = spawn('bash', ['-c', `${sourced[0]}\n${line} -w '\\n%{http_code}'`], {
        cwd: repositoryRoot,
      });
      const ended = once(shell, 'close');
      const output = await textOf(shell.stdout);
      await ended;
      expect(output, line).toMatch(/\n20[01]$/);
    }
  });

  requires('bash', 'curl').test('the documented commands for a direct upload work unchanged', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/uploads.md'), 'utf8');
    const block = /```sh\n(source \.local\/stack\.sh\n[^`]+uploadUrl[^`]+)```/.exec(page)?.[1] ?? '';
    const script = block.replace('source .local/stack.sh', `set -e\n${sourced[0]}`);
    const shell = spawn('bash', ['-c', `${script}\necho "$document"`], { cwd: repositoryRoot });
    const ended = once(shell, 'close');
    const [text, errors] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr)]);
    expect([await ended, errors], text).toEqual([[0, null], '']);
    expect(text).toContain('LIESMICH.md');
  });

  test('a request to which the real host would not respond is printed as well as logged', async () => {
    expect(await hanging).toBe('TypeError: fetch failed');
    await until('the reason', running.output, (text) =>
      text.includes('CRITICAL: The real host would hang here: the client sent the header x-ms-invocation-id'),
    );
  });

  test('a request is fulfilled, and a signal to npm alone leaves nothing behind', async () => {
    const json = { targetPath: 'aus dem Test' };
    await call(running.description, 'backOffice', 'POST', 'folder-requests', json);
    await until(
      'FULFILLED',
      () => entries(running),
      (items) => items.find(({ targetPath }) => targetPath === 'aus dem Test')?.status === 'FULFILLED',
    );

    const processes = await processesOf(running);
    const commands = processes.map(({ command }) => command).join('\n');
    const [, app = '', entryPoint = ''] = /worker\.ts (\S+)\/(dist\/functions\.js)/.exec(commands) ?? [];
    expect(entryPoint, commands).not.toBe('');
    // The app is the package for Azure, not the single file: lazily loaded modules are next to the entry point.
    expect(await readdir(join(app, 'dist'))).toContainEqual(expect.stringMatching(/^lazy-\w+\.js$/));
    const npm = processes.filter(({ command }) => command.startsWith('npm start'));
    expect(npm, commands).toHaveLength(1);
    process.kill(npm[0]!.pid, 'SIGTERM');
    // `script -e` exits with the code of its command.
    expect(await running.ended).toBe('exit code 0');
    await allGone(processes);
    await expect(stat(app)).rejects.toThrow('ENOENT');
    for (const name of ['stack.json', 'stack.sh']) {
      await expect(stat(join(dirname(running.stackFile), name))).rejects.toThrow('ENOENT');
    }
  });
});

describe('a second run with --data, with the page of a front end', () => {
  let running: Started;
  beforeAll(async () => {
    running = await start('--data', data, '--front-end-origin', 'http://localhost:5173');
  }, 300_000);
  afterAll(() => running?.end());

  test('--data keeps requests between runs', async () => {
    expect(await entries(running)).toContainEqual(
      expect.objectContaining({ targetPath: 'aus dem Test', status: 'FULFILLED' }),
    );
  });

  test('the page can sign users in', () => {
    expect(running.description.signIn.redirectUris).toEqual(['http://localhost:5173/*']);
  });

  test('after kill -9, all of its processes exit, too', async () => {
    const processes = await processesOf(running);
    expect(processes.map(({ command }) => command).join('\n')).toMatch(
      has('samba') ? /smbd[\s\S]*agent\.cjs|agent\.cjs[\s\S]*smbd/ : /agent\.cjs/,
    );
    running.child.kill('SIGKILL');
    await running.ended;
    await allGone(processes);
  });
});

test('a port in use is reported on one line, before anything starts', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const running = await runForTest([...startProgram, '--port', String(port)], await builtBefore());
  expect(await running.ended).toBe('exit code 1');
  expect(running.output()).toMatch(new RegExp(`^[^\n]*EADDRINUSE[^\n]*${port}\n$`));
});

test.each([
  [[...startProgram, '--port', '0', '--samba']],
  [[process.execPath, 'local/stack/demo.ts', '--samba']],
])('%j without Samba starts nothing, and says how to install it', async (command) => {
  const running = await runForTest(command, { FILE_SERVER: 'embedded' });
  expect(await running.ended).toBe('exit code 1');
  expect(running.output()).toMatch(
    /--samba: this machine lacks Samba; on Debian: sudo apt-get install --no-install-recommends samba\n$/,
  );
  expect(running.output()).not.toMatch(/Starting: /);
});

test('a stack that fails to start leaves no process running', async () => {
  const before = await processTree(process.pid);
  const appDirectory = await mkdtemp(join(tmpdir(), 'empty-'));
  await expect(startStack({ appDirectory, agent: false })).rejects.toThrow('package.json');
  const known = new Set(before.map(({ pid }) => pid));
  expect((await processTree(process.pid)).filter(({ pid }) => !known.has(pid))).toEqual([]);
});

test('--no-agent starts everything else', () => {
  expect([readOptions(['--no-agent']), readOptions([])]).toMatchObject([{ agent: false }, { agent: true }]);
});

test.each([
  [['--prot', '1'], /--prot/],
  [['--port', 'x'], /^--port x: expected 0 to 65535$/],
  [['--port', '70000'], /^--port 70000: expected 0 to 65535$/],
  [['--data', ''], /^--data: expected a directory$/],
  [['--like', '/missing.json'], /ENOENT.*missing\.json/],
] as const)('%j is rejected', (args, fault) => {
  expect(() => readOptions([...args])).toThrow(fault);
});

test('rejected options are printed with the usage', async () => {
  const running = await runForTest([...startProgram, '--port', 'x']);
  expect(await running.ended).toBe('exit code 2');
  expect(running.output()).toContain('--port x: expected 0 to 65535\n\nUsage: npm start');
});
