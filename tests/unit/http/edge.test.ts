import { HttpRequest, InvocationContext, type HttpResponseInit } from '@azure/functions';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AgentKeys } from '../../../lib/callers/agent-keys.ts';
import type { Application, User } from '../../../lib/callers/caller.ts';
import type { Permission } from '../../../lib/callers/roles.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { handlerFor, type Callers } from '../../../lib/http/edge.ts';
import { IncomingBody } from '../../../lib/http/incoming-body.ts';
import { operation, type Operation } from '../../../lib/http/operation.ts';
import type { ProxyTap } from '../../../lib/http/proxy-tap.ts';
import { SealedText } from '../../../lib/storage/sealed-text.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';

const callers: Callers = {
  userTokens: () => {
    throw new ServiceError('not_configured', { detail: 'IDP_TENANT_ID' });
  },
  agentKeys: () => new AgentKeys(new Secret('berlin:b-secret-of-24-characters,only-a-secret-of-24-chars')),
  cursors: () => new SealedText(new Secret('a secret of the application'), 'cursors'),
};

const echo = operation({
  id: 'echo-thing',
  method: 'POST',
  route: 'v1/things/{id}',
  tag: 'things',
  summary: 'Echo',
  description: 'Returns what it was given.',
  access: { kind: 'agent' },
  params: z.strictObject({ id: z.string().regex(/^\d+$/, 'expected digits') }),
  query: z.strictObject({ limit: z.string().optional() }),
  headers: z.object({ 'idempotency-key': z.string().max(3, 'is longer than 3 characters').optional() }),
  body: z.strictObject({ name: z.string() }),
  responses: { 200: { description: 'The same' } },
  handle: ({ caller, params, query, headers, body }) =>
    Promise.resolve({ status: 200, jsonBody: { agent: caller.id, params, query, headers, body } }),
});

const failing = (error: Error): Operation =>
  operation({
    ...echo,
    access: { kind: 'anonymous' },
    params: z.any(),
    headers: z.any(),
    body: z.any(),
    async handle() {
      throw error;
    },
  });

interface Sent {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly params?: Record<string, string>;
  readonly body?: string;
  readonly tap?: Pick<ProxyTap, 'bodyOf' | 'responseOf'>;
  readonly callers?: Callers;
}

async function send(target: Operation, sent: Sent = {}) {
  const lines: string[] = [];
  const context = new InvocationContext({
    functionName: target.id,
    invocationId: 'i',
    logHandler: (_level, ...args) => void lines.push(args.join(' ')),
  });
  const request = new HttpRequest({
    method: 'POST',
    url: sent.url ?? 'http://localhost/api/v1/things/7?limit=2&code=hostkey',
    params: sent.params ?? { id: /things\/([^?]*)/.exec(sent.url ?? 'things/7')?.[1] ?? '' },
    headers: {
      'x-api-key': 'b-secret-of-24-characters',
      'content-type': 'application/json',
      ...sent.headers,
    },
    body: { string: sent.body ?? '{"name":"n"}' },
  });
  let clock = 0;
  const { tap, callers: by = callers } = sent;
  const response = (await handlerFor(target, by, { ...(tap && { tap }), now: () => (clock += 12.34) })(
    request,
    context,
  )) as HttpResponseInit;
  const headers = new Headers(response.headers);
  const problem =
    typeof response.body === 'string' ? (JSON.parse(response.body) as Record<string, unknown>) : undefined;
  return { status: response.status, headers, problem, jsonBody: response.jsonBody as unknown, lines };
}

test('the handler receives the verified caller and parsed values, but neither unlisted headers nor the host key', async () => {
  const { status, jsonBody } = await send(echo, { headers: { 'idempotency-key': 'k', 'x-other': 'o' } });
  expect(status).toBe(200);
  expect(jsonBody).toEqual({
    agent: 'berlin',
    params: { id: '7' },
    query: { limit: '2' },
    headers: { 'idempotency-key': 'k' },
    body: { name: 'n' },
  });
});

