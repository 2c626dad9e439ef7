import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestFileServer } from '../../agent/smb/tests/support/file-server.ts';
import { statusPath } from '../../agent/status.ts';
import { AgentStatus, type StatusFacts } from '../../agent/base/agent-status.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { startFileServer } from '../../agent/smb/tests/support/start-file-server.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import { AgentProcess, agentEnv } from '../support/agent-process.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { makeTree } from '../support/share-trees.ts';

// What an operator and a monitor see of an agent that runs, without network: `--status` has no settings at all here.

let fileServer: TestFileServer;
let service: FakeFolderService;
beforeAll(async () => {
  [fileServer, service] = await Promise.all([startFileServer(), FakeFolderService.start()]);
  makeTree(fileServer.templateFolder, { 'a.txt': 'a' });
});
afterAll(() => Promise.all([fileServer.stop(), service.stop()]));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** With the environment of a unit of systemd that has a RuntimeDirectory. */
function start(changed: Readonly<Record<string, string>> = {}) {
  const RUNTIME_DIRECTORY = mkdtempSync(join(tmpdir(), 'status-'));
  const agent = new AgentProcess({ ...agentEnv(service, fileServer, changed), RUNTIME_DIRECTORY });
  ends.push(() => agent.stop());
  const status = async (...args: readonly string[]) => {
    const reader = new AgentProcess({ RUNTIME_DIRECTORY }, ['--status', ...args]);
    return { code: await reader.ended, output: reader.output };
  };
  return { agent, status, file: join(RUNTIME_DIRECTORY, 'status.json') };
}

test('says what the agent did last, and where; a stopped agent leaves nothing', async () => {
  const { agent, status, file } = start();
  const id = service.add('Neubau');
  await service.finished(id);
  const { code, output } = await until(
    'the outcome',
    () => status('--json'),
    ({ output: json }) => json.includes('FULFILLED'),
  );
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    isRunning: true,
    isHealthy: true,
    facts: {
      agentId: 'test-agent',
      pid: agent.child.pid,
      service: service.url,
      lastOutcome: { folderRequestId: id, outcome: 'FULFILLED' },
      fileServer: { server: fileServer.host, dialect: '3.1.1', mechanism: 'NTLM' },
    },
  });
  const forPeople = await status();
  expect(forPeople.output).toMatch(/^last outcome  FULFILLED at \d{4}-.*Z, request /m);
  expect(forPeople.output).toMatch(/^file server   .*, SMB 3\.1\.1, NTLM, AES-/m);
  for (const secret of [service.key, fileServer.account.password]) {
    expect(output + forPeople.output).not.toContain(secret);
  }
  agent.signal('SIGTERM');
  expect(await agent.ended).toBe(0);
  expect(existsSync(file)).toBe(false);
  expect(await status()).toMatchObject({ code: 1, output: expect.stringContaining('not running') });
});

test('the file is beside the log, else in the directory of the service', () => {
  expect(statusPath('/var/log/agent.log', '/run/folder-agent')).toBe('/var/log/agent.log.status');
  expect(statusPath(undefined, '/run/folder-agent')).toBe('/run/folder-agent/status.json');
  for (const none of ['', undefined]) expect(statusPath(undefined, none)).toBeUndefined();
});

test('an agent without a place for it writes no file', () => {
  const facts = { version: '1.2.3', agentId: 'a', pid: process.pid, processStart: undefined, service: '' };
  new AgentStatus(undefined, systemClock, facts).waits('the service');
  const written = ['undefined', 'undefined.new'].filter((name) => existsSync(name));
  for (const name of written) rmSync(name);
  expect(written).toEqual([]);
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'password',
    { FOLDER_AGENT_SMB_PASSWORD: 'wrong' },
    /^waits {9}since .*rejects the logon of .*LOGON_FAILURE.*Check the account/m,
  ],
  [
    'key',
    { FOLDER_AGENT_API_KEY: 'wrong' },
    /^waits {9}since .*the claim failed \(responded 401 .*\)\. The key must be only the secret of a pair/m,
  ],
])(
  'says that a waiting agent waits for its %s, with exit code 1, also after kill -9',
  async (_, changed, expected) => {
    const { agent, status } = start(changed);
    const waiting = await until(
      'the rejection',
      () => status(),
      ({ output }) => output.includes('waits '),
    );
    expect(waiting.code).toBe(1);
    expect(waiting.output).toMatch(expected);
    await agent.stop();
    expect(await status()).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^running {7}no; it ended/m),
    });
  },
);

test.each<[string, (facts: StatusFacts) => object]>([
  ['whose number another program got', (facts) => ({ ...facts, pid: process.pid })],
  [
    'of before the machine started, where the system tells no start of a process',
    (facts) => ({
      ...facts,
      processStart: undefined,
      pid: process.pid,
      changedAt: '2026-01-01T00:00:00.000Z',
    }),
  ],
])('an agent %s does not run', async (_, change) => {
  const { agent, status, file } = start();
  const { output } = await until(
    'the first claim',
    () => status('--json'),
    ({ code }) => code === 0,
  );
  const { facts } = JSON.parse(output) as { facts: StatusFacts };
  await agent.stop();
  writeFileSync(file, JSON.stringify(change(facts)));
  expect(await status()).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^running {7}no; it ended/m),
  });
});

test('--json alone is an invalid command line', async () => {
  const agent = new AgentProcess({}, ['--json']);
  expect(await agent.ended).toBe(2);
  expect(agent.output).toContain('--json needs --status.');
});
