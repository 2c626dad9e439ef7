import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startAgentProcess } from '../../local/stack/agent-process.ts';
import { FunctionsHost } from '../../local/stand-ins/functions-host/functions-host.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { agentProgram } from '../support/built-agent.ts';
import { noticesBeside } from '../../release/build/build.ts';
import { noticesName } from '../../release/build/third-party-notices.ts';
import { appDirectory } from '../support/built-functions.ts';
import { newStorage } from '../support/shared-azurite.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

const run = promisify(execFile);

async function runAgentInEmptyFolder(args: string[], env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-'));
  const program = join(folder, 'agent.js');
  await copyFile(agentProgram(), program);
  const agent = startAgentProcess(env, { program, args });
  const ended = await agent.ended;
  return { ended, output: agent.output(), left: await readdir(folder) };
}

test('the service starts from its single file, without packages next to it, and responds', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'one-file-'));
  await run('npm', ['run', 'build', '--', join(directory, 'dist')], { cwd: repositoryRoot });
  await copyFile(join(repositoryRoot, 'host.json'), join(directory, 'host.json'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module", "main": "dist/functions.js" }');
  // tests/whole/third-party.test.ts checks them.
  expect(await readFile(noticesBeside(join(directory, 'dist/functions.js')), 'utf8')).toBe(
    await readFile(join(await appDirectory(), noticesName), 'utf8'),
  );
  const { connectionString } = await newStorage();
  const logged: string[] = [];
  const host = await FunctionsHost.start({
    appDirectory: directory,
    env: {
      STORAGE_CONNECTION_STRING: connectionString,
      FOLDER_AGENT_API_KEYS: 'berlin:b-secret-of-24-characters,only-a-secret-of-24-chars',
    },
    onLog: ({ message }) => logged.push(message),
  });
  onTestFinished(() => host.stop());
  await until(
    'the warning about keys that are shown to users',
    () => logged.join('\n'),
    (text) => text.includes('{"event":"agent_keys_shown_as_ids","entries":1}'),
  );
  expect(logged.join('\n')).not.toContain('secret');
  const health = await fetch(`${host.origin}/api/v1/health`);
  expect(health.status).toBe(200);
  expect(await health.json()).toEqual({ status: 'ok', version: packageFile.version });
  const description = (await (await fetch(`${host.origin}/api/v1/openapi.json`)).json()) as object;
  expect(description).toMatchObject({ openapi: '3.0.3' });
});

test('the agent runs in an empty folder with only Node', async () => {
  const { ended, output, left } = await runAgentInEmptyFolder(['--version']);
  expect(ended).toBe('exit code 0');
  expect(output).toBe(packageFile.version);
  expect(left).toEqual(['agent.js']);
});

test('the agent without settings reports every variable that it requires', async () => {
  const { ended, output } = await runAgentInEmptyFolder([]);
  expect(ended).toBe('exit code 78');
  for (const name of ['FOLDER_AGENT_API_BASE_URL', 'FOLDER_AGENT_API_KEY', 'FOLDER_AGENT_SMB_PASSWORD']) {
    expect(output).toContain(name);
  }
});
