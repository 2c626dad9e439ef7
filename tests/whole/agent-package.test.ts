import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect } from 'vitest';
import { agentEnvironment } from '../../local/stack/agent-environment.ts';
import type { ExecutablePlatform } from '../../release/package/agent-executable.ts';
import { packageAgent, packageAgentExecutable } from '../../release/package/package-agent.ts';
import { NtExecutable, NtExecutableResource, Resource } from '../../release/package/resedit.ts';
import { call } from '../../local/stack/call.ts';
import { type Stack, startStack } from '../support/stack.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { agentProgram } from '../support/built-agent.ts';
import { appDirectory } from '../support/built-functions.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { proxiedHost, Squid } from '../support/squid.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { describe, test } = requires('tar', 'sha256sum');
const run = promisify(execFile);
const name = `folder-agent-${packageFile.version}`;
let folder: string;
/** The folder in which an operator has unpacked the archives. */
let installed: string;
let executableInstalled: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent package Ü '));
  installed = await unpack(await packageAgent(agentProgram(), folder));
  executableInstalled = await unpack(await packedExecutable('linux-x64'));
}, 300_000);

/** Not compressed: the size of the archives is not tested here, and each executable has 120 MB. */
const packedExecutable = (platform: ExecutablePlatform) =>
  packageAgentExecutable(agentProgram(), platform, folder, 0);

async function unpack(archive: string): Promise<string> {
  await run('tar', ['-xzf', archive, '-C', folder]);
  return archive.replace(/\.tar\.gz$/, '');
}

const namesIn = async (directory: string) =>
  (await readdir(directory)).toSorted((a, b) => a.localeCompare(b));

/** Verifies the checksums in `list` and returns the number of files that it names. */
async function countValidChecksums(directory: string, list: string): Promise<number> {
  const { stdout } = await run('sha256sum', ['--check', '--strict', list], { cwd: directory });
  return stdout.match(/: OK$/gm)?.length ?? 0;
}

test('the archive for Node has everything an operator needs, and valid checksums', async () => {
  expect(await namesIn(installed)).toEqual([
    'agent.js',
    'folder-agent-check.service',
    'folder-agent.env.example',
    'folder-agent.service',
    'README.md',
    'register-folder-agent.ps1',
    'SHA256SUMS',
    'THIRD-PARTY-NOTICES.txt',
  ]);
  expect(await countValidChecksums(installed, 'SHA256SUMS')).toBe(7);
  expect(await countValidChecksums(folder, `${name}.tar.gz.sha256`)).toBe(1);
});

test('the archive with the executable for Linux has the same, and its units start the executable', async () => {
  expect(await namesIn(executableInstalled)).toEqual([
    'folder-agent',
    'folder-agent-check.service',
    'folder-agent.env.example',
    'folder-agent.service',
    'NODE-LICENSE.txt',
    'README.md',
    'SHA256SUMS',
    'THIRD-PARTY-NOTICES.txt',
  ]);
  expect(await countValidChecksums(executableInstalled, 'SHA256SUMS')).toBe(7);
  for (const [name, option] of [
    ['folder-agent.service', ''],
    ['folder-agent-check.service', ' --check'],
  ] as const) {
    const unit = await readFile(join(executableInstalled, name), 'utf8');
    expect(unit.match(/^ExecStart=.*$/gm)).toEqual([`ExecStart=/opt/folder-agent/folder-agent${option}`]);
  }
});

