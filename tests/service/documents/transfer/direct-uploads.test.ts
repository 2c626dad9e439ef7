import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { DirectUploader, endSeen, sendAll } from '../../../support/direct-upload.ts';
import { people } from '../../../support/document-service.ts';
import { putFragment } from '../../../support/test-drive.ts';
import { maxUploadBytes, useDocuments } from '../support/documents.ts';

const {
  service,
  warmProject,
  provision,
  refresh,
  upload,
  putByHand,
  filesOf,
  list,
  intentsOf,
  changeIntents,
} = useDocuments();

afterEach(async () => {
  await service.admin('DELETE', '/sessions');
  // Otherwise the uploads that a test leaves unfinished count in the next ones.
  for (const { oid } of [people.projectManager, people.backOffice]) await forgetUploadsOf(oid);
});

function countedOf(oid: string) {
  const filter = `PartitionKey eq 'direct-uploads' and RowKey gt 'of-${oid}-' and RowKey lt 'of-${oid}.'`;
  const rows = service.table('ProjectDocuments').listEntities<any>({ queryOptions: { filter } });
  return Array.fromAsync(rows);
}

async function forgetUploadsOf(oid: string): Promise<void> {
  for (const { partitionKey, rowKey } of await countedOf(oid)) {
    await service.table('ProjectDocuments').deleteEntity(partitionKey, rowKey);
  }
}

const namesOf = async (project: { number: string }) =>
  (await filesOf(project))
    .map(({ path }) => path.split('/').at(-1) ?? '')
    .toSorted((a, b) => a.localeCompare(b));
const sizesOf = async (project: { number: string }) => (await filesOf(project)).map(({ size }) => size);
/** Other tests leave intents in their own projects. */
const left = async (project: { id: string; number: string }) =>
  [
    await service.openSessions(),
    await intentsOf(project.id),
    await filesOf(project),
    await list(project.id),
  ].flat();
const statusesOf = (responses: readonly { status: number }[]) =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);
/** Rejects one request to the upload host as if the session were over. */
const rejectOnce = (method: string, status = 404, code = 'itemNotFound') =>
  service.fault({ kind: 'error', status, code }, { host: 'content', method });

