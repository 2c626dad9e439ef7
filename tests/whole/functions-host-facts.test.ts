// Surprising behavior that was measured on the Functions host and is reproduced by the stand-in: the titles are its only list.
import { once } from 'node:events';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bundleOptions } from '../../release/build/build.ts';
import {
  FunctionsHost,
  type FunctionsHostOptions,
  type LogEntry,
} from '../../local/stand-ins/functions-host/functions-host.ts';
import { logFilter } from '../../local/stand-ins/functions-host/log-levels.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import { chunkedZeros, rawRequest, sendRaw } from './support/raw-http.ts';

const mebibyte = 1024 * 1024;
let logs: LogEntry[] = [];
let directory: string;
let host: FunctionsHost;
/** Gives up early when the real host would hang; on a busy machine, also in other cases. */
let shortLimitHost: FunctionsHost;
/** Requires keys, and its worker waits `requestTimeoutMs` for a request. */
let guarded: FunctionsHost;
const requestTimeoutMs = 1000;
const keys = { master: 'master-key', function: ['function-key', 'other-key'] };
/** Accepts bodies of 1,000 bytes, has no home page, and a timer with an invalid schedule. */
let strict: FunctionsHost;
/** What the starts of all four report. */
let startErrors: readonly string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'host-facts-'));
  await Promise.all(['probe-app', 'faulty-app'].map(bundleApp));
  [host, shortLimitHost, guarded, strict] = await Promise.all([
    start(),
    start({ hangLimitMs: 300 }),
    start({ functionKeys: keys, workerRequestTimeoutMs: requestTimeoutMs }),
    start({
      env: {
        FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: '1000',
        AzureWebJobsDisableHomepage: 'true',
        TICK_SCHEDULE: 'every day',
      },
    }),
  ]);
  startErrors = entries('error').map(({ message }) => message);
});
beforeEach(() => {
  logs = [];
});
afterAll(async () => {
  await Promise.all([host, shortLimitHost, guarded, strict].map((each) => each?.stop()));
});

async function bundleApp(name: string): Promise<void> {
  const appDirectory = join(directory, name);
  await build({
    ...bundleOptions,
    entryPoints: [join(import.meta.dirname, `support/${name}.ts`)],
    outfile: join(appDirectory, 'dist/app.js'),
  });
  await writeFile(join(appDirectory, 'package.json'), '{ "type": "module", "main": "dist/app.js" }');
  await writeFile(join(appDirectory, 'host.json'), hostJson);
}

const hostJson = '{ "version": "2.0", "extensions": { "http": { "routePrefix": "api" } } }';

/** The probe app with other properties in host.json. */
async function appWith(changed: object): Promise<string> {
  const appDirectory = await mkdtemp(join(directory, 'changed-app-'));
  await cp(join(directory, 'probe-app'), appDirectory, { recursive: true });
  await writeFile(join(appDirectory, 'host.json'), JSON.stringify({ ...JSON.parse(hostJson), ...changed }));
  return appDirectory;
}

const start = ({ env, ...options }: FunctionsHostOptions = {}, app = 'probe-app') =>
  FunctionsHost.start({
    appDirectory: join(directory, app),
    env: { TICK_SCHEDULE: '0 0 3 1 1 *', ...env },
    onLog: (entry) => logs.push(entry),
    ...options,
  });

async function startForTest(...args: Parameters<typeof start>): Promise<FunctionsHost> {
  const started = await start(...args);
  onTestFinished(() => started.stop());
  return started;
}

const get = (path: string, init?: RequestInit) => fetch(`${host.origin}/api/${path}`, init);
const raw = (requestLine: string, headers?: string[], body?: string) =>
  sendRaw(host.origin, rawRequest(requestLine, headers, body));
const entries = (level: string) => logs.filter((entry) => entry.level === level);
const failures = () => entries('error').filter(({ message }) => message.startsWith('Executed '));

/** Asserts that there is no response and one log line with the reason. */
async function expectHang(request: string, reason: RegExp): Promise<void> {
  const { status } = await sendRaw(shortLimitHost.origin, request);
  expect(status).toBeUndefined();
  await expect.poll(() => entries('critical').map(({ message }) => message)).toHaveLength(1);
  expect(entries('critical')[0]!.message).toMatch(/^The real host would hang here: /);
  expect(entries('critical')[0]!.message).toMatch(reason);
}