describe('installed', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ appDirectory: await appDirectory(), agent: false });
    const env = agentEnvironment(stack.description, stack.description.share, stack.description.agents[1]!);
    const lines = Object.entries(env).map(
      ([variable, value]) => `${variable}='${value.replaceAll('\\', '/')}'`,
    );
    for (const directory of [installed, executableInstalled]) {
      await writeFile(join(directory, 'agent.env'), `${lines.join('\n')}\n`, { mode: 0o600 });
    }
  });
  afterAll(() => stack?.stop());

  // As described in the guide, in the unpacked folder and without other environment variables.
  const installations = [
    {
      machine: 'with only Node',
      agent: (option: string) =>
        run(process.execPath, ['agent.js', '--env-file', 'agent.env', option], { cwd: installed, env: {} }),
    },
    {
      machine: 'with nothing at all',
      agent: (option: string) =>
        // The machine's Node options must not reach the process.
        run('./folder-agent', ['--env-file', 'agent.env', option], {
          cwd: executableInstalled,
          env: { NODE_OPTIONS: '--require=/nowhere.js' },
        }),
    },
  ];

  test.each(installations)(
    'on a machine $machine, --check succeeds, then a request is fulfilled',
    async ({ machine, agent }) => {
      expect((await agent('--version')).stdout).toBe(`${packageFile.version}\n`);
      const { stdout } = await agent('--check');
      // The note recommends FOLDER_AGENT_ALLOWED_ROOTS, which is not set here.
      expect(stdout.match(/^\w+/gm)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'note']);

      const { description } = stack;
      const posted = { targetPath: `Kunden/Müller/2026-0815 ${machine}` };
      const { id } = await call<{ id: string }>(
        description,
        'administrator',
        'POST',
        'folder-requests',
        posted,
      );
      await agent('--once');
      const entry = await call(description, 'administrator', 'GET', `folder-requests/${id}`);
      expect(entry).toMatchObject({
        status: 'FULFILLED',
        agentId: description.agents[1]!.id,
        attempts: 1,
      });

      const { templateDirectory, rootDirectory } = stack.fileServer;
      const made = await readdir(join(rootDirectory, `Kunden/Müller/2026-0815 ${machine}`), {
        recursive: true,
      });
      const template = await readdir(templateDirectory, { recursive: true });
      expect(new Set(made)).toEqual(new Set(template));
      expect(template.length).toBeGreaterThan(8);
    },
  );

  test('a missing settings file is reported by name', async () => {
    const failed = run(process.execPath, ['agent.js', '--env-file', 'none.env'], { cwd: installed, env: {} });
    // Node 24 interprets this option as its own and exits with 9.
    await expect(failed).rejects.toMatchObject({
      code: expect.toSatisfy((code) => code === 9 || code === 78),
      stderr: expect.stringContaining('none.env'),
    });
  });
});

requires('squid').describe('in a network whose only outbound route is a proxy', () => {
  test('the executable reaches the service through it', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: proxiedHost }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: proxiedHost }] }],
    });
    const account = { user: 'FIRMA\\agent', password: 'p:ä/ss%word' };
    const service = await FakeFolderService.start({ tls: { key, cert } });
    const squid = await Squid.start({ account });
    try {
      const bundle = join(folder, 'ca.pem');
      await writeFile(bundle, cert);
      const credentials = `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}`;
      /** The lines about the connection to the service; without a file server here, the check exits with 1. */
      const check = async (proxyUser: string): Promise<string[]> => {
        const env = {
          // A name that only the proxy can resolve.
          FOLDER_AGENT_API_BASE_URL: `https://${proxiedHost}:${service.port}`,
          FOLDER_AGENT_API_KEY: service.key,
          FOLDER_AGENT_CA_BUNDLE_PATH: bundle,
          FOLDER_AGENT_SMB_SERVER: '127.0.0.1',
          FOLDER_AGENT_SMB_PORT: '1',
          FOLDER_AGENT_SMB_USERNAME: 'u',
          FOLDER_AGENT_SMB_PASSWORD: 'p',
          FOLDER_AGENT_TEMPLATE_PATH: '//127.0.0.1/t',
          HTTPS_PROXY: `http://${proxyUser}127.0.0.1:${squid.port}`,
        };
        const ended = run(join(executableInstalled, 'folder-agent'), ['--check'], { cwd: folder, env });
        const { code, stdout } = (await ended.catch((error: unknown) => error)) as {
          code: number;
          stdout: string;
        };
        expect(code).toBe(1);
        return stdout.split('\n').slice(0, 3);
      };
      expect(await check(`${credentials}@`)).toEqual([
        expect.stringMatching(/^note +Proxy/),
        expect.stringMatching(/^ok +Service/),
        expect.stringMatching(/^ok +Agent key/),
      ]);
      const calls = service.calls.length;
      expect(calls).toBeGreaterThan(0);

      const [, rejected] = await check('');
      expect(rejected).toMatch(/^FAILED +Service.* 407/);
      expect(service.calls).toHaveLength(calls);
    } finally {
      await Promise.all([squid.stop(), service.stop()]);
    }
  });
});

