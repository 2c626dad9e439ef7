import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../../lib/contract/secret.ts';
import { conditionalWrite } from '../../../lib/storage/conditional-write.ts';
import { orNullIfMissing } from '../../../lib/storage/rejections.ts';
import { storageClients } from '../../../lib/storage/storage-clients.ts';
import { isStorageOutage } from '../../../lib/storage/storage-failure.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import { startStorageGate, type StorageGate } from '../../support/storage-gate.ts';

// The storage responds 202 to each transaction; only the parts of the response say what became of it.

let gate: StorageGate;
let real: TableClient;
let table: TableClient;
beforeEach(async () => {
  const name = await newTable();
  real = tableClient(name);
  gate = await startStorageGate(azuriteConnectionString());
  const retryOptions = { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 1 };
  const settings = { STORAGE_CONNECTION_STRING: new Secret(gate.connectionString) };
  table = storageClients(settings).table(name, { retryOptions });
});
afterEach(() => gate.stop());

const key = (rowKey: string) => ({ partitionKey: 'a', rowKey });
const actions: TransactionAction[] = ['1', '2', '3'].map((rowKey) => ['create', { ...key(rowKey), x: 1 }]);
const isWritten = async (): Promise<boolean> => (await orNullIfMissing(real.getEntity('a', '3'))) !== null;

const error = (code: string): string => JSON.stringify({ 'odata.error': { code, message: { value: code } } });
/** Parts as the storage sends them. */
const parts = (...statuses: readonly (readonly [status: number, body?: string])[]): string => {
  const each = statuses.map(
    ([status, body = '']) =>
      `--changesetresponse_1\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 ${status} X\r\nDataServiceVersion: 3.0;\r\n\r\n${body}\r\n`,
  );
  return `--batchresponse_1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_1\r\n\r\n${each.join('')}--changesetresponse_1--\r\n--batchresponse_1--\r\n`;
};

/** Responds so to the first transactions. @returns how many there were */
function respond(body: string, times: number, isForwarded = false): () => number {
  let count = 0;
  gate.onCall = async ({ url }) => {
    if (!url.includes('$batch')) return undefined;
    count += 1;
    return count <= times ? { body, isForwarded } : undefined;
  };
  return () => count;
}

const temporary: [string, string][] = [
  ['a part that is busy', parts([503, error('ServerBusy')])],
  ['a part that took too long', parts([500, error('OperationTimedOut')])],
  ['a part that is throttled', parts([429, error('TooManyRequests')])],
  ['a part that is busy, in words', parts([503, 'The server is busy.'])],
  ['a page of a gateway', '<!DOCTYPE html><title>Sign in</title>'],
  ['nothing', ''],
  ['fewer parts than writes', parts([204], [204])],
];

test.each(temporary)('%s is no success: the transaction is repeated', async (_what, body) => {
  const calls = respond(body, 2);
  await table.submitTransaction(actions);
  expect([calls(), await isWritten()]).toEqual([3, true]);
});

test.each(temporary)('%s each time is an outage, and nothing is taken for written', async (_what, body) => {
  const calls = respond(body, Infinity);
  const failure: unknown = await table.submitTransaction(actions).catch((reason: unknown) => reason);
  expect([isStorageOutage(failure), calls(), await isWritten()]).toEqual([true, 4, false]);
});

test('a transaction of which the result was a page is recognized by its trace when it is repeated', async () => {
  respond('<html>', 1, true);
  const trace = async () => ((await isWritten()) ? { etag: 'x' } : null);
  expect(await conditionalWrite(table.submitTransaction(actions), trace)).toEqual({ etag: 'x' });
});

test.each([
  ['with its code', error('EntityAlreadyExists')],
  ['without a body', ''],
  ['with a body of several lines', JSON.stringify(JSON.parse(error('EntityAlreadyExists')), null, 2)],
])('a part that is rejected for good, %s, is rejected once', async (_what, body) => {
  const calls = respond(parts([412, body]), Infinity);
  await expect(table.submitTransaction(actions)).rejects.toMatchObject({ statusCode: 412 });
  expect([calls(), await isWritten()]).toEqual([1, false]);
});

// What it is a response of: own-responses.test.ts.
test('a page to read is no row, for each client of a table', async () => {
  await real.createEntity(key('1'));
  gate.onCall = async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' });
  await expect(table.getEntity('a', '1')).rejects.toMatchObject({ statusCode: 502 });
});

test('a transaction of each kind of write is one of the storage', async () => {
  await table.submitTransaction(actions);
  const { subResponses } = await table.submitTransaction([
    ['update', { ...key('1'), x: 2 }, 'Merge'],
    ['update', { ...key('2'), x: 'HTTP/1.1 503\n\nHTTP/1.1 503' }, 'Replace'],
    ['delete', key('3')],
    ['upsert', { ...key('4'), x: 4 }, 'Merge'],
    ['create', { ...key('5'), x: 5 }],
  ]);
  expect(subResponses).toHaveLength(5);
  expect(await real.getEntity('a', '4')).toMatchObject({ x: 4 });
});

// A connection whose other end is gone: behind a failover, a NAT gateway, a firewall that drops (Azure/azure-storage-java#33).
const silences: [what: string, respondSo: (response: ServerResponse) => void][] = [
  ['nothing', () => undefined],
  [
    'a list that stands still',
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-ms-request-id': 'a' })
        .write('{"value":[{"Partition'),
  ],
];

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

async function tableThat(
  respondSo: (response: ServerResponse) => void,
  callMs: number,
): Promise<TableClient> {
  const secret = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=${btoa('key')};TableEndpoint=${await startServer(respondSo)}/a`;
  return storageClients({ STORAGE_CONNECTION_STRING: new Secret(secret) }, { callMs }).table('rows');
}

test.each(silences)('a storage that responds %s is an outage, after one call', async (_what, respondSo) => {
  const calls: string[] = [];
  const table = await tableThat((response) => {
    calls.push(response.req.method ?? '');
    respondSo(response);
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
