import { describe, expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// What libraries require and forbid: check-out, columns, validation, locks (drive rules A15 and A16). With a service of its own:
// what other files have uploaded says how the library is.

const { service, upload: send, warmProject, list, filesOf, refresh, leftOpen } = useDocuments({});
const owner = people.projectManager;
const other = people.backOffice;

const upload = async (projectId: string, content = 'x', name = 'Plan.pdf') => {
  const { status, body } = await send(projectId, Buffer.from(content), { name });
  return { status, ...body };
};
const settings = (changed: object) => service.admin('PATCH', '/settings', changed);
const download = async (id: string, as = owner) => {
  const { status, body } = await service.call('GET', `/documents/${id}/download`, { as });
  return [status, body.code];
};
const libraryRequests = async (): Promise<string[]> =>
  (await service.requests())
    .filter(({ host }) => host === 'graph')
    .map(
      ({ method, path }) =>
        `${method} ${path
          .split('/')
          .at(-1)!
          .replace(/^.{34}$/, 'item')}`,
    );

describe('a library with required check-out', () => {
  test('what was uploaded is checked in, in the name of its uploader: colleagues see it', async () => {
    await settings({ checkOut: 'required' });
    const project = await warmProject();
    for (const content of ['first', 'replaced']) {
      const document = await upload(project.id, content);
      expect([document.status, document.checkedOut]).toEqual([201, undefined]);
      expect(await download(document.id, other)).toEqual([200, undefined]);
    }
    expect(await list(project.id)).toEqual([expect.not.objectContaining({ checkedOut: true })]);
  });

  test('a direct upload, and an empty file', async () => {
    await settings({ checkOut: 'required' });
    const project = await warmProject();
    const empty = await upload(project.id, '');
    expect(await download(empty.id, other)).toEqual([200, undefined]);
    const uploadId = await project.uploads.sent(Buffer.from('abc'), { fileName: 'Direkt.bin' });
    const { body } = await project.uploads.complete(uploadId);
    expect(body.checkedOut).toBeUndefined();
    expect(await download(body.id, other)).toEqual([200, undefined]);
  });
});

test('a required column: response and list say that the file stays checked out, until somebody checks it in', async () => {
  await settings({ hasRequiredColumn: true });
  const project = await warmProject();
  const document = await upload(project.id);
  expect([document.status, document.checkedOut]).toEqual([201, true]);
  expect(await list(project.id)).toMatchObject([{ id: document.id, checkedOut: true }]);
  expect(service.logs.map(({ message }) => message).join()).toContain('file_stays_checked_out');
  const hidden = await service.call('GET', `/documents/${document.id}/download`, { as: other });
  expect([hidden.status, hidden.body.code]).toEqual([403, 'library_access_denied']);
  expect(hidden.body.detail).toMatch(/checked out to .*never checked in/);
  // Its uploader sees it, and that it is still checked out.
  expect(await download(document.id)).toEqual([200, undefined]);
  expect(await list(project.id)).toMatchObject([{ checkedOut: true }]);
  await settings({ hasRequiredColumn: false });
  const [file] = await filesOf(project);
  const checkedIn = await service.library('POST', `/items/${file!.id}/checkin`, {
    as: owner,
    json: { comment: '' },
  });
  expect(checkedIn.status).toBe(204);
  expect((await refresh(project.id, other)).body).toMatchObject({ updated: 1 });
  expect(await list(project.id)).toEqual([expect.not.objectContaining({ checkedOut: true })]);
});

test('a library that requires nothing is asked once in ten minutes', async () => {
  const project = await warmProject();
  await upload(project.id);
  await service.forgetRequests();
  await upload(project.id, 'y', 'Zweiter.pdf');
  expect((await libraryRequests()).toSorted()).toEqual(['GET Zweiter.pdf', 'POST createUploadSession']);
});

describe('an upload that the library rejects is told with its cause, and leaves nothing', () => {
  test.each<[string, object, number, string, RegExp]>([
    ['a column has a default value', { hasColumnDefault: true }, 422, 'library_rule', /default value/],
    ['the list validates what is stored', { rejectsByValidation: true }, 422, 'library_rule', /validation/],
    ['the site is locked', { siteLock: 'noAccess' }, 423, 'library_locked', /archived/],
    ['the site is read-only', { siteLock: 'readOnly' }, 423, 'library_locked', /archived/],
  ])('%s', async (_what, changed, status, code, detail) => {
    const project = await warmProject();
    await settings(changed);
    const rejected = await upload(project.id);
    expect(rejected).toMatchObject({ status, code, detail: expect.stringMatching(detail) });
    // A lock says nothing about whether the file has bytes; an empty one has no session.
    if ('siteLock' in changed) expect(await upload(project.id, '')).toMatchObject({ status, code });
    await service.admin('DELETE', '/settings');
    expect([await filesOf(project), await list(project.id), await leftOpen()]).toEqual([[], [], []]);
  });
});

test.each([
  ['noAccess', 'locked', 'locked'],
  ['readOnly', 'seen', 'locked'],
])('/access of a site that is locked (%s)', async (siteLock, site, folders) => {
  const project = await warmProject();
  await settings({ siteLock });
  const { status, body } = await service.call('GET', `/documents/projects/${project.id}/access`);
  expect([status, body.site, body.root]).toEqual([200, site, folders]);
  expect(new Set(body.folders.map(({ access }: any) => access))).toEqual(new Set([folders]));
});

test('a locked site is 423 library_locked for a download, a refresh, and a link, and nothing changes', async () => {
  const project = await warmProject();
  const document = await upload(project.id);
  await settings({ siteLock: 'noAccess' });
  expect(await download(document.id)).toEqual([423, 'library_locked']);
  const { status, body } = await refresh(project.id);
  expect([status, body.code]).toEqual([423, 'library_locked']);
  await service.admin('DELETE', '/settings');
  expect(await list(project.id)).toHaveLength(1);
});
