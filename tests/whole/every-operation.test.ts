import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repositoryRoot } from '../../local/repository-root.ts';
import { azureNode, azureNodePath } from '../support/azure-node.ts';
import { startStack, type Stack } from '../support/stack.ts';
import { appDirectory } from '../support/built-functions.ts';
import { OperationClient } from '../support/operation-client.ts';
import { drives } from '../support/operation-drives.ts';

let stack: Stack;
let client: OperationClient;

beforeAll(async () => {
  stack = await startStack({ appDirectory: await appDirectory(), agent: false });
  client = await OperationClient.of(stack.description);
  // Letters are downloaded directly from the library.
  setDefaultCACertificates([...getCACertificates(), await readFile(stack.description.caCertificate, 'utf8')]);
});
afterAll(() => stack?.stop());

test.each(Object.keys(drives))('the deployed package serves %s', async (operationId) => {
  await drives[operationId]!(client);
});

test('each operation is served by a function of the same name', async () => {
  expect(client.operationIds.length).toBeGreaterThan(15);
  const served = (await stack.host.functionNames()).map((name) => /^[lpr]+-(.*)$/.exec(name)?.[1] ?? name);
  expect(served).toEqual(expect.arrayContaining(client.operationIds));
});

test('the package runs on the version of Node that the template selects', async () => {
  const template = await readFile(join(repositoryRoot, 'bicep/main.bicep'), 'utf8');
  const [, selected] = /^param nodeVersion string = '(\d+)'$/m.exec(template) ?? [];
  // Other platforms than the one of CI have no such package of Node here.
  const exe =
    process.platform === 'linux' ? await readlink(`/proc/${stack.host.workerPid}/exe`) : azureNodePath;
  expect(exe).toBe(azureNodePath);
  const { stdout } = await promisify(execFile)(exe, ['--version']);
  expect(stdout).toBe(`v${azureNode.version}\n`);
  expect(azureNode.version.split('.')[0]).toBe(selected);
});

test('a stack without an agent leaves the folder requests to its clients', () => {
  expect(stack.agent).toBeUndefined();
});

test('these are all the operations of its document', () => {
  expect([...client.succeeded].toSorted()).toEqual(client.operationIds);
});

test('the more specific of two matching routes is served', async () => {
  const projectId = 'download';
  const json = { number: 'D-1', name: 'Ein Projekt, das so heißt' };
  await client.call('put-project', { as: 'administrator', params: { projectId }, json });
  // GET documents/projects/download also matches the download of a document with the id `projects`.
  const { body } = await client.call('list-project-documents', {
    as: 'projectManager',
    params: { projectId },
  });
  expect(body).toEqual({ items: [], nextCursor: null });
});

test.each([
  ['documents/projects/unbekannt/upload', 'upload-project-document'],
  ['documents/unbekannt', 'unknown-route-post'],
])('POST %s returns 404 from %s', async (path, operation) => {
  const { baseUrl, tokens } = stack.description;
  const requestId = `order-${operation}`;
  const form = new FormData();
  form.set('folderName', '07_Protokolle');
  form.set('file', new File(['x'], 'x.txt'));
  const response = await fetch(`${baseUrl}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.projectManager}`, 'x-request-id': requestId },
    body: form,
  });
  expect(response.status, await response.text()).toBe(404);
  await expect
    .poll(() => readFile(stack.logs.functions, 'utf8'))
    .toMatch(new RegExp(`"requestId":"${requestId}","operation":"${operation}"`));
});

test('no request crashed', async () => {
  const log = await readFile(stack.logs.functions, 'utf8');
  expect(log).toContain('"event":"request"');
  expect(log).not.toContain('request_crashed');
});
