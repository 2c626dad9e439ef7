import type { TableClient, TransactionAction } from '@azure/data-tables';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
