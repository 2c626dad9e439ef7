import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bernd, call, putFragment, startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// The strictness of the stand-in against our own mistakes, and what its switches do. The rules that the service depends on are
// probed by `npm run verify`, which runs against the stand-in too (tests/service/verify).

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
/** A separate folder for each test, by path. */
const ownFolder = () => `${drive.library}/root:/Ordner%20${(counter += 1)}`;
const folder = (name: string, conflictBehavior?: string) => ({
  body: {
    name,
    folder: {},
    ...(conflictBehavior === undefined ? {} : { '@microsoft.graph.conflictBehavior': conflictBehavior }),
  },
});

describe('folders', () => {
  test('file and folder never replace each other', async () => {
    const at = ownFolder();
    const replace = { '@microsoft.graph.conflictBehavior': 'replace' };
    await drive.graph('POST', `${at}:/children`, folder('F'));
    await drive.graph('PUT', `${at}/X:/content`, { body: 'x' });
    const file = { body: { name: 'F', file: {}, ...replace } };
    expect((await drive.graph('POST', `${at}:/children`, file)).status).toBe(409);
    expect((await drive.graph('POST', `${at}:/children`, folder('X', 'replace'))).status).toBe(409);
    expect((await drive.graph('POST', `${at}/X:/children`, folder('Y'))).status).toBe(409);
  });

  test('an empty file is created, as PnPjs does before it sends the content', async () => {
    const at = ownFolder();
    const file = { body: { name: 'leer.txt', file: {} } };
    const created = await drive.graph('POST', `${at}:/children`, file);
    expect(created).toMatchObject({ status: 201, body: { name: 'leer.txt', size: 0 } });
    expect((await drive.graph('POST', `${at}:/children`, file)).status).toBe(409);
  });

  test('missing parents are created, or are 404 with the switch', async () => {
    const at = ownFolder();
    await drive.admin('PATCH', '/settings', { requireParents: true });
    expect((await drive.graph('POST', `${at}/B/C:/children`, folder('D'))).status).toBe(404);
    expect((await drive.graph('PUT', `${at}/B/C/d.txt:/content`, { body: 'd' })).status).toBe(404);
    await drive.admin('PATCH', '/settings', { requireParents: false });
    // When the last name is rejected, no parent is created.
    expect((await drive.graph('PUT', `${at}/E/F/nul:/content`, { body: 'd' })).status).toBe(400);
    expect((await drive.graph('POST', `${at}/E/con:/children`, folder('D'))).status).toBe(400);
    expect((await drive.graph('GET', `${at}/E`)).status).toBe(404);
  });

  test.each([
    ['no facet', { name: 'a' }],
    ['two facets', { name: 'a', folder: {}, file: {} }],
    ['no name', { folder: {} }],
    ['an unknown behavior', { name: 'a', folder: {}, '@microsoft.graph.conflictBehavior': 'merge' }],
    ['an unknown property', { name: 'a', folder: {}, colour: 'red' }],
    ['a reserved name', { name: 'CON', folder: {} }],
    ['a separator', { name: 'a/b', folder: {} }],
  ])('%s is 400', async (_what, body) => {
    expect(await drive.graph('POST', `${drive.library}/root/children`, { body })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalidRequest', innerError: { 'request-id': expect.any(String) } } },
    });
  });

  test('a body that is not JSON, or has another content type', async () => {
    const path = `${drive.library}/root/children`;
    const headers = { 'content-type': 'application/json' };
    expect((await drive.graph('POST', path, { body: '{', headers })).status).toBe(400);
    expect(
      (await drive.graph('POST', path, { body: '{}', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415);
    expect((await drive.graph('POST', path)).status).toBe(400);
  });
});

describe('listing', () => {
  test('an item added between two pages neither repeats nor hides others', async () => {
    const at = ownFolder();
    for (const name of ['a', 'c', 'e']) await drive.graph('POST', `${at}:/children`, folder(name));
    const first = await drive.graph('GET', `${at}:/children?$top=2&$select=name`);
    expect(first.body.value).toEqual([{ name: 'a' }, { name: 'c' }]);
    await drive.graph('POST', `${at}:/children`, folder('b'));
    const headers = { authorization: `Bearer ${await drive.token()}` };
    const second = await call(first.body['@odata.nextLink'], { headers });
    expect(second.body.value).toEqual([{ name: 'e' }]);
    expect(second.body['@odata.nextLink']).toBeUndefined();
  });

  test('200 items per page without $top', async () => {
    const at = ownFolder();
    const { body } = await drive.graph('POST', `${at}:/children`, folder('Viele'));
    const names = Array.from({ length: 201 }, (_, index) => `${index}.txt`);
    await drive.admin('POST', `/items/${body.id}`, { names });
    expect((await drive.graph('GET', `${at}/Viele:/children`)).body.value).toHaveLength(200);
    expect((await drive.graph('GET', `${at}/Viele:/children?$top=1000`)).body.value).toHaveLength(201);
  });

  test.each([
    '$top=0',
    '$top=x',
    '$TOP=1',
    '$count=true',
    '$orderby=size',
    '$skiptoken=abc',
    '$select=nmae',
    '$top=1&$top=2',
  ])('?%s is 400', async (query) => {
    expect((await drive.graph('GET', `${drive.library}/root/children?${query}`)).status).toBe(400);
  });
});

describe('files', () => {
  test('one byte more than the limit of simple uploads is 413', async () => {
    const at = ownFolder();
    await drive.admin('PATCH', '/settings', { maxSimpleUploadBytes: 10 });
    expect((await drive.graph('PUT', `${at}/zehn.txt:/content`, { body: '0123456789' })).status).toBe(201);
    expect((await drive.graph('PUT', `${at}/elf.txt:/content`, { body: '0123456789a' })).status).toBe(413);
    expect((await drive.graph('GET', `${at}/elf.txt`)).status).toBe(404);
  });

  test('If-Match guards renaming, and the tag that a change has replaced is stale', async () => {
    const at = ownFolder();
    const { body } = await drive.graph('PUT', `${at}/a.txt:/content`, { body: 'a' });
    const rename = (eTag: string) =>
      drive.graph('PATCH', `${at}/a.txt`, { body: { name: 'b.txt' }, headers: { 'if-match': eTag } });
    expect((await rename('"{00000000-0000-0000-0000-000000000000},1"')).status).toBe(412);
    expect((await rename(body.eTag)).body.name).toBe('b.txt');
    const headers = { 'if-match': body.eTag };
    expect((await drive.graph('DELETE', `${at}/b.txt`, { headers })).status).toBe(412);
  });

  test.each([
    ['PUT', ':/content', { body: 'b' }],
    ['POST', ':/createUploadSession', {}],
    ['PATCH', '', { body: { name: 'b.docx' } }],
    ['DELETE', '', {}],
  ])('%s %s of a file that is open in an editor is 423; it can be read', async (method, action, options) => {
    const path = `${ownFolder()}/a.docx`;
    const { body } = await drive.graph('PUT', `${path}:/content`, { body: 'a' });
    await drive.admin('PATCH', `/items/${body.id}`, { locked: true });
    expect(await drive.graph(method, `${path}${action}`, options)).toMatchObject({
      status: 423,
      body: { error: { code: 'notAllowed', innerError: { code: 'resourceLocked' } } },
    });
    expect((await drive.graph('GET', `${path}:/content`)).status).toBe(302);
  });

  test('the webUrl of an Office file is that of the web editor; the webUrl of other files is their path', async () => {
    const at = ownFolder();
    const office = await drive.graph('PUT', `${at}/Brief.docx:/content`, { body: 'a' });
    expect(office.body.webUrl).toMatch(
      /_layouts\/15\/Doc\.aspx\?sourcedoc=%7B[0-9A-F-]{36}%7D&file=Brief\.docx/,
    );
    const plain = await drive.graph('PUT', `${at}/Plan%20%231.pdf:/content`, { body: 'a' });
    expect(plain.body.webUrl).toMatch(/Freigegebene%20Dokumente\/Ordner%20\d+\/Plan%20%231\.pdf$/);
    expect(plain.body.parentReference.path).toMatch(/\/root:\/Ordner%20\d+$/);
  });
});

describe('download', () => {
  test.each([
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['bytes=10-', 416, undefined, 'bytes */10'],
  ])('Range %s', async (range, status, content, contentRange) => {
    const { body } = await drive.graph('PUT', `${ownFolder()}/z.txt:/content`, { body: '0123456789' });
    const url = body['@microsoft.graph.downloadUrl'];
    const response = await call(url, { headers: { range } });
    expect(response.status).toBe(status);
    if (content !== undefined) expect(response.body).toBe(content);
    expect(response.headers.get('content-range') ?? undefined).toBe(contentRange);
  });

  test('the URL rejects a token of Graph, and one of its own that was changed', async () => {
    const { body } = await drive.graph('PUT', `${ownFolder()}/z.txt:/content`, { body: 'z' });
    const url: string = body['@microsoft.graph.downloadUrl'];
    const withToken = await call(url, { headers: { authorization: `Bearer ${await drive.token()}` } });
    expect(withToken).toMatchObject({ status: 401, body: { error: { code: 'unauthenticated' } } });
    expect((await call(url.replace(/tempauth=v1\.\w/, 'tempauth=v1.x'))).status).toBe(401);
  });
});

test('a folder is never moved into itself or into a file', async () => {
  const at = ownFolder();
  const { body: outer } = await drive.graph('POST', `${at}:/children`, folder('Außen'));
  const { body: inner } = await drive.graph('POST', `${at}/Außen:/children`, folder('Innen'));
  const { body: file } = await drive.graph('PUT', `${at}/a.txt:/content`, { body: 'a' });
  for (const to of [inner.id, file.id]) {
    const body = { parentReference: { id: to } };
    expect((await drive.graph('PATCH', `${drive.library}/items/${outer.id}`, { body })).status).toBe(400);
  }
});

test('quota: 507 for what does not fit, when its bytes arrive', async () => {
  const { body } = await drive.graph('GET', drive.library);
  await drive.admin('PATCH', '/settings', { quotaBytes: body.quota.used + 5 });
  const at = ownFolder();
  const full = { status: 507, body: { error: { code: 'quotaLimitReached' } } };
  const session = await drive.graph('POST', `${at}/b.txt:/createUploadSession`);
  expect(await putFragment(session.body.uploadUrl, Buffer.from('123456'), 0, 6)).toMatchObject(full);
  const announced = { item: { fileSize: 6 } };
  expect(await drive.graph('POST', `${at}/c.txt:/createUploadSession`, { body: announced })).toMatchObject(
    full,
  );
  expect(await drive.graph('PUT', `${at}/a.txt:/content`, { body: '123456' })).toMatchObject(full);
  expect((await drive.graph('PUT', `${at}/a.txt:/content`, { body: '12345' })).status).toBe(201);
});

test('a bandwidth limit slows uploads and downloads but loses no bytes', async () => {
  const content = Buffer.alloc(256 * 1024, 7);
  const file = `${ownFolder()}/a.bin`;
  await drive.admin('PATCH', '/settings', { contentBytesPerSecond: 1024 * 1024 });
  const startedAt = performance.now();
  expect((await drive.graph('PUT', `${file}:/content`, { body: content })).status).toBe(201);
  const uploadedAt = performance.now();
  const { body: item } = await drive.graph('GET', file);
  const response = await fetch(item['@microsoft.graph.downloadUrl']);
  expect(content.equals(await response.bytes())).toBe(true);
  // A quarter of a second each. Only lower bounds, because a slow machine may take longer.
  expect(uploadedAt - startedAt).toBeGreaterThan(240);
  expect(performance.now() - uploadedAt).toBeGreaterThan(180);
});

describe('permissions', () => {
  const library = () => `${drive.library}/root/children`;
  const tokens: [string, number, () => Promise<string>][] = [
    ['no token', 401, () => Promise.resolve('')],
    ['not a token', 401, () => Promise.resolve('x.y.z')],
    ['expired', 401, () => drive.token({ exp: 1 })],
    ['for another audience', 401, () => drive.token({ aud: 'api://client' })],
    ['only for the profile', 403, () => drive.token({ scp: 'User.Read' })],
    ['application only', 403, () => drive.token({ scp: '' })],
    ['read permission', 200, () => drive.token({ scp: 'Files.Read.All' })],
  ];
  test.each(tokens)('listing with a token: %s', async (_what, status, token) => {
    expect((await drive.graph('GET', library(), { token: await token() })).status).toBe(status);
  });

  test('writing requires a write permission', async () => {
    const token = await drive.token({ scp: 'Files.Read.All Sites.Read.All' });
    const response = await drive.graph('POST', library(), { ...folder('Nein'), token });
    expect(response).toMatchObject({ status: 403, body: { error: { code: 'accessDenied' } } });
  });

  test("a user's OneDrive belongs to that user only, and a user may have none", async () => {
    const token = await drive.token(bernd);
    const { body } = await drive.graph('GET', '/me/drive', { token });
    expect(body).toMatchObject({ driveType: 'business', owner: { user: { id: bernd.oid } } });
    expect((await drive.graph('GET', `/drives/${body.id}/root`)).status).toBe(403);
    await drive.admin('PATCH', '/settings', { unlicensed: [bernd.oid] });
    expect((await drive.graph('GET', '/me/drive', { token })).status).toBe(404);
  });

  test('other sites and drives are not found', async () => {
    expect((await drive.graph('GET', '/sites/contoso.sharepoint.com')).status).toBe(404);
    expect((await drive.graph('GET', `/sites/x,y,z/drives/${drive.driveId}/root`)).status).toBe(404);
    expect((await drive.graph('GET', '/drives/b!nein')).status).toBe(404);
  });
});

describe('/me', () => {
  test('properties that are selected are null if they are not set; unknown ones are rejected', async () => {
    const selected = await drive.graph('GET', '/me?$select=displayName,faxNumber');
    expect(selected.body).toEqual({
      '@odata.context': expect.any(String),
      displayName: 'Anna Amsel',
      faxNumber: null,
    });
    expect((await drive.graph('GET', '/me?$select=fax')).status).toBe(400);
  });

  test('requires its own permission, and a user', async () => {
    const files = await drive.token({ scp: 'Files.ReadWrite.All' });
    expect((await drive.graph('GET', '/me', { token: files })).status).toBe(403);
    expect((await drive.graph('GET', '/me', { token: await drive.token({ scp: '' }) })).status).toBe(400);
  });
});

test("SharePoint's address has the same API, with its annotations", async () => {
  const headers = { authorization: `Bearer ${await drive.token()}`, 'content-type': 'application/json' };
  const root = `${drive.url}/_api/v2.0/drives/${drive.driveId}/root`;
  const body = JSON.stringify({ name: 'Kurz', folder: {}, '@name.conflictBehavior': 'rename' });
  expect((await call(`${root}/children`, { method: 'POST', headers, body })).status).toBe(201);
  const put = await call(`${root}:/kurz.txt:/content`, { method: 'PUT', headers, body: 'k' });
  expect(put.body).toHaveProperty(['@content.downloadUrl']);
  expect((await call(`${drive.url}/beta/me`, { headers })).status).toBe(400);
});
