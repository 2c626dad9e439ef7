import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type DriveResponse,
  call,
  putFragment,
  startTestDrive,
  type TestDrive,
} from '../../support/test-drive.ts';

// Drive rules A6 and A7.

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

const stored = async (path: string) => {
  const { body } = await drive.graph('GET', path);
  return (await call(body['@microsoft.graph.downloadUrl'])).body;
};

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
    ['another name than the path', { item: { name: 'anders.bin' } }],
  ])('%s is 400', async (_what, body) => {
    const response = await drive.graph('POST', `${ownPath()}:/createUploadSession`, { body });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalidRequest' } } });
  });

  test('a file has one open session, until DELETE or its expiry', async () => {
    const path = ownPath();
    const url = await open(path);
    const second = await create(path);
    expect(second).toMatchObject({
      status: 409,
      body: { error: { message: 'An upload session already exists for this file' } },
    });
    expect((await create(path, behavior('rename'))).status).toBe(200);
    expect((await call(url, { method: 'DELETE' })).status).toBe(204);
    expect((await create(path)).status).toBe(200);
    await drive.admin('POST', '/clock', { advanceSeconds: 900 });
    expect((await create(path)).status).toBe(200);
    await drive.admin('PATCH', '/settings', { concurrentSessions: true });
    expect((await create(path)).status).toBe(200);
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

  test('If-Match, and a size beyond the quota', async () => {
    const path = ownPath();
    await drive.graph('PUT', `${path}:/content`, { body: 'alt' });
    const headers = { 'if-match': '"{0},1"' };
    expect((await drive.graph('POST', `${path}:/createUploadSession`, { headers })).status).toBe(412);
    expect((await create(path, { fileSize: 2 ** 41 })).status).toBe(507);
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

  test('60 MiB in one request is 413', async () => {
    const length = 60 * 1024 * 1024;
    const headers = { 'content-length': length, 'content-range': `bytes 0-${length - 1}/${length}` };
    const upload = request(await open(ownPath()), { method: 'PUT', headers });
    // The response precedes the body, so no body is sent. A client that sends one may detect only the end of the connection.
    upload.flushHeaders();
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    upload.on('error', () => undefined).destroy();
  });

  test('every fragment extends the expiry; after it, the session is not found', async () => {
    const path = ownPath();
    const { body } = await create(path);
    await drive.admin('POST', '/clock', { advanceSeconds: 899 });
    const { body: accepted } = await putFragment(body.uploadUrl, bytes, ...first);
    expect(Date.parse(accepted.expirationDateTime)).toBeGreaterThan(Date.parse(body.expirationDateTime));
    await drive.admin('POST', '/clock', { advanceSeconds: 900 });
    for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
      const headers = { 'content-range': 'bytes 0-0/1' };
      const response = await call(body.uploadUrl, {
        method,
        headers,
        ...(method === 'PUT' ? { body: 'x' } : {}),
      });
      expect(response).toMatchObject({
        status: 404,
        body: { error: { message: 'The upload session was not found' } },
      });
    }
  });

  test('the token in the URL expires at the end of its lifetime even if the session does not', async () => {
    await drive.admin('PATCH', '/settings', { uploadTokenLifetimeSeconds: 60 });
    const url = await open(ownPath());
    await drive.admin('POST', '/clock', { advanceSeconds: 60 });
    expect(await putFragment(url, bytes, ...first)).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthenticated', innerError: { code: 'expiredToken' } } },
    });
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
  test('a name that another file took before the commit is 409, and the bytes are kept for another name', async () => {
    const path = ownPath();
    const url = await open(path, behavior('fail'));
    await drive.graph('PUT', `${path}:/content`, { body: 'schneller' });
    expect((await putFragment(url, bytes, 0, bytes.length)).status).toBe(409);
    expect((await call(url)).body.nextExpectedRanges).toEqual([]);
    const parent = path.slice(0, path.lastIndexOf('/'));
    const recovered = await drive.graph('PUT', parent, {
      body: { name: 'Datei.bin', ...behavior('rename'), '@microsoft.graph.sourceUrl': url },
    });
    expect(recovered).toMatchObject({ status: 201, body: { name: 'Datei 1.bin', size: bytes.length } });
    expect(await stored(path)).toBe('schneller');
    expect((await call(url)).status).toBe(404);
  });

  test('deferCommit waits for an empty POST', async () => {
    const path = ownPath();
    const url = await open(path, undefined, { deferCommit: true });
    expect((await call(url, { method: 'POST' })).status).toBe(400);
    expect(await putFragment(url, bytes, 0, bytes.length)).toMatchObject({
      status: 202,
      body: { nextExpectedRanges: [] },
    });
    expect((await drive.graph('GET', path)).status).toBe(404);
    expect(await call(url, { method: 'POST' })).toMatchObject({ status: 201, body: { size: bytes.length } });
    const other = await open(ownPath());
    await putFragment(other, bytes, ...first);
    expect((await call(other, { method: 'POST' })).status).toBe(400);
  });

  test("the client's times are kept", async () => {
    const path = ownPath();
    const lastModifiedDateTime = '2001-02-03T04:05:06Z';
    const url = await open(path, { fileSystemInfo: { lastModifiedDateTime } });
    const { body } = await putFragment(url, bytes, 0, bytes.length);
    expect(body.fileSystemInfo).toMatchObject({ lastModifiedDateTime });
  });

  test('a quota reached before the commit is 507', async () => {
    const url = await open(ownPath());
    await drive.admin('PATCH', '/settings', { quotaBytes: 1 });
    expect((await putFragment(url, bytes, 0, bytes.length)).status).toBe(507);
  });
});