describe('fact 1: routes are tried in the order of function names', () => {
  test('fact 1: a catch-all whose function sorts first wins over a matching literal', async () => {
    expect(await (await get('v1/order/fixed')).text()).toBe('A-rest');
  });

  test.each(['v1/named/fixed', 'V1/NAMED/FIXED', 'v1/named/fixed/'])(
    'fact 1: a literal whose function sorts first wins over the catch-all (%s)',
    async (path) => {
      expect(await (await get(path)).text()).toBe('c-literal');
    },
  );
});

describe('fact 2: a body with Content-Length is buffered before the function starts', () => {
  test('fact 2: the function does not start while bytes of a body with declared length are missing', async () => {
    const before = host.bufferedBodies;
    const upload = httpRequest(`${host.origin}/api/slow-reader`, {
      method: 'POST',
      headers: { 'content-length': 2 * mebibyte },
    });
    const responded = once(upload, 'response') as Promise<[IncomingMessage]>;
    const seen = async () => (await (await get('seen')).json()) as { received?: number };
    const { received } = await seen();
    upload.write(Buffer.alloc(mebibyte));
    // Other requests succeed in the meantime, so the host is not merely slow.
    for (let index = 0; index < 20; index += 1) expect((await seen()).received).toBe(received);
    expect(host.bufferedBodies).toEqual(before);
    upload.end(Buffer.alloc(mebibyte));
    await until('the function', seen, (state) => state.received === 0);
    expect(host.bufferedBodies).toEqual({ bodies: before.bodies + 1, bytes: before.bytes + 2 * mebibyte });
    await get('drip', { method: 'POST' });
    const [response] = await responded;
    expect(JSON.parse(Buffer.concat(await Array.fromAsync(response)).toString())).toEqual({
      bytes: 2 * mebibyte,
    });
  });

  test('fact 2: a chunked body is not buffered', async () => {
    const before = host.bufferedBodies;
    const response = await get('drains', {
      method: 'POST',
      body: new Blob([Buffer.alloc(mebibyte)]).stream(),
      duplex: 'half',
    });
    expect(response.status).toBe(400);
    expect(host.bufferedBodies).toEqual(before);
  });

  test('fact 2: a client that disconnects before its body is complete causes a failed function that never ran', async () => {
    const upload = httpRequest(`${host.origin}/api/drains`, {
      method: 'POST',
      headers: { 'content-length': mebibyte },
    });
    upload.on('error', () => undefined);
    await new Promise((resolve) => upload.write('begun', resolve));
    upload.destroy();
    await expect.poll(failures).toHaveLength(1);
    expect(failures()[0]!.message).toMatch(/Unexpected end of request content/);
  });
});

