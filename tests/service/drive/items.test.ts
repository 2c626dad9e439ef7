import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bernd, call, startTestDrive, type TestDrive } from '../../support/test-drive.ts';

// Drive rules A2, A4, A5, A8, A9 and A10 on folders and files.

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
  test('without a conflict behavior, a second folder with the name is 409', async () => {
    const at = ownFolder();
    expect((await drive.graph('POST', `${at}:/children`, folder('A'))).status).toBe(201);
    const second = await drive.graph('POST', `${at}:/children`, folder('a'));
    expect(second).toMatchObject({ status: 409, body: { error: { code: 'nameAlreadyExists' } } });
  });

  test('rename appends a number', async () => {
    const at = ownFolder();
    const names: string[] = [];
    for (let round = 0; round < 3; round++) {
      names.push((await drive.graph('POST', `${at}:/children`, folder('v1.2', 'rename'))).body.name);
    }
    expect(names).toEqual(['v1.2', 'v1.2 1', 'v1.2 2']);
  });

  test('a file with the name is 409 for any behavior, and a file never replaces a folder', async () => {
    const at = ownFolder();
    await drive.graph('PUT', `${at}/X:/content`, { body: 'x' });
    expect((await drive.graph('POST', `${at}:/children`, folder('X', 'replace'))).status).toBe(409);
    expect((await drive.graph('POST', `${at}/X:/children`, folder('Y'))).status).toBe(409);
    await drive.graph('POST', `${at}:/children`, folder('F'));
    const file = { body: { name: 'F', file: {}, '@microsoft.graph.conflictBehavior': 'replace' } };
    expect((await drive.graph('POST', `${at}:/children`, file)).status).toBe(409);
  });

  test('missing parents are created, or are 404 with the switch', async () => {
    const at = ownFolder();
    await drive.admin('PATCH', '/settings', { requireParents: true });
    expect((await drive.graph('POST', `${at}/B/C:/children`, folder('D'))).status).toBe(404);
    expect((await drive.graph('PUT', `${at}/B/C/d.txt:/content`, { body: 'd' })).status).toBe(404);
    await drive.admin('PATCH', '/settings', { requireParents: false });
    expect((await drive.graph('POST', `${at}/B/C:/children`, folder('D'))).status).toBe(201);
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
  test('pages are ordered by name, so an item added between them neither repeats nor hides others', async () => {
    const at = ownFolder();
    for (const name of ['a', 'c', 'e']) await drive.graph('POST', `${at}:/children`, folder(name));
    const first = await drive.graph('GET', `${at}:/children?$top=2&$select=name`);
    expect(first.body.value).toEqual([{ name: 'a' }, { name: 'c' }]);
    await drive.graph('POST', `${at}:/children`, folder('b'));
    const token = await drive.token();
    const second = await call(first.body['@odata.nextLink'], {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(second.body.value).toEqual([{ name: 'e' }]);
    expect(second.body['@odata.nextLink']).toBeUndefined();
    const backwards = await drive.graph(
      'GET',
      `${at}:/children?orderby=name desc&select=name`.replace(' ', '%20'),
    );
    expect(backwards.body.value.map((each: { name: string }) => each.name)).toEqual(['e', 'c', 'b', 'a']);
  });

  test('200 items per page without $top', async () => {
    const at = ownFolder();
    await Promise.all(
      Array.from({ length: 201 }, (_, index) => drive.graph('POST', `${at}:/children`, folder(`F${index}`))),
    );
    const page = await drive.graph('GET', `${at}:/children`);
    expect(page.body.value).toHaveLength(200);
    expect(page.body['@odata.nextLink']).toContain('skiptoken=');
    const whole = await drive.graph('GET', `${at}:/children?$top=1000`);
    expect(whole.body.value).toHaveLength(201);
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

  test('an unchanged folder is 304', async () => {
    const at = ownFolder();
    await drive.graph('POST', `${at}:/children`, folder('a'));
    const { headers } = await drive.graph('GET', at);
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await drive.graph('GET', `${at}:/children`, again)).status).toBe(304);
  });
});

describe('files', () => {
  test('0 bytes, and one byte more than the limit of simple uploads', async () => {
    const at = ownFolder();
    const empty = await drive.graph('PUT', `${at}/leer.txt:/content`, { body: '' });
    expect(empty).toMatchObject({ status: 201, body: { size: 0 } });
    expect(await call(empty.body['@microsoft.graph.downloadUrl'])).toMatchObject({ status: 200, body: null });
    await drive.admin('PATCH', '/settings', { maxSimpleUploadBytes: 10 });
    expect((await drive.graph('PUT', `${at}/zehn.txt:/content`, { body: '0123456789' })).status).toBe(201);
    expect((await drive.graph('PUT', `${at}/elf.txt:/content`, { body: '0123456789a' })).status).toBe(413);
    expect((await drive.graph('GET', `${at}/elf.txt`)).status).toBe(404);
  });

  test('If-Match guards replacing, renaming and deleting', async () => {
    const at = ownFolder();
    const { body } = await drive.graph('PUT', `${at}/a.txt:/content`, { body: 'a' });
    const stale = { headers: { 'if-match': '"{00000000-0000-0000-0000-000000000000},1"' } };
    const fresh = { headers: { 'if-match': body.eTag } };
    expect((await drive.graph('PUT', `${at}/a.txt:/content`, { body: 'b', ...stale })).status).toBe(412);
    expect((await drive.graph('PATCH', `${at}/a.txt`, { body: { name: 'b.txt' }, ...stale })).status).toBe(
      412,
    );
    expect((await drive.graph('DELETE', `${at}/a.txt`, stale)).status).toBe(412);
    expect((await drive.graph('PATCH', `${at}/a.txt`, { body: { name: 'b.txt' }, ...fresh })).body.name).toBe(
      'b.txt',
    );
    expect((await drive.graph('DELETE', `${at}/b.txt`, fresh)).status).toBe(412);
    expect((await drive.graph('DELETE', `${at}/b.txt`)).status).toBe(204);
  });

  test('a file open in an editor is 423 for replacing, renaming and deleting, not for reading', async () => {
    const at = ownFolder();
    const { body } = await drive.graph('PUT', `${at}/a.docx:/content`, { body: 'a' });
    await drive.admin('PATCH', `/items/${body.id}`, { locked: true });
    const locked = {
      status: 423,
      body: { error: { code: 'notAllowed', innerError: { code: 'resourceLocked' } } },
    };
    expect(await drive.graph('PUT', `${at}/a.docx:/content`, { body: 'b' })).toMatchObject(locked);
    expect(await drive.graph('POST', `${at}/a.docx:/createUploadSession`)).toMatchObject(locked);
    expect(await drive.graph('PATCH', `${at}/a.docx`, { body: { name: 'b.docx' } })).toMatchObject(locked);
    expect(await drive.graph('DELETE', `${at}/a.docx`)).toMatchObject(locked);
    expect((await drive.graph('GET', `${at}/a.docx:/content`)).status).toBe(302);
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
    const response = await call(url, range === undefined ? {} : { headers: { range } });
    expect(response.status).toBe(status);
    if (content !== undefined) expect(response.body).toBe(content);
    expect(response.headers.get('content-range') ?? undefined).toBe(contentRange);
  });

  test('the URL expires, belongs to another origin and rejects a token', async () => {
    const { body } = await drive.graph('PUT', `${ownFolder()}/z.txt:/content`, { body: 'z' });
    const url: string = body['@microsoft.graph.downloadUrl'];
    expect(new URL(url).hostname).not.toBe(new URL(drive.url).hostname);
    const withToken = await call(url, { headers: { authorization: `Bearer ${await drive.token()}` } });
    expect(withToken).toMatchObject({ status: 401, body: { error: { code: 'unauthenticated' } } });
    expect((await call(url.replace(/tempauth=v1\.\w/, 'tempauth=v1.x'))).status).toBe(401);
    await drive.admin('POST', '/clock', { advanceSeconds: 900 });
    expect((await call(url)).status).toBe(401);
  });

  test('a changed file has another ETag; an unchanged file is 304', async () => {
    const at = ownFolder();
    const { body } = await drive.graph('PUT', `${at}/z.txt:/content`, { body: 'z' });
    const same = { headers: { 'if-none-match': body.eTag } };
    expect((await drive.graph('GET', `${at}/z.txt:/content`, same)).status).toBe(304);
    await drive.graph('PUT', `${at}/z.txt:/content`, { body: 'y' });
    expect((await drive.graph('GET', `${at}/z.txt:/content`, same)).status).toBe(302);
  });
});

test('moving: to another folder, never into itself or into a file', async () => {
  const at = ownFolder();
  const { body: target } = await drive.graph('POST', `${at}:/children`, folder('Ziel'));
  const { body: inner } = await drive.graph('POST', `${at}/Ziel:/children`, folder('Innen'));
  const { body: file } = await drive.graph('PUT', `${at}/a.txt:/content`, { body: 'a' });
  const move = (id: string, to: string) =>
    drive.graph('PATCH', `${drive.library}/items/${id}`, { body: { parentReference: { id: to } } });
  expect((await move(file.id, target.id)).status).toBe(200);
  expect((await drive.graph('GET', `${at}/Ziel/a.txt`)).body.id).toBe(file.id);
  expect((await drive.graph('GET', `${at}/Ziel`)).body.size).toBe(1);
  expect((await move(target.id, inner.id)).status).toBe(400);
  expect((await move(file.id, file.id)).status).toBe(400);
});

test('quota: 507 for everything that does not fit', async () => {
  const { body } = await drive.graph('GET', drive.library);
  await drive.admin('PATCH', '/settings', { quotaBytes: body.quota.used + 5 });
  const at = ownFolder();
  const full = { status: 507, body: { error: { code: 'quotaLimitReached' } } };
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

  test('permissions in the library are per user', async () => {
    await drive.admin('PATCH', '/settings', { access: { [bernd.oid]: 'read' } });
    const token = await drive.token(bernd);
    expect((await drive.graph('GET', library(), { token })).status).toBe(200);
    expect((await drive.graph('POST', library(), { ...folder('Nein'), token })).status).toBe(403);
    await drive.admin('PATCH', '/settings', { access: { [bernd.oid]: 'none' } });
    expect((await drive.graph('GET', library(), { token })).status).toBe(403);
    expect((await drive.graph('GET', library())).status).toBe(200);
  });

  test("a user's OneDrive belongs to that user only, and a user may have none", async () => {
    const token = await drive.token(bernd);
    const { body } = await drive.graph('GET', '/me/drive', { token });
    expect(body).toMatchObject({ driveType: 'business', owner: { user: { id: bernd.oid } } });
    expect((await drive.graph('GET', `/drives/${body.id}/root`)).status).toBe(403);
    await drive.admin('PATCH', '/settings', { unlicensed: [bernd.oid] });
    expect((await drive.graph('GET', '/me/drive', { token })).status).toBe(404);
  });

  test('the site and its drives are found, other sites are not', async () => {
    expect((await drive.graph('GET', `/sites/${drive.siteId}`)).body.id).toBe(drive.siteId);
    expect((await drive.graph('GET', `/sites/${drive.siteId}/drives`)).body.value).toMatchObject([
      { id: drive.driveId },
    ]);
    expect((await drive.graph('GET', '/sites/contoso.sharepoint.com')).status).toBe(404);
    expect((await drive.graph('GET', `/sites/${drive.siteId}/drives/${drive.driveId}/root`)).status).toBe(
      200,
    );
    expect((await drive.graph('GET', '/drives/b!nein')).status).toBe(404);
  });
});

describe('/me', () => {
  test('ten default properties and the id; more only when selected; unknown ones are rejected', async () => {
    const plain = await drive.graph('GET', '/me');
    expect(plain.body).toMatchObject({ displayName: 'Anna Amsel', businessPhones: [] });
    expect(plain.body).not.toHaveProperty('faxNumber');
    const selected = await drive.graph('GET', '/me?$select=displayName,faxNumber,companyName,city');
    expect(selected.body).toEqual({
      '@odata.context': expect.any(String),
      displayName: 'Anna Amsel',
      faxNumber: null,
      companyName: null,
      city: null,
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
