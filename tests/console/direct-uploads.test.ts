import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { below, people, startDocumentService, type DocumentService } from '../support/document-service.ts';
import { openUploadPage, type PageUpload, type UploadPage } from '../support/upload-page.ts';

// The client for direct uploads in Chromium: a page of one origin, the library of another, whose certificate the browser
// trusts and whose responses follow the rules that were reported of SharePoint.

const MiB = 1024 * 1024;
// By a variable, because this file is checked against Node's types.
const client = join(import.meta.dirname, '../../console/uploads/upload-directly.ts');
const { uploadDirectly } = await import(client);
let service: DocumentService;
let browser: Browser;
let page: UploadPage;

beforeAll(async () => {
  service = await startDocumentService({ settings: { MAX_UPLOAD_BYTES: String(1 * MiB) } });
  browser = await startBrowser({ trusted: [service.certificate] });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});
beforeEach(async () => {
  page = await openUploadPage(browser, service.origin);
});
afterEach(async () => {
  await page.close();
  for (const what of ['faults', 'settings', 'sessions']) await service.admin('DELETE', `/${what}`);
});

const upload = async (projectId: string, options: Omit<PageUpload, 'token' | 'projectId'>) =>
  page.upload({ token: await service.token(), projectId, ...options });

const filesOf = async (project: { number: string }) =>
  below(await service.items(), project).filter(({ kind }) => kind === 'file');
const list = async (projectId: string) =>
  (await service.call('GET', `/documents/projects/${projectId}`)).body.items as any[];

async function digestOf(documentId: string): Promise<string> {
  const { body } = await service.call('GET', `/documents/${documentId}/link`);
  const file = await fetch(body.downloadUrl);
  return createHash('sha256')
    .update(new Uint8Array(await file.arrayBuffer()))
    .digest('hex');
}

test('a complete upload of a file larger than the service accepts', async () => {
  const project = await service.newProject();
  // A browser reports progress at most every 50 ms; at a higher speed, a fragment ends before its second report.
  await service.admin('PATCH', '/settings', { contentBytesPerSecond: 20 * MiB });
  const { document, digest, progress } = await upload(project.id, { bytes: 25 * MiB + 1 });
  expect(document).toMatchObject({ fileName: 'Plan.bin', size: 25 * MiB + 1, projectId: project.id });
  expect(await digestOf(document.id)).toBe(digest);
  expect(await list(project.id)).toEqual([document]);
  expect(progress.at(-1)).toBe(25 * MiB + 1);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  // More often than once per fragment.
  expect(new Set(progress).size).toBeGreaterThan(3);
  expect(page.apiBytes()).toBeLessThan(1000);
  const sent = (await service.requests()).filter(
    ({ host, method }) => host === 'content' && method === 'PUT',
  );
  // Three fragments, and the last byte again, by which the service confirms the size.
  expect(sent.length).toBe(4);
});

test('an empty file', async () => {
  const project = await service.newProject();
  const { document } = await upload(project.id, { bytes: 0 });
  expect(document).toMatchObject({ size: 0 });
  expect(await filesOf(project)).toHaveLength(1);
});

test.each(['nothing', 'partial'])(
  'a connection breaks during a fragment, of which the library keeps %s: the upload resumes there',
  async (keep) => {
    const project = await service.newProject();
    await service.fault(
      { kind: 'drop-connection', afterBytes: 3 * MiB + 7, keep },
      { host: 'content', method: 'PUT', skip: 1 },
    );
    const { document, digest, error } = await upload(project.id, { bytes: 25 * MiB });
    expect(error).toBeUndefined();
    expect(await digestOf(document.id)).toBe(digest);
    expect(await service.admin('GET', '/faults')).toEqual([]);
  },
);