describe('a direct upload', () => {
  test('of a file larger than the service accepts: the bytes go to the library, complete creates file and record', async () => {
    const project = await warmProject();
    const content = Buffer.alloc(maxUploadBytes + 1, 'x');
    const begun = await project.uploads.begin({ fileName: 'Größe.bin', size: content.length });
    expect(begun).toMatchObject({
      status: 201,
      body: { fragmentMultiple: 327_680, maxFragmentBytes: 62_586_880 },
    });
    const { uploadId, uploadUrl, expiresAt } = begun.body;
    expect(uploadUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/_api\/v2\.0\//);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(800_000);

    const last = await sendAll(uploadUrl, content);
    expect(last).toMatchObject({ status: 202, body: { nextExpectedRanges: [] } });
    expect(await filesOf(project)).toEqual([]);

    const completed = await project.uploads.complete(uploadId);
    const { body: document } = completed;
    expect(completed).toMatchObject({
      status: 201,
      body: {
        projectId: project.id,
        folderName: '01_Angebote',
        fileName: 'Größe.bin',
        size: content.length,
        contentType: 'application/octet-stream',
        uploadedByUserId: people.projectManager.oid,
      },
    });
    expect(document).not.toHaveProperty('replacedUnrecorded');
    expect(completed.headers.get('location')).toBe(`/api/v1/documents/${document.id}/download`);
    expect(await list(project.id)).toEqual([document]);
    expect(await sizesOf(project)).toEqual([content.length]);
    expect(await service.openSessions()).toEqual([]);
    expect(await intentsOf(project.id)).toEqual([]);

    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: document });
    expect((await project.uploads.cancel(uploadId)).status).toBe(204);
    expect(await list(project.id)).toEqual([document]);
    const all = JSON.stringify(service.logs);
    expect(all).not.toMatch(/tempauth|uploadSession/);
  });

  test('of an empty file', async () => {
    const project = await warmProject();
    const { body } = await project.uploads.begin({ size: 0 });
    const completed = await project.uploads.complete(body.uploadId);
    expect(completed).toMatchObject({ status: 201, body: { size: 0, fileName: 'Plan.bin' } });
    expect(await sizesOf(project)).toEqual([0]);
    expect(await service.openSessions()).toEqual([]);
    expect(await project.uploads.complete(body.uploadId)).toMatchObject({
      status: 200,
      body: completed.body,
    });
  });

  test('of a file larger than the library accepts: 413', async () => {
    const project = await warmProject();
    const { status, body } = await project.uploads.begin({ size: 250 * 1024 ** 3 + 1 });
    expect([status, body.code]).toEqual([413, 'file_too_large']);
    expect((await project.uploads.begin({ size: 250 * 1024 ** 3 })).status).toBe(201);
  });

  test('reports all faults before a session is created', async () => {
    const project = await warmProject();
    const folder = await project.uploads.begin({ folderName: '09_Fotos' });
    expect([folder.status, folder.body.code]).toEqual([400, 'unknown_folder']);
    expect(folder.body.errors).toMatchObject([
      { path: 'body.folderName', message: expect.stringContaining('02_Aufträge') },
    ]);
    const name = await project.uploads.begin({ fileName: 'a:b.txt', size: -1 });
    expect([name.status, name.body.code]).toEqual([400, 'invalid_request']);
    expect(name.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'body.fileName',
      'body.size',
    ]);
    const unknown = await new DirectUploader(service, randomUUID()).begin();
    expect([unknown.status, unknown.body.code]).toEqual([404, 'project_not_found']);
    expect(await left(project)).toEqual([]);
  });

  test('completed too early: 409 with the byte that the library expects, and the upload continues', async () => {
    const project = await warmProject();
    const content = randomBytes(400_000);
    const { body: begun } = await project.uploads.begin({ size: content.length });
    const first = await project.uploads.complete(begun.uploadId);
    expect([first.status, first.body.code]).toEqual([409, 'upload_incomplete']);
    expect(first.body.detail).toBe('The library has 0 of 400000 bytes; it expects byte 0 next.');
    await putFragment(begun.uploadUrl, content, 0, 327_680);
    const second = await project.uploads.complete(begun.uploadId);
    expect(second.body.detail).toBe('The library has 327680 of 400000 bytes; it expects byte 327680 next.');
    await putFragment(begun.uploadUrl, content, 327_680, content.length);
    expect((await project.uploads.complete(begun.uploadId)).status).toBe(201);
  });

  test.each(['Plan.bin', 'Plan.docx'])(
    '%s with other bytes than announced: 409, and an existing file keeps its content',
    async (fileName) => {
      const project = await warmProject();
      const old = randomBytes(300);
      expect((await project.uploads.complete(await project.uploads.sent(old, { fileName }))).status).toBe(
        201,
      );
      const before = { files: await filesOf(project), list: await list(project.id) };
      for (const sent of [1200, 6000]) {
        const { body } = await project.uploads.begin({ fileName, size: 5000, conflictBehavior: 'replace' });
        expect((await sendAll(body.uploadUrl, randomBytes(sent)))?.status).toBe(202);
        const { status, body: problem } = await project.uploads.complete(body.uploadId);
        expect([status, problem.code]).toEqual([409, 'upload_incomplete']);
        expect(problem.detail).toMatch(/announced 5000 bytes/);
        expect((await project.uploads.cancel(body.uploadId)).status).toBe(204);
      }
      expect({ files: await filesOf(project), list: await list(project.id) }).toEqual(before);
      expect(await service.openSessions()).toEqual([]);
    },
  );

  test('a status without ranges means that nothing is missing', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(randomBytes(10));
    await service.fault({ kind: 'ranges-absent' }, { host: 'content', method: 'GET' });
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test.each([1, 10])('such a status is not believed when %s bytes are missing', async (size) => {
    const project = await warmProject();
    const { body } = await project.uploads.begin({ size });
    await service.fault({ kind: 'ranges-absent' }, { host: 'content', times: null });
    const { status, body: problem } = await project.uploads.complete(body.uploadId);
    expect([status, problem.code]).toEqual([409, 'upload_incomplete']);
    await service.admin('DELETE', '/faults');
    expect((await project.uploads.cancel(body.uploadId)).status).toBe(204);
    expect(await left(project)).toEqual([]);
  });

  test('costs one round trip to the library to begin, and three to complete', async () => {
    const project = await warmProject();
    // Makes requests that do not wait for each other start at the same depth.
    await service.admin('PATCH', '/settings', { responseDelayMs: 500 });
    const depth = async () => Math.max(...(await service.requests()).map((each) => each.depth));
    await service.forgetRequests();
    const { body } = await project.uploads.begin();
    expect(await depth()).toBeLessThanOrEqual(1);
    await sendAll(body.uploadUrl, randomBytes(10));
    await service.forgetRequests();
    expect((await project.uploads.complete(body.uploadId)).status).toBe(201);
    expect(await depth()).toBeLessThanOrEqual(3);
    const calls = (await service.requests()).map(({ host, method }) => `${host} ${method}`);
    expect([calls[0], ...calls.slice(1, 3).toSorted(), calls[3]]).toEqual([
      'content GET',
      'content PUT',
      'graph GET',
      'content POST',
    ]);
  });
});

test('the outcome of an upload is kept for a day', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(Buffer.from('mine'));
  const { body } = await project.uploads.complete(uploadId);
  const outcome = { partitionKey: 'upload-keys', rowKey: uploadId };
  const aged = async (hours: number) => {
    const createdAt = new Date(Date.now() - hours * 3_600_000);
    await service.table('ProjectDocuments').updateEntity({ ...outcome, createdAt }, 'Merge');
    return project.uploads.complete(uploadId);
  };
  expect(await aged(23)).toMatchObject({ status: 200, body });
  expect((await aged(25)).status).toBe(404);
  expect(await list(project.id)).toHaveLength(1);
});

