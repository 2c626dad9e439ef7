import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IdentityProvider } from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { people } from '../../../local/stand-ins/identity-provider/people.ts';
import {
  claimedFolderRequest,
  folderRequest,
  folderRequestLease,
  folderRequestList,
} from '../../../lib/contract/folder-requests.ts';
import type { AgentRegistry } from '../../../lib/folder-requests/agent-registry.ts';
import { connect, ensureTables, type Services } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { Api, type ApiResponse } from '../../support/api.ts';
import { newStorage } from '../../support/shared-azurite.ts';
import { startTestIdentityProvider } from '../../support/identity.ts';
import { until } from '../../../agent/smb/tests/support/until.ts';

// A separate storage account, because the service determines the names of its tables.
let storage: Awaited<ReturnType<typeof newStorage>>;
let idp: IdentityProvider;
let api: Api;
let agents: AgentRegistry;
const tokens = {} as Record<keyof typeof people, string>;
const berlin = 'b-secret-of-24-characters';
const bremen = 'only-a-secret-of-24-chars';

/** A service with empty tables. */
async function newServices(connectionString: string): Promise<Services> {
  const { tenantId, clientId, clientSecret } = idp.registration;
  const services = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: connectionString,
      IDP_TENANT_ID: tenantId,
      IDP_API_CLIENT_ID: clientId,
      IDP_API_CLIENT_SECRET: clientSecret,
      IDP_AUTHORITY_HOST: idp.url,
      FOLDER_AGENT_API_KEYS: `berlin:${berlin},${bremen}`,
    }),
  );
  await ensureTables(services);
  return services;
}

beforeAll(async () => {
  [storage, idp] = await Promise.all([newStorage(), startTestIdentityProvider()]);
  const services = await newServices(storage.connectionString);
  ({ agents } = services);
  api = new Api(services);
  for (const [name, person] of Object.entries(people)) {
    tokens[name as keyof typeof people] = await idp.accessToken(person);
  }
});

afterAll(async () => {
  await Promise.all([storage.stop(), idp.stop()]);
});

const request = (targetPath: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  api.call('POST', '/folder-requests', { token: tokens.backOffice, headers, body: { targetPath } });

/** The row of an agent is written in the background of its calls. */
const isRecorded = (
  registry: AgentRegistry,
  isIt: (seen: { name: string; host: string | null }) => boolean,
) =>
  until(
    'the row of the agent',
    () => registry.all(),
    (seen) => seen.some(isIt),
  );

const claim = (agentKey = berlin): Promise<ApiResponse> =>
  api.call('POST', '/folder-requests/claim', { agentKey });

/** Claims until nothing is claimable: a test then starts with an empty queue. */
async function drain(): Promise<void> {
  while ((await claim()).status === 200);
}

test('a claim that finds nothing says for how long', async () => {
  await drain();
  const { status, headers } = await claim();
  expect(status).toBe(204);
  expect(Number(headers.get('x-idle-seconds'))).toBeGreaterThanOrEqual(1);
  expect(Number(headers.get('x-idle-seconds'))).toBeLessThanOrEqual(30);
  await request('a');
  const found = await claim();
  expect([found.status, found.headers.get('x-idle-seconds')]).toEqual([200, null]);
});

function expectProblem(response: ApiResponse, status: number, code: string): void {
  expect([response.status, response.body?.code]).toEqual([status, code]);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.body.requestId).toBe(response.headers.get('x-request-id'));
}