test.each(['lost', 'a page of a gateway'])(
  'the response to the first request is %s: the same upload continues',
  async (what) => {
    const project = await service.newProject();
    let begins = 0;
    await page.page.route('**/uploads', async (route) => {
      begins += 1;
      if (begins > 1) return route.continue();
      await route.fetch();
      return what === 'lost'
        ? route.abort()
        : route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Gateway timeout</h1>' });
    });
    const { document, digest, error } = await upload(project.id, { bytes: 1 * MiB });
    expect(error).toBeUndefined();
    expect(begins).toBe(2);
    expect(await digestOf(document.id)).toBe(digest);
    expect(await filesOf(project)).toHaveLength(1);
    expect(await service.openSessions()).toEqual([]);
  },
);

describe.each(['hidden', 'readable'])('the errors of the library are %s to pages', (errorsToPages) => {
  beforeEach(() => service.admin('PATCH', '/settings', { errorsToPages }));

  test('a busy library, a broken status and the lost response to the last fragment are waited out', async () => {
    const project = await service.newProject();
    const put = { host: 'content', method: 'PUT' };
    await service.fault({ kind: 'throttled', retryAfter: '1' }, put);
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'GET' });
    await service.fault({ kind: 'lost-response' }, { ...put, skip: 1 });
    const { document, digest, error } = await upload(project.id, { bytes: 12 * MiB });
    expect(error).toBeUndefined();
    expect(await digestOf(document.id)).toBe(digest);
    expect(await service.admin('GET', '/faults')).toEqual([]);
  });

  test('the library has ended the session: the upload starts again', async () => {
    const project = await service.newProject();
    // The service waits for the end that it knows, because one rejection is no proof.
    await service.admin('PATCH', '/settings', { contentBytesPerSecond: 20 * MiB, sessionLifetimeSeconds: 3 });
    const outcome = upload(project.id, { bytes: 15 * MiB });
    await expect
      .poll(async () => ((await service.openSessions()) as { received: number }[])[0]?.received ?? 0)
      .toBeGreaterThan(0);
    await service.admin('DELETE', '/sessions');
    const { document, digest } = await outcome;
    expect(await digestOf(document.id)).toBe(digest);
    expect(await list(project.id)).toEqual([document]);
  });
});

test('an abort also ends the session in the library', async () => {
  const project = await service.newProject();
  await service.admin('PATCH', '/settings', { contentBytesPerSecond: 20 * MiB });
  const { error } = await upload(project.id, { bytes: 25 * MiB, abortAt: 11 * MiB });
  expect(error?.name).toBe('AbortError');
  expect(await service.openSessions()).toEqual([]);
  expect(await filesOf(project)).toEqual([]);
  expect((await upload(project.id, { bytes: 10 })).document).toMatchObject({ size: 10 });
});

test('a page that was left or crashed keeps its upload, and the next one continues it', async () => {
  const project = await service.newProject();
  await service.admin('PATCH', '/settings', { contentBytesPerSecond: 20 * MiB });
  const outcome = upload(project.id, { bytes: 25 * MiB, fill: 7 }).catch(() => undefined);
  const received = async () => ((await service.openSessions()) as { received: number }[])[0]?.received ?? 0;
  await expect.poll(received).toBeGreaterThanOrEqual(10 * MiB);
  await page.page.goto('about:blank');
  await outcome;
  const { body } = await service.call('GET', `/documents/projects/${project.id}/uploads`);
  const [open] = body.items;
  expect(open.receivedBytes).toBeGreaterThanOrEqual(10 * MiB);
  await page.close();
  page = await openUploadPage(browser, service.origin);
  const other = await upload(project.id, { bytes: 24 * MiB, continues: open });
  expect(other.error).toMatchObject({ code: 'file_changed', uploadId: open.uploadId });
  const { document, digest, progress } = await upload(project.id, {
    bytes: 25 * MiB,
    fill: 7,
    continues: open,
  });
  expect(progress[0]).toBe(open.receivedBytes);
  expect(await digestOf(document.id)).toBe(digest);
});