test('the open ones of a caller are listed, and can be continued', async () => {
  const project = await warmProject();
  const path = `/documents/projects/${project.id}/uploads`;
  const content = randomBytes(400_000);
  const { body: begun } = await project.uploads.begin({ fileName: 'a.bin', size: content.length });
  await putFragment(begun.uploadUrl, content, 0, 327_680);
  const done = await project.uploads.sent(randomBytes(5), { fileName: 'b.bin' });
  expect((await project.uploads.complete(done)).status).toBe(201);
  await project.uploads.begin({ fileName: 'c.bin', as: people.backOffice });
  const { status, body } = await service.call('GET', path);
  const { uploadId, uploadUrl } = begun;
  const [item] = body.items;
  expect([status, body.items.length]).toEqual([200, 1]);
  const { size, folderName, fileName } = { size: 400_000, folderName: '01_Angebote', fileName: 'a.bin' };
  expect(item).toMatchObject({ uploadId, uploadUrl, folderName, fileName, size, receivedBytes: 327_680 });
  expect(Date.parse(item.expiresAt)).toBeGreaterThan(Date.now());
  await putFragment(item.uploadUrl, content, item.receivedBytes, content.length);
  expect((await service.call('GET', path)).body.items[0].receivedBytes).toBe(400_000);
  expect((await project.uploads.complete(uploadId)).status).toBe(201);
  expect((await service.call('GET', path)).body).toEqual({ items: [] });
  expect((await service.call('GET', '/documents/projects/unknown/uploads')).status).toBe(404);
});

test('an upload that goes through the service is not listed among those that a program continues', async () => {
  const project = await warmProject();
  const { body: begun } = await project.uploads.begin();
  const [row] = await intentsOf(project.id);
  const { directUploadId, ...intent } = JSON.parse(row!.intent) as Record<string, unknown>;
  expect(directUploadId).toBe(begun.uploadId);
  await changeIntents(project.id, { intent: JSON.stringify(intent) });
  const { status, body } = await service.call('GET', `/documents/projects/${project.id}/uploads`);
  expect([status, body]).toEqual([200, { items: [] }]);
});

test('one whose session has ended is not listed, and what cannot be read is 404 when it is completed', async () => {
  const project = await warmProject();
  const path = `/documents/projects/${project.id}/uploads`;
  const { body: open } = await project.uploads.begin({ fileName: 'b.bin' });
  await service.admin('DELETE', '/sessions');
  expect((await service.call('GET', path)).body).toEqual({ items: [] });
  // As after a change of the secret.
  await changeIntents(project.id, { uploadUrl: randomBytes(400).toString('base64') });
  const { status, body } = await project.uploads.complete(open.uploadId);
  expect([status, body.code]).toEqual([404, 'upload_not_found']);
});

