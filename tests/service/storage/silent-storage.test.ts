import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TableClient } from '@azure/data-tables';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import { storageClients } from '../../../lib/storage/storage-clients.ts';
import { isStorageOutage } from '../../../lib/storage/storage-failure.ts';

afterEach(() => vi.unstubAllEnvs());

/** @returns the address of a server that responds so */
async function startServer(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => respond(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// App Service's endpoint for the tokens of the app, and what it has responded with (Azure/Azure-Functions#1486,
// Azure/azure-functions-host#10238, #11058, Azure/azure-sdk-for-js#39566).

/** @returns how a call fails that needs a token from an endpoint that responds so */
async function failureWith(respond: (response: ServerResponse) => void, tokenMs?: number): Promise<unknown> {
  vi.stubEnv('IDENTITY_ENDPOINT', `${await startServer(respond)}/msi/token`);
  vi.stubEnv('IDENTITY_HEADER', 'x');
  const settings = { STORAGE_TABLE_ENDPOINT: 'https://127.0.0.1:9/', AZURE_CLIENT_ID: 'app' };
  const table = storageClients(settings, tokenMs === undefined ? {} : { tokenMs }).table('rows');
  return table.getEntity('a', 'b').catch((error: unknown) => error);
}

test.each<[status: number, body: string]>([
  [200, '{}'],
  [200, '<html>'],
  [400, '{"statusCode": 400, "message": "No User Assigned or Delegated Managed Identity found"}'],
  [403, '{"message": "Forbidden"}'],
  [429, '{"error": "too many"}'],
])('an endpoint that responds %i %s is an outage', async (status, body) => {
  const failure = await failureWith((response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  );
  expect(isStorageOutage(failure)).toBe(true);
});

test('an endpoint that does not respond is one', async () => {
  const failure = await failureWith(() => undefined, 500);
  expect(failure).toMatchObject({ message: 'no token within 500 ms' });
  expect(isStorageOutage(failure)).toBe(true);
});

// A connection whose other end is gone: behind a failover, a NAT gateway, a firewall that drops (Azure/azure-storage-java#33).
const silences: [what: string, respond: (response: ServerResponse) => void][] = [
  ['nothing', () => undefined],
  [
    'a list that stands still',
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-ms-request-id': 'a' })
        .write('{"value":[{"Partition'),
  ],
];

async function tableThat(respond: (response: ServerResponse) => void, callMs: number): Promise<TableClient> {
  const secret = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=${btoa('key')};TableEndpoint=${await startServer(respond)}/a`;
  return storageClients({ STORAGE_CONNECTION_STRING: new Secret(secret) }, { callMs }).table('rows');
}

test.each(silences)('a storage that responds %s is an outage, after one call', async (_what, respond) => {
  const calls: string[] = [];
  const table = await tableThat((response) => {
    calls.push(response.req.method ?? '');
    respond(response);
  }, 300);
  const ended = await Promise.allSettled([
    table.getEntity('a', 'b'),
    table.createEntity({ partitionKey: 'a', rowKey: 'b' }),
  ]);
  for (const each of ended) {
    expect(each).toMatchObject({ status: 'rejected', reason: { message: 'no response within 300 ms' } });
    expect(isStorageOutage((each as PromiseRejectedResult).reason)).toBe(true);
  }
  expect(calls.toSorted()).toEqual(['GET', 'POST']);
});

test('a call that its caller ends is no outage', async () => {
  const table = await tableThat(() => undefined, 60_000);
  const late = AbortSignal.timeout(100);
  await expect(table.getEntity('a', 'b', { abortSignal: late })).rejects.toMatchObject({
    name: 'AbortError',
  });
  await expect(table.getEntity('a', 'b', { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('what comes before the limit is a response', async () => {
  const row = '{"PartitionKey":"a","RowKey":"b","x":1}';
  const table = await tableThat((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-ms-request-id': 'a' });
    setTimeout(() => response.end(row), 50);
  }, 5000);
  expect(await table.getEntity('a', 'b')).toMatchObject({ x: 1 });
});

test('what has responded leaves no timer, which would keep a command from ending', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const table = await tableThat((response) => {
    response.writeHead(404, { 'content-type': 'application/json', 'x-ms-request-id': 'a' }).end('{}');
  }, 60_000);
  const before = timers();
  await Promise.allSettled(Array.from({ length: 40 }, () => table.getEntity('a', 'b')));
  expect(timers() - before).toBeLessThan(20);
});