test('a rejection by the service is reported with its code and text', async () => {
  const project = await service.newProject();
  const { error } = await upload(project.id, { bytes: 10, fileName: 'a:b.txt' });
  expect(error).toMatchObject({
    name: 'DirectUploadError',
    code: 'invalid_request',
    status: 400,
    requestId: expect.stringMatching(/./),
    errors: [{ path: 'body.fileName' }],
  });
  expect(error?.uploadId).toBeUndefined();
  await upload(project.id, { bytes: 10 });
  const taken = await upload(project.id, { bytes: 10, conflictBehavior: 'fail' });
  expect(taken.error).toMatchObject({ code: 'file_exists', message: expect.stringContaining('Plan.bin') });
});

test('the name is taken during the upload: its bytes are kept until the name is free', async () => {
  const project = await service.newProject();
  const { body: provisioned } = await service.call('POST', `/documents/projects/${project.id}/provision`);
  await service.admin('PATCH', '/settings', { contentBytesPerSecond: 10 * MiB });
  const outcome = upload(project.id, { bytes: 12 * MiB, conflictBehavior: 'fail' });
  await expect.poll(() => service.openSessions()).toHaveLength(1);
  const folder = provisioned.folders[0].id;
  const theirs = await service.library('PUT', `/items/${folder}:/Plan.bin:/content`, { body: 'theirs' });
  expect((await outcome).error).toMatchObject({ code: 'file_exists', status: 409 });
  expect(await service.openSessions()).toHaveLength(1);
  await service.library('PATCH', `/items/${theirs.body.id}`, { json: { name: 'Ihr Plan.bin' } });
  const { document, digest } = await page.resume();
  expect(await digestOf(document.id)).toBe(digest);
  expect((await filesOf(project)).map(({ size }) => size).toSorted((one, other) => one - other)).toEqual([
    6,
    12 * MiB,
  ]);
});

test('a file that changes on disk during the upload is reported immediately, and its upload can be discarded', async () => {
  const project = await service.newProject();
  const path = join(await mkdtemp(join(tmpdir(), 'changing-')), 'Plan.bin');
  await writeFile(path, randomBytes(12 * MiB));
  await page.page.setContent('<input type="file">');
  await page.page.setInputFiles('input', path);
  await page.page.evaluate("globalThis.chosen = document.querySelector('input').files[0]");
  await writeFile(path, randomBytes(12 * MiB + 1));
  const { error } = await upload(project.id, { bytes: 1, isChosen: true });
  expect(error).toMatchObject({ code: 'file_changed', status: 0 });
  await page.page.evaluate('stopped.discard()');
  expect(await service.openSessions()).toEqual([]);
});

test('a page downloads the file by its link if it adds no header', async () => {
  const project = await service.newProject();
  const { document } = await upload(project.id, { bytes: 2 * MiB });
  const { body } = await service.call('GET', `/documents/${document.id}/link`, { as: people.backOffice });
  const get = (init: string): Promise<unknown> =>
    page.page.evaluate(
      `fetch(${JSON.stringify(body.downloadUrl)}, ${init}).then((r) => r.blob()).then((b) => b.size, (e) => e.name)`,
    );
  expect(await get('{}')).toBe(2 * MiB);
  expect(await get(`{ headers: { range: 'bytes=0-9' } }`)).toBe(10);
  expect(await get(`{ headers: { 'x-own': 'header' } }`)).toBe('TypeError');
});

