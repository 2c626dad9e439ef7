import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../release/build/build.ts';
import { FunctionsHost, type LogEntry } from '../../local/stand-ins/functions-host/functions-host.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

const mebibyte = 1024 * 1024;
const logs: LogEntry[] = [];
let appDirectory: string;
let host: FunctionsHost;

beforeAll(async () => {
  appDirectory = await mkdtemp(join(tmpdir(), 'probe-app-'));
  await build({
    ...bundleOptions,
    entryPoints: [join(import.meta.dirname, 'support/probe-app.ts')],
    outfile: join(appDirectory, 'app.js'),
  });
  await writeFile(join(appDirectory, 'package.json'), '{ "type": "module", "main": "app.js" }');
  await writeFile(
    join(appDirectory, 'host.json'),
    '{ "version": "2.0", "extensions": { "http": { "routePrefix": "api" } } }',
  );
  host = await FunctionsHost.start({
    appDirectory,
    env: { TICK_SCHEDULE: '0 0 3 1 1 *' },
    onLog: (entry) => logs.push(entry),
  });
});

afterAll(async () => {
  await host.stop();
});

interface Description {
  method: string;
  url: string;
  params: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: string;
}

const get = (path: string, init?: RequestInit) => fetch(`${host.origin}/api/${path}`, init);
const described = async (path: string, init?: RequestInit) =>
  (await (await get(path, init)).json()) as Description;
const seen = async () => (await (await get('seen')).json()) as Record<string, number | object>;

/**
 * Resolves with the count when 50 consecutive checks return the same one. Between two checks, a request passes through the
 * host and the worker and back, so the stream has stopped, not the machine.
 */
async function stableCount(count: () => number | Promise<number>): Promise<number> {
  let last = 0;
  for (let equal = 0; equal < 50;) {
    await seen();
    const now = await count();
    equal = now > 0 && now === last ? equal + 1 : 0;
    last = now;
  }
  return last;
}

// Kestrel decodes the URL and YARP encodes it again: %2F in a path is forwarded as %252F.
test('a handler receives the method, URL, query, headers, and body as the host forwards them', async () => {
  const description = await described('v1/things/a%20b%2Fc?x=1&code=key', {
    method: 'POST',
    headers: { 'x-own': 'value', authorization: 'Bearer t' },
    body: 'Grüße',
  });
  expect(description).toMatchObject({
    method: 'POST',
    url: `${host.origin}/api/v1/things/a%20b%252Fc?x=1&code=key`,
    query: { x: '1', code: 'key' },
    body: 'Grüße',
  });
  expect(description.headers).toMatchObject({ 'x-own': 'value', authorization: 'Bearer t' });
});

test('route parameters include the query parameters except the key; a route parameter takes precedence', async () => {
  const { params } = await described('v1/things/route-value?id=query-value&x=1&x=2&code=key');
  expect(params).toEqual({ id: 'route-value', x: '2' });
});

test('a query parameter that differs from a route parameter only in case determines the spelling, as in Azure', async () => {
  const { params } = await described('v1/things/route-value?ID=query-value');
  expect(params).toEqual({ ID: 'route-value' });
});

test('the response keeps its status and headers except hop-by-hop headers', async () => {
  const response = await get('v1/things/1');
  expect(response.status).toBe(201);
  expect(response.headers.get('x-probe')).toBe('yes');
  expect(response.headers.get('x-secret')).toBeNull();
});

