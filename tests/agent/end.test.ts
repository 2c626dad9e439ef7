import { expect, test } from 'vitest';
import { endProcess } from '../../agent/process-end.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import { AgentProcess, agentEnv } from '../support/agent-process.ts';
import { behindSilentDns, unansweredQueries } from '../support/silent-dns.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

// The agent ends with its last line, whatever is still open. The system's look-up of a name waits 20 s for two silent DNS
// servers, and nothing cancels it.

/** The goal is 1 s. Without the end under test it took 20 s on an idle machine, so a busy one gets the difference. */
const latestMs = 8_000;

const nowhere = { host: '127.0.0.1', port: 1, account: { user: 'svc', password: 'password', domain: '' } };
const closedService = { url: 'http://127.0.0.1:1', key: 'key-of-24-characters-0000' };

async function endsWithLastLine(agent: AgentProcess): Promise<number> {
  const startedMs = performance.now();
  const code = await agent.ended;
  expect(performance.now() - startedMs, agent.output).toBeLessThan(latestMs);
  return code;
}

const queriesOf = (agent: AgentProcess, atLeast: number) =>
  until(
    'look-ups of names',
    () => unansweredQueries(agent.child.pid!),
    (queries) => queries >= atLeast,
  );

/** The calls that would end a process of this platform. */
function callsAtEnd(code: number, platform: NodeJS.Platform, resources: string[]): string[] {
  const calls: string[] = [];
  const recorded =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push(`${name} ${args.slice(0, 2).join(' ')}`);
  const node = { platform, pid: 7, getActiveResourcesInfo: () => resources, kill: recorded('kill') };
  endProcess(code, { ...node, exit: recorded('exit'), execve: recorded('execve') });
  return calls;
}

test.each<[string, number, NodeJS.Platform, string[], string[]]>([
  [
    'replaced on Linux while a name is looked up',
    0,
    'linux',
    ['GetAddrInfoReqWrap'],
    ['execve /bin/sh /bin/sh,-c,exit 0', 'exit 0'],
  ],
  [
    'killed on Windows while a name is looked up',
    1,
    'win32',
    ['Timeout', 'GetAddrInfoReqWrap'],
    ['kill 7 SIGKILL', 'exit 1'],
  ],
  // What kills itself there has the exit code 1.
  ['not killed on Windows with another code than 1', 0, 'win32', ['GetAddrInfoReqWrap'], ['exit 0']],
  ['ended by exit if no name is looked up', 1, 'win32', ['Timeout'], ['exit 1']],
])('the process is %s', (_, code, platform, resources, calls) => {
  expect(callsAtEnd(code, platform, resources)).toEqual(calls);
});

requires('namespaces').test('on a signal, while seven names of controllers are looked up', async () => {
  const controllers = Array.from({ length: 7 }, (_, at) => `dc${at}.firma.test`);
  const changed = {
    FOLDER_AGENT_SMB_REALM: 'FIRMA.TEST',
    FOLDER_AGENT_KDC: controllers.join(),
  };
  const agent = new AgentProcess(agentEnv(closedService, nowhere, changed), [], behindSilentDns());
  await queriesOf(agent, 4);
  agent.signal('SIGTERM');
  await agent.says('"msg":"agent stopped"');
  expect(await endsWithLastLine(agent)).toBe(0);
});

requires('namespaces').test('after a check, while the name of the service is looked up', async () => {
  const changed = {
    FOLDER_AGENT_API_BASE_URL: 'https://folders.firma.test',
    FOLDER_AGENT_REQUEST_TIMEOUT_MS: '1000',
  };
  const agent = new AgentProcess(agentEnv(closedService, nowhere, changed), ['--check'], behindSilentDns());
  await agent.says('FAILED   Service ');
  expect(await endsWithLastLine(agent)).toBe(1);
  expect(agent.output).toMatch(/^skipped +Permissions/m);
});