describe('at most 50 are open for each user', () => {
  const as = people.backOffice;

  test('in all projects together, also at the same moment: 429 names where they are', async () => {
    const [project, other] = [await warmProject(), await warmProject()];
    const begin = (at: number, { uploads } = at % 2 === 0 ? project : other) =>
      uploads.begin({ fileName: `${at}.bin`, size: 0, as });
    const begun = await Promise.all(Array.from({ length: 49 }, (_, at) => begin(at)));
    expect(new Set(statusesOf(begun))).toEqual(new Set([201]));
    const last = await Promise.all([begin(49), begin(50), begin(51)]);
    expect(last.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
    for (let at = 55; (await countedOf(as.oid)).length < 50; at += 1) {
      expect((await begin(at)).status).toBe(201);
    }
    await service.forgetRequests();
    const { status, body, headers } = await begin(100);
    // None of their sessions can have ended.
    expect((await service.requests()).filter(({ host }) => host === 'content')).toEqual([]);
    expect([status, body.code]).toEqual([429, 'too_many_uploads']);
    expect(body.params).toEqual({ max: 50 });
    expect(body.detail).toContain('GET /api/v1/documents/projects/{projectId}/uploads');
    expect(body.detail).toContain(project.id);
    expect(body.detail).toContain(other.id);
    expect(headers.get('retry-after')).toBe('60');
    expect(await countedOf(as.oid)).toHaveLength(50);
    expect(await service.openSessions()).toHaveLength(50);
    // Others are not concerned.
    expect((await project.uploads.begin({ fileName: 'theirs.bin' })).status).toBe(201);
    // One that is completed, and one that is canceled, make room for two.
    expect((await project.uploads.complete(begun[0]!.body.uploadId, as)).status).toBe(201);
    expect((await other.uploads.cancel(begun[1]!.body.uploadId, as)).status).toBe(204);
    expect([(await begin(101)).status, (await begin(102)).status]).toEqual([201, 201]);
    expect((await begin(103)).status).toBe(429);
    // So do those that have expired, after a second reading, and rows that a crash has left.
    await service.admin('DELETE', '/sessions');
    await changeIntents(other.id, endSeen());
    expect((await begin(104)).status).toBe(201);
    expect((await countedOf(as.oid)).length).toBeLessThan(30);
  });

  test('one that did not begin does not count', async () => {
    const project = await warmProject();
    await upload(project.id, Buffer.from('there'));
    const before = (await countedOf(people.projectManager.oid)).length;
    expect((await project.uploads.begin({ conflictBehavior: 'fail' })).status).toBe(409);
    expect(await countedOf(people.projectManager.oid)).toHaveLength(before);
  });
});

describe('conflicts', () => {
  test('fail: 409 file_exists before any byte is sent', async () => {
    const project = await warmProject();
    await upload(project.id, Buffer.from('there'));
    const { status, body } = await project.uploads.begin({ conflictBehavior: 'fail' });
    expect([status, body.code]).toEqual([409, 'file_exists']);
    expect(await service.openSessions()).toEqual([]);
  });

  test('fail, and the name is taken during the upload: 409 file_exists; complete succeeds when the name is free', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'), { conflictBehavior: 'fail' });
    const theirs = await putByHand(project.folderId, 'Plan.bin', 'theirs');
    const taken = await project.uploads.complete(uploadId);
    expect([taken.status, taken.body.code]).toEqual([409, 'file_exists']);
    expect(await sizesOf(project)).toEqual([6]);
    await service.library('DELETE', `/items/${theirs.id}`);
    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 201, body: { size: 4 } });
  });

  test('replace updates the record', async () => {
    const project = await warmProject();
    const { body: first } = await upload(project.id, Buffer.from('first'));
    const uploadId = await project.uploads.sent(Buffer.from('the second'), { as: people.backOffice });
    const { status, body } = await project.uploads.complete(uploadId, people.backOffice);
    expect([status, body.id, body.size]).toEqual([201, first.id, 10]);
    expect(body).not.toHaveProperty('replacedUnrecorded');
    expect(body.uploadedByUserId).toBe(people.backOffice.oid);
    expect(await list(project.id)).toEqual([body]);
    expect(await sizesOf(project)).toEqual([10]);
  });

  test('replace of a file without a record is reported, also when complete is repeated', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    // This file appears while the bytes are sent.
    await putByHand(project.folderId, 'Plan.bin', 'theirs');
    const completed = await project.uploads.complete(uploadId);
    expect(completed).toMatchObject({ status: 201, body: { replacedUnrecorded: true, size: 4 } });
    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: completed.body });
  });

  test('rename returns the name that the library assigned', async () => {
    const project = await warmProject();
    await upload(project.id, Buffer.from('first'));
    const uploadId = await project.uploads.sent(Buffer.from('second'), { conflictBehavior: 'rename' });
    expect(await project.uploads.complete(uploadId)).toMatchObject({
      status: 201,
      body: { fileName: 'Plan 1.bin', size: 6 },
    });
    expect(await namesOf(project)).toEqual(['Plan 1.bin', 'Plan.bin']);
    expect(await list(project.id)).toHaveLength(2);
  });

  test('a file that is open in an editor: 423, and complete succeeds later', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.fault({ kind: 'locked' }, { host: 'content', method: 'POST' });
    const locked = await project.uploads.complete(uploadId);
    expect([locked.status, locked.body.code]).toEqual([423, 'document_locked']);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });
});

describe('in progress', () => {
  test('it keeps its name without heartbeats; its owner receives the id of the upload', async () => {
    const project = await warmProject();
    const { body: begun } = await project.uploads.begin({ size: 4 });
    // No process sends heartbeats for this upload.
    await changeIntents(project.id, { aliveAt: new Date(Date.now() - 3_600_000) });
    const other = await upload(project.id, Buffer.from('other'), { as: people.backOffice });
    expect([other.status, other.body.code]).toEqual([409, 'upload_in_progress']);
    expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(other.body.detail).not.toContain(begun.uploadId);
    await service.forgetRequests();
    const own = await project.uploads.begin({ size: 4 });
    expect([own.status, own.body.code]).toEqual([409, 'upload_in_progress']);
    expect(own.body.detail).toContain(begun.uploadId);
    // Nobody waits for a name that is taken until its session expires.
    const tries = (await service.requests()).filter(({ path }) => path.endsWith('createUploadSession'));
    expect(tries).toHaveLength(1);

    await sendAll(begun.uploadUrl, Buffer.from('mine'));
    expect((await project.uploads.complete(begun.uploadId)).status).toBe(201);
    expect(await sizesOf(project)).toEqual([4]);
  });

  test('its fragments extend the Retry-After of others', async () => {
    const project = await warmProject();
    const content = randomBytes(400_000);
    const { body: begun } = await project.uploads.begin({ size: content.length });
    await service.admin('POST', '/clock', { advanceSeconds: 600 });
    await putFragment(begun.uploadUrl, content, 0, 327_680);
    const other = await upload(project.id, Buffer.from('other'), { as: people.backOffice });
    expect(other.status).toBe(409);
    // The library's clock is ten minutes ahead.
    expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(1400);
  });

  test('neither a provision nor another upload in the project affects it', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await changeIntents(project.id, { sessionExpiresAt: new Date(Date.now() - 1000) });
    await provision(project.id);
    const other = await project.uploads.sent(Buffer.from('other'), { fileName: 'Other.bin' });
    expect((await project.uploads.complete(other)).status).toBe(201);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
    expect(await namesOf(project)).toEqual(['Other.bin', 'Plan.bin']);
  });

  test('a provision does not ask for its session before that can have ended', async () => {
    const project = await warmProject();
    await project.uploads.sent(Buffer.from('mine'));
    await service.forgetRequests();
    await provision(project.id);
    expect((await service.requests()).filter(({ host }) => host === 'content')).toEqual([]);
  });

  test('a refresh does not record its file', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    expect((await refresh(project.id)).body).toMatchObject({ added: 0 });
    const { body } = await project.uploads.complete(uploadId);
    expect((await refresh(project.id)).body).toMatchObject({ added: 0 });
    expect(await list(project.id)).toEqual([body]);
  });

  test('it belongs to its user and its project', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    const elsewhere = await warmProject();
    const rejections = await Promise.all([
      project.uploads.complete(uploadId, people.backOffice),
      project.uploads.cancel(uploadId, people.backOffice),
      elsewhere.uploads.complete(uploadId),
      project.uploads.complete(randomUUID()),
    ]);
    expect(rejections.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 4 }, () => [404, 'upload_not_found']),
    );
    expect((await elsewhere.uploads.cancel(uploadId)).status).toBe(204);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
    for (const late of [
      await project.uploads.complete(uploadId, people.backOffice),
      await elsewhere.uploads.complete(uploadId),
    ]) {
      expect([late.status, late.body.code]).toEqual([404, 'upload_not_found']);
    }
  });
});