test.each([
  ['v1/maybe', {}],
  ['v1/maybe/x', { id: 'x' }],
  ['v1/files/a/b%2Fc/d', { path: 'a/b%2Fc/d' }],
  ['v1/things/3f2504e0-4f89-41d3-9a0c-0305e82c3301/deep', { id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' }],
])('%s has the parameters %o', async (path, params) => {
  expect((await described(path)).params).toEqual(params);
});

test.each([
  ['GET', 'v1/things/not-a-guid/deep'],
  ['GET', 'v1/things'],
  ['GET', 'v1/things/a/b'],
  ['GET', 'nowhere'],
  ['PUT', 'v1/things/1'],
  ['GET', 'without-route'],
])('%s %s returns 404 without a body, even when only the method differs', async (method, path) => {
  const response = await get(path, { method });
  expect(response.status).toBe(404);
  expect(await response.text()).toBe('');
});

test('a function without a route is served under its name', async () => {
  expect((await get('without-route', { method: 'DELETE' })).status).toBe(204);
});

test('hooks run around each invocation', async () => {
  await get('v1/things/1');
  expect((await seen())['hooks']).toEqual(
    expect.arrayContaining(['appStart', 'pre describe', 'post describe']),
  );
});

test('a response that is sent before the body is read arrives, and the connection remains open', async () => {
  const response = await get('early', { method: 'POST', body: Buffer.alloc(20 * mebibyte) });
  expect(response.status).toBe(401);
  expect(await response.text()).toBe('not read');
  expect((await get('v1/things/1')).status).toBe(201);
});

test('an upload is read only as fast as the handler reads it', async () => {
  const upload = httpRequest(`${host.origin}/api/slow-reader`, { method: 'POST' });
  const responded = once(upload, 'response');
  const chunk = Buffer.alloc(mebibyte);
  let sent = 0;
  const fill = () => {
    let hasCapacity = true;
    while (hasCapacity && sent < 90 * mebibyte) {
      sent += chunk.length;
      hasCapacity = upload.write(chunk);
    }
  };
  upload.on('drain', fill);
  fill();
  await until('the slow reader', seen, ({ received }) => received === 0);
  // Sockets and stream buffers fill up; after that, no byte moves until the handler reads.
  expect(await stableCount(() => sent)).toBeLessThan(50 * mebibyte);
  expect(upload.writableNeedDrain).toBe(true);
  await get('drip', { method: 'POST' });
  await until(
    'the whole upload',
    async () => sent,
    (bytes) => bytes >= 90 * mebibyte,
  );
  upload.end();
  const [response] = (await responded) as [AsyncIterable<Buffer>];
  const text = Buffer.concat(await Array.fromAsync(response)).toString();
  expect(JSON.parse(text)).toEqual({ bytes: sent });
});

test('a client that disconnects in the middle of an upload breaks the body that the handler reads', async () => {
  const { aborts } = await seen();
  const upload = httpRequest(`${host.origin}/api/slow-reader`, { method: 'POST' });
  upload.on('error', () => undefined);
  upload.write(Buffer.alloc(5000));
  await until('the slow reader', seen, ({ received }) => received === 0);
  await get('drip', { method: 'POST' });
  await until('the first bytes', seen, ({ received }) => received === 5000);
  upload.destroy();
  await until('the broken body', seen, (state) => state['aborts'] === (aborts as number) + 1);
});

test.each(['download', 'paced-download'])('50 MiB are downloaded completely (%s)', async (route) => {
  const response = await get(`${route}/${50 * mebibyte}`);
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  expect(bytes).toBe(50 * mebibyte);
});

test('atClientPace reads a body only as fast as the client does and cancels it when the client disconnects', async () => {
  const { canceled = 0 } = await seen();
  const download = httpRequest(`${host.origin}/api/paced-download/${250 * mebibyte}`).end();
  download.on('error', () => undefined);
  const [response] = (await once(download, 'response')) as [NodeJS.ReadableStream];
  response.on('error', () => undefined);
  response.pause();
  const sent = async () => Number((await seen())['sent']);
  expect(await stableCount(sent)).toBeLessThan(50 * mebibyte);
  download.destroy();
  await until('the cancellation', seen, (state) => state['canceled'] === (canceled as number) + 1);
  expect(await sent()).toBeLessThan(50 * mebibyte);
});

test('a request line with the URL of another server is rejected, and no other host is contacted', async () => {
  const socket = connect(host.port, '127.0.0.1');
  socket.write('GET http://elsewhere.test/api/seen HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const text = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
  expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
});

test('a timer function runs on demand with a camel-case timer and a separate context', async () => {
  const { timerRuns } = await seen();
  const accepted = await fetch(`${host.origin}/admin/functions/tick`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(accepted.status).toBe(202);
  const state = await until(
    'the timer run',
    seen,
    (value) => value['timerRuns'] === (timerRuns as number) + 1,
  );
  expect(state['timer']).toMatchObject({ isPastDue: false, schedule: { adjustForDST: true } });
  expect(logs).toContainEqual(
    expect.objectContaining({ message: 'tick ran', category: 'user', functionName: 'tick' }),
  );
});

test('a crashed worker is reported, the current request gets a 500, and the next request succeeds', async () => {
  const pid = host.workerPid;
  const response = await get('crash');
  expect(response.status).toBe(500);
  await until(
    'another worker',
    async () => host.workerPid,
    (now) => now !== pid,
  );
  expect((await get('v1/things/1')).status).toBe(201);
  expect(logs.find(({ level }) => level === 'critical')?.message).toMatch(/ended with exit code 3/);
});
