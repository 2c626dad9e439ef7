import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ModelEnd } from '../../../lib/activities/text/provider/model-end.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { type AiProvider, startAiProvider } from '../../../local/stand-ins/ai-provider/ai-provider.ts';
import { Api } from '../../support/api.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import { closedPort } from '../../../agent/smb/tests/support/closed-port.ts';
import { RecordedLog } from '../../support/folder-queue.ts';

let ai: AiProvider;

beforeAll(async () => {
  ai = await startAiProvider();
});
afterAll(() => ai.close());
beforeEach(async () => {
  await requests();
});

const dayMs = 86_400_000;
const put = (model: object | null) =>
  fetch(`${ai.adminUrl}/model`, { method: 'PUT', body: JSON.stringify(model) });
const requests = async (): Promise<{ path: string }[]> =>
  (await fetch(`${ai.adminUrl}/requests`)).json() as Promise<{ path: string }[]>;

function ending(baseUrl = ai.url) {
  const clock = {
    nowMs: Date.parse('2026-11-20T05:20:00Z'),
    now: () => clock.nowMs,
    wait: async () => undefined,
  };
  const log = new RecordedLog();
  const settings = { apiKey: new Secret('local-ai-key'), baseUrl, model: 'gpt 6/luna' };
  return { clock, log, end: new ModelEnd(settings, clock) };
}

test('an end within 60 days is known and logged, once a day', async () => {
  const { clock, log, end } = ending();
  await put({ shutdown_date: '2027-01-19' });
  expect(end.near).toBeNull();
  await end.refresh(log);
  // By the calendar, whatever the hour.
  expect(end.near).toEqual({ model: 'gpt 6/luna', endsAt: '2027-01-19', daysLeft: 60 });
  await end.refresh(log);
  clock.nowMs += dayMs - 1;
  await end.refresh(log);
  expect(await requests()).toMatchObject([{ path: '/v1/models/gpt%206%2Fluna' }]);
  expect(log.named('ai_model_retires')).toEqual([
    expect.objectContaining({
      level: 'warn',
      fields: { setting: 'AI_MODEL', model: 'gpt 6/luna', endsAt: '2027-01-19', daysLeft: 60 },
    }),
  ]);
  clock.nowMs += 1;
  await end.refresh(log);
  expect(log.named('ai_model_retires')).toHaveLength(2);
  expect(await requests()).toHaveLength(1);
});

test('an end that is further away, or unknown, is not reported', async () => {
  for (const model of [{ shutdown_date: '2027-01-20' }, { shutdown_date: null }, {}, null]) {
    const { log, end } = ending();
    await put(model);
    await end.refresh(log);
    expect(end.near).toBeNull();
    expect(log.named('ai_model_retires')).toEqual([]);
  }
});

test('the last known end remains while the provider does not respond, and after the end', async () => {
  const { clock, log, end } = ending();
  await put({ shutdown_date: '2026-12-01' });
  await end.refresh(log);
  await put(null);
  clock.nowMs += 11 * dayMs;
  expect(end.near).toMatchObject({ daysLeft: 0 });
  clock.nowMs += dayMs;
  await end.refresh(log);
  expect(end.near).toMatchObject({ daysLeft: -1 });
  const closed = await closedPort();
  const silent = ending(`http://127.0.0.1:${closed.port}/v1`);
  await silent.end.refresh(silent.log);
  expect(silent.log.named('ai_model_unread')).toHaveLength(1);
  expect(silent.end.near).toBeNull();
  await closed.release();
});

test.each([
  ['a server error says nothing about the model', 503, 'unreachable'],
  ['a response without a body says nothing at all', 204, 'unknown'],
])('%s', async (_what, status, state) => {
  const body = status === 204 ? undefined : JSON.stringify({ error: { code: 'model_not_found' } });
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { log, end } = ending(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  await end.refresh(log);
  expect(end.state).toBe(state);
  server.close();
});

test('GET /health shows the end', async () => {
  await put({ shutdown_date: new Date(Date.now() + 10 * dayMs).toISOString().slice(0, 10) });
  const services = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: azuriteConnectionString(),
      AI_API_KEY: 'local-ai-key',
      AI_BASE_URL: ai.url,
      AI_MODEL: 'm',
    }),
  );
  const api = new Api({ ...services, tables: [tableClient(await newTable())] });
  await expect
    .poll(async () => (await api.call('GET', '/health')).body.aiModelEnds)
    .toMatchObject({ model: 'm', daysLeft: 10 });
  expect(await requests()).toHaveLength(1);
});

test('GET /health does not wait for the provider', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const services = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: azuriteConnectionString(),
      AI_API_KEY: 'k',
      AI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      AI_MODEL: 'm',
    }),
  );
  const asked = once(silent, 'request');
  const api = new Api({ ...services, tables: [tableClient(await newTable())] });
  const { status, body } = await api.call('GET', '/health');
  expect([status, body.aiModelEnds]).toEqual([200, undefined]);
  await asked;
  silent.closeAllConnections();
  silent.close();
});