describe('abandoned', () => {
  test('by DELETE: session and intent are gone, the name is free', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    expect((await project.uploads.cancel(uploadId)).status).toBe(204);
    expect(await left(project)).toEqual([]);
    expect((await project.uploads.cancel(uploadId)).status).toBe(204);
    const { status, body } = await project.uploads.complete(uploadId);
    expect([status, body.code]).toEqual([404, 'upload_not_found']);
    expect((await upload(project.id, Buffer.from('other'))).status).toBe(201);
  });

  test('by DELETE while the library does not respond: 503, and DELETE again succeeds', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'DELETE' });
    const { status, body } = await project.uploads.cancel(uploadId);
    expect([status, body.code]).toEqual([503, 'library_throttled']);
    expect((await project.uploads.cancel(uploadId)).status).toBe(204);
    expect(await left(project)).toEqual([]);
  });

  test('and expired: complete is 404, and nothing is left', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.admin('POST', '/clock', { advanceSeconds: 901 });
    await changeIntents(project.id, endSeen());
    const { status, body } = await project.uploads.complete(uploadId);
    expect([status, body.code]).toEqual([404, 'upload_not_found']);
    expect(await left(project)).toEqual([]);
  });

  test('without DELETE: the next request in the project removes what remains', async () => {
    const project = await warmProject();
    await service.admin('PATCH', '/settings', { sessionLifetimeSeconds: 0.5 });
    await project.uploads.begin();
    await expect.poll(() => service.openSessions()).toEqual([]);
    // The library's clock may be ahead.
    await changeIntents(project.id, { sessionExpiresAt: new Date(Date.now() - 1000) });
    await provision(project.id);
    const { sessionEndSeenAt, sessionExpiresAt } = (await intentsOf(project.id))[0]!;
    expect(Number(sessionExpiresAt)).toBeLessThan(Number(sessionEndSeenAt));
    await changeIntents(project.id, endSeen());
    await provision(project.id);
    expect(await left(project)).toEqual([]);
  });

  test('the token of its session has expired: complete is 404, and nothing is left', async () => {
    const project = await warmProject();
    await service.admin('PATCH', '/settings', { uploadTokenLifetimeSeconds: 0.1 });
    const { body: begun } = await project.uploads.begin();
    await expect.poll(async () => (await project.uploads.complete(begun.uploadId)).status).toBe(503);
    await changeIntents(project.id, endSeen());
    expect((await project.uploads.complete(begun.uploadId)).status).toBe(404);
    expect(await intentsOf(project.id)).toEqual([]);
  });
});

