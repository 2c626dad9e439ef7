import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentEnvironment } from '../../local/stack/agent-process.ts';
import { packageAgent } from '../../local/release/package-agent.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { agentProgram, appDirectory } from '../support/bundles.ts';

const run = promisify(execFile);
const name = `folder-agent-${packageFile.version}`;
let folder: string;
/** Where an operator has unpacked the archive. */
let installed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent package Ü '));
  const archive = await packageAgent(agentProgram(), folder);
  await run('tar', ['-xzf', archive, '-C', folder]);
  installed = join(folder, name);
});
afterAll(() => rm(folder, { recursive: true }));

test('the archive has everything an operator needs, and checksums that hold', async () => {
  expect((await readdir(installed)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'agent.js',
    'folder-agent.env.example',
    'folder-agent.service',
    'README.md',
    'register-folder-agent.ps1',
    'SHA256SUMS',
    'THIRD-PARTY-NOTICES.txt',
  ]);
  const inside = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: installed });
  expect(inside.stdout.match(/: OK/g)).toHaveLength(6);
  const outside = await run('sha256sum', ['--check', '--strict', `${name}.tar.gz.sha256`], { cwd: folder });
  expect(outside.stdout).toBe(`${name}.tar.gz: OK\n`);
});

describe('installed with nothing but Node', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ appDirectory: appDirectory(), agent: false });
    const env = agentEnvironment(stack.description, stack.description.share!, stack.description.agents[1]!);
    const lines = Object.entries(env).map(
      ([variable, value]) => `${variable}='${value.replaceAll('\\', '/')}'`,
    );
    await writeFile(join(installed, 'agent.env'), `${lines.join('\n')}\n`, { mode: 0o600 });
  });
  afterAll(() => stack?.stop());

  /** As the guide says, in the unpacked folder and without any other environment. */
  const agent = (option: string) =>
    run(process.execPath, ['--env-file=agent.env', 'agent.js', option], { cwd: installed, env: {} });

  test('--check finds everything in order, then a request is fulfilled', async () => {
    const { stdout } = await agent('--check');
    // The note recommends FOLDER_AGENT_ALLOWED_ROOTS, which is not set here.
    expect(stdout.match(/^\w+/gm)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'note']);

    const { baseUrl, tokens } = stack.description;
    const headers = { authorization: `Bearer ${tokens.administrator}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ targetPath: 'Kunden/Müller/2026-0815' });
    const posted = await fetch(`${baseUrl}/api/v1/folder-requests`, { method: 'POST', headers, body });
    const { id } = (await posted.json()) as { id: string };
    await agent('--once');
    const entry = await (await fetch(`${baseUrl}/api/v1/folder-requests/${id}`, { headers })).json();
    expect(entry).toMatchObject({
      status: 'FULFILLED',
      agentId: stack.description.agents[1]!.id,
      attempts: 1,
    });

    const { templateDirectory, rootDirectory } = stack.fileServer!;
    const made = await readdir(join(rootDirectory, 'Kunden/Müller/2026-0815'), { recursive: true });
    const template = await readdir(templateDirectory, { recursive: true });
    expect(new Set(made)).toEqual(new Set(template));
    expect(template.length).toBeGreaterThan(8);
  });
});

const exists = (program: string) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!exists('systemd-analyze'))('the systemd unit', () => {
  test('is valid, and leaves the agent little to do harm with', async () => {
    const unit = join(folder, 'folder-agent.service');
    const text = await readFile(join(installed, 'folder-agent.service'), 'utf8');
    // The only thing systemd looks up on this machine.
    await writeFile(unit, text.replace('/usr/bin/node', process.execPath));
    const verified = await run('systemd-analyze', ['verify', unit]);
    expect(verified.stdout + verified.stderr).toBe('');
    // Fails above the threshold: exposure in tenths, 0 (none) to 100.
    await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
  });

  test('restarts after faults, and not after wrong settings', async () => {
    const text = await readFile(join(installed, 'folder-agent.service'), 'utf8');
    expect(text).toMatch(/^Restart=on-failure$/m);
    expect(text).toMatch(/^RestartPreventExitStatus=2 78$/m);
  });
});

test.skipIf(!exists('pwsh'))('the PowerShell script has no syntax errors', async () => {
  const script = join(installed, 'register-folder-agent.ps1');
  const command = `$errors = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('${script}', [ref]$null, [ref]$errors); $errors | ForEach-Object { $_.Message }`;
  const { stdout } = await run('pwsh', ['-NoProfile', '-Command', command]);
  expect(stdout).toBe('');
});
