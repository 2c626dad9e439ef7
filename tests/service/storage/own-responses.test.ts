import { randomUUID } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conditionalWrite } from '../../../lib/storage/conditional-write.ts';
import { orNullIfMissing } from '../../../lib/storage/rejections.ts';
import { StorageClock } from '../../../lib/storage/storage-clock.ts';
import { ownResponses } from '../../../lib/storage/own-responses.ts';
import { isStorageOutage } from '../../../lib/storage/storage-failure.ts';
import { firstRows, odata } from '../../../lib/storage/table-rows.ts';
import { transactionResponses } from '../../../lib/storage/transaction-responses.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import { RecordedLog } from '../../support/folder-queue.ts';
import { startStorageGate, type GateResponse, type StorageGate } from '../../support/storage-gate.ts';

// Between the service and the storage can be a firewall that inspects TLS, or a name that leads to another host.

const log = new RecordedLog();
const clock = new StorageClock(log);
let gate: StorageGate;
let real: TableClient;
let table: TableClient;
beforeEach(async () => {
  const name = await newTable();
  real = tableClient(name);
  await real.createEntity({ ...row('1'), x: 1 });
  gate = await startStorageGate(azuriteConnectionString());
  const retryOptions = { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 1 };
  table = TableClient.fromConnectionString(gate.connectionString, name, {
    allowInsecureConnection: true,
    retryOptions,
    additionalPolicies: [...clock.policies, ...transactionResponses, ...ownResponses],
  });
});
afterEach(() => gate.stop());

const row = (rowKey: string) => ({ partitionKey: 'a', rowKey });

/** @returns the responses that were given instead of those of the storage */
function respond(response: GateResponse, times = Infinity): () => number {
  let count = 0;
  gate.onCall = async () => {
    count += 1;
    return count <= times ? response : undefined;
  };
  return () => Math.min(count, times);
}

const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const responses: [what: string, response: GateResponse][] = [
  ['a page to sign in', { status: 200, headers: html, body: '<html><title>Sign in</title>' }],
  ['JSON of something else', { status: 200, headers: json, body: '{"message": "hello"}' }],
  ['an empty list of something else', { status: 200, headers: json, body: '{"value": []}' }],
  ['success without a body', { status: 200, headers: {}, body: '' }],
  ['no content', { status: 204, headers: {}, body: '' }],
  ['a redirection', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }],
  ['a page that denies access', { status: 403, headers: html, body: '<html><title>Blocked</title>' }],
  ['a page about a precondition', { status: 412, headers: html, body: '<html>' }],
  [
    'a response to an earlier request, from a cache',
    {
      status: 200,
      headers: { ...json, 'x-ms-request-id': 'a', 'x-ms-client-request-id': randomUUID() },
      body: '{"value": []}',
    },
  ],
];

const calls: [what: string, call: (on: TableClient) => Promise<unknown>][] = [
  ['a row', (on) => orNullIfMissing(on.getEntity('a', '1'))],
  ['a list', (on) => firstRows(on, odata`PartitionKey eq ${'a'}`, 5)],
  ['a new row', (on) => conditionalWrite(on.createEntity({ ...row('2'), x: 2 }))],
  ['a changed row', (on) => conditionalWrite(on.updateEntity({ ...row('1'), x: 2 }, 'Merge', { etag: '*' }))],
  ['a deleted row', (on) => conditionalWrite(on.deleteEntity('a', '1'))],
  ['a transaction', (on) => on.submitTransaction([['upsert', { ...row('1'), x: 3 }]])],
];

test.each(responses)(
  '%s is not a response of the storage: each call is repeated',
  async (_what, response) => {
    for (const [what, call] of calls) {
      const given = respond(response, 2);
      await call(table);
      expect([what, given()]).toEqual([what, 2]);
    }
    const rows = await firstRows(real, odata`PartitionKey eq ${'a'}`, 5);
    expect(rows).toMatchObject([{ x: 3 }, { x: 2 }]);
  },
);

test.each(responses)(
  '%s each time is an outage, and no row counts as absent or written',
  async (_what, response) => {
    for (const [what, call] of calls) {
      const given = respond(response);
      const failure: unknown = await call(table).catch((error: unknown) => error);
      expect([what, isStorageOutage(failure), given()]).toEqual([what, true, 4]);
    }
    expect(await firstRows(real, odata`PartitionKey eq ${'a'}`, 5)).toMatchObject([{ x: 1 }]);
  },
);

test('the time of something else is not that of the storage', async () => {
  const headers = { ...html, date: new Date(Date.now() + 3_600_000).toUTCString() };
  respond({ status: 503, headers, body: '<html>' });
  await expect(table.getEntity('a', '1')).rejects.toMatchObject({
    statusCode: 502,
    message: expect.stringContaining('The response, 503 with text/html, is not from the storage.'),
  });
  expect(clock.differenceMs).toBe(0);
});

test('a list that breaks off is an outage', async () => {
  respond({ status: 200, headers: { ...json, 'x-ms-request-id': 'a' }, body: '{"value":[{"Partition' });
  const failure: unknown = await firstRows(table, odata`PartitionKey eq ${'a'}`, 5).catch(
    (error: unknown) => error,
  );
  expect(isStorageOutage(failure)).toBe(true);
});