describe('an end needs a second witness', () => {
  const expired = { sessionExpiresAt: new Date(Date.now() - 3_600_000) };

  test.each([
    [401, 'unauthenticated'],
    [403, 'accessDenied'],
    [404, 'itemNotFound'],
  ])('%s %s once: complete is 503, and then 201', async (status, code) => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await rejectOnce('GET', status, code);
    const doubtful = await project.uploads.complete(uploadId);
    expect([doubtful.status, doubtful.body.code]).toEqual([503, 'library_throttled']);
    expect(doubtful.headers.get('retry-after')).toBe('10');
    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 201, body: { size: 4 } });
  });

  test('twice within seconds, after the expiry that is known', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await changeIntents(project.id, expired);
    for (let times = 0; times < 2; times += 1) {
      await rejectOnce('GET');
      expect((await project.uploads.complete(uploadId)).status).toBe(503);
    }
    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 201, body: { size: 4 } });
  });

  test('and another file of its user proves nothing: it is not taken for that of the upload', async () => {
    const project = await warmProject();
    await upload(project.id, Buffer.from('old'), { name: 'Plan.docx' });
    const uploadId = await project.uploads.sent(Buffer.from('mine'), { fileName: 'Plan.docx' });
    await putByHand(project.folderId, 'Plan.docx', 'saved in Word', people.projectManager);
    await rejectOnce('GET');
    expect((await project.uploads.complete(uploadId)).status).toBe(503);
    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 201, body: { size: 4 } });
    expect(await sizesOf(project)).toEqual([4]);
  });

  test("in a colleague's provision: the upload continues", async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    // As after more than 15 minutes of fragments that the service has not heard of.
    await changeIntents(project.id, expired);
    await rejectOnce('GET');
    expect((await provision(project.id, people.backOffice)).status).toBe(200);
    expect((await intentsOf(project.id))[0]!['sessionEndSeenAt']).toBeInstanceOf(Date);
    expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 201, body: { size: 4 } });
  });

  test('a reading before a later expiry is none', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await changeIntents(project.id, { ...endSeen(), sessionExpiresAt: new Date(Date.now() - 10_000) });
    await rejectOnce('GET');
    expect((await project.uploads.complete(uploadId)).status).toBe(503);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test('every status moves the expiry that is known, so no later reading counts', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    const known = async () => {
      const [row] = await intentsOf(project.id);
      return (row!['sessionExpiresAt'] as Date).getTime() - Date.now();
    };
    const readers = [
      () => service.call('GET', `/documents/projects/${project.id}/uploads`),
      () => provision(project.id, people.backOffice),
      () => upload(project.id, Buffer.from('other')),
    ];
    for (const read of readers) {
      await changeIntents(project.id, endSeen());
      await read();
      expect(await known()).toBeGreaterThan(800_000);
    }
    await rejectOnce('GET');
    expect((await project.uploads.complete(uploadId)).status).toBe(503);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test('the creation of the file is rejected as if its session were over: 503, and complete succeeds later', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    const gone = { kind: 'error', status: 404, code: 'itemNotFound' };
    await service.fault(gone, { host: 'content', method: 'POST', times: 4 });
    const doubtful = await project.uploads.complete(uploadId);
    expect([doubtful.status, doubtful.body.code]).toEqual([503, 'library_throttled']);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test('DELETE is rejected as if the session were over: 503, and DELETE again frees the name', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await rejectOnce('DELETE');
    expect((await project.uploads.cancel(uploadId)).status).toBe(503);
    expect(await intentsOf(project.id)).toHaveLength(1);
    expect((await project.uploads.cancel(uploadId)).status).toBe(204);
    expect(await left(project)).toEqual([]);
  });
});

describe('a session that may have ended', () => {
  const gone = { kind: 'error', status: 404, code: 'itemNotFound' };

  test('DELETE is rejected, and the library does not tell its status: 503, and DELETE again frees the name', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.fault(gone, { host: 'content', method: 'DELETE' });
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'GET', times: null });
    expect((await project.uploads.cancel(uploadId)).status).toBe(503);
    await service.admin('DELETE', '/faults');
    expect(await intentsOf(project.id)).toHaveLength(1);
    expect((await project.uploads.cancel(uploadId)).status).toBe(204);
    expect(await left(project)).toEqual([]);
  });

  test('DELETE is rejected for another reason: that is told, and the upload continues', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.fault(
      { ...gone, status: 400, code: 'UnknownError' },
      { host: 'content', method: 'DELETE' },
    );
    const { status, body } = await project.uploads.cancel(uploadId);
    expect([status, body.code]).toEqual([502, 'library_error']);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test('holds no name any more: the library knows who does', async () => {
    const project = await warmProject();
    await project.uploads.sent(Buffer.from('mine'));
    await service.admin('DELETE', '/sessions');
    await changeIntents(project.id, endSeen());
    const taken = { kind: 'error', status: 409, code: 'nameAlreadyExists' };
    await service.fault(taken, { method: 'POST', url: 'createUploadSession', times: 4 });
    const { status, body } = await project.uploads.begin();
    expect([status, body.code]).toEqual([409, 'upload_in_progress']);
    expect(body.detail).toContain('of which this service knows nothing');
  });

  test('of an empty file is not ended by the library: 503, and no file is created before it is', async () => {
    const project = await warmProject();
    const { body } = await project.uploads.begin({ size: 0 });
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'DELETE' });
    await service.forgetRequests();
    expect((await project.uploads.complete(body.uploadId)).status).toBe(503);
    expect((await service.requests()).filter(({ method }) => method === 'PUT')).toEqual([]);
    expect((await project.uploads.complete(body.uploadId)).status).toBe(201);
  });
});

