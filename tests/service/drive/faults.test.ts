import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anna, bernd, call, putFragment, startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// The switches of drive rule A12, and $batch and throttling of A10.

const unit = 327_680;
const bytes = Buffer.alloc(2 * unit + 5, 'Fehler\n');

let drive: TestDrive;
beforeAll(async () => {
  drive = await startTestDrive();
});
afterAll(() => drive.close());
beforeEach(async () => {
  await drive.admin('DELETE', '/settings');
  await drive.admin('DELETE', '/faults');
});

let counter = 0;
const ownPath = (name = 'Datei.bin') => `${drive.library}/root:/Ordner%20${(counter += 1)}/${name}`;
const open = async (path: string): Promise<string> =>
  (await drive.graph('POST', `${path}:/createUploadSession`)).body.uploadUrl;
const root = () => drive.graph('GET', `${drive.library}/root`);

describe('a fault occurs', () => {
  test('once, on the first matching request after the skipped ones', async () => {
    await drive.fault({ kind: 'throttled' }, { method: 'GET', url: '/root', userId: anna.oid, skip: 1 });
    const token = await drive.token(bernd);
    expect((await drive.graph('GET', `${drive.library}/root`, { token })).status).toBe(200);
    expect((await drive.graph('GET', drive.library)).status).toBe(200);
    expect([(await root()).status, (await root()).status, (await root()).status]).toEqual([200, 429, 200]);
    expect(await drive.admin('GET', '/faults')).toEqual([]);
  });

  test('until it is cleared', async () => {
    await drive.fault({ kind: 'throttled' }, { times: null });
    expect([(await root()).status, (await root()).status]).toEqual([429, 429]);
    expect(await drive.admin('DELETE', '/faults')).toMatchObject([{ fault: { kind: 'throttled' } }]);
    expect(await drive.admin('DELETE', '/faults')).toEqual([]);
    expect((await root()).status).toBe(200);
  });

  test('only if its switch exists', async () => {
    const admin = (method: string, path: string, body?: object) =>
      call(`${drive.adminUrl}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    const rejected = (status: number, error: string) => ({
      status,
      body: { error: expect.stringContaining(error) },
    });
    const gremlins = { fault: { kind: 'gremlins' } };
    expect(await admin('POST', '/faults', gremlins)).toMatchObject(rejected(400, 'Invalid'));
    expect(await admin('PATCH', '/settings', { unicode: 'nfd' })).toMatchObject(rejected(400, 'unicode'));
    expect(await admin('DELETE', '/items/none')).toMatchObject(rejected(404, "has the id 'none'"));
    expect(await admin('GET', '/nothing')).toMatchObject(rejected(404, 'No such switch'));
    expect((await admin('GET', '/')).body.routes).toContain('POST /faults');
    expect((await admin('PATCH', '/settings', { unicode: 'exact' })).body.unicode).toBe('exact');
  });
});

describe('responses', () => {
  test('HTML pages instead of JSON', async () => {
    await drive.fault({ kind: 'html-unavailable' });
    expect(await root()).toMatchObject({ status: 503, body: expect.stringContaining('<h1>') });
    await drive.fault({ kind: 'throttle-page' });
    const response = await root();
    expect(response.status).toBe(302);
    const page = await call(response.headers.get('location') ?? '');
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  test('any error of the table, and variants of error bodies', async () => {
    await drive.fault({ kind: 'error', status: 509, code: 'generalException', inner: ['a', 'b'] });
    expect(await root()).toMatchObject({
      status: 509,
      body: { error: { innerError: { code: 'a', innerError: { code: 'b' } } } },
    });
    await drive.admin('PATCH', '/settings', { localizedMessage: 'Nicht gefunden', omitInnerError: true });
    expect((await drive.graph('GET', `${drive.library}/root:/nix`)).body).toEqual({
      error: { code: 'itemNotFound', message: 'Item does not exist', localizedMessage: 'Nicht gefunden' },
    });
  });

  test('a connection that ends before the request is processed, and one that ends after', async () => {
    await drive.fault({ kind: 'drop-connection' });
    await expect(root()).rejects.toThrow('fetch failed');
    const path = ownPath('Ordner');
    const parent = path.slice(0, path.lastIndexOf('/'));
    await drive.fault({ kind: 'lost-response' }, { method: 'POST' });
    const body = { name: 'Ordner', folder: {} };
    await expect(drive.graph('POST', `${parent}:/children`, { body })).rejects.toThrow('fetch failed');
    expect((await drive.graph('GET', path)).status).toBe(200);
  });

  test('an empty page of a listing leads to the rest', async () => {
    const path = ownPath('a');
    const parent = path.slice(0, path.lastIndexOf('/'));
    for (const name of ['a', 'b']) {
      await drive.graph('POST', `${parent}:/children`, { body: { name, folder: {} } });
    }
    await drive.fault({ kind: 'empty-page' });
    const empty = await drive.graph('GET', `${parent}:/children?$select=name`);
    expect(empty.body.value).toEqual([]);
    const authorization = { headers: { authorization: `Bearer ${await drive.token()}` } };
    const next = await call(empty.body['@odata.nextLink'], authorization);
    expect(next.body.value).toEqual([{ name: 'a' }, { name: 'b' }]);
  });
});

describe('uploads', () => {
  test.each([
    ['nothing', ['0-']],
    ['partial', ['1000-']],
  ])('a connection that breaks in a fragment keeps %s', async (keep, ranges) => {
    const url = await open(ownPath());
    await drive.fault(
      { kind: 'drop-connection', afterBytes: 1000, keep },
      { method: 'PUT', host: 'content' },
    );
    await expect(putFragment(url, bytes, 0, unit)).rejects.toThrow('fetch failed');
    const { body } = await call(url);
    expect(body.nextExpectedRanges).toEqual(ranges);
    // The length has to be a multiple, not the start (A7), so an unaligned start is accepted.
    const start = Number.parseInt(ranges[0] ?? '', 10);
    expect((await putFragment(url, bytes, start, start + unit)).status).toBe(202);
    const done = await putFragment(url, bytes, start + unit, bytes.length);
    expect(done).toMatchObject({ status: 201, body: { size: bytes.length } });
    expect((await call(done.body['@content.downloadUrl'])).body).toBe(bytes.toString());
  });

  test('a simple upload that breaks leaves nothing behind', async () => {
    const path = ownPath();
    await drive.fault({ kind: 'drop-connection', afterBytes: 10 }, { method: 'PUT' });
    await expect(drive.graph('PUT', `${path}:/content`, { body: bytes })).rejects.toThrow('fetch failed');
    expect((await drive.graph('GET', path)).status).toBe(404);
  });

  test.each([
    ['closed', [`${unit}-${bytes.length - 1}`]],
    ['two', [`${unit}-${unit + Math.floor((unit + 5) / 2)}`, `${unit + Math.floor((unit + 5) / 2) + 1}-`]],
  ])('nextExpectedRanges in the form %s', async (form, ranges) => {
    const url = await open(ownPath());
    await drive.fault({ kind: 'ranges', form });
    expect((await putFragment(url, bytes, 0, unit)).body.nextExpectedRanges).toEqual(ranges);
    expect((await call(url)).body.nextExpectedRanges).toEqual([`${unit}-`]);
  });

  test('a session is not found directly after its creation', async () => {
    const path = ownPath('Alt.xlsx');
    await drive.fault({ kind: 'session-vanishes' });
    expect((await putFragment(await open(path), bytes, 0, unit)).status).toBe(404);
    expect((await putFragment(await open(path), bytes, 0, unit)).status).toBe(202);
  });

  test('409 resourceModified occurs only for Office files', async () => {
    await drive.fault({ kind: 'resource-modified' });
    expect((await drive.graph('PUT', `${ownPath('a.txt')}:/content`, { body: 'x' })).status).toBe(201);
    const path = ownPath('a.docx');
    const rejected = await putFragment(await open(path), bytes, 0, bytes.length);
    expect(rejected).toMatchObject({ status: 409, body: { error: { code: 'resourceModified' } } });
    await drive.admin('DELETE', '/sessions');
    expect((await putFragment(await open(path), bytes, 0, bytes.length)).status).toBe(201);
  });

  test('the library does not rewrite plain text', async () => {
    await drive.fault({ kind: 'office-rewrite' });
    const { body } = await drive.graph('PUT', `${ownPath('a.txt')}:/content`, { body: bytes });
    expect(body.size).toBe(bytes.length);
  });

  test.each([
    ['a.docx', 'before-response', false],
    ['a.xlsx', 'later', true],
    ['a.pdf', 'before-response', false],
    ['a.html', 'later', true],
    ['a.jpg', 'before-response', false],
  ])('the library rewrites %s, %s', async (name, when, isResponseUnchanged) => {
    const path = ownPath(name);
    await drive.fault({ kind: 'office-rewrite', when });
    const { body } = await drive.graph('PUT', `${path}:/content`, { body: bytes });
    expect(body.size === bytes.length).toBe(isResponseUnchanged);
    await expect.poll(async () => (await drive.graph('GET', path)).body.size).toBeGreaterThan(bytes.length);
    const later = await drive.graph('GET', path);
    expect(later.body.file.hashes.quickXorHash === body.file.hashes.quickXorHash).toBe(!isResponseUnchanged);
  });
});

describe('downloads', () => {
  const upload = async () =>
    (await drive.graph('PUT', `${ownPath()}:/content`, { body: bytes })).body['@microsoft.graph.downloadUrl'];

  test('a connection that breaks in the middle', async () => {
    const url = await upload();
    await drive.fault({ kind: 'drop-connection', afterBytes: 1000 }, { host: 'content' });
    const response = await fetch(url);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
  });
});

describe('$batch', () => {
  const part = (id: string, rest: object) => ({
    id,
    method: 'POST',
    url: `${drive.library}/root:/Stapel:/children`,
    headers: { 'Content-Type': 'application/json' },
    ...rest,
  });
  const batch = (...requests: object[]) => drive.graph('POST', '/$batch', { body: { requests } });
  const byId = (body: { responses: { id: string }[] }) =>
    Object.fromEntries(body.responses.map((each) => [each.id, each])) as Record<string, any>;

  test('parts are checked and throttled separately; a failed dependency is 424', async () => {
    await drive.fault({ kind: 'throttled', retryAfter: '9' }, { inBatch: true, url: '/me' });
    const { status, body } = await batch(
      part('1', { body: { name: 'A', folder: {} } }),
      part('2', { body: { name: 'a', folder: {} }, dependsOn: ['1'] }),
      part('3', { body: { name: 'B', folder: {} }, dependsOn: ['2'] }),
      { id: '4', method: 'GET', url: '/me' },
      { id: '5', method: 'GET', url: `${drive.library.slice(1)}/root:/nix` },
    );
    expect(status).toBe(200);
    const responses = byId(body);
    expect([1, 2, 3, 4, 5].map((id) => responses[id].status)).toEqual([201, 409, 424, 429, 404]);
    expect(responses[4].headers['Retry-After']).toBe('9');
    expect(responses[1].headers['Content-Type']).toBe('application/json');
    expect((await drive.graph('GET', `${drive.library}/root:/Stapel/B`)).status).toBe(404);
  });

  test('a redirect and a body that is not JSON', async () => {
    const url = `${drive.library}/root:/Stapel/text.txt:/content`;
    const text = { method: 'PUT', url, headers: { 'Content-Type': 'text/plain' } };
    const put = await batch(part('1', { ...text, body: Buffer.from('Grüße').toString('base64') }));
    expect(put.body.responses[0]).toMatchObject({ status: 201, body: { size: 7 } });
    const get = await batch({ id: '1', method: 'GET', url });
    expect(get.body.responses[0].status).toBe(302);
    expect((await call(get.body.responses[0].headers.Location)).body).toBe('Grüße');
  });

  test('an invalid batch is 400 and has no effect', async () => {
    const folder = { body: { name: 'Nie', folder: {} } };
    const many = Array.from({ length: 21 }, (_, index) => part(`${index}`, folder));
    const wrong: object[][] = [
      [],
      many,
      [part('a', folder), part('A', folder)],
      [part('1', { ...folder, headers: {} })],
      [part('1', { ...folder, dependsOn: ['2'] })],
      [part('1', { ...folder, dependsOn: ['2'] }), part('2', { ...folder, dependsOn: ['1'] })],
      [part('1', { ...folder, url: 'https://graph.microsoft.com/v1.0/me' })],
      [part('1', { ...folder, url: '/$batch', body: { requests: [part('1', folder)] } })],
    ];
    for (const requests of wrong.slice(0, -1)) expect((await batch(...requests)).status).toBe(400);
    const [nested = []] = wrong.slice(-1);
    expect((await batch(...nested)).body.responses[0].status).toBe(400);
    expect((await drive.graph('GET', `${drive.library}/root:/Stapel/Nie`)).status).toBe(404);
  });
});

test('a budget: headers from 80 % on, then 429 until the end of the minute', async () => {
  await drive.admin('PATCH', '/settings', { unitsPerMinute: 5 });
  const token = await drive.token({ oid: 'budget-user' });
  const get = () => drive.graph('GET', `${drive.library}/root`, { token });
  for (let round = 0; round < 3; round++) expect((await get()).headers.get('ratelimit-limit')).toBeNull();
  expect((await get()).headers.get('ratelimit-remaining')).toBe('1');
  expect((await get()).status).toBe(200);
  const rejected = await get();
  expect(rejected.status).toBe(429);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await root()).status).toBe(200);
  await drive.admin('POST', '/clock', { advanceSeconds: 60 });
  expect((await get()).status).toBe(200);
});
