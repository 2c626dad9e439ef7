import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../../local/repository-root.ts';
import type { StackDescription } from '../../local/stack/stack-file.ts';
import { requirePrograms } from '../../local/stand-ins/samba/samba-programs.ts';
import { machineWithoutSamba } from '../support/bare-machine.ts';
import { agentProgram, appDirectory } from '../support/bundles.ts';
import { isRunning, processTree, type ProcessIdentity } from '../support/processes.ts';
import { runFolder } from '../support/run-folder.ts';
import { until } from '../support/until.ts';
import { paragraphsOf } from '../support/word-file.ts';

interface Running {
  child: ChildProcess;
  stackFile: string;
  output: () => string;
  ended: Promise<string>;
}

const startProgram = [process.execPath, 'local/stack/start.ts'];

/** Runs a command with a separate directory for stack.json. */
const run = (command: string[], ...args: string[]): Promise<Running> => runWith({}, command, ...args);

async function runWith(
  env: Readonly<Record<string, string>>,
  command: string[],
  ...args: string[]
): Promise<Running> {
  const directory = await mkdtemp(join(tmpdir(), 'start-'));
  const [program = '', ...firstArgs] = command;
  const child = spawn(program, [...firstArgs, ...args], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      LOCAL_STACK_DIRECTORY: directory,
      // Deletes temporary folders that kill -9 leaves behind.
      TMPDIR: directory,
      ...env,
      npm_config_cache: directory,
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  onTestFinished(async () => {
    await kill(await processTree(child.pid!));
    await ended;
  });
  return {
    child,
    stackFile: join(env['LOCAL_STACK_DIRECTORY'] ?? directory, 'stack.json'),
    output: () => output,
    ended,
  };
}

type Started = Running & { description: StackDescription };

/** Each build costs five seconds of processor time; `npm start` and `npm run demo` are tested with theirs. */
const builtBefore = () => ({
  LOCAL_STACK_APP_DIRECTORY: appDirectory(),
  LOCAL_STACK_AGENT_PROGRAM: agentProgram(),
});

const start = (...args: string[]): Promise<Started> =>
  ready(runWith(builtBefore(), startProgram, '--port', '0', ...args));

async function ready(starting: Promise<Running>): Promise<Started> {
  const running = await starting;
  await until(
    'Ready',
    () => running.output() + (running.child.exitCode === null ? '' : '(ended)'),
    (text) => /Ready\.|\(ended\)/.test(text),
    // Seven seconds on an idle machine; up to 42 with sixteen other busy programs.
    240_000,
  );
  expect(running.output()).toContain('Ready.');
  const description = JSON.parse(await readFile(running.stackFile, 'utf8')) as StackDescription;
  return { ...running, description };
}

async function kill(processes: ProcessIdentity[]): Promise<void> {
  for (const each of processes) {
    if (!(await isRunning(each))) continue;
    try {
      process.kill(each.pid, 'SIGKILL');
    } catch {
      // It exited in the meantime, with its parent.
    }
  }
}

/** Also ends them after the test, in case they outlive their parent. */
async function processesOf({ child }: Running): Promise<ProcessIdentity[]> {
  const processes = await processTree(child.pid!);
  onTestFinished(() => kill(processes));
  return processes;
}

async function allGone(processes: ProcessIdentity[]): Promise<void> {
  expect(processes.length).toBeGreaterThan(3);
  await until(
    'the end of every process',
    async () => {
      const states = await Promise.all(
        processes.map(async (each) => ((await isRunning(each)) ? [each.command] : [])),
      );
      return states.flat();
    },
    (left) => left.length === 0,
  );
}

async function entries({ description }: { description: StackDescription }) {
  const response = await fetch(`${description.baseUrl}/api/v1/folder-requests`, {
    headers: { authorization: `Bearer ${description.tokens.administrator}` },
  });
  return ((await response.json()) as { items: { id: string; status: string; targetPath: string }[] }).items;
}

async function request({ description }: { description: StackDescription }, targetPath: string) {
  const response = await fetch(`${description.baseUrl}/api/v1/folder-requests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${description.tokens.backOffice}`, 'content-type': 'application/json' },
    body: JSON.stringify({ targetPath }),
  });
  expect(response.status).toBe(201);
}

test('npm start: stack.json has the promised shape for its owner only, and a signal to npm alone leaves nothing behind', async () => {
  const running = await ready(run(['npm', 'start', '--', '--port', '0']));
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
    aiProvider: { url: text, adminUrl: text },
  });

  await request(running, 'aus dem Test');
  await until(
    'FULFILLED',
    () => entries(running),
    ([entry]) => entry?.status === 'FULFILLED',
  );

  const processes = await processesOf(running);
  const commands = processes.map(({ command }) => command).join('\n');
  const [, app = '', entryPoint = ''] = /worker\.ts (\S+)\/(dist\/functions\.js)/.exec(commands) ?? [];
  expect(entryPoint, commands).not.toBe('');
  // The package for Azure, not the single file: lazily loaded modules are next to it.
  expect(await readdir(join(app, 'dist'))).toContainEqual(expect.stringMatching(/^lazy-\w+\.js$/));
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe('exit code 0');
  await allGone(processes);
  await expect(stat(app)).rejects.toThrow('ENOENT');
  for (const name of ['stack.json', 'stack.sh']) {
    await expect(stat(join(dirname(stackFile), name))).rejects.toThrow('ENOENT');
  }
});