describe('concurrent requests', () => {
  test('five clicks: one 201, four 200, all with the same document; one file, one record', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'), { conflictBehavior: 'rename' });
    const responses = await Promise.all(Array.from({ length: 5 }, () => project.uploads.complete(uploadId)));
    expect(statusesOf(responses)).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(await list(project.id)).toHaveLength(1);
    expect(await namesOf(project)).toEqual(['Plan.bin']);
  });

  test('three clicks for an empty file: one 201, two 200, one file', async () => {
    const project = await warmProject();
    const { body } = await project.uploads.begin({ size: 0, conflictBehavior: 'rename' });
    const responses = await Promise.all(
      Array.from({ length: 3 }, () => project.uploads.complete(body.uploadId)),
    );
    expect(statusesOf(responses)).toEqual([200, 200, 201]);
    expect(await namesOf(project)).toEqual(['Plan.bin']);
  });

  test('two tabs begin: one gets the name', async () => {
    const project = await warmProject();
    const begun = await Promise.all([project.uploads.begin(), project.uploads.begin()]);
    expect(statusesOf(begun)).toEqual([201, 409]);
  });

  test('cancel and complete at the same moment: only one takes effect', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    const [completed, canceled] = await Promise.all([
      project.uploads.complete(uploadId),
      project.uploads.cancel(uploadId),
    ]);
    expect([204, 409]).toContain(canceled.status);
    expect([201, 404, 503]).toContain(completed.status);
    expect((await filesOf(project)).length).toBe(completed.status === 201 ? 1 : 0);
    expect((await list(project.id)).length).toBe(completed.status === 201 ? 1 : 0);
    expect(await service.openSessions()).toEqual([]);
  });
});

describe('the library fails', () => {
  test('its response to the commit is lost: complete finds the file', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.fault({ kind: 'lost-response' }, { host: 'content', method: 'POST' });
    const { status, body } = await project.uploads.complete(uploadId);
    expect([status, body.size]).toEqual([201, 4]);
    expect(await list(project.id)).toEqual([body]);
    expect(await intentsOf(project.id)).toEqual([]);
  });

  test('its response to the creation of an empty file is lost: complete finds it', async () => {
    const project = await warmProject();
    const { body } = await project.uploads.begin({ size: 0, conflictBehavior: 'rename' });
    await service.fault({ kind: 'lost-response' }, { host: 'graph', method: 'PUT' });
    const completed = await project.uploads.complete(body.uploadId);
    expect(completed).toMatchObject({ status: 201, body: { fileName: 'Plan.bin', size: 0 } });
    expect(await filesOf(project)).toHaveLength(1);
  });

  test('it is busy: 503, and complete can be repeated immediately', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'));
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', times: null });
    const busy = await project.uploads.complete(uploadId);
    expect([busy.status, busy.body.code]).toEqual([503, 'library_throttled']);
    await service.admin('DELETE', '/faults');
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'POST', times: null });
    expect((await project.uploads.complete(uploadId)).status).toBe(503);
    await service.admin('DELETE', '/faults');
    // The next request does not wait the 20 s until the first one counts as dead: its last heartbeat was in 1970.
    expect(await intentsOf(project.id)).toMatchObject([{ aliveAt: new Date(0) }]);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test('it rejects an Office file at its end: the retry succeeds', async () => {
    const project = await warmProject();
    const uploadId = await project.uploads.sent(Buffer.from('mine'), { fileName: 'Plan.xlsx' });
    await service.fault({ kind: 'resource-modified' }, { host: 'content', times: 2 });
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
  });

  test('the file is created before complete: complete finds it', async () => {
    const project = await warmProject();
    const { body: begun } = await project.uploads.begin({ size: 4 });
    await sendAll(begun.uploadUrl, Buffer.from('mine'));
    // A client that follows the documentation of deferCommit might send this request.
    const response = await fetch(begun.uploadUrl, { method: 'POST' });
    expect(response.status).toBe(201);
    const completed = await project.uploads.complete(begun.uploadId);
    expect(completed).toMatchObject({ status: 200, body: { size: 4 } });
    expect(await list(project.id)).toEqual([completed.body]);
  });
});