// The host passes them in this form (tests/whole/functions-host.test.ts).
test.each([
  { id: '7', limit: '2' },
  { ID: '7', limit: '2' },
])('query parameters among the route parameters (%o) are not a fault of the route', async (params) => {
  const { status, jsonBody } = await send(echo, { params });
  expect(status).toBe(200);
  expect(jsonBody).toMatchObject({ params: { id: '7' }, query: { limit: '2' } });
});

test('every fault of a request is listed, including unknown names', async () => {
  const { status, problem } = await send(echo, {
    url: 'http://localhost/api/v1/things/x?limit=1&limit=2&colour=red',
    headers: { 'idempotency-key': 'long' },
    body: '{"name":7,"size":1}',
  });
  expect(status).toBe(400);
  expect(problem?.['code']).toBe('invalid_request');
  expect(((problem?.['errors'] ?? []) as { path: string }[]).map(({ path }) => path).toSorted()).toEqual([
    'body.name',
    'body.size',
    'headers.idempotency-key',
    'params.id',
    'query.colour',
    'query.limit',
  ]);
});

test.each(['constructor', '__proto__'])('the query parameter %s is unknown, not repeated', async (name) => {
  const { problem } = await send(echo, { url: `http://localhost/api/v1/things/7?${name}=1` });
  expect(problem?.['errors']).toMatchObject([{ path: `query.${name}`, code: 'unknown_field' }]);
});

describe('an operation that takes no body', () => {
  const { body: _, ...rest } = echo;
  const bodiless: Operation = { ...rest, handle: async () => ({ status: 204 }) };

  test.each(['', '{}'])('takes %o', async (body) => {
    expect((await send(bodiless, { body })).status).toBe(204);
  });

  test('rejects a field, and names it', async () => {
    const { status, problem } = await send(bodiless, { body: '{"name":"n"}' });
    expect(status).toBe(400);
    expect(problem?.['errors']).toMatchObject([{ path: 'body.name', code: 'unknown_field' }]);
  });

  test('rejects what is not JSON', async () => {
    const { status } = await send(bodiless, { body: 'name=n', headers: { 'content-type': 'text/plain' } });
    expect(status).toBe(415);
  });
});

test('of a request that no operation is for, nothing is parsed', async () => {
  const { body: _, ...rest } = failing(new ServiceError('not_found'));
  const { status } = await send(
    { ...rest, isAnyRequest: true },
    { url: 'http://localhost/api/v1/x?a=1&a=2', body: '{' },
  );
  expect(status).toBe(404);
});

test('at most a hundred faults are listed, with the total number', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 0]));
  const { status, problem } = await send(echo, { body: JSON.stringify({ name: 'n', ...unknown }) });
  expect(status).toBe(400);
  expect(problem?.['detail']).toBe('The request has 20000 faults; errors has the first 100.');
  expect(problem?.['errors']).toHaveLength(100);
});

test.each([
  ['', 'is missing'],
  ['{', 'must be JSON'],
  [`"${'x'.repeat(256 * 1024)}"`, 'must not be longer than 262144 bytes'],
])('a body that is not JSON is rejected: %#', async (body, message) => {
  const { status, problem } = await send(echo, { body });
  expect(status).toBe(400);
  expect(problem?.['errors']).toMatchObject([{ path: 'body', message }]);
});

test('a body of exactly the limit is read', async () => {
  const maxBytes = 256 * 1024;
  const body = JSON.stringify({ name: 'n'.repeat(maxBytes - '{"name":""}'.length) });
  expect(Buffer.byteLength(body)).toBe(maxBytes);
  expect((await send(echo, { body })).status).toBe(200);
});

test.each(['text/plain', 'application/jsonp', ''])('the content type %o is rejected', async (contentType) => {
  const { status, problem } = await send(echo, { headers: { 'content-type': contentType } });
  expect([status, problem?.['code']]).toEqual([415, 'unsupported_media_type']);
});

test.each(['', 'wrong'])('the agent key %o is rejected before anything is parsed', async (key) => {
  const { status, problem } = await send(echo, { headers: { 'x-api-key': key }, body: '{' });
  expect([status, problem?.['code']]).toEqual([401, 'invalid_agent_key']);
});