test('its output fits a terminal of 24 lines, and the commands work unchanged', async () => {
  // The output has paths in it; in a checkout they begin with .local.
  const directory = await mkdtemp(join(dirname(runFolder()), 'start-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const env = { ...builtBefore(), LOCAL_STACK_DIRECTORY: directory };
  // `script` provides npm and the program with a terminal.
  const running = await ready(runWith(env, ['script', '-qec', 'npm start -- --port 0', '/dev/null']));
  const lines = stripVTControlCharacters(running.output()).trimEnd().split(/\r*\n/);
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
  // The cursor is on the last line.
  expect(rows, lines.join('\n')).toBeLessThanOrEqual(23);

  const sourced = lines.filter((line) => line.startsWith('source '));
  expect(sourced).toHaveLength(1);
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
    const output = Buffer.concat(await Array.fromAsync(shell.stdout as AsyncIterable<Buffer>)).toString();
    await ended;
    expect(output, line).toMatch(/\n20[01]$/);
  }

  // The README's commands for a direct upload, unchanged.
  const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8');
  const block = /```sh\n(source \.local\/stack\.sh\n[^`]+uploadUrl[^`]+)```/.exec(readme)?.[1] ?? '';
  const script = block.replace('source .local/stack.sh', `set -e\n${sourced[0]}`);
  const shell = spawn('bash', ['-c', `${script}\necho "$document"`], { cwd: repositoryRoot });
  const ended = once(shell, 'close');
  const [text, complaints] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr)]);
  expect([await ended, complaints], text).toEqual([[0, null], '']);
  expect(text).toContain('LIESMICH.md');
});

test('kill -9: all of its processes exit too', async () => {
  const running = await start();
  const processes = await processesOf(running);
  expect(processes.map(({ command }) => command).join('\n')).toMatch(
    /smbd[\s\S]*agent\.cjs|agent\.cjs[\s\S]*smbd/,
  );
  running.child.kill('SIGKILL');
  await running.ended;
  await allGone(processes);
});

test('--data keeps requests between runs, --no-agent leaves them pending', async () => {
  const data = await mkdtemp(join(tmpdir(), 'data-'));
  const first = await start('--no-agent', '--data', data);
  expect(first.description.agents).toHaveLength(2);
  await request(first, 'bleibt liegen');
  first.child.kill('SIGINT');
  expect(await first.ended).toBe('exit code 0');

  const second = await start('--data', data);
  await until(
    'FULFILLED',
    () => entries(second),
    ([entry]) => entry?.status === 'FULFILLED',
  );
  expect((await entries(second)).map(({ targetPath }) => targetPath)).toEqual(['bleibt liegen']);
});

test('a request to which the real host would not respond is printed immediately, not only logged', async () => {
  const running = await start('--no-agent');
  const request = fetch(`${running.description.baseUrl}/api/v1/health`, {
    headers: { 'x-ms-invocation-id': 'of a client' },
  });
  await expect(request).rejects.toThrow('fetch failed');
  await until('the reason', running.output, (text) =>
    text.includes('CRITICAL: The real host would hang here: the client sent the header x-ms-invocation-id'),
  );
});

test('a port in use is reported on one line, and nothing keeps running', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const running = await runWith(builtBefore(), startProgram, '--port', String(port));
  expect(await running.ended).toBe('exit code 1');
  expect(running.output()).toMatch(new RegExp(`EADDRINUSE.*${port}`));
});

test.each([
  ['--prot', '1'],
  ['--port', 'x'],
  ['--port', '70000'],
  ['--data', ''],
])('%s %s is rejected with the usage', async (...args) => {
  const running = await run(startProgram, ...args);
  expect(await running.ended).toBe('exit code 2');
  expect(running.output()).toContain('Usage: npm start');
});

test('npm run demo completes the main job and exits with 0', async () => {
  const running = await run(['npm', 'run', 'demo']);
  expect(await running.ended, running.output()).toBe('exit code 0');
  expect(running.output()).toMatch(
    /requested: [\s\S]*claimed by agent-1[\s\S]*FULFILLED[\s\S]*identical to the template/,
  );
  expect(running.output()).toMatch(/^ +email: \S.*\n +mailto:\S+@\S+\?subject=aai%23\S+…$/m);
  const [, subject = '', path = ''] =
    /^ +letter: (\S.*)\n.*OneDrive: https?:\S+\n.*word processor: (.+\.docx)$/m.exec(running.output()) ?? [];
  expect(path, running.output()).not.toBe('');
  expect(paragraphsOf(await readFile(path))).toContain(subject);
});

test.runIf(process.getuid?.() === 0)(
  'the demo on a machine without Samba installs it with one apt-get and exits with 0',
  async () => {
    const { smbd, pdbedit } = await requirePrograms(['smbd', 'pdbedit'], 'samba');
    const machine = await machineWithoutSamba(
      // Debian 12's paths: one is in sbin, which is not in an ordinary PATH.
      `case "$*" in *' install '*) /bin/ln -s '${smbd}' $root/sbin/smbd; /bin/ln -s '${pdbedit}' $root/bin/pdbedit;; esac`,
    );
    const demo = await run(['/usr/bin/env', `PATH=${machine.bin}`, process.execPath, 'local/stack/demo.ts']);
    expect(await demo.ended, demo.output()).toBe('exit code 0');
    expect(demo.output()).toContain('Installing smbd and pdbedit of the Debian package samba');
    const calls = await machine.aptCalls();
    expect(calls).toEqual([
      expect.stringMatching(/^1 .*update$/),
      expect.stringMatching(/^1 .*install -y --no-install-recommends samba$/),
    ]);
  },
);
