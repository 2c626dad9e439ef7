import { createHash, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments, fragment, twoFragments } from '../support/documents.ts';

const MiB = 1024 * 1024;

const { service, warmProject, upload, filesOf, list } = useDocuments();

afterEach(async () => {
  expect(await service.openSessions()).toEqual([]);
});

describe('the name is taken while the bytes are sent: 409 file_exists', () => {
  /** Runs `action` after the upload session is created and before its file is. */
  async function during(action: (folderId: string) => Promise<unknown>, behavior: string, size: number) {
    const project = await warmProject();
    await service.fault({ kind: 'throttled', retryAfter: '6' }, fragment);
    const response = upload(project.id, randomBytes(size), { behavior });
    await expect.poll(async () => (await service.openSessions()).length, { timeout: 20_000 }).toBe(1);
    await action(project.folderId);
    return { project, ...(await response) };
  }

  test.each([1000, twoFragments])('by a file, conflictBehavior fail (%i bytes)', async (size) => {
    const put = (folderId: string) =>
      service.library('PUT', `/items/${folderId}:/Plan.bin:/content`, { body: 'by hand' });
    const { project, status, body } = await during(put, 'fail', size);
    expect([status, body.code]).toEqual([409, 'file_exists']);
    expect((await filesOf(project)).map((file) => file.size)).toEqual([7]);
    expect(await list(project.id)).toEqual([]);
  });

  test('by a folder, conflictBehavior replace', async () => {
    const put = (folderId: string) =>
      service.library('PUT', `/items/${folderId}:/Plan.bin/inside.txt:/content`, { body: 'x' });
    const { project, status, body } = await during(put, 'replace', 1000);
    expect([status, body.code]).toEqual([409, 'file_exists']);
    expect(body.detail).toContain('folder');
    expect(await list(project.id)).toEqual([]);
  });
});

describe('a session whose creation got no response', () => {
  test('blocks the name until it expires, and the response is 503 with that time', async () => {
    const project = await warmProject();
    await service.fault({ kind: 'lost-response' }, { host: 'graph', url: 'createUploadSession' });
    const { status, body, headers } = await upload(project.id, randomBytes(1000));
    expect([status, body.code]).toEqual([503, 'library_throttled']);
    expect(body.detail).toContain('15 minutes');
    expect(headers.get('retry-after')).toBe('900');
    expect(await filesOf(project)).toEqual([]);
    // Its URL is unknown, so it can only expire.
    expect(await service.openSessions()).toHaveLength(1);
    await service.admin('POST', '/clock', { advanceSeconds: 901 });
    expect((await upload(project.id, randomBytes(1000))).status).toBe(201);
  });

  test('does not matter if the library renames: the upload continues', async () => {
    const project = await warmProject();
    await service.fault({ kind: 'lost-response' }, { host: 'graph', url: 'createUploadSession' });
    const { status } = await upload(project.id, randomBytes(1000), { behavior: 'rename' });
    expect(status).toBe(201);
    expect(await filesOf(project)).toHaveLength(1);
    await service.admin('POST', '/clock', { advanceSeconds: 901 });
  });
});

test('a session that expires during the upload is started again while the bytes are available', async () => {
  const project = await warmProject();
  await service.fault({ kind: 'throttled', retryAfter: '6' }, fragment);
  const content = randomBytes(1 * MiB);
  const response = upload(project.id, content);
  await expect.poll(async () => (await service.openSessions()).length, { timeout: 20_000 }).toBe(1);
  await service.admin('POST', '/clock', { advanceSeconds: 901 });
  const { status, body } = await response;
  expect(status).toBe(201);
  const [file] = await filesOf(project);
  expect(file?.size).toBe(content.length);
  expect(await list(project.id)).toEqual([body]);
});

test.each([0, 1])('416 on fragment %i: resumes at the byte that the library expects', async (skip) => {
  const project = await warmProject();
  const content = randomBytes(twoFragments);
  await service.fault({ kind: 'error', status: 416, code: 'invalidRange' }, { ...fragment, skip });
  const { status, body } = await upload(project.id, content);
  expect(status).toBe(201);
  const response = await fetch(`${service.origin}/api/v1/documents/${body.id}/download`, {
    headers: { authorization: `Bearer ${await service.token()}` },
  });
  const received = new Uint8Array(await response.arrayBuffer());
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(digest(received)).toBe(digest(content));
});

describe('an empty file', () => {
  test.each(conflictBehaviors)(
    'whose response is lost exists once, with its record (%s)',
    async (behavior) => {
      const project = await warmProject();
      await service.fault({ kind: 'lost-response' }, { host: 'graph', method: 'PUT' });
      const { status, body } = await upload(project.id, new Uint8Array(), { behavior });
      expect([status, body.fileName]).toEqual([201, 'Plan.bin']);
      expect(await filesOf(project)).toHaveLength(1);
      expect(await list(project.id)).toEqual([body]);
    },
  );
});

test('a file that was deleted in the library and is uploaded again is listed once', async () => {
  const project = await warmProject();
  await upload(project.id, Buffer.from('old'));
  const [item] = await filesOf(project);
  await service.admin('DELETE', `/items/${item!.id}`);
  const { body } = await upload(project.id, Buffer.from('new'));
  expect(await list(project.id)).toEqual([body]);
});

describe('one wrong 404 of the library', () => {
  test('for the file that had the name before: its record remains', async () => {
    const project = await warmProject();
    const old = await upload(project.id, Buffer.from('old'));
    const [item] = await filesOf(project);
    await service.admin('PATCH', `/items/${item!.id}`, { name: 'Alt.bin' });
    await service.fault({ kind: 'not-yet-found' }, { method: 'GET', url: `/items/${item!.id}` });
    const { status, body } = await upload(project.id, Buffer.from('new'));
    expect(status).toBe(201);
    expect(await filesOf(project)).toHaveLength(2);
    expect((await list(project.id)).map(({ id }) => id)).toEqual([body.id, old.body.id]);
  });

  test('for a deletion: 503, file and record remain, and the next deletion succeeds', async () => {
    const project = await warmProject();
    const { body } = await upload(project.id, Buffer.from('x'));
    await service.fault(
      { kind: 'error', status: 404, code: 'itemNotFound' },
      { host: 'graph', method: 'DELETE' },
    );
    const wrong = await service.call('DELETE', `/documents/${body.id}`, { as: people.backOffice });
    expect([wrong.status, wrong.body.code]).toEqual([503, 'library_throttled']);
    expect(await filesOf(project)).toHaveLength(1);
    expect(await list(project.id)).toEqual([body]);
    expect((await service.call('DELETE', `/documents/${body.id}`)).status).toBe(204);
    expect(await filesOf(project)).toEqual([]);
    expect(await list(project.id)).toEqual([]);
  });
});
