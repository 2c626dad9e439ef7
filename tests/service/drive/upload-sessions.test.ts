import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type DriveResponse,
  call,
  putFragment,
  startTestDrive,
  type TestDrive,
} from '../../support/test-drive.ts';

// The strictness of upload sessions against our own mistakes, and what their switches do; see items.test.ts.

const unit = 327_680;
const bytes = Buffer.alloc(3 * unit + 5, 'Zeile für Zeile\n');
const first = [0, unit] as const;

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
const ownPath = (name = 'Datei.bin') =>
  `${drive.library}/root:/Ordner%20${(counter += 1)}/${encodeURIComponent(name)}`;

const create = (path: string, item?: object, rest: object = {}): Promise<DriveResponse> =>
  drive.graph('POST', `${path}:/createUploadSession`, { body: { ...(item && { item }), ...rest } });
const behavior = (value: string) => ({ '@microsoft.graph.conflictBehavior': value });

async function open(path: string, item?: object, rest: object = {}): Promise<string> {
  const { status, body } = await create(path, item, rest);
  expect(status).toBe(200);
  return body.uploadUrl;
}

describe('creation', () => {
  test('the upload URL has the characters that break clients, and belongs to another origin', async () => {
    const url = await open(ownPath("Größe~ 'a' & b=c #1 %.bin"));
    expect(url).toContain(`&path='~tmp`);
    expect(url).toContain('ö');
    expect(url).toMatch(/=&?[^=]*=$/);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await putFragment(url, bytes, 0, bytes.length)).body.name).toBe("Größe~ 'a' & b=c #1 %.bin");
  });

  test.each([
    ['an unknown property', { item: { colour: 'red' } }],
    ['an OData type', { item: { '@odata.type': 'microsoft.graph.driveItemUploadableProperties' } }],
    ['a description, which only OneDrive Personal accepts', { item: { description: 'x' } }],
    ['the annotation outside item', behavior('fail')],
    ['an unknown behavior', { item: behavior('merge') }],
  ])('%s is 400', async (_what, body) => {
    const response = await drive.graph('POST', `${ownPath()}:/createUploadSession`, { body });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalidRequest' } } });
  });

  test('a session that renames never conflicts with another', async () => {
    const path = ownPath();
    await open(path);
    for (let times = 0; times < 2; times += 1) await open(path, behavior('rename'));
  });

  test('the path may have seven characters fewer than in a simple upload', async () => {
    await drive.admin('PATCH', '/settings', { libraryPath: 'x'.repeat(200) });
    const name = (length: number) => `${drive.library}/root:/${'n'.repeat(length)}`;
    expect((await create(name(192))).status).toBe(200);
    const rejected = await create(name(193));
    expect(rejected.body.error.innerError.code).toBe('pathIsTooLong');
    expect((await drive.graph('PUT', `${name(199)}:/content`, { body: 'x' })).status).toBe(201);
    expect((await drive.graph('PUT', `${name(200)}:/content`, { body: 'x' })).status).toBe(400);
  });

  test('another If-Match is 412, and there is no session', async () => {
    const path = ownPath();
    await drive.graph('PUT', `${path}:/content`, { body: 'alt' });
    const headers = { 'if-match': '"{0},1"' };
    expect((await drive.graph('POST', `${path}:/createUploadSession`, { headers })).status).toBe(412);
    expect(await drive.admin('GET', '/sessions')).not.toContainEqual(
      expect.objectContaining({ path: expect.stringContaining(`Ordner ${counter}/`) }),
    );
  });
});

describe('fragments', () => {
  test.each([
    ['misaligned', [0, unit + 1], {}, 400, 'invalidRequest'],
    ['a gap', [unit, 2 * unit], {}, 416, 'invalidRange'],
    [
      'a range that does not match the length',
      [0, unit],
      { 'content-range': `bytes 0-${unit}/${bytes.length}` },
      400,
      'invalidRequest',
    ],
    ['no range', [0, unit], { 'content-range': '' }, 400, 'invalidRequest'],
    ['a token', [0, unit], { authorization: 'Bearer x' }, 401, 'unauthenticated'],
  ])('%s is rejected and changes nothing', async (_what, [start = 0, end = 0], headers, status, code) => {
    const url = await open(ownPath());
    expect(await putFragment(url, bytes, start, end, headers)).toMatchObject({
      status,
      body: { error: { code } },
    });
    expect((await call(url)).body.nextExpectedRanges).toEqual(['0-']);
    expect((await putFragment(url, bytes, ...first)).status).toBe(202);
  });

  test('late mode accepts a misaligned fragment and rejects the last one', async () => {
    await drive.admin('PATCH', '/settings', { misalignedFragments: 'late' });
    const path = ownPath();
    const url = await open(path);
    expect((await putFragment(url, bytes, 0, 1000)).status).toBe(202);
    expect((await putFragment(url, bytes, 1000, bytes.length)).body.error.code).toBe('generalException');
    expect((await drive.graph('GET', path)).status).toBe(404);
  });

  test('after the expiry, every method finds no session', async () => {
    const url = await open(ownPath());
    await drive.admin('POST', '/clock', { advanceSeconds: 900 });
    for (const [method, body] of [['GET'], ['PUT', 'x'], ['POST'], ['DELETE']]) {
      const headers = { 'content-range': 'bytes 0-0/1' };
      expect(await call(url, { method: method!, headers, ...(body && { body }) })).toMatchObject({
        status: 404,
        body: { error: { message: 'The upload session was not found' } },
      });
    }
  });

  test('one of two concurrent fragments is rejected', async () => {
    const url = await open(ownPath());
    const target = new URL(url);
    // Headers and half of a fragment, so the first request is certainly in progress.
    const socket = connect({ host: target.hostname, port: Number(target.port), servername: '' });
    socket.write(
      `PUT ${target.pathname}${target.search} HTTP/1.1\r\nHost: ${target.host}\r\nContent-Length: ${unit}\r\n` +
        `Content-Range: bytes 0-${unit - 1}/${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, unit / 2));
    const isReceiving = async () =>
      (await drive.admin('GET', '/sessions')).some((each: { isReceiving: boolean }) => each.isReceiving);
    await expect.poll(isReceiving, { timeout: 20_000 }).toBe(true);
    expect(await putFragment(url, bytes, ...first)).toMatchObject({
      status: 416,
      body: { error: { message: 'Optimistic concurrency failure during fragmented upload' } },
    });
    // Half a fragment is discarded when its connection ends.
    socket.destroy();
    await expect.poll(isReceiving, { timeout: 20_000 }).toBe(false);
    expect((await putFragment(url, bytes, ...first)).status).toBe(202);
  });
});

describe('the end', () => {
  test('a session with deferCommit is not completed before its last byte', async () => {
    const url = await open(ownPath(), undefined, { deferCommit: true });
    expect((await call(url, { method: 'POST' })).status).toBe(400);
    await putFragment(url, bytes, ...first);
    expect((await call(url, { method: 'POST' })).status).toBe(400);
  });
});
