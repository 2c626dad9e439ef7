import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../lib/contract/clock.ts';
import { QueueTable } from '../../lib/folder-requests/table/queue-table.ts';
import { transitionFromRecord } from '../../lib/folder-requests/table/transitions.ts';
import { agentEnvironment } from '../../local/stack/agent-environment.ts';
import { call } from '../../local/stack/call.ts';
import { startAgentProcess } from '../../local/stack/agent-process.ts';
import type { LocalFileServer } from '../../local/stack/file-server.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { agentProgram } from '../support/built-agent.ts';
import { appDirectory } from '../support/built-functions.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import { treeOf } from '../support/share-trees.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

let stack: Stack;
let fileServer: LocalFileServer;

beforeAll(async () => {
  stack = await startStack({
    appDirectory: await appDirectory(),
    agentProgram: agentProgram(),
    agentSettings: { FOLDER_AGENT_POLL_INTERVAL_MS: '200', FOLDER_AGENT_MAX_BACKOFF_MS: '500' },
  });
  fileServer = stack.fileServer;
});
afterAll(() => stack?.stop());

interface Entry {
  id: string;
  status: string;
  agentId: string | null;
  attempts: number;
  errorMessage: string | null;
}

async function request(targetPath: string): Promise<string> {
  const body = { targetPath };
  return (await call<Entry>(stack.description, 'backOffice', 'POST', 'folder-requests', body)).id;
}

const isFinished = ({ status }: Entry): boolean => status === 'FULFILLED' || status === 'FAILED';
const entry = (id: string) => call<Entry>(stack.description, 'administrator', 'GET', `folder-requests/${id}`);
const finished = (id: string) => until(`the end of ${id}`, () => entry(id), isFinished);

function queueTable(): TableClient {
  const { connectionString } = stack.description.tables;
  return TableClient.fromConnectionString(connectionString, 'FolderRequests', {
    allowInsecureConnection: true,
  });
}

/** Lets the lease of a claim end now, for an instance of the service that has not seen the claim. */
async function endLease(id: string): Promise<void> {
  const startService = await stack.stopService();
  const record = await new QueueTable(queueTable(), systemClock).record(id);
  const ended = { ...record!.request, leaseExpiresAtMs: Date.now() };
  await queueTable().submitTransaction(transitionFromRecord(record!, ended, 'ended'));
  await startService();
}

const onShare = (...names: string[]) => join(fileServer.rootDirectory, ...names);

test('a request becomes the template tree on the share', async () => {
  const id = await request('2026-0815 Größe\\Bauphase 1');
  expect(await finished(id)).toMatchObject({ status: 'FULFILLED', agentId: 'agent-1', attempts: 1 });
  expect(treeOf(onShare('2026-0815 Größe', 'Bauphase 1'))).toEqual(treeOf(fileServer.templateDirectory));
});

test('a request whose destination is a file is FAILED with a reason, and is fulfilled after a manual repair of the table', async () => {
  await writeFile(onShare('belegt'), 'eine Datei');
  const id = await request('belegt');
  const failed = await finished(id);
  expect(failed.status).toBe('FAILED');
  expect(failed.errorMessage).toMatch(/belegt/);

  const table = queueTable();
  // The file moves before the repair because the host's own timer could detect the repair first.
  await rename(onShare('belegt'), onShare('belegt.alt'));
  const [record] = await Array.fromAsync(
    table.listEntities({ queryOptions: { filter: `id eq '${id}' and status eq 'FAILED'` } }),
  );
  await table.updateEntity(
    { partitionKey: record!.partitionKey!, rowKey: record!.rowKey!, status: 'PENDING' },
    'Merge',
  );
  await stack.host.runTimer('maintain-folder-queue');
  const repaired = await until(
    'the repair',
    () => entry(id),
    ({ status }) => status === 'FULFILLED',
  );
  expect(repaired.attempts).toBe(2);
});

