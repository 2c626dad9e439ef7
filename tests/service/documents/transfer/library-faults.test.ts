import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { below, people, startDocumentService } from '../../../support/document-service.ts';
import { fieldsFor, filePart, formOf, sendForm, type Transport } from '../../../support/multipart.ts';
import { useDocuments, fragment, sha, twoFragments } from '../support/documents.ts';

const MiB = 1024 * 1024;

const { service, provision, warmProject, upload: send, filesOf, list, contentOf } = useDocuments();

afterEach(async () => {
  expect(await service.temporaryFiles()).toEqual([]);
});

const upload = (
  projectId: string,
  name: string,
  content: Uint8Array,
  behavior = 'replace',
  transport: Transport = 'length',
) => send(projectId, content, { name, behavior, transport });

const error = (status: number, code: string, rest: object = {}) => ({ kind: 'error', status, code, ...rest });
const throttled = (retryAfter: string, status = 429) => ({ kind: 'throttled', status, retryAfter });
const broken = (afterBytes: number, rest: object = {}) => ({ kind: 'drop-connection', afterBytes, ...rest });
const second = { ...fragment, skip: 1 };
const always = { ...fragment, times: null };
/** The request that creates an upload session. */
const creation = { host: 'graph', url: 'createUploadSession' };

const content = randomBytes(twoFragments + 5);
const small = randomBytes(1000);