test("every response has the request id, no-store and HSTS; a caller's usable id is kept", async () => {
  const kept = await send(echo, { headers: { 'x-request-id': 'abc-1._Z' } });
  expect(kept.headers.get('x-request-id')).toBe('abc-1._Z');
  expect(kept.headers.get('cache-control')).toBe('no-store');
  expect(kept.headers.get('strict-transport-security')).toBe('max-age=31536000');
  const replaced = await send(echo, { headers: { 'x-request-id': 'a b' } });
  expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-/);
  const rejected = await send(echo, { headers: { 'x-request-id': 'r2', 'x-api-key': '' } });
  expect([rejected.headers.get('x-request-id'), rejected.problem?.['requestId']]).toEqual(['r2', 'r2']);
});

test('an unexpected error is a 500 without detail; the log has the rest', async () => {
  const { status, problem, lines } = await send(failing(new Error('secret internals')));
  expect([status, problem?.['code']]).toEqual([500, 'internal_error']);
  expect(JSON.stringify(problem)).not.toContain('secret internals');
  expect(lines.some((line) => line.includes('secret internals'))).toBe(true);
});

test.each([
  [{ name: 'RestError' }, 503, 'storage_unavailable'],
  [{ name: 'RestError', statusCode: 408 }, 503, 'storage_unavailable'],
  [{ name: 'RestError', statusCode: 429 }, 503, 'storage_unavailable'],
  [{ name: 'RestError', statusCode: 503 }, 503, 'storage_unavailable'],
  [{ name: 'CredentialUnavailableError' }, 503, 'storage_unavailable'],
  [{ name: 'RestError', statusCode: 403 }, 503, 'storage_unavailable'],
  [{ name: 'RestError', statusCode: 400 }, 500, 'internal_error'],
])('storage failures: %j', async (facts, status, code) => {
  const result = await send(failing(Object.assign(new Error('storage'), facts)));
  expect([result.status, result.problem?.['code']]).toEqual([status, code]);
});

test('the log has one line per request, with caller, route, status, and duration, but not the key', async () => {
  const { lines } = await send(echo, {
    headers: { 'x-api-key': 'only-a-secret-of-24-chars', 'x-request-id': 'r3' },
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'request',
    requestId: 'r3',
    operation: 'echo-thing',
    route: 'v1/things/{id}',
    callerKind: 'agent',
    status: 200,
    durationMs: 12.3,
  });
  expect(lines[0]).not.toContain('only-a-secret-of-24-chars');
});

test('a part that is not configured is reported as such', async () => {
  const { status, problem } = await send({
    ...echo,
    access: { kind: 'user', anyOf: ['Administrator'] },
  });
  expect([status, problem?.['code']]).toEqual([503, 'not_configured']);
});

test('a response with a header that HTTP cannot carry is a 500, because the host would wait for one from a handler that throws', async () => {
  const broken = operation({
    ...echo,
    handle: () => Promise.resolve({ status: 200, headers: { etag: '"日本"' } }),
  });
  const { status, problem, lines } = await send(broken);
  expect(status).toBe(500);
  expect(problem).toMatchObject({ code: 'internal_error' });
  expect(lines.join('\n')).toContain('request_crashed');
});

test('a request that no client sends is rejected before its caller is identified', async () => {
  const { status, problem } = await send(echo, {
    url: 'http://localhost/api/v1/things/a%252F7',
    headers: { 'x-api-key': 'wrong' },
  });
  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ path: 'params', code: 'invalid' }] });
});

test.each([
  ['an unknown key', { 'x-api-key': 'x' }, 'unknown_key'],
  ['no key', { 'x-api-key': '' }, 'no_key'],
])(
  'a call with %s is logged with the reason and the address of the caller',
  async (_what, headers, reason) => {
    const { status, problem, lines } = await send(echo, {
      headers: { ...headers, 'x-caller-address': '203.0.113.7' },
    });
    expect([status, problem?.['code']]).toEqual([401, 'invalid_agent_key']);
    expect(JSON.stringify(problem)).not.toMatch(/203\.0\.113\.7|unknown_key|no_key/);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { event: 'request', status: 401, reason, callerAddress: '203.0.113.7' },
    ]);
  },
);