test('the id of one HTTP request leads to the claim, the log of the agent, and the outcome', async () => {
  // The gateway passes the caller's own id on (tests/repository/bicep/gateway-requests.test.ts).
  const requestId = `front-end.${randomUUID()}`;
  const { id } = await call<Entry>(
    stack.description,
    'backOffice',
    'POST',
    'folder-requests',
    { targetPath: 'Spur' },
    { 'x-request-id': requestId },
  );
  await finished(id);
  const linesOf = async (log: string): Promise<Record<string, unknown>[]> =>
    (await readFile(log, 'utf8')).split('\n').flatMap((line) => {
      const [json] = /\{.*\}$/.exec(line) ?? [];
      return json === undefined ? [] : [JSON.parse(json) as Record<string, unknown>];
    });
  const agentLines = await until(
    'the last line of the agent',
    async () => (await linesOf(stack.logs.agent)).filter((line) => line['folderRequestId'] === id),
    (lines) => lines.some(({ msg }) => msg === 'reported'),
  );
  const lines = await linesOf(stack.logs.functions);
  const eventsOf = (name: string, value: unknown): unknown[] =>
    lines.filter((line) => line[name] === value).map(({ event }) => event);

  expect(eventsOf('requestId', requestId)).toEqual(['folder_request_created', 'request']);
  expect(lines).toContainEqual(expect.objectContaining({ event: 'folder_request_created', requestId, id }));
  expect(eventsOf('id', id)).toEqual([
    'folder_request_created',
    'folder_request_claimed',
    'folder_request_fulfilled',
  ]);
  // And back: a line of the agent names the call by which it got the request.
  const claimed = agentLines.find(({ msg }) => msg === 'claimed');
  expect(eventsOf('requestId', claimed!['requestId'])).toEqual(['folder_request_claimed', 'request']);
  expect(agentLines.at(-1)).toMatchObject({ msg: 'reported', status: 'FULFILLED', agentId: 'agent-1' });
  expect(await entry(id)).toMatchObject({ status: 'FULFILLED', agentId: 'agent-1' });
});

test('when an agent is killed in the middle of a copy, another agent completes the directory', async () => {
  const { share } = fileServer;
  const large = join(fileServer.templateDirectory, '..', 'Große Vorlage');
  await mkdir(large, { recursive: true });
  const content = Buffer.alloc(64 * 1024, 'x');
  const names = Array.from({ length: 400 }, (_, index) => `Plan ${index}.bin`);
  for (const name of names) await writeFile(join(large, name), content);
  const templatePath = share.templatePath.replace('Projektvorlage', 'Große Vorlage');
  const start = (index: 0 | 1, port = share.port) =>
    startAgentProcess(
      {
        ...agentEnvironment(stack.description, share, stack.description.agents[index]!),
        FOLDER_AGENT_SMB_PORT: String(port),
        FOLDER_AGENT_TEMPLATE_PATH: templatePath,
        FOLDER_AGENT_POLL_INTERVAL_MS: '500',
      },
      { program: agentProgram() },
    );
  // The stack's own agent would fulfill the request with the small template.
  await stack.agent!.stop();

  // The first agent connects to the file server through this process, so it cannot run far ahead of the test.
  const proxy = await DelayProxy.start(share.port, 50);
  const first = start(0, proxy.port);
  onTestFinished(() => first.stop());
  const name = `abgestürzt-${randomUUID()}`;
  const id = await request(name);
  const copied = () => readdir(onShare(name)).catch((): string[] => []);
  await until('the first files', copied, (files) => files.length >= 5);
  proxy.goSilent();
  first.process.kill('SIGKILL');
  await first.ended;
  await proxy.stop();
  const left = await copied();
  expect(left.length).toBeLessThan(names.length);
  expect((await entry(id)).status).toBe('PROCESSING');

  await endLease(id);
  const second = start(1);
  onTestFinished(() => second.stop());
  const end = await finished(id);
  expect(end).toMatchObject({ status: 'FULFILLED', attempts: 2, agentId: stack.description.agents[1]!.id });
  const files = await copied();
  expect(files.toSorted()).toEqual(names.toSorted());
  for (const file of files) {
    expect((await readFile(onShare(name, file))).equals(content), file).toBe(true);
  }
});