// What sending a file survives is in tests/service/uploads/send-file.test.ts.
describe('an upload survives', () => {
  test.each<[string, object, object, Buffer]>([
    [
      'a connection that breaks in a fragment, some bytes kept',
      { kind: 'drop-connection', afterBytes: 700_001, keep: 'partial' },
      second,
      content,
    ],
    ['429 on the session', throttled('1'), creation, small],
    [
      'a lost response to the check of the folder',
      { kind: 'lost-response' },
      { host: 'graph', method: 'GET' },
      small,
    ],
    [
      'a throttle page instead of a response',
      { kind: 'throttle-page' },
      { host: 'graph', method: 'GET' },
      small,
    ],
  ])('%s', async (_what, fault, on, sent) => {
    const project = await warmProject();
    await service.fault(fault, on);
    const { status, body } = await upload(project.id, 'Plan.docx', sent, 'replace');
    expect({ status, body }).toMatchObject({ status: 201 });
    expect(await filesOf(project)).toHaveLength(1);
    expect(sha(await contentOf(body.id))).toBe(sha(sent));
    expect(await service.openSessions()).toEqual([]);
  });

  test('an empty file: throttled, cut off, and its response lost', async () => {
    const project = await warmProject();
    const put = { method: 'PUT', url: '/content' };
    for (const fault of [throttled('1'), { kind: 'drop-connection' }, { kind: 'lost-response' }]) {
      await service.fault(fault, put);
      const { status } = await upload(project.id, 'leer.txt', Buffer.alloc(0));
      expect({ fault, status }).toEqual({ fault, status: 201 });
    }
    expect(await filesOf(project)).toHaveLength(1);
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
    const { status, body } = await upload(project.id, name, small);
    expect({ status, size: body.size }).toEqual({ status: 201, size: small.length });
    // `later` is some time after the response.
    await expect.poll(async () => (await contentOf(body.id)).length).toBeGreaterThan(small.length);
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
  // The meaning of each rejection is in tests/unit/document-library/library-error.test.ts.
  test.each<[string, object, object, number, string]>([
    ['423 at the session', { kind: 'locked' }, creation, 423, 'document_locked'],
    ['507 at the end', error(507, 'quotaLimitReached'), second, 507, 'library_full'],
    ['malware in a fragment', error(403, 'malwareDetected'), fragment, 502, 'library_error'],
    ['503 on every attempt', throttled('0', 503), { ...always, skip: 1 }, 503, 'library_throttled'],
    ['429 for an hour', throttled('3600'), creation, 503, 'library_throttled'],
    ['malformed responses', error(418, 'teapot'), creation, 502, 'library_error'],
  ])('%s', async (_what, fault, on, status, code) => {
    const project = await warmProject();
    await service.fault(fault, on);
    const response = await upload(project.id, 'Plan.docx', 'skip' in on ? content : small);
    expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
    if (status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await filesOf(project)).toEqual([]);
    expect(await list(project.id)).toEqual([]);
    expect(await service.openSessions()).toEqual([]);
  });

  test('the three causes of denied access are named', async () => {
    const project = await warmProject();
    await service.admin('PATCH', '/settings', { access: { [people.projectManager.oid]: 'none' } });
    for (const response of [
      await upload(project.id, 'a.txt', Buffer.from('x')),
      await provision(project.id),
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
    ['429', throttled('1'), { method: 'GET' }],
    ['503 with a page', { kind: 'html-unavailable' }, { method: 'POST' }],
    ['a lost response to a folder', { kind: 'lost-response' }, { method: 'POST', url: '/children' }],
    [
      'a lost response to a subfolder',
      { kind: 'lost-response' },
      { method: 'POST', url: '/children', skip: 4 },
    ],
    ['a folder that is not visible immediately', { kind: 'not-yet-found' }, { url: '/children', times: 2 }],
    ['500', error(500, 'generalException'), { method: 'POST', times: 2 }],
    ['a connection that breaks', { kind: 'drop-connection' }, { method: 'GET' }],
    ['a throttle page instead of a response', { kind: 'throttle-page' }, { method: 'GET' }],
  ])('%s', async (_what, fault, on) => {
    const project = await service.newProject();
    await service.fault(fault, on);
    const { status, body } = await provision(project.id);
    expect({ status, folders: body.folders?.length }).toEqual({ status: 200, folders: 8 });
    expect(below(await service.items(), project)).toHaveLength(9);
  });

  test('a library that requires existing parents', async () => {
    await service.admin('PATCH', '/settings', { requireParents: true });
    const project = await service.newProject();
    const { status } = await provision(project.id);
    expect(status).toBe(200);
  });
});

test('the response to a deletion is lost: file and record are removed nevertheless', async () => {
  const project = await warmProject();
  const { body } = await upload(project.id, 'weg.txt', Buffer.from('weg'));
  await service.fault({ kind: 'lost-response' }, { method: 'DELETE', host: 'graph' });
  expect((await service.call('DELETE', `/documents/${body.id}`)).status).toBe(204);
  expect(await filesOf(project)).toEqual([]);
  expect(await list(project.id)).toEqual([]);
});

test.each<[string, object, number, string, RegExp]>([
  [
    'a hold',
    error(403, 'accessDenied', { message: 'The item is on hold. site-intern-17' }),
    1,
    'library_access_denied',
    /retention policy.*hold/,
  ],
  // A deletion checks a file that has changed again, up to four times.
  ['four changes', error(409, 'resourceModified'), 4, 'library_error', /changed.*at the same time/],
])(
  'DELETE of a file with %s names the cause, without the text of Graph',
  async (_what, fault, times, code, detail) => {
    const project = await warmProject();
    const { body: document } = await upload(project.id, 'bleibt.txt', Buffer.from('x'));
    await service.fault(fault, { method: 'DELETE', host: 'graph', times });
    const { body } = await service.call('DELETE', `/documents/${document.id}`);
    expect(body.code).toBe(code);
    expect(body.detail).toMatch(detail);
    expect(JSON.stringify(body)).not.toContain('site-intern-17');
    expect(await list(project.id)).toEqual([document]);
  },
);

describe('no token and no pre-authenticated URL reaches a log line or a response', () => {
  const quoting = {
    message: 'rejected: https://contoso.sharepoint.com/_api/upload?guid=1&tempauth=eyJhbGciOiJub25lIn0.e30.x',
  };

  test.each<[string, object, object, number, string]>([
    ['a connection that always breaks', broken(10_000), always, 503, 'library_throttled'],
    ['an upload URL whose token is never accepted', { kind: 'upload-token' }, always, 502, 'library_error'],
    [
      'an upload URL that is always denied',
      { kind: 'upload-token', status: 403 },
      always,
      502,
      'library_error',
    ],
    ['responses that are pages', { kind: 'html-unavailable' }, always, 503, 'library_throttled'],
    [
      'a rejection that quotes the URL',
      error(400, 'invalidRequest', quoting),
      fragment,
      502,
      'library_error',
    ],
    [
      'a rejection by Graph that quotes it',
      error(400, 'invalidRequest', quoting),
      creation,
      502,
      'library_error',
    ],
    ['a failure that quotes it', error(418, 'teapot', quoting), fragment, 502, 'library_error'],
  ])('%s', async (_what, fault, on, status, code) => {
    const project = await warmProject();
    const before = service.logs.length;
    await service.fault(fault, on);
    const failed = await upload(project.id, 'Plan.bin', randomBytes(MiB / 8));
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