describe('begin repeated with its Idempotency-Key, because its response was lost', () => {
  const content = randomBytes(10);

  test('is the same upload: one session, one intent, and it completes', async () => {
    const project = await warmProject();
    const key = randomUUID();
    const first = await project.uploads.begin({ key });
    const second = await project.uploads.begin({ key });
    expect([first.status, second.status]).toEqual([201, 200]);
    const { uploadId, uploadUrl } = first.body;
    expect(second.body).toMatchObject({ uploadId, uploadUrl, fragmentMultiple: 327_680 });
    expect(await service.openSessions()).toHaveLength(1);
    expect(await intentsOf(project.id)).toHaveLength(1);
    await sendAll(second.body.uploadUrl, content);
    // The same applies after bytes have arrived.
    const third = await project.uploads.begin({ key });
    expect([third.status, third.body.uploadUrl]).toEqual([200, uploadUrl]);
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
    expect(await filesOf(project)).toHaveLength(1);
  });

  test.each(conflictBehaviors)('at the same moment: one upload (%s)', async (conflictBehavior) => {
    const project = await warmProject();
    const key = randomUUID();
    const begun = await Promise.all(
      Array.from({ length: 3 }, () => project.uploads.begin({ key, conflictBehavior })),
    );
    expect(statusesOf(begun)).toEqual([200, 200, 201]);
    expect(new Set(begun.map(({ body }) => body.uploadUrl)).size).toBe(1);
    expect(await service.openSessions()).toHaveLength(1);
    expect(await intentsOf(project.id)).toHaveLength(1);
  });

  test.each([
    ['folderName', { folderName: '05_Verträge' }],
    ['folderPath', { folderPath: '2026' }],
    ['file name', { fileName: 'Other.bin' }],
    ['file size', { size: 11 }],
    ['conflictBehavior', { conflictBehavior: 'fail' }],
  ])('with another %s: 409 idempotency_key_reused, and the first upload continues', async (what, other) => {
    const project = await warmProject();
    const key = randomUUID();
    const { body: first } = await project.uploads.begin({ key });
    const { status, body } = await project.uploads.begin({ key, ...other });
    expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(body.detail).toContain(what);
    await sendAll(first.uploadUrl, content);
    expect((await project.uploads.complete(first.uploadId)).status).toBe(201);
  });

  test('the key belongs to the user and the project', async () => {
    const [project, other] = [await warmProject(), await warmProject()];
    const key = randomUUID();
    const begun = [
      await project.uploads.begin({ key }),
      await project.uploads.begin({ key, fileName: 'Other.bin', as: people.backOffice }),
      await other.uploads.begin({ key }),
    ];
    expect(statusesOf(begun)).toEqual([201, 201, 201]);
    expect(new Set(begun.map(({ body }) => body.uploadId)).size).toBe(3);
    expect(JSON.stringify(await intentsOf(project.id))).not.toContain(key);
  });

  test('after its session has ended: a new upload under the same id', async () => {
    const project = await warmProject();
    const key = randomUUID();
    const { body: first } = await project.uploads.begin({ key });
    await service.admin('DELETE', '/sessions');
    expect((await project.uploads.begin({ key })).status).toBe(503);
    await changeIntents(project.id, endSeen());
    const { status, body } = await project.uploads.begin({ key });
    expect([status, body.uploadId]).toEqual([201, first.uploadId]);
    expect(body.uploadUrl).not.toBe(first.uploadUrl);
    await sendAll(body.uploadUrl, content);
    expect((await project.uploads.complete(body.uploadId)).status).toBe(201);
  });

  test('after its upload was completed, or while it is: 409', async () => {
    const project = await warmProject();
    const key = randomUUID();
    const uploadId = await project.uploads.sent(content, { key });
    await changeIntents(project.id, { isCommitting: true, aliveAt: new Date() });
    const during = await project.uploads.begin({ key });
    expect([during.status, during.body.code]).toEqual([409, 'upload_in_progress']);
    await changeIntents(project.id, { isCommitting: false });
    expect((await project.uploads.complete(uploadId)).status).toBe(201);
    const { status, body } = await project.uploads.begin({ key });
    expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(body.detail).toContain(uploadId);
    expect(await filesOf(project)).toHaveLength(1);
  });

  test('while the library does not tell the status of its session: 503, and nothing of the upload ends', async () => {
    const project = await warmProject();
    const key = randomUUID();
    const { body: first } = await project.uploads.begin({ key });
    await sendAll(first.uploadUrl, content);
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'GET', times: null });
    const again = await project.uploads.begin({ key });
    const early = await project.uploads.complete(first.uploadId);
    expect([again.status, again.body.code]).toEqual([503, 'library_throttled']);
    expect([early.status, early.body.code]).toEqual([503, 'library_throttled']);
    await service.admin('DELETE', '/faults');
    const { status, body } = await project.uploads.begin({ key });
    expect([status, body.uploadUrl]).toEqual([200, first.uploadUrl]);
    expect((await project.uploads.complete(first.uploadId)).status).toBe(201);
  });

  test('when the URL of its session can no longer be decrypted: 409 until the session ends', async () => {
    const project = await warmProject();
    const key = randomUUID();
    await project.uploads.begin({ key });
    // As after a change of the secret.
    await changeIntents(project.id, { uploadUrl: randomBytes(400).toString('base64') });
    const { status, body, headers } = await project.uploads.begin({ key });
    expect([status, body.code]).toEqual([409, 'upload_in_progress']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
    await changeIntents(project.id, { sessionExpiresAt: new Date(Date.now() - 1000) });
    await service.admin('DELETE', '/sessions');
    expect((await project.uploads.begin({ key })).status).toBe(201);
  });

  test('without a key, the first upload keeps the name, because another tab may be sending it', async () => {
    const project = await warmProject();
    const { body: first } = await project.uploads.begin();
    const { status, body } = await project.uploads.begin();
    expect([status, body.code]).toEqual([409, 'upload_in_progress']);
    expect(body.detail).toContain(first.uploadId);
    await sendAll(first.uploadUrl, content);
    expect((await project.uploads.complete(first.uploadId)).status).toBe(201);
  });
});