describe('outside a page', () => {
  const pauses: number[] = [];
  const timing = {
    pause: async (ms: number) => void pauses.push(ms),
    now: () => performance.now(),
    random: () => 1,
  };
  beforeEach(() => void (pauses.length = 0));

  /** Uploads with a service that gives these responses first to requests whose URL ends in `path`. */
  async function uploaded(path: string, responses: readonly (Response | Error)[]) {
    const project = await service.newProject();
    const rest = [...responses];
    const calls: string[] = [];
    const file = new Blob([randomBytes(2 * MiB)]);
    const token = await service.token();
    const outcome = uploadDirectly(
      {
        apiBase: `${service.origin}/api/v1`,
        api: async (request: Request) => {
          calls.push(request.method);
          const instead = request.url.endsWith(path) ? rest.shift() : undefined;
          if (instead instanceof Error) throw instead;
          if (instead) return instead;
          request.headers.set('authorization', `Bearer ${token}`);
          return fetch(request);
        },
        file,
        projectId: project.id,
        folderName: '01_Angebote',
        fileName: 'Plan.bin',
      },
      timing,
    );
    const result: { document?: any; error?: any } = await outcome.then(
      (document: unknown) => ({ document }),
      (error: unknown) => ({ error }),
    );
    return { ...result, calls, project };
  }
  const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
    Response.json({ code, detail: `Text of ${code}`, requestId: 'r1' }, { status, headers });

  test('a relative base is rejected before anything is sent', async () => {
    const call = uploadDirectly({
      api: () => expect.unreachable(),
      file: new Blob(['a']),
      projectId: 'p',
      folderName: '01_Angebote',
      fileName: 'a',
    });
    await expect(call).rejects.toThrow('apiBase: outside a page, an absolute URL is required');
  });

  test.each([
    [429, 'rate_limited', '7'],
    [503, 'library_throttled', '9'],
    [500, 'internal_error', undefined],
    [504, 'unexpected_response', undefined],
    [409, 'upload_in_progress', '3'],
  ])('a completion that is %i %s once is repeated, after Retry-After', async (status, code, after) => {
    const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
    const { document, calls } = await uploaded('/complete', [problem(status, code, headers)]);
    expect(document).toMatchObject({ size: 2 * MiB });
    expect(calls).toEqual(['POST', 'POST', 'POST']);
    expect(pauses).toEqual([after === undefined ? 1000 : Number(after) * 1000]);
  });

  test.each([
    [401, 'unauthenticated', 1],
    [403, 'library_access_denied', 1],
    [423, 'document_locked', 1],
    [507, 'library_full', 1],
    [500, 'internal_error', 3],
  ])(
    'a completion that is %i %s ends with an error that continues the upload',
    async (status, code, times) => {
      const responses = Array.from({ length: times }, () => problem(status, code));
      const { error, calls, project } = await uploaded('/complete', responses);
      expect(error).toMatchObject({ status, code, requestId: 'r1', message: `Text of ${code}` });
      expect(error?.upload?.uploadId).toMatch(/-/);
      expect(calls).not.toContain('DELETE');
      const sentBefore = (await service.requests()).filter(({ method }) => method === 'PUT').length;
      expect(await error?.upload?.resume()).toMatchObject({ size: 2 * MiB });
      // Only the last byte again, by which the service confirms the size.
      expect((await service.requests()).filter(({ method }) => method === 'PUT')).toHaveLength(
        sentBefore + 1,
      );
      expect(calls).not.toContain('DELETE');
      expect(await filesOf(project)).toHaveLength(1);
    },
  );

  test('a beginning waits out a busy service, and gives up after five tries', async () => {
    const busy = () => problem(429, 'rate_limited', { 'retry-after': '2' });
    const { document } = await uploaded('/uploads', [busy(), problem(503, 'storage_unavailable')]);
    expect(document).toMatchObject({ size: 2 * MiB });
    expect(pauses).toEqual([2000, 2000]);
    const { error, calls } = await uploaded('/uploads', [busy(), busy(), busy(), busy(), busy()]);
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 2 });
    expect(calls).toHaveLength(5);
    expect(await error?.upload?.resume()).toMatchObject({ size: 2 * MiB });
  });

  test('a library that has another size than announced ends with an error, not in a loop', async () => {
    const incomplete = () => problem(409, 'upload_incomplete');
    const { error } = await uploaded('/complete', [incomplete(), incomplete(), incomplete()]);
    expect(error).toMatchObject({ status: 409, code: 'upload_incomplete' });
    expect(pauses).toEqual([1000, 2000]);
  });

  test('an error of the page, like an ended session, keeps the upload and is its cause', async () => {
    const ended = new Error('The session has ended.');
    const { error, project } = await uploaded('/complete', [ended]);
    expect(error).toMatchObject({ code: 'not_sent', status: 0, cause: ended });
    await error?.upload?.resume();
    expect(await filesOf(project)).toHaveLength(1);
  });
});