describe('POST /folder-requests', () => {
  test('responds with 201, the entry and its location', async () => {
    const response = await request('//files/projects/Auftra\u0308ge');
    expect(response.status).toBe(201);
    const entry = folderRequest.strict().parse(response.body);
    expect(entry).toMatchObject({
      targetPath: '\\\\files\\projects\\Aufträge',
      status: 'PENDING',
      requestedByUserId: people.backOffice.oid,
      requestedByName: people.backOffice.name,
    });
    expect(response.headers.get('location')).toBe(`/api/v1/folder-requests/${entry.id}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const read = await api.call('GET', `/folder-requests/${entry.id.toUpperCase()}`, {
      token: tokens.backOffice,
    });
    const history = [{ at: entry.createdAt, event: 'created', userId: people.backOffice.oid }];
    expect([read.status, read.body]).toEqual([200, { ...entry, history }]);
  });

  test('with a used Idempotency-Key returns the first entry with 200, and 409 for another path', async () => {
    const first = await request('a', { 'idempotency-key': 'key-1' });
    const again = await request('a', { 'idempotency-key': 'key-1' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('location')).toBe(`/api/v1/folder-requests/${first.body.id}`);
    expectProblem(await request('b', { 'idempotency-key': 'key-1' }), 409, 'idempotency_key_reused');
    const other = await api.call('POST', '/folder-requests', {
      token: tokens.management,
      headers: { 'idempotency-key': 'key-1' },
      body: { targetPath: 'b' },
    });
    expect(other.status).toBe(201);
    expectProblem(await request('a', { 'idempotency-key': 'x'.repeat(129) }), 400, 'invalid_request');
  });

  test('rejects an invalid path and lists every fault', async () => {
    const response = await request('..\\nul\\a?');
    expectProblem(response, 400, 'invalid_request');
    expect(response.body.errors).toMatchObject([
      { path: 'body.targetPath', message: 'folder ".." would point at another folder' },
      { path: 'body.targetPath', message: 'folder "nul" is the reserved device name NUL' },
      { path: 'body.targetPath', message: 'folder "a?" contains ?' },
    ]);
  });
});

describe('POST /folder-requests/claim with a body', () => {
  const claimWith = (body: unknown): Promise<ApiResponse> =>
    api.call('POST', '/folder-requests/claim', { agentKey: berlin, body });

  test('returns only requests on the servers that it names', async () => {
    await drain();
    await request('\\\\fs2\\projects\\a');
    const own = await request('\\\\FS1.firma.example\\projects\\a');
    const response = await claimWith({ servers: ['fs1.firma.example'], relative: true });
    expect([response.status, response.body.id]).toEqual([200, own.body.id]);
    expect((await claimWith({ servers: ['fs1.firma.example'], relative: true })).status).toBe(204);
    await drain();
  });

  test('of zero bytes is treated as absent, whatever the headers say', async () => {
    await drain();
    const { body } = await request('a');
    const response = await api.call('POST', '/folder-requests/claim', {
      agentKey: berlin,
      headers: { 'content-type': 'text/plain', 'content-length': '0' },
      body: '',
    });
    expect([response.status, response.body.id]).toEqual([200, body.id]);
  });

  test('that is invalid is a 400 and names what is wrong', async () => {
    const response = await claimWith({ servers: ['fs1', ''] });
    expectProblem(response, 400, 'invalid_request');
    expect(response.body.errors).toMatchObject([{ path: 'body.servers.1', message: expect.any(String) }]);
  });
});

describe('GET /agents and GET /folder-requests/statistics', () => {
  const read = (path: string, name: keyof typeof people = 'administrator'): Promise<ApiResponse> =>
    api.call('GET', path, { token: tokens[name] });

  test("show what the agents' calls reported", async () => {
    await drain();
    const { body: entry } = await request('a');
    const claimed = await api.call('POST', '/folder-requests/claim', {
      agentKey: bremen,
      headers: { 'user-agent': 'folder-agent/0.0.1 (srv-bremen; linux)' },
    });
    await isRecorded(agents, ({ host }) => host === 'srv-bremen');
    const response = await read('/agents');
    expect(response.status).toBe(200);
    expect(response.body.items).toContainEqual({
      id: expect.stringMatching(/^key-[\da-f]{8}$/),
      state: 'working',
      lastSeenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      version: '0.0.1',
      host: 'srv-bremen',
      isPaused: false,
      tooOld: true,
      folderRequestId: entry.id,
      fulfilled24h: expect.any(Number),
      failed24h: expect.any(Number),
    });
    expect(JSON.stringify(response.body)).not.toContain(bremen);
    expect((await api.call('GET', '/health')).body).toEqual({
      status: 'ok',
      version: '0.0.0',
      agentsTooOld: 1,
    });

    const before = (await read('/folder-requests/statistics')).body;
    expect(before.hours).toHaveLength(24);
    const { id, claimToken } = claimed.body;
    await api.call('PATCH', `/folder-requests/${id}/status`, {
      agentKey: bremen,
      body: { status: 'FULFILLED', claimToken },
    });
    const after = (await read('/folder-requests/statistics?hours=1')).body;
    expect(after.hours).toHaveLength(1);
    expect(after.processing).toBe(before.processing - 1);
  });

  test('a paused agent gets nothing until it is resumed; only administrators pause, and only known agents', async () => {
    await drain();
    await isRecorded(agents, ({ name }) => name === 'berlin');
    const { body: entry } = await request('paused');
    const change = (id: string, body: object, name: keyof typeof people = 'administrator') =>
      api.call('PUT', `/agents/${id}`, { token: tokens[name], body });
    expectProblem(await change('berlin', { isPaused: true }, 'management'), 403, 'forbidden');
    expectProblem(await change('berlin', {}), 400, 'invalid_request');
    expectProblem(await change('unknown', { isPaused: true }), 404, 'not_found');
    const paused = await change('berlin', { isPaused: true });
    expect([paused.status, paused.body]).toEqual([
      200,
      expect.objectContaining({ id: 'berlin', isPaused: true }),
    ]);
    const nothing = await claim();
    expect([nothing.status, nothing.headers.get('x-idle-seconds')]).toEqual([204, '30']);
    expect((await change('berlin', { isPaused: false })).body).toMatchObject({ isPaused: false });
    expect((await claim()).body).toMatchObject({ id: entry.id });
  });
});

// Roles, and the bounds of parameters, are in the document of the API (gateway.test.ts) and hold (may-call.test.ts,
// tests/whole/deployed-api/openapi-fuzz.ts).
describe('permissions', () => {
  test('users list their own requests and those of a project, administrators all', async () => {
    const projectId = 'routes-4711';
    const own = await api.call('POST', '/folder-requests', {
      token: tokens.management,
      body: { targetPath: '\\\\nobody\\p\\a', projectId },
    });
    expect(own.body).toMatchObject({ projectId });
    const list = (name: keyof typeof people, query: string) =>
      api.call('GET', `/folder-requests${query}`, { token: tokens[name] });
    const mine = await list('management', '?requestedBy=me&limit=1');
    expect(folderRequestList.parse(mine.body).items).toMatchObject([{ id: own.body.id, projectId }]);
    const others = await list('backOffice', '?requestedBy=me&limit=200');
    expect(others.body.items.map(({ id }: { id: string }) => id)).not.toContain(own.body.id);
    expect((await list('backOffice', `?projectId=${projectId}`)).body.items).toHaveLength(1);
    expectProblem(await list('backOffice', '?status=PENDING'), 403, 'forbidden');
    expectProblem(await list('projectManager', '?requestedBy=me'), 403, 'forbidden');
    expectProblem(await list('administrator', '?requestedBy=user-1'), 400, 'invalid_request');
  });

  test('users list their own requests of a period, administrators those of all', async () => {
    await drain();
    const { body: own } = await request('of a period');
    const from = own.createdAt;
    // The same time in another zone.
    const to = new Date(Date.parse(from) + 3_600_001).toISOString().replace('Z', '+01:00');
    const list = (name: keyof typeof people, query: string, start = from) =>
      api.call('GET', `/folder-requests?from=${start}&to=${encodeURIComponent(to)}${query}`, {
        token: tokens[name],
      });
    for (const response of [await list('backOffice', '&requestedBy=me'), await list('administrator', '')])
      expect(response.body.items).toMatchObject([{ id: own.id, createdAt: from }]);
    expect((await list('management', '&requestedBy=me')).body.items).toEqual([]);
    for (const query of ['', '&projectId=4711'])
      expectProblem(await list('backOffice', query), 403, 'forbidden');
    // Each of them alone.
    const ofOthers = [
      `from=${from}`,
      `to=${from}`,
      `processedFrom=${from}`,
      `processedTo=${from}`,
      'outcome=FAILED',
    ];
    for (const filter of ofOthers) {
      const query = `/folder-requests?projectId=4711&${filter}`;
      const { backOffice, administrator } = tokens;
      expectProblem(await api.call('GET', query, { token: backOffice }), 403, 'forbidden');
      expect((await api.call('GET', query, { token: administrator })).status).toBe(200);
    }
    for (const start of ['2026-11-20', '2026-11-20T09:00:00', '1', '']) {
      const rejected = await list('administrator', '', start);
      expectProblem(rejected, 400, 'invalid_request');
      expect(rejected.body.errors).toMatchObject([{ path: 'query.from', code: 'not_date_time' }]);
    }
  });

  test('a part of the path finds the own requests of a user, and those of all for administrators', async () => {
    const { body: own } = await request('Kunde Öztürk\\2026');
    const list = async (name: keyof typeof people, query: string) =>
      (await api.call('GET', `/folder-requests?${query}`, { token: tokens[name] })).body.items;
    const path = `path=${encodeURIComponent('öztürk/20')}`;
    for (const found of [
      await list('backOffice', `requestedBy=me&${path}`),
      await list('administrator', path),
      await list('administrator', `${path}&status=PENDING`),
    ])
      expect(found).toMatchObject([{ id: own.id }]);
    for (const found of [
      await list('management', `requestedBy=me&${path}`),
      await list('administrator', 'path=nowhere'),
      await list('administrator', `${path}&status=FAILED`),
    ])
      expect(found).toEqual([]);
    expectProblem(
      await api.call('GET', `/folder-requests?${path}`, { token: tokens.backOffice }),
      403,
      'forbidden',
    );
  });

  test('users read their own requests, administrators all of them', async () => {
    const { body } = await request('a');
    const statusFor = async (name: keyof typeof people): Promise<number> =>
      (await api.call('GET', `/folder-requests/${body.id}`, { token: tokens[name] })).status;
    expect(await statusFor('backOffice')).toBe(200);
    expect(await statusFor('administrator')).toBe(200);
    for (const name of ['management', 'projectManager', 'activityAuthor', 'noRole'] as const) {
      expect(await statusFor(name)).toBe(403);
    }
  });

  test('agent routes accept only agent keys', async () => {
    const id = '01a1f82f-1e80-7004-8ff8-8b62256732a0';
    const routes = [
      ['POST', '/folder-requests/claim', undefined],
      ['PATCH', `/folder-requests/${id}/status`, { status: 'FULFILLED' }],
      ['POST', `/folder-requests/${id}/heartbeat`, { claimToken: 't' }],
    ] as const;
    for (const [method, path, body] of routes) {
      for (const agentKey of [undefined, '', 'wrong', 'berlin', `berlin:${berlin}`, `${berlin} `]) {
        const response = await api.call(method, path, { agentKey, body, token: tokens.administrator });
        // HTTP clients and servers trim values of headers.
        if (agentKey === `${berlin} `) expect(response.status).not.toBe(401);
        else expectProblem(response, 401, 'invalid_agent_key');
      }
    }
  });
});

describe('a batch of folder requests', () => {
  const batch = (items: unknown, name: keyof typeof people = 'backOffice') =>
    api.call('POST', '/folder-requests/batch', { token: tokens[name], body: { items } });
  const outcomesOf = ({ body }: Awaited<ReturnType<typeof batch>>) =>
    body.items.map(({ outcome }: { outcome: string }) => outcome);

  test('creates each once per key, in the order of the queue, and a fault touches no other', async () => {
    await drain();
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
    const items = [
      { targetPath: 'Ähre\\eins', key: one },
      { targetPath: 'a?', key: crypto.randomUUID() },
      { targetPath: 'zwei', projectId: 'p', key: two },
      { targetPath: 'drei' },
      { targetPath: 'vier', key: one },
    ];
    const first = await batch(items);
    expect([first.status, outcomesOf(first)]).toEqual([
      200,
      ['created', 'fault', 'created', 'fault', 'fault'],
    ]);
    const entry = folderRequest.strict().parse(first.body.items[2].folderRequest);
    expect(entry).toMatchObject({ targetPath: 'zwei', status: 'PENDING', projectId: 'p' });
    const faults = first.body.items.flatMap(({ errors = [] }: any) =>
      errors.map(({ path, code }: any) => [path, code]),
    );
    expect(faults).toEqual([
      ['body.items.1.targetPath', 'path_characters'],
      ['body.items.3.key', 'required'],
      ['body.items.4.key', 'key_reused'],
    ]);
    const again = await batch(items);
    expect(outcomesOf(again)).toEqual(['existing', 'fault', 'existing', 'fault', 'fault']);
    expect(again.body.items[2].folderRequest.id).toBe(entry.id);
    // The key of another user is another key, and that of a single request the same.
    expect(outcomesOf(await batch([items[2]], 'management'))).toEqual(['created']);
    const single = { token: tokens.backOffice, headers: { 'idempotency-key': two } };
    const { status } = await api.call('POST', '/folder-requests', {
      ...single,
      body: { targetPath: 'zwei', projectId: 'p' },
    });
    expect(status).toBe(200);
    expect([(await claim()).body.targetPath, (await claim()).body.targetPath]).toEqual([
      'Ähre\\eins',
      'zwei',
    ]);
  });

  test('has 1 to 100 items', async () => {
    const items = Array.from({ length: 101 }, (_, at) => ({
      targetPath: `x${at}`,
      key: crypto.randomUUID(),
    }));
    expectProblem(await batch(items), 400, 'invalid_request');
    expectProblem(await batch([]), 400, 'invalid_request');
    expectProblem(await batch(items.slice(1), 'projectManager'), 403, 'forbidden');
    expect(new Set(outcomesOf(await batch(items.slice(1))))).toEqual(new Set(['created']));
    await drain();
  });
});

describe('what administrators and requesters change in a live request', () => {
  const freed = (id: string, name: keyof typeof people, body: unknown = { reason: 'its machine is gone' }) =>
    api.call('POST', `/folder-requests/${id}/free`, { token: tokens[name], body });
  const corrected = (id: string, name: keyof typeof people, targetPath: string) =>
    api.call('PATCH', `/folder-requests/${id}`, { token: tokens[name], body: { targetPath } });

  test('an administrator frees a claim: the agent learns it at its next call, and another gets the request', async () => {
    await drain();
    const { body: entry } = await request('a');
    expectProblem(await freed(entry.id, 'administrator'), 409, 'not_processing');
    const { body: claimed } = await claim(bremen);
    expectProblem(await freed(entry.id, 'backOffice'), 403, 'forbidden');
    expectProblem(await freed(entry.id, 'administrator', {}), 400, 'invalid_request');
    const response = await freed(entry.id, 'administrator');
    expect(response.status).toBe(200);
    expect(folderRequest.strict().parse(response.body)).toMatchObject({
      status: 'PENDING',
      agentId: null,
      attempts: 1,
    });
    const { claimToken } = claimed;
    const heartbeat = { agentKey: bremen, body: { claimToken } };
    expectProblem(
      await api.call('POST', `/folder-requests/${entry.id}/heartbeat`, heartbeat),
      409,
      'claim_lost',
    );
    const report = { agentKey: bremen, body: { status: 'FULFILLED', claimToken } };
    expectProblem(await api.call('PATCH', `/folder-requests/${entry.id}/status`, report), 409, 'claim_lost');
    expect((await claim()).body).toMatchObject({ id: entry.id, attempts: 2 });
    const read = await api.call('GET', `/folder-requests/${entry.id}`, { token: tokens.administrator });
    expect(read.body.history[2]).toMatchObject({
      event: 'released',
      userId: people.administrator.oid,
      userName: people.administrator.name,
      message: 'its machine is gone',
    });
  });

  test('the requester or an administrator corrects the path of a waiting request, which keeps its place', async () => {
    await drain();
    const { body: entry } = await request('\\\\fs1\\p\\fasch');
    const { body: later } = await request('later');
    expectProblem(await corrected(entry.id, 'management', 'x'), 403, 'forbidden');
    expectProblem(await corrected(entry.id, 'backOffice', 'x?'), 400, 'invalid_request');
    const response = await corrected(entry.id, 'backOffice', '"//fs2/p/falsch"');
    expect([response.status, response.body.targetPath]).toEqual([200, '\\\\fs2\\p\\falsch']);
    expect((await corrected(entry.id, 'administrator', 'richtig')).body).toMatchObject({
      status: 'PENDING',
      createdAt: entry.createdAt,
      requestedByUserId: people.backOffice.oid,
    });
    expect((await corrected(entry.id, 'administrator', 'richtig')).status).toBe(200);
    const of = (servers: readonly string[], relative: boolean) =>
      api.call('POST', '/folder-requests/claim', { agentKey: berlin, body: { servers, relative } });
    expect((await of(['fs1', 'fs2'], false)).status).toBe(204);
    expect((await of(['fs1'], true)).body).toMatchObject({ id: entry.id, targetPath: 'richtig' });
    expect((await of(['fs1'], true)).body).toMatchObject({ id: later.id });
    expectProblem(await corrected(entry.id, 'backOffice', 'zu spät'), 409, 'not_pending');
    const read = await api.call('GET', `/folder-requests/${entry.id}`, { token: tokens.administrator });
    expect(read.body.history.map(({ event, message }: Record<string, string>) => [event, message])).toEqual([
      ['created', undefined],
      ['requeued', 'The target path was \\\\fs1\\p\\fasch'],
      ['requeued', 'The target path was \\\\fs2\\p\\falsch'],
      ['claimed', undefined],
    ]);
  });
});

describe('the work of an agent', () => {
  test('is claim, heartbeat and report; what is rejected says why', async () => {
    await drain();
    const created = await request('a');
    const claimed = await claim();
    const { claimToken, leaseExpiresAt, ...entry } = claimedFolderRequest.strict().parse(claimed.body);
    const { updatedAt } = entry;
    const changed = { status: 'PROCESSING', agentId: 'berlin', attempts: 1, updatedAt };
    expect(entry).toEqual({ ...created.body, ...changed });
    expect(Date.parse(leaseExpiresAt) - Date.parse(updatedAt)).toBe(300_000);

    const path = `/folder-requests/${entry.id}`;
    const beat = (token = claimToken) =>
      api.call('POST', `${path}/heartbeat`, { agentKey: berlin, body: { claimToken: token } });
    const extended = await beat();
    expect(extended.status).toBe(200);
    expect(folderRequestLease.strict().parse(extended.body).leaseExpiresAt > leaseExpiresAt).toBe(true);

    const report = (body: object, agentKey = berlin) =>
      api.call('PATCH', `${path}/status`, { agentKey, body });
    const expectLost = (response: ApiResponse, reason: string): void => {
      expectProblem(response, 409, 'claim_lost');
      expect(response.body.detail).toBe(`The claim is no longer yours: ${reason}`);
    };
    expectLost(
      await report({ status: 'FULFILLED', claimToken }, bremen),
      'the agent of this key does not hold it. The folder request is PROCESSING.',
    );
    expectLost(
      await report({ status: 'FULFILLED', claimToken: 'old' }),
      'claimToken is not the token of the last claim. The folder request is PROCESSING.',
    );
    const done = await report({ status: 'FULFILLED', claimToken });
    expect(done.status).toBe(200);
    expect(folderRequest.strict().parse(done.body)).toMatchObject({ status: 'FULFILLED', attempts: 1 });
    expect((await report({ status: 'FULFILLED' })).body).toEqual(done.body);
    expectProblem(await report({ status: 'FAILED', errorMessage: 'no' }), 409, 'not_processing');
    expectLost(await beat(), 'it has ended. The folder request is FULFILLED.');
  });

  test('is the same for an agent whose key has no id', async () => {
    await drain();
    const { body: created } = await request('a');
    const { claimToken, leaseExpiresAt } = (await claim(bremen)).body;
    const path = `/folder-requests/${created.id}`;
    const extended = await api.call('POST', `${path}/heartbeat`, { agentKey: bremen, body: { claimToken } });
    expect(extended.status).toBe(200);
    expect(extended.body.leaseExpiresAt > leaseExpiresAt).toBe(true);
    const report = { agentKey: bremen, body: { status: 'FULFILLED', claimToken } };
    expect((await api.call('PATCH', `${path}/status`, report)).body).toMatchObject({ status: 'FULFILLED' });
  });

  test('an invalid id is a 400, an unknown one a 404', async () => {
    const unknown = '01a1f82f-1e80-7004-8ff8-8b62256732a0';
    const body = { status: 'FULFILLED' };
    const report = (id: string) =>
      api.call('PATCH', `/folder-requests/${id}/status`, { agentKey: berlin, body });
    expectProblem(await report(unknown), 404, 'folder_request_not_found');
    expectProblem(await report('7'), 400, 'invalid_request');
    const get = (id: string) => api.call('GET', `/folder-requests/${id}`, { token: tokens.administrator });
    expectProblem(await get(unknown), 404, 'folder_request_not_found');
    expectProblem(await get("'or''='"), 400, 'invalid_request');
    const requeue = await api.call('POST', `/folder-requests/${unknown}/requeue`, {
      token: tokens.administrator,
    });
    expectProblem(requeue, 404, 'folder_request_not_found');
  });

  test('a release requires the token and a reason', async () => {
    await drain();
    const { body: created } = await request('a');
    const { claimToken } = (await claim(bremen)).body;
    const release = (body: object) =>
      api.call('POST', `/folder-requests/${created.id}/release`, { agentKey: bremen, body });
    for (const reason of [undefined, '', 'x'.repeat(501)])
      expectProblem(await release({ claimToken, reason }), 400, 'invalid_request');
    expectProblem(await release({ claimToken: 'another', reason: 'x' }), 409, 'claim_lost');
    const { status, body } = await release({ claimToken, reason: 'the agent stops' });
    expect(status).toBe(200);
    expect(folderRequest.strict().parse(body)).toMatchObject({ status: 'PENDING', agentId: null });
    const read = await api.call('GET', `/folder-requests/${created.id}`, { token: tokens.backOffice });
    const released = { event: 'released', agentId: bremen, message: 'the agent stops' };
    expect(read.body.history.at(-1)).toEqual({ at: body.updatedAt, ...released });
  });

  test('a withdrawal requires a PENDING request, and its requester or an administrator', async () => {
    await drain();
    const { body: created } = await request('a');
    const withdraw = (token: string, id = created.id) =>
      api.call('DELETE', `/folder-requests/${id}`, { token });
    expectProblem(await withdraw(tokens.management), 403, 'forbidden');
    expectProblem(await withdraw(tokens.projectManager), 403, 'forbidden');
    expect((await withdraw(tokens.backOffice)).status).toBe(204);
    const { body: second } = await request('b');
    expect((await withdraw(tokens.administrator, second.id)).status).toBe(204);
    const { body: third } = await request('c');
    await claim(bremen);
    expectProblem(await withdraw(tokens.administrator, third.id), 409, 'not_pending');
  });

  test('a requeue returns a FAILED request to PENDING by the name of the administrator', async () => {
    await drain();
    const { body: created } = await request('a');
    const requeue = (body?: object) =>
      api.call('POST', `/folder-requests/${created.id}/requeue`, { token: tokens.administrator, body });
    expectProblem(await requeue(), 409, 'not_failed');
    const { claimToken } = (await claim(bremen)).body;
    const read = () => api.call('GET', `/folder-requests/${created.id}`, { token: tokens.administrator });
    expect((await read()).headers.get('retry-after')).toBe('5');
    const failure = { errorCode: 'disk_full', errorParams: { path: '\\\\files\\a' } };
    const failed = await api.call('PATCH', `/folder-requests/${created.id}/status`, {
      agentKey: bremen,
      body: { status: 'FAILED', errorMessage: 'the share is full', ...failure, claimToken },
    });
    expect(failed.body).toMatchObject(failure);
    expect((await read()).headers.get('retry-after')).toBe('60');
    const back = await requeue({ targetPath: '//files/p/b' });
    expect(back).toMatchObject({ status: 200, body: { status: 'PENDING', targetPath: '\\\\files\\p\\b' } });
    expect(back.body).not.toHaveProperty('errorCode');
    const { oid: userId, name: userName } = people.administrator;
    expect((await read()).body.history.at(-1)).toMatchObject({ event: 'requeued', userId, userName });
  });
});

describe('GET /folder-requests', () => {
  const list = (query: string): Promise<ApiResponse> =>
    api.call('GET', `/folder-requests${query}`, { token: tokens.administrator });

  test('pages through all of them', async () => {
    for (let at = 0; at < 3; at += 1) await request(`page ${at}`);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = folderRequestList
        .strict()
        .parse((await list(`?limit=2${cursor && `&cursor=${cursor}`}`)).body);
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? '';
    } while (cursor !== '');
    const all = await list('?limit=200');
    expect(all.body.items.map(({ id }: { id: string }) => id)).toEqual(seen);
  });

  test.each([
    ['?limit=1e2', 'query.limit'],
    ['?limit=', 'query.limit'],
    ['?page=2', 'query.page'],
    ['?status=PENDING&status=FAILED', 'query.status'],
  ])('rejects %s', async (query, path) => {
    const response = await list(query);
    expectProblem(response, 400, 'invalid_request');
    expect(response.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
  });
});

test('entry, list, requeue and statistics mark requests for servers that no agent serves', async () => {
  const other = await newStorage();
  try {
    const services = await newServices(other.connectionString);
    const own = new Api(services);
    const call = async (method: 'GET' | 'POST', path: string, body?: object) =>
      (await own.call(method, path, { token: tokens.administrator, body })).body;
    await own.call('POST', '/folder-requests/claim', { agentKey: berlin, body: { servers: ['fs1'] } });
    await isRecorded(services.agents, () => true);
    const served = await call('POST', '/folder-requests', { targetPath: '\\\\fs1\\p\\a' });
    const entry = await call('POST', '/folder-requests', { targetPath: '\\\\fs2\\p\\a' });
    expect([served.unserved, entry.unserved]).toEqual([undefined, true]);
    expect(await call('GET', `/folder-requests/${entry.id}`)).toMatchObject({ unserved: true });
    const { items } = await call('GET', '/folder-requests?status=PENDING');
    expect(items.map(({ unserved }: { unserved?: true }) => unserved)).toEqual([true, undefined]);
    expect(await call('GET', '/folder-requests/statistics')).toMatchObject({ pending: 2, unserved: 1 });
    const claimed = await own.call('POST', '/folder-requests/claim', {
      agentKey: berlin,
      body: { servers: ['fs1'] },
    });
    await own.call('PATCH', `/folder-requests/${served.id}/status`, {
      agentKey: berlin,
      body: { status: 'FAILED', errorMessage: 'full', claimToken: claimed.body.claimToken },
    });
    const elsewhere = { targetPath: '\\\\fs2\\p\\b' };
    const requeued = await call('POST', `/folder-requests/${served.id}/requeue`, elsewhere);
    expect(requeued).toMatchObject({ status: 'PENDING', unserved: true });
  } finally {
    await other.stop();
  }
});

test('the service logs neither keys nor claim tokens', async () => {
  await request('a');
  const { body } = await claim(bremen);
  expect(body.claimToken).toEqual(expect.any(String));
  const logged = api.lines.join('\n');
  expect(logged).toContain('folder_request_claimed');
  for (const secret of [berlin, bremen, body.claimToken, tokens.backOffice])
    expect(logged).not.toContain(secret);
});