describe('fact 3: a response before the body is read', () => {
  const post = (path: string, body: RequestInit['body']) =>
    get(path, { method: 'POST', body: body!, duplex: 'half' });
  const chunked = (bytes: number) => new Blob([Buffer.alloc(bytes)]).stream();

  test.each([1000, 1.25 * mebibyte, 20 * mebibyte])(
    'fact 3: the response arrives if %i bytes are read and discarded first',
    async (bytes) => {
      for (const body of [Buffer.alloc(bytes), chunked(bytes)]) {
        const response = await post('drains', body);
        expect([response.status, await response.text()]).toEqual([400, 'read and dropped']);
      }
      expect(failures()).toEqual([]);
    },
  );

  test('fact 3: if a worker closes its socket, the request is retried without the body, then returns a bare 500', async () => {
    const response = await post('closes-socket', chunked(8 * mebibyte));
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(response.headers.has('x-ms-invocation-id')).toBe(false);
    expect(failures()).toHaveLength(1);
    expect(failures()[0]!.message).toMatch(
      /'Functions\.closes-socket' \(Failed.*ForwarderError: RequestBodyDestination/,
    );
  });

  test('fact 3: if a worker closes its socket on a request without a body, the request is sent again and gets no response', async () => {
    await expectHang(rawRequest('GET /api/closes-socket'), /sent again for an invocation that has ended/);
  });

  test('fact 3: if a worker stops reading, the host does not read its response', async () => {
    const body = chunkedZeros(20 * mebibyte);
    const request = rawRequest('POST /api/stops-reading', ['transfer-encoding: chunked'], body);
    await expectHang(request, /stopped reading the body/);
  });
});

describe('fact 4: x-ms-invocation-id', () => {
  test('fact 4: an ID from the client is kept, so the worker waits for a request that never arrives', async () => {
    await expectHang(
      rawRequest('GET /api/anonymous', ['x-ms-invocation-id: mine']),
      /x-ms-invocation-id.*"mine"/,
    );
  });

  test('fact 4: if a key is required, it is checked first', async () => {
    const { status } = await sendRaw(
      guarded.origin,
      rawRequest('GET /api/guarded', ['x-ms-invocation-id: mine']),
    );
    expect(status).toBe(401);
    expect(entries('critical')).toEqual([]);
  });
});

describe('fact 5: header values outside ASCII', () => {
  test.each([
    ['x-name', ['x-name: Müller']],
    // By name, Node exposes only the first value of this header.
    ['user-agent', ['user-agent: curl', 'user-agent: Müller']],
  ])('fact 5: UTF-8 in any header, here %s, gets no response', async (name, headers) => {
    await expectHang(
      rawRequest('GET /api/anonymous', headers),
      new RegExp(`the header ${name} has a character outside ASCII`),
    );
  });

  test('fact 5: in a response, they cause a bare 500', async () => {
    const response = await get('foreign-header');
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(response.headers.has('x-name')).toBe(false);
    expect(failures()[0]!.message).toMatch(/ForwarderError: ResponseHeaders \(the header x-name/);
  });

  test('fact 5: a byte that is not UTF-8 gets 400', async () => {
    const bytes = Buffer.from(rawRequest('GET /api/anonymous', ['x-name: M\u00fcller']), 'latin1');
    const { status, headers, body } = await sendRaw(host.origin, bytes);
    expect([status, headers.get('connection'), body]).toEqual([400, 'close', '']);
  });
});

describe('fact 6: large headers', () => {
  test('fact 6: a response can have larger headers', async () => {
    expect((await raw('GET /api/large-head')).headers.get('x-large')).toHaveLength(40_000);
  });

  test('fact 6: 14 KiB pass', async () => {
    expect((await raw('GET /api/anonymous', [`x-large: ${'x'.repeat(14 * 1024)}`])).status).toBe(204);
  });

  test.each([
    ['one header above 16 KiB', [`x-large: ${'x'.repeat(16.5 * 1024)}`]],
    ['three of 6 KiB', [1, 2, 3].map((index) => `x-large-${index}: ${'x'.repeat(6 * 1024)}`)],
  ])("fact 6: %s, above Node's limit in the worker, get no response", async (_, headers) => {
    await expectHang(rawRequest('GET /api/anonymous', headers), /headers above 16 KiB/);
  });

  test.each([
    ['above 32 KiB', [`x-large: ${'x'.repeat(33 * 1024)}`]],
    ['more than a hundred', Array.from({ length: 101 }, (_, index) => `x-${index}: x`)],
  ])("fact 6: %s, above Kestrel's limit, get 431", async (_, headers) => {
    expect((await raw('GET /api/anonymous', headers)).status).toBe(431);
  });
});

describe('fact 7: a body above FUNCTIONS_REQUEST_BODY_SIZE_LIMIT', () => {
  test.each(['announced', 'chunked'])('fact 7: gets a bare 500 without x-request-id (%s)', async (form) => {
    const body = (bytes: number) =>
      form === 'announced' ? Buffer.alloc(bytes) : new Blob([Buffer.alloc(bytes)]).stream();
    const post = (bytes: number) =>
      fetch(`${strict.origin}/api/v1/things/1`, { method: 'POST', body: body(bytes), duplex: 'half' });
    // The frames of a chunk count too (fact 23).
    expect((await post(form === 'announced' ? 1000 : 985)).status).toBe(201);
    const rejected = await post(1001);
    expect([rejected.status, await rejected.text()]).toEqual([500, '']);
    expect(Object.fromEntries(rejected.headers)).toEqual({
      connection: 'close',
      'content-length': '0',
      date: expect.any(String) as string,
      server: 'Kestrel',
    });
    expect(failures()).toHaveLength(1);
    expect(failures()[0]!.message).toMatch(/'Functions\.describe' \(Failed/);
  });
});

describe('fact 8: an entry point that throws', () => {
  test('fact 8: the host runs without functions, every route is an empty 404, and one error line has the count', async () => {
    const faulty = await startForTest({}, 'faulty-app');
    expect(await faulty.functionNames()).toEqual([]);
    expect(await faulty.loadFailure()).toMatch(
      /unable to load entry point "dist\/app\.js": The settings have 2/,
    );
    for (const path of ['registered', 'v1/health']) {
      const response = await fetch(`${faulty.origin}/api/${path}`);
      expect([response.status, await response.text()]).toEqual([404, '']);
    }
    expect(entries('information').map(({ message }) => message)).toContain('0 functions loaded');
    const levelOf = (text: string) =>
      logs.find(({ category, message }) => category === 'console' && message.includes(text))?.level;
    // The worker writes to its console, a separate pipe that may be read after the host has started.
    await expect.poll(() => levelOf('QUEUE_SHARDS')).toBeDefined();
    // The names are on separate lines.
    expect(levelOf('The settings have 2 errors:')).toBe('error');
    expect(levelOf('STORAGE_NAME: is required')).toBe('information');
    expect(levelOf('QUEUE_SHARDS: expected 1 to 16')).toBe('information');
  });
});

describe("fact 9: the requestTimeout of the library's proxy", () => {
  /** Sends a byte occasionally, for longer than the worker's limit, then ends, unless the response arrives first. */
  async function slowUpload(headers: Record<string, string | number>): Promise<number | undefined> {
    const upload = httpRequest(`${guarded.origin}/api/drains`, {
      method: 'POST',
      headers: { 'x-functions-key': 'function-key', ...headers },
    });
    upload.on('error', () => undefined);
    let bytes = 0;
    const startedAt = performance.now();
    const sending = setInterval(() => {
      bytes += 1;
      if (performance.now() - startedAt < 3 * requestTimeoutMs) return void upload.write('x');
      clearInterval(sending);
      upload.end('x'.repeat(1001 - bytes));
    }, 50);
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    clearInterval(sending);
    response.resume();
    upload.destroy();
    return response.statusCode;
  }

  test('fact 9: a chunked upload that takes longer gets a bare 500', async () => {
    expect(await slowUpload({})).toBe(500);
    expect(failures()).toHaveLength(1);
  });

  test('fact 9: an upload with Content-Length succeeds because the host has buffered the body by then', async () => {
    expect(await slowUpload({ 'content-length': 1000 })).toBe(400);
    expect(failures()).toEqual([]);
  });
});

describe('fact 10: responses before a function is called', () => {
  test('fact 10: a URL of 9 KiB gets 414', async () => {
    const { status, headers, body } = await raw(`GET /api/anonymous?x=${'x'.repeat(9000)}`);
    expect([status, headers.get('connection'), body]).toEqual([414, 'close', '']);
  });

  test('fact 10: %00 gets a bare 400 in a path and is accepted in a query', async () => {
    const { status, headers, body } = await raw('GET /api/anonymous%00');
    expect([status, headers.get('content-length'), body]).toEqual([400, '0', '']);
    expect((await raw('GET /api/anonymous?x=%00')).status).toBe(204);
  });

  test.each([
    ['/api/v1/named/x/%2e%2E/fixed', 'c-literal'],
    ['/api/v1/named/%66ixed', 'c-literal'],
    ['/api/v1/named/..%2Ffixed', 'd-rest'],
    ['/api/v1/named/%zz', 'd-rest'],
  ])('fact 10: paths are decoded before routing, except an encoded slash (%s)', async (path, body) => {
    const response = await sendRaw(host.origin, rawRequest(`GET ${path}`), (text) => text.includes(body));
    expect(response.body).toContain(body);
  });

  test.each([
    ['no host', 'GET /api/anonymous HTTP/1.1\r\n\r\n'],
    ['two hosts', rawRequest('GET /api/anonymous', ['host: elsewhere.test'])],
    ['no HTTP', 'hello\r\n\r\n'],
    ['another host in the request line', rawRequest('GET http://elsewhere.test/api/anonymous')],
  ])('fact 10: %s in a request gets a bare 400', async (_, bytes) => {
    const { status, headers, body } = await sendRaw(host.origin, bytes);
    expect([status, headers.get('content-length'), body]).toEqual([400, '0', '']);
  });

  describe('function keys', () => {
    const outcomeOf = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
      const response = await fetch(`${guarded.origin}/api/${path}`, { headers, ...init });
      return [response.status, await response.text()];
    };

    test('fact 10: without a key, a function of the level `function` returns 401 without a body', async () => {
      expect(await outcomeOf('guarded')).toEqual([401, '']);
      expect(await outcomeOf('guarded', {}, { method: 'POST', body: 'x'.repeat(mebibyte) })).toEqual([
        401,
        '',
      ]);
    });

    test.each([
      ['guarded', 'wrong', 401],
      ['guarded', 'function-key', 200],
      ['guarded', 'other-key', 200],
      ['guarded', 'master-key', 200],
      ['administrative', 'function-key', 401],
      ['administrative', 'master-key', 204],
    ])('fact 10: %s with the key "%s" returns %i', async (path, key, status) => {
      expect((await outcomeOf(path, { 'x-functions-key': key }))[0]).toBe(status);
    });

    test('fact 10: ?code= is the key, and so is ?CODE=; the function receives it', async () => {
      for (const name of ['code', 'CODE']) {
        const [status, body] = await outcomeOf(`guarded?${name}=function-key`);
        expect([status, JSON.parse(String(body))]).toEqual([200, { query: { [name]: 'function-key' } }]);
      }
    });

    test('fact 10: the header takes precedence over the query parameter', async () => {
      expect((await outcomeOf('guarded?code=function-key', { 'x-functions-key': 'wrong' }))[0]).toBe(401);
    });

    test('fact 10: an anonymous function requires no key, and the routes of the host require the master key', async () => {
      expect((await outcomeOf('anonymous'))[0]).toBe(204);
      const run = (key: string) =>
        fetch(`${guarded.origin}/admin/functions/tick`, {
          method: 'POST',
          headers: { 'x-functions-key': key, 'content-type': 'application/json' },
        });
      expect((await run('wrong')).status).toBe(401);
      expect((await run('master-key')).status).toBe(202);
    });
  });
});

describe('fact 11: aborted transfers and the invocation id', () => {
  test('fact 11: an aborted upload is a failed function at level Error', async () => {
    const upload = httpRequest(`${host.origin}/api/slow-reader`, { method: 'POST' });
    upload.on('error', () => undefined);
    upload.write('begun');
    const seen = async () => (await (await get('seen')).json()) as { received?: number };
    await until('the function', seen, ({ received }) => received === 0);
    upload.destroy();
    await get('drip', { method: 'POST' });
    await expect.poll(failures).toHaveLength(1);
    expect(failures()[0]).toMatchObject({ level: 'error', functionName: 'slow-reader' });
  });

  test('fact 11: an aborted download is a failed function at level Error', async () => {
    const download = httpRequest(`${host.origin}/api/paced-download/${250 * mebibyte}`).end();
    download.on('error', () => undefined);
    await once(download, 'response');
    download.destroy();
    await expect.poll(failures).toHaveLength(1);
    expect(failures()[0]).toMatchObject({ level: 'error', functionName: 'paced-download' });
    expect(failures()[0]!.message).toMatch(/ForwarderError: ResponseBodyCanceled/);
  });

  test('fact 11: the response carries x-ms-invocation-id', async () => {
    expect((await get('anonymous')).headers.get('x-ms-invocation-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('fact 12: keep-alive, start and end of a response', () => {
  test('fact 12: the headers of a response are sent with the first byte of its body', async () => {
    const response = get('late-body');
    let hasHead = false;
    void response.then(() => {
      hasHead = true;
    });
    const seen = async () => (await (await get('seen')).json()) as { waits?: boolean };
    await until('the function', seen, ({ waits }) => waits === true);
    for (let index = 0; index < 20; index += 1) await seen();
    expect(hasHead).toBe(false);
    await get('drip', { method: 'POST' });
    expect([(await response).status, await (await response).text()]).toEqual([202, 'late']);
  });

  test('fact 12: a connection stays open after a rejected request whose body was not read', async () => {
    const requests = [rawRequest('POST /api/nowhere', ['content-length: 100000'], 'x'.repeat(100_000))];
    requests.push(rawRequest('GET /api/anonymous'));
    const last = 'HTTP/1.1 204';
    const { status, body } = await sendRaw(host.origin, requests.join(''), (text) => text.includes(last));
    expect(status).toBe(404);
    expect(body).toContain(last);
  });

  test('fact 12: a client that expects 100 receives it only when its body is read', async () => {
    const post = (key: string) =>
      sendRaw(
        guarded.origin,
        rawRequest('POST /api/guarded', [
          'expect: 100-continue',
          'content-length: 1',
          `x-functions-key: ${key}`,
        ]),
      );
    expect((await post('function-key')).status).toBe(100);
    expect((await post('wrong')).status).toBe(401);
  });
});

describe('fact 15: an unknown Expect header', () => {
  const request = (path: string) => rawRequest(`GET ${path}`, ['expect: nonsense']);

  test.each(['/api/anonymous', '/api/seen'])('fact 15: gets no response (%s)', async (path) => {
    await expectHang(request(path), /417 for an unknown Expect/);
  });

  test("fact 15: after the function's timeout it gets a bare 500, and the host replaces the worker", async () => {
    const impatient = await startForTest({ appDirectory: await appWith({ functionTimeout: '00:00:01' }) });
    const pid = impatient.workerPid;
    const { status, body } = await sendRaw(impatient.origin, request('/api/anonymous'));
    expect([status, body]).toEqual([500, '']);
    await expect.poll(() => impatient.workerPid).not.toBe(pid);
    expect(entries('error').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Timeout value of 00:00:01 exceeded by function 'Functions\.anonymous'/),
      expect.stringMatching(/^Executed 'Functions\.anonymous' \(Failed/),
      expect.stringMatching(/^anonymous \(Failed/),
    ]);
    expect((await fetch(`${impatient.origin}/api/anonymous`)).status).toBe(204);
  });
});

describe('fact 16: host.json without a version', () => {
  test.each([undefined, '1.0'])('fact 16: the host does not start (%s)', async (version) => {
    await expect(start({ appDirectory: await appWith({ version }) })).rejects.toThrow(
      'host.json: "version" must be "2.0"',
    );
  });
});

describe('fact 17: empty path segments', () => {
  test.each(['/api//anonymous', '/api/v1/named//fixed', '/api/v1/named//x/y', '/api/anonymous//x'])(
    'fact 17: %s gets a bare 404',
    async (path) => {
      const { status, headers, body } = await raw(`GET ${path}`);
      expect([status, headers.get('content-length'), body]).toEqual([404, '0', '']);
    },
  );

  test.each(['/api/v1/named/x//y', '/api/v1/named/x/y//'])(
    'fact 17: %s reaches the catch-all',
    async (path) => {
      const { status } = await raw(`GET ${path}`);
      expect(status).toBe(200);
    },
  );
});

describe('fact 19: log levels of host.json', () => {
  /** The host's lines about one request. A host of its own: a request of another test logs its end after its response. */
  async function linesAbout(path: string, logging?: object): Promise<string[]> {
    const entries: LogEntry[] = [];
    const own = await startForTest({
      appDirectory: await appWith({ logging }),
      onLog: (entry) => entries.push(entry),
    });
    const request = httpRequest(`${own.origin}/api/${path}`).end();
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (path.startsWith('paced')) request.destroy();
    else response.resume();
    await expect.poll(() => own.requests.ended).toBe(1);
    return entries
      .filter(({ functionName }) => functionName !== undefined)
      .map(({ level, category, message }) =>
        `${level} ${category} ${/^Execut\w+/.exec(message)?.[0] ?? ''}`.trim(),
      );
  }

  test('fact 19: an invocation has two lines and a result at the level Information', async () => {
    expect(await linesAbout('anonymous')).toEqual([
      'information system Executing',
      'information system Executed',
      'information results',
    ]);
  });

  test('fact 19: a higher level keeps failures', async () => {
    const logLevel = { 'Host.Results': 'Warning', Function: 'Warning' };
    expect(await linesAbout('anonymous', { logLevel })).toEqual([]);
    expect(await linesAbout(`paced-download/${250 * mebibyte}`, { logLevel })).toEqual([
      'error system Executed',
      'error results',
    ]);
  });

  test('fact 19: the longest category applies', () => {
    const isKept = logFilter({
      default: 'None',
      'Function.anonymous': 'Information',
      'Function.anonymous.User': 'Error',
    });
    const line = { functionName: 'anonymous', level: 'information', message: '' };
    expect(isKept({ ...line, category: 'system' })).toBe(true);
    expect(isKept({ ...line, category: 'user' })).toBe(false);
    expect(isKept({ ...line, category: 'user', level: 'error' })).toBe(true);
    expect(isKept({ ...line, category: 'results' })).toBe(false);
  });
});

describe('fact 21: a function that fails while the host waits for its response', () => {
  /** Reads the response until its source fails. */
  async function brokenOff(from: FunctionsHost, path: string): Promise<void> {
    const response = await fetch(`${from.origin}/api/${path}`);
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('begun');
    await fetch(`${from.origin}/api/drip`, { method: 'POST' });
    await expect(reader.read()).rejects.toThrow('terminated');
    await expect.poll(failures).toHaveLength(1);
  }

  test('fact 21: a streamed response whose source fails stays open', async () => {
    await brokenOff(shortLimitHost, 'breaks-off');
    expect(entries('critical').map(({ message }) => message)).toEqual([
      expect.stringMatching(/the function failed, and the host waits 240 s/),
    ]);
  });

  test('fact 21: atClientPace ends it', async () => {
    await brokenOff(host, 'paced-breaks-off');
    expect(entries('critical')).toEqual([]);
  });

  test('fact 21: a handler that throws gets no response to its client, and the log has the reason', async () => {
    await expectHang(rawRequest('GET /api/throws'), /the function failed, and the host waits 240 s/);
    await expect.poll(failures).toHaveLength(1);
    expect(failures()[0]!.message).toContain('on purpose');
  });
});

describe('fact 22: a chunked body arrives in steps', () => {
  test('fact 22: nothing arrives before 4,084 bytes, and the rest with the end', async () => {
    const upload = httpRequest(`${host.origin}/api/slow-reader`, { method: 'POST' });
    const responded = once(upload, 'response');
    const seen = async () => (await (await get('seen')).json()) as { received?: number };
    upload.write(Buffer.alloc(1000));
    await until('the function', seen, ({ received }) => received === 0);
    await get('drip', { method: 'POST' });
    for (let index = 0; index < 20; index += 1) expect((await seen()).received).toBe(0);
    upload.write(Buffer.alloc(3084));
    await until('the first step', seen, ({ received }) => received === 4084);
    upload.end(Buffer.alloc(10));
    const [response] = (await responded) as [IncomingMessage];
    expect(await new Response(response as never).json()).toEqual({ bytes: 4094 });
  });
});

describe('fact 23: the limit for bodies includes the frames of chunks', () => {
  const chunked = (sizes: number[]): string =>
    rawRequest(
      'POST /api/drains',
      ['transfer-encoding: chunked'],
      [...sizes, 0].map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join(''),
    );

  test.each([
    ['985 bytes in one chunk', [985], 400],
    ['990 bytes in one chunk', [990], 500],
    ['900 bytes in chunks of 10', Array<number>(90).fill(10), 500],
  ])('fact 23: a limit of 1,000 and %s', async (_kind, sizes, status) => {
    expect((await sendRaw(strict.origin, chunked(sizes))).status).toBe(status);
  });
});

describe('fact 24: the slash at the end of a path', () => {
  test('fact 24: only a catch-all keeps the slash at the end of a path', async () => {
    const paramsOf = async (path: string): Promise<object> =>
      ((await (await get(path)).json()) as { params: object }).params;
    expect(await paramsOf('v1/files/a/')).toEqual({ path: 'a/' });
    expect(await paramsOf('v1/files/')).toEqual({});
    expect(await paramsOf('v1/things/a/')).toEqual({ id: 'a' });
  });
});

describe('fact 26: timers', () => {
  const stateOf = async ({ origin }: FunctionsHost) =>
    (await (await fetch(`${origin}/api/seen`)).json()) as {
      timerRuns: number;
      timer: { isPastDue: boolean; scheduleStatus?: { last: string } };
    };

  test('fact 26: a run that takes longer than its interval is followed by one run at its end', async () => {
    const ticking = await startForTest({ env: { TICK_SCHEDULE: '* * * * * *', SLOW_FIRST_TICK: 'true' } });
    const untilRuns = (count: number) =>
      until(
        'the run',
        () => stateOf(ticking),
        ({ timerRuns }) => timerRuns >= count,
      );
    await untilRuns(1);
    const started = performance.now();
    await until(
      'two intervals',
      async () => performance.now() - started,
      (ms) => ms > 2000,
    );
    expect((await stateOf(ticking)).timerRuns).toBe(1);
    await fetch(`${ticking.origin}/api/drip`, { method: 'POST' });
    await untilRuns(2);
    // A timer that runs more often than once a minute has no status.
    expect((await stateOf(ticking)).timer).toMatchObject({ isPastDue: false });
    expect((await stateOf(ticking)).timer.scheduleStatus).toBeUndefined();
  });

  test('fact 26: the status has no date before the first run', async () => {
    const runNow = async () => {
      await host.runTimer('tick');
      return (await stateOf(host)).timer;
    };
    expect((await runNow()).scheduleStatus?.last).toMatch(/^0001-01-01/);
    expect((await runNow()).scheduleStatus?.last).toMatch(/^20/);
  });
});

describe('fact 27: the routes of the host', () => {
  const run = (headers: Record<string, string>) =>
    fetch(`${guarded.origin}/admin/functions/tick`, { method: 'POST', headers, body: '{}' });

  test('fact 27: a key of functions is not enough for them', async () => {
    expect((await run({ 'x-functions-key': 'function-key' })).status).toBe(403);
  });

  test('fact 27: they accept JSON only', async () => {
    expect((await run({ 'x-functions-key': 'master-key' })).status).toBe(415);
  });
});

describe('fact 28: an invalid schedule', () => {
  test('fact 28: an invalid schedule stops only its function', async () => {
    expect((await fetch(`${strict.origin}/api/anonymous`)).status).toBe(204);
    expect(startErrors).toEqual([expect.stringMatching(/The 'tick' function is in error: .*"every day"/)]);
  });
});

describe('fact 29: crashes of the worker', () => {
  test('fact 29: the third crash of the worker within 80 s ends the host', async () => {
    const { origin } = await startForTest();
    const isOpen = () =>
      fetch(origin).then(
        () => true,
        () => false,
      );
    for (let crash = 1; crash <= 3; crash += 1) {
      expect(await isOpen()).toBe(true);
      await fetch(`${origin}/api/crash`).catch(() => undefined);
    }
    await expect.poll(isOpen).toBe(false);
  });
});

describe('fact 30: headers of the host’s own responses', () => {
  test('fact 30: A 404 to HEAD has no Content-Length, and the host’s own 500 names its server', async () => {
    expect((await raw('HEAD /api/nowhere')).headers.has('content-length')).toBe(false);
    const { headers } = await sendRaw(
      strict.origin,
      rawRequest('POST /api/drains', ['content-length: 1001'], 'x'.repeat(1001)),
    );
    expect(headers.get('server')).toBe('Kestrel');
  });
});

describe('fact 32: the home page', () => {
  test('fact 32: the home page of the host needs no key, unless it is switched off', async () => {
    expect((await fetch(guarded.origin)).status).toBe(200);
    expect((await fetch(strict.origin)).status).toBe(204);
  });
});
