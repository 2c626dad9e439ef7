import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { below, people, startDocumentService } from '../../../support/document-service.ts';
import { fieldsFor, filePart, formOf, sendForm, type Transport } from '../../../support/multipart.ts';
import { useDocuments, sha, threeFragments, twoFragments } from '../support/documents.ts';

const MiB = 1024 * 1024;

// Half of a staged file is on the disk, and the rest in a blob.
const settings = { UPLOAD_STAGING_DISK_BYTES: String(twoFragments) };
const { service, warmProject, upload: send, filesOf } = useDocuments({ settings });

afterEach(async () => {
  expect(await service.staged()).toEqual([]);
});

const upload = (
  projectId: string,
  name: string,
  content: Uint8Array,
  behavior = 'replace',
  transport: Transport = 'length',
) => send(projectId, content, { name, behavior, transport });

const contentOf = async (id: string) => {
  const response = await fetch(`${service.origin}/api/v1/documents/${id}/download`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  return new Uint8Array(await response.arrayBuffer());
};

/** Faults with a limited count that never occurred. A test with such a fault proves nothing. */
const unmetFaults = async () =>
  (await service.admin('DELETE', '/faults')).filter(({ on }: { on: { times: number | null } }) => on.times);

const fragment = { host: 'content', method: 'PUT' };

describe('an upload survives', () => {
  const content = randomBytes(twoFragments + 5);

  test.each<[string, object, object]>([
    ['429 on a fragment', { kind: 'throttled', retryAfter: '1' }, { ...fragment, skip: 1 }],
    ['503 with a page on a fragment', { kind: 'html-unavailable' }, fragment],
    ['500 on a fragment', { kind: 'error', status: 500, code: 'generalException' }, { ...fragment, skip: 1 }],
    ['a connection that breaks before a fragment', { kind: 'drop-connection' }, fragment],
    [
      'a connection that breaks in a fragment, bytes lost',
      { kind: 'drop-connection', afterBytes: 700_001 },
      { ...fragment, skip: 1 },
    ],
    [
      'a connection that breaks in a fragment, some bytes kept',
      { kind: 'drop-connection', afterBytes: 700_001, keep: 'partial' },
      { ...fragment, skip: 1 },
    ],
    ['a lost response to a fragment', { kind: 'lost-response' }, fragment],
    ['a lost response to the last fragment', { kind: 'lost-response' }, { ...fragment, skip: 1 }],
    ['closed ranges', { kind: 'ranges', form: 'closed' }, { ...fragment, times: null }],
    ['two ranges', { kind: 'ranges', form: 'two' }, { ...fragment, times: null }],
    ['a session that is not found directly after its creation', { kind: 'session-vanishes' }, {}],
    [
      '429 on the session',
      { kind: 'throttled', retryAfter: '1' },
      { host: 'graph', url: 'createUploadSession' },
    ],
    [
      'a lost response to the check of the folder',
      { kind: 'lost-response' },
      { host: 'graph', method: 'GET' },
    ],
    ['a throttle page instead of a response', { kind: 'throttle-page' }, { host: 'graph', method: 'GET' }],
    ['an expired token of the upload URL on the first fragment', { kind: 'upload-token' }, fragment],
  ])('%s', async (_what, fault, on) => {
    const project = await warmProject();
    await service.fault(fault, on);
    const { status, body } = await upload(project.id, 'Plan.docx', content, 'replace');
    expect({ status, body }).toMatchObject({ status: 201 });
    expect(await filesOf(project)).toHaveLength(1);
    expect(sha(await contentOf(body.id))).toBe(sha(content));
    expect(await service.openSessions()).toEqual([]);
    expect(await unmetFaults()).toEqual([]);
  });

  test.each<[string, Transport, Uint8Array]>([
    ['its bytes are still in memory', 'length', content],
    ['its bytes are still in memory and their number was not announced', 'chunked', content],
    ['it is staged', 'chunked', randomBytes(threeFragments)],
  ])('409 resourceModified at the end of an Office file, when %s', async (_what, transport, bytes) => {
    const project = await warmProject();
    await service.fault({ kind: 'resource-modified' }, fragment);
    const { status, body } = await upload(project.id, 'Liste.xlsx', bytes, 'replace', transport);
    expect({ status, body }).toMatchObject({ status: 201 });
    expect(await unmetFaults()).toEqual([]);
    expect(sha(await contentOf(body.id))).toBe(sha(bytes));
    expect(await service.openSessions()).toEqual([]);
  });

  test('an empty file: throttled, cut off, and its response lost', async () => {
    const project = await warmProject();
    const put = { method: 'PUT', url: '/content' };
    for (const fault of [
      { kind: 'throttled', retryAfter: '1' },
      { kind: 'drop-connection' },
      { kind: 'lost-response' },
    ]) {
      await service.fault(fault, put);
      const { status } = await upload(project.id, 'leer.txt', Buffer.alloc(0));
      expect({ fault, status }).toEqual({ fault, status: 201 });
      expect(await unmetFaults()).toEqual([]);
    }
    expect(await filesOf(project)).toHaveLength(1);
  });

  test.each<[string, Transport, number]>([
    ['its bytes are still in memory', 'length', twoFragments],
    ['it is staged', 'chunked', threeFragments],
  ])('a session that ends in the middle, when %s', async (_what, transport, size) => {
    const project = await warmProject();
    const content = randomBytes(size);
    await service.fault({ kind: 'error', status: 404, code: 'itemNotFound' }, { ...fragment, skip: 1 });
    const { status, body } = await upload(project.id, 'Plan.bin', content, 'replace', transport);
    expect(status).toBe(201);
    expect(sha(await contentOf(body.id))).toBe(sha(content));
    expect(await service.openSessions()).toEqual([]);
  });

  test('a renamed copy whose response is lost: one file, under the name that the library assigned', async () => {
    const project = await warmProject();
    await upload(project.id, 'Plan.bin', randomBytes(1000));
    await service.fault({ kind: 'lost-response' }, fragment);
    const { status, body } = await upload(project.id, 'Plan.bin', randomBytes(2000), 'rename');
    expect({ status, fileName: body.fileName }).toEqual({ status: 201, fileName: 'Plan 1.bin' });
    expect(await filesOf(project)).toHaveLength(2);
  });

  test.each([
    ['Plan.docx', 'before-response'],
    ['Plan.pdf', 'later'],
    ['Plan.html', 'before-response'],
    ['Plan.jpg', 'later'],
  ])('a library that rewrites %s (%s)', async (name, when) => {
    const project = await warmProject();
    await service.fault({ kind: 'office-rewrite', when });
    const { status, body } = await upload(project.id, name, content);
    expect({ status, size: body.size }).toEqual({ status: 201, size: content.length });
    // `later` is some time after the response.
    await expect
      .poll(async () => (await contentOf(body.id)).length, { timeout: 20_000 })
      .toBeGreaterThan(content.length);
  });

  test('a folder that was deleted after it was provisioned, which is created again, or renamed, which is followed', async () => {
    for (const change of ['DELETE', 'PATCH'] as const) {
      const project = await warmProject();
      const folder = below(await service.items(), project).find(({ path }) => path.endsWith('/01_Angebote'));
      await service.admin(
        change,
        `/items/${folder!.id}`,
        change === 'PATCH' ? { name: '01_alt' } : undefined,
      );
      for (const size of [0, 1000]) {
        expect((await upload(project.id, `a${size}.txt`, Buffer.alloc(size))).status).toBe(201);
      }
      const paths = (await filesOf(project)).map(({ path }) => path.split('/').at(-2));
      const expected = change === 'PATCH' ? '01_alt' : '01_Angebote';
      expect(paths).toEqual([expected, expected]);
      expect(await service.openSessions()).toEqual([]);
    }
  });
});

describe('an upload that fails leaves neither file nor record nor session', () => {
  test.each<[string, object, object, number, string]>([
    ['423', { kind: 'locked' }, { url: 'createUploadSession' }, 423, 'document_locked'],
    [
      '423 in another form',
      { kind: 'locked', form: 'resourceLocked' },
      { url: 'createUploadSession' },
      423,
      'document_locked',
    ],
    [
      '423 with accessDenied',
      { kind: 'locked', form: 'lockToken' },
      { url: 'createUploadSession' },
      423,
      'document_locked',
    ],
    [
      '423 at the end',
      { kind: 'error', status: 423, code: 'resourceLocked' },
      { ...fragment, skip: 1 },
      423,
      'document_locked',
    ],
    [
      '507 at the session',
      { kind: 'error', status: 507, code: 'quotaLimitReached' },
      { url: 'createUploadSession' },
      507,
      'library_full',
    ],
    [
      '507 at the end',
      { kind: 'error', status: 507, code: 'quotaLimitReached' },
      { ...fragment, skip: 1 },
      507,
      'library_full',
    ],
    [
      '403',
      { kind: 'error', status: 403, code: 'accessDenied' },
      { url: 'createUploadSession' },
      403,
      'library_access_denied',
    ],
    [
      '503 on every attempt',
      { kind: 'throttled', status: 503, retryAfter: '0' },
      { ...fragment, times: null },
      503,
      'library_throttled',
    ],
    [
      '429 for an hour',
      { kind: 'throttled', retryAfter: '3600' },
      { url: 'createUploadSession' },
      503,
      'library_throttled',
    ],
    [
      'malformed responses',
      { kind: 'error', status: 418, code: 'teapot' },
      { url: 'createUploadSession' },
      502,
      'library_error',
    ],
  ])('%s', async (_what, fault, on, status, code) => {
    const project = await warmProject();
    await service.fault(fault, on);
    const response = await upload(project.id, 'Plan.docx', randomBytes(twoFragments + 5));
    expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
    if (status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await unmetFaults()).toEqual([]);
    expect(await filesOf(project)).toEqual([]);
    expect((await service.call('GET', `/documents/projects/${project.id}`)).body.items).toEqual([]);
    expect(await service.openSessions()).toEqual([]);
  });

  test.each([
    ['a session that ends in the middle', { kind: 'error', status: 404, code: 'itemNotFound' }],
    ['409 resourceModified at the end of an Office file', { kind: 'resource-modified' }],
  ])('%s, when the beginning of the body is no longer available', async (_what, fault) => {
    const project = await warmProject();
    // `resource-modified` can occur only at the end of an upload, `error` at each of the three fragments: two are skipped.
    await service.fault(fault, fault.kind === 'error' ? { ...fragment, skip: 2 } : fragment);
    const { status, body } = await upload(project.id, 'Plan.docx', randomBytes(threeFragments));
    expect({ status, code: body.code }).toEqual({ status: 502, code: 'library_error' });
    expect(await unmetFaults()).toEqual([]);
    expect(await filesOf(project)).toEqual([]);
    expect((await service.call('GET', `/documents/projects/${project.id}`)).body.items).toEqual([]);
    expect(await service.openSessions()).toEqual([]);
  });

  test('the three causes of denied access are named', async () => {
    const project = await warmProject();
    await service.admin('PATCH', '/settings', { access: { [people.projectManager.oid]: 'none' } });
    for (const response of [
      await upload(project.id, 'a.txt', Buffer.from('x')),
      await service.call('POST', `/documents/projects/${project.id}/provision`),
    ]) {
      expect({ status: response.status, code: response.body.code }).toEqual({
        status: 403,
        code: 'library_access_denied',
      });
      expect(response.body.detail).toMatch(/API permissions.*admin consent.*access to the site or library/);
    }
  });
});

describe('provisioning survives', () => {
  test.each<[string, object, object]>([
    ['429', { kind: 'throttled', retryAfter: '1' }, { method: 'GET' }],
    ['503 with a page', { kind: 'html-unavailable' }, { method: 'POST' }],
    ['a lost response to a folder', { kind: 'lost-response' }, { method: 'POST', url: '/children' }],
    ['a folder that is not visible immediately', { kind: 'not-yet-found' }, { url: '/children', times: 2 }],
    ['500', { kind: 'error', status: 500, code: 'generalException' }, { method: 'POST', times: 2 }],
    ['a connection that breaks', { kind: 'drop-connection' }, { method: 'GET' }],
    ['a throttle page instead of a response', { kind: 'throttle-page' }, { method: 'GET' }],
    [
      'a lost response to a subfolder',
      { kind: 'lost-response' },
      { method: 'POST', url: '/children', skip: 4 },
    ],
  ])('%s', async (_what, fault, on) => {
    const project = await service.newProject();
    await service.fault(fault, on);
    const { status, body } = await service.call('POST', `/documents/projects/${project.id}/provision`);
    expect({ status, folders: body.folders?.length }).toEqual({ status: 200, folders: 8 });
    expect(below(await service.items(), project)).toHaveLength(9);
    expect(await unmetFaults()).toEqual([]);
  });

  test('a library that requires existing parents', async () => {
    await service.admin('PATCH', '/settings', { requireParents: true });
    const project = await service.newProject();
    const { status } = await service.call('POST', `/documents/projects/${project.id}/provision`);
    expect(status).toBe(200);
  });
});

test('the response to a deletion is lost: file and record are removed nevertheless', async () => {
  const project = await warmProject();
  const { body } = await upload(project.id, 'weg.txt', Buffer.from('weg'));
  await service.fault({ kind: 'lost-response' }, { method: 'DELETE', host: 'graph' });
  expect((await service.call('DELETE', `/documents/${body.id}`)).status).toBe(204);
  expect(await unmetFaults()).toEqual([]);
  expect(await filesOf(project)).toEqual([]);
  expect((await service.call('GET', `/documents/projects/${project.id}`)).body.items).toEqual([]);
});

describe('a rejection that has a cause of its own names it, without the text of Graph', () => {
  const internal = 'site-intern-17';

  test.each<[string, object, number, string, RegExp]>([
    [
      'a hold or a retention policy, as reported',
      {
        status: 403,
        code: 'accessDenied',
        message: `Request was cancelled by event received. If attempting to delete a non-empty folder, it's possible that it's on hold. ${internal}`,
      },
      403,
      'library_access_denied',
      /retention policy.*hold/,
    ],
    [
      'a retention label',
      { status: 403, code: 'accessDenied', message: `The item has a retention label. ${internal}` },
      403,
      'library_access_denied',
      /retention label/,
    ],
    [
      'a hold as 409',
      { status: 409, code: 'notAllowed', message: `The item is on hold. ${internal}` },
      403,
      'library_access_denied',
      /hold/,
    ],
    [
      'missing rights',
      { status: 403, code: 'accessDenied', message: `Access denied. ${internal}` },
      403,
      'library_access_denied',
      /API permissions/,
    ],
    [
      'another conflict',
      { status: 409, code: 'generalException', message: `Save conflict. ${internal}` },
      502,
      'library_error',
      /does not delete.*conflict/,
    ],
    [
      'a change at the same time',
      { status: 409, code: 'resourceModified', message: internal },
      502,
      'library_error',
      /changed.*at the same time/,
    ],
    [
      'malware',
      { status: 403, code: 'accessDenied', inner: ['malwareDetected'], message: internal },
      502,
      'library_error',
      /malware scan/,
    ],
    [
      'a suspected virus',
      { status: 403, code: 'accessDenied', inner: ['virusSuspicious'], message: internal },
      502,
      'library_error',
      /malware scan/,
    ],
  ])('DELETE: %s', async (_what, fault, status, code, detail) => {
    const project = await warmProject();
    const { body } = await upload(project.id, 'bleibt.txt', Buffer.from('x'));
    // A deletion checks a file that has changed again, up to four times.
    const times = code === 'library_error' && String(detail).includes('same time') ? 4 : 1;
    await service.fault({ kind: 'error', ...fault }, { method: 'DELETE', host: 'graph', times });
    const rejected = await service.call('DELETE', `/documents/${body.id}`);
    expect([rejected.status, rejected.body.code]).toEqual([status, code]);
    expect(rejected.body.detail).toMatch(detail);
    expect(JSON.stringify(rejected.body)).not.toContain(internal);
    expect(await unmetFaults()).toEqual([]);
    expect((await service.call('GET', `/documents/projects/${project.id}`)).body.items).toHaveLength(1);
  });

  test.each<[string, object, object]>([
    ['the session', { status: 403, code: 'malwareDetected' }, { url: 'createUploadSession' }],
    ['a fragment', { status: 403, code: 'accessDenied', inner: ['malwareDetected'] }, fragment],
  ])('upload: malware at %s', async (_what, fault, on) => {
    const project = await warmProject();
    await service.fault({ kind: 'error', ...fault }, on);
    const { status, body } = await upload(project.id, 'Plan.bin', randomBytes(1000));
    expect([status, body.code]).toEqual([502, 'library_error']);
    expect(body.detail).toContain('malware scan');
    expect(await filesOf(project)).toEqual([]);
    expect(await service.openSessions()).toEqual([]);
  });
});

describe('no token and no pre-authenticated URL reaches a log line or a response', () => {
  const always = { ...fragment, times: null };
  const quoting =
    'rejected: https://contoso.sharepoint.com/_api/upload?guid=1&tempauth=eyJhbGciOiJub25lIn0.e30.x';

  test.each<[string, object, object, number, string]>([
    [
      'a connection that always breaks',
      { kind: 'drop-connection', afterBytes: 100_000 },
      always,
      503,
      'library_throttled',
    ],
    ['an upload URL whose token is never accepted', { kind: 'upload-token' }, always, 502, 'library_error'],
    [
      'an upload URL whose token is always denied',
      { kind: 'upload-token', status: 403 },
      always,
      502,
      'library_error',
    ],
    ['responses that are pages', { kind: 'html-unavailable' }, always, 503, 'library_throttled'],
    [
      'a rejection that quotes the URL',
      { kind: 'error', status: 400, code: 'invalidRequest', message: quoting },
      fragment,
      502,
      'library_error',
    ],
    [
      'a rejection by Graph that quotes it',
      { kind: 'error', status: 400, code: 'invalidRequest', message: quoting },
      { url: 'createUploadSession' },
      400,
      'invalid_request',
    ],
    [
      'a failure that quotes it',
      { kind: 'error', status: 418, code: 'teapot', message: quoting },
      fragment,
      502,
      'library_error',
    ],
  ])('%s', async (_what, fault, on, status, code) => {
    const project = await warmProject();
    const before = service.logs.length;
    await service.fault(fault, on);
    const failed = await upload(project.id, 'Plan.bin', randomBytes(1 * MiB));
    expect([failed.status, failed.body.code]).toEqual([status, code]);
    const text = () =>
      JSON.stringify(failed.body) +
      service.logs
        .slice(before)
        .map(({ message }) => message)
        .join('\n');
    await expect.poll(text, { timeout: 20_000 }).toContain('"operation":"upload-project-document"');
    expect(text()).not.toMatch(/tempauth|eyJ|guid=/);
    expect(await service.openSessions()).toEqual([]);
  });
});

test('a file of the service that fails to load is not a library error: 500 immediately, and the log has the cause', async () => {
  const ownFault = 'this file is broken';
  const broken = await startDocumentService({
    // The code that sends fragments is in a file that the first upload loads.
    async changeApp(directory) {
      const files = (await readdir(join(directory, 'dist'))).filter((name) => /^lazy-.*\.js$/.test(name));
      const paths = files.map((name) => join(directory, 'dist', name));
      const isUndici = await Promise.all(
        paths.map(async (path) => (await readFile(path, 'utf8')).includes('undici/lib/api/api-request')),
      );
      const [path, ...others] = paths.filter((_, index) => isUndici[index]);
      expect(others).toEqual([]);
      await writeFile(path!, `throw new Error('${ownFault}');`);
    },
  });
  try {
    const project = await broken.newProject();
    const form = formOf([...fieldsFor('01_Angebote', 'replace'), filePart('Plan.bin', randomBytes(1000))]);
    const { status, body } = await sendForm(broken, project.id, form);
    expect([status, body.code]).toEqual([500, 'internal_error']);
    const crashes = () => broken.logs.filter(({ message }) => message.includes('request_crashed'));
    await expect.poll(crashes).toHaveLength(1);
    expect(crashes()[0]!.message).toContain(ownFault);
    // One session, so nothing was retried.
    const opened = (await broken.requests()).filter(({ path }) => path.includes('createUploadSession'));
    expect(opened).toHaveLength(1);
  } finally {
    await broken.stop();
  }
});
