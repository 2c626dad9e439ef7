import { expect, test } from 'vitest';
import { storageClients } from '../../../lib/storage/storage-clients.ts';
import { isStorageOutage } from '../../../lib/storage/storage-failure.ts';
import { identityEndpoint, type RespondToken } from '../../support/identity-endpoint.ts';

// App Service's endpoint for the tokens of the app, and what it has responded with (Azure/Azure-Functions#1486,
// Azure/azure-functions-host#10238, #11058, Azure/azure-sdk-for-js#39566).

/** @returns how a call fails that needs a token from an endpoint that responds so */
async function failureWith(respond: RespondToken, tokenMs?: number): Promise<unknown> {
  let calls = 0;
  await identityEndpoint((response) => {
    calls += 1;
    respond(response);
  });
  const settings = { STORAGE_TABLE_ENDPOINT: 'https://127.0.0.1:9/', AZURE_CLIENT_ID: 'app' };
  const table = storageClients(settings, tokenMs === undefined ? {} : { tokenMs }).table('rows');
  const failure: unknown = await table.getEntity('a', 'b').catch((error: unknown) => error);
  expect(calls).toBe(1);
  return failure;
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

test('responses leave no timer of the limit behind', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  for (let count = 0; count < 10; count += 1) await failureWith((response) => response.end('{}'));
  expect(timers() - before).toBeLessThan(5);
});

test('an endpoint that does not respond is one', async () => {
  const failure = await failureWith(() => undefined, 500);
  expect(failure).toMatchObject({ message: 'no token within 500 ms' });
  expect(isStorageOutage(failure)).toBe(true);
});
