import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { below, people, startDocumentService, type DocumentService } from '../support/document-service.ts';
import { openUploadPage, type PageUpload, type UploadPage } from '../support/upload-page.ts';

// The client for direct uploads in Chromium: a page of one origin, the library of another, whose certificate the browser
// trusts and whose responses follow the rules that were reported of SharePoint.

const MiB = 1024 * 1024;
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
    await service.admin('PATCH', '/settings', { contentBytesPerSecond: 20 * MiB });
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

test('leaving the page ends its upload', async () => {
  const project = await service.newProject();
  await service.admin('PATCH', '/settings', { contentBytesPerSecond: 2 * MiB });
  const outcome = upload(project.id, { bytes: 25 * MiB }).catch(() => undefined);
  await expect
    .poll(async () => ((await service.openSessions()) as { isReceiving: boolean }[])[0]?.isReceiving)
    .toBe(true);
  await page.page.goto('about:blank');
  await outcome;
  await expect.poll(() => service.openSessions()).toEqual([]);
});

test('a rejection by the service is reported with its code and text', async () => {
  const project = await service.newProject();
  const { error } = await upload(project.id, { bytes: 10, fileName: 'a:b.txt' });
  expect(error).toMatchObject({ name: 'DirectUploadError', code: 'invalid_request' });
  await upload(project.id, { bytes: 10 });
  const taken = await upload(project.id, { bytes: 10, conflictBehavior: 'fail' });
  expect(taken.error).toMatchObject({ code: 'file_exists', message: expect.stringContaining('Plan.bin') });
});

test('the name is taken during the upload: nothing is left of it', async () => {
  const project = await service.newProject();
  const { body: provisioned } = await service.call('POST', `/documents/projects/${project.id}/provision`);
  await service.admin('PATCH', '/settings', { contentBytesPerSecond: 10 * MiB });
  const outcome = upload(project.id, { bytes: 12 * MiB, conflictBehavior: 'fail' });
  await expect.poll(() => service.openSessions()).toHaveLength(1);
  await service.library('PUT', `/items/${provisioned.folders[0].id}:/Plan.bin:/content`, { body: 'theirs' });
  expect((await outcome).error).toMatchObject({ code: 'file_exists' });
  expect(await service.openSessions()).toEqual([]);
  expect((await filesOf(project)).map(({ size }) => size)).toEqual([6]);
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