test('the address of a caller who is not rejected is not logged, nor anything but an address', async () => {
  const known = await send(echo, { headers: { 'x-caller-address': '203.0.113.7' } });
  const odd = await send(echo, { headers: { 'x-api-key': 'x', 'x-caller-address': 'a person' } });
  expect([...known.lines, ...odd.lines].join()).not.toMatch(/callerAddress/);
});

test('no browser takes a response for another type, whether it is a result or a problem', async () => {
  for (const key of ['b-secret-of-24-characters', 'x'])
    expect((await send(echo, { headers: { 'x-api-key': key } })).headers.get('x-content-type-options')).toBe(
      'nosniff',
    );
});

const signedIn = (caller: User | Application): Callers => ({
  ...callers,
  // oxlint-disable-next-line typescript/no-explicit-any -- both overloads
  userTokens: () => ({ verify: async (): Promise<any> => caller }),
});

const user = (...permissions: Permission[]): User => ({
  kind: 'user',
  oid: 'oid-of-a-user',
  name: undefined,
  givenName: undefined,
  familyName: undefined,
  email: undefined,
  permissions: new Set(permissions),
  assertion: new Secret('assertion'),
  expiresAtMs: Infinity,
});

const synced = operation({
  ...echo,
  access: { kind: 'user', anyOf: ['Administrator'], orApplication: 'Records.Sync' },
  handle: async () => ({ status: 204 }),
});

test.each([
  ['a user with a role of the operation', user('Management', 'Administrator'), 204, 'oid-of-a-user'],
  ['a user with another role', user('Management'), 403, null],
  // Its permission is in the token, whose check is the verifier's.
  ['an application', { kind: 'application', clientId: 'erp' } as const, 204, 'erp'],
])('%s: the response, and who the log says called', async (_who, caller, status, logged) => {
  const response = await send(synced, { callers: signedIn(caller) });
  expect(response.status).toBe(status);
  const [line] = response.lines.map((each) => JSON.parse(each) as Record<string, unknown>);
  expect(line).toMatchObject({ event: 'request', status, caller: logged });
});

test.each<[Permission[], string]>([
  [['Administrator'], 'This operation requires the app role Administrator.'],
  [['BackOffice', 'Management'], 'This operation requires one of the app roles BackOffice, Management.'],
])('who has none of %j is told so', async (anyOf, detail) => {
  const target = { ...synced, access: { kind: 'user' as const, anyOf } };
  const { problem } = await send(target, { callers: signedIn(user('ProjectManager')) });
  expect(problem).toMatchObject({ status: 403, code: 'forbidden', detail });
});

/** A body of these chunks, whose connection breaks after them. */
async function* broken(chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
  throw new Error('ECONNRESET');
}

test('a client that disconnects before its body is complete is no failure of the service', async () => {
  const tap = { bodyOf: () => new IncomingBody(broken(['{"na']), () => false), responseOf: () => undefined };
  const { status, lines } = await send(echo, { tap });
  expect(status).toBe(400);
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['request']);
});

test('what a rejected request has not read is read before its response', async () => {
  let isRead = false;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let part = 0; part < 3; part += 1) {
      await new Promise(setImmediate);
      yield Buffer.from('part');
    }
    isRead = true;
  }
  const tap = { bodyOf: () => new IncomingBody(body(), () => false), responseOf: () => undefined };
  const { status } = await send(echo, { headers: { 'x-api-key': 'x' }, tap });
  expect([status, isRead]).toEqual([401, true]);
});

test('a fault that is no rejection of a caller is logged without an address', async () => {
  const { status, lines } = await send(echo, { body: '{', headers: { 'x-caller-address': '203.0.113.7' } });
  expect(status).toBe(400);
  expect(lines.join()).not.toMatch(/callerAddress|203\.0\.113\.7/);
});