// These tests do not require Windows: they inspect the file that Windows would load.
describe('the executable for Windows', () => {
  let directory: string;
  let bytes: Buffer;
  beforeAll(async () => {
    directory = await unpack(await packedExecutable('win-x64'));
    bytes = await readFile(join(directory, 'folder-agent.exe'));
  }, 300_000);

  test('is archived with everything its operator needs', async () => {
    expect(await namesIn(directory)).toEqual([
      'folder-agent.env.example',
      'folder-agent.exe',
      'NODE-LICENSE.txt',
      'README.md',
      'register-folder-agent.ps1',
      'SHA256SUMS',
      'THIRD-PARTY-NOTICES.txt',
    ]);
  });

  test('is an x64 program that contains the agent and its description, and has no signature', () => {
    const executable = NtExecutable.from(bytes);
    expect(executable.newHeader.fileHeader.machine).toBe(0x8664);
    for (const { info } of executable.getAllSections()) {
      expect(info.pointerToRawData + info.sizeOfRawData).toBeLessThanOrEqual(bytes.length);
    }
    const { entries } = NtExecutableResource.from(executable);
    const blob = entries.find(({ type, id }) => type === 10 && id === 'NODE_SEA_BLOB');
    expect(Buffer.from(blob!.bin).includes('Claims folder requests from the service')).toBe(true);
    // Node searches for the resource only if this string ends with 1.
    expect(bytes.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')).toBe(true);

    const [version] = Resource.VersionInfo.fromEntries(entries);
    const [language] = version!.getAllLanguagesForStringValues();
    expect(version!.getStringValues(language!)).toMatchObject({
      ProductName: 'Folder agent',
      ProductVersion: packageFile.version,
      OriginalFilename: 'folder-agent.exe',
    });
    expect(version!.getStringValues(language!)).not.toHaveProperty('CompanyName');
    const [major, minor, patch] = packageFile.version.split('.').map(Number);
    expect(version!.fixedInfo).toMatchObject({
      productVersionMS: (major! << 16) | minor!,
      productVersionLS: patch! << 16,
    });
    const certificates = 4;
    expect(executable.newHeader.optionalHeaderDataDirectory.get(certificates).size).toBe(0);
  });
});

requires('systemd-analyze').describe('the systemd units', () => {
  const textOf = (name: string) => readFile(join(installed, name), 'utf8');

  test.each(['folder-agent.service', 'folder-agent-check.service'])(
    '%s is valid and restricts the agent',
    async (name) => {
      const unit = join(folder, name);
      // systemd checks only this path on the test machine.
      await writeFile(unit, (await textOf(name)).replace('/usr/bin/node', process.execPath));
      const verified = await run('systemd-analyze', ['verify', unit]);
      expect(verified.stdout + verified.stderr).toBe('');
      // Fails above the threshold: exposure in tenths, 0 (none) to 100.
      await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
    },
  );

  test('restarts the agent after failures but not after invalid settings', async () => {
    const text = await textOf('folder-agent.service');
    expect(text).toMatch(/^Restart=on-failure$/m);
    expect(text).toMatch(/^RestartPreventExitStatus=2 78 243$/m);
  });

  test('a crash leaves no core file, which would contain key and password', async () => {
    for (const name of ['folder-agent.service', 'folder-agent-check.service'])
      expect(await textOf(name)).toMatch(/^LimitCORE=0$/m);
  });

  test('the check has the account, credentials and restrictions of the service, and runs once', async () => {
    const settingsOf = async (name: string): Promise<readonly string[]> =>
      (await textOf(name)).match(/^\w+=.*$/gm) ?? [];
    const service = await settingsOf('folder-agent.service');
    const check = await settingsOf('folder-agent-check.service');
    expect(check.filter((line) => !service.includes(line))).toEqual([
      'Description=Check of the folder agent',
      'Type=oneshot',
      'ExecStart=/usr/bin/node /opt/folder-agent/agent.js --check',
    ]);
    const left = service.filter((line) => !check.includes(line)).map((line) => line.split('=')[0]);
    expect(left).toEqual([
      'Description',
      'StartLimitIntervalSec',
      'StartLimitBurst',
      'Type',
      'ExecStart',
      'Restart',
      'RestartSec',
      'RestartPreventExitStatus',
      'SuccessExitStatus',
      'KillSignal',
      'KillMode',
      'TimeoutStopSec',
      'RuntimeDirectory',
      'WantedBy',
    ]);
    expect(check.filter((line) => /^(?:LoadCredential|DynamicUser|EnvironmentFile)/.test(line))).toHaveLength(
      4,
    );
  });
});
