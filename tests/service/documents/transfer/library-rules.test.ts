import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../../../release/repository-root.ts';
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

test('its uploader reads it while the library does not say whether it is checked in; a colleague asks nothing', async () => {
  await settings({ hasRequiredColumn: true });
  const project = await warmProject();
  const { id } = await upload(project.id);
  await service.fault({ kind: 'error', status: 403, code: 'accessDenied' }, { url: 'publication' });
  expect(await download(id)).toEqual([200, undefined]);
  expect(await list(project.id)).toMatchObject([{ checkedOut: true }]);
  await settings({ hasRequiredColumn: false });
  const [file] = await filesOf(project);
  await service.library('POST', `/items/${file!.id}/checkin`, { as: owner, json: { comment: '' } });
  await service.forgetRequests();
  expect(await download(id, other)).toEqual([200, undefined]);
  expect(await libraryRequests()).toEqual(['GET item']);
  expect(await list(project.id)).toEqual([expect.not.objectContaining({ checkedOut: true })]);
});

test('an upload that ends without a file does not ask who has its name, unless that is the reason', async () => {
  const project = await warmProject();
  await service.fault({ kind: 'error', status: 403, code: 'quotaLimitReached' }, asked.fragment);
  await service.forgetRequests();
  expect((await upload(project.id)).code).toBe('library_full');
  expect((await libraryRequests()).toSorted()).toEqual(['GET Plan.pdf', 'POST createUploadSession']);
});

test('a library that requires nothing is asked once in ten minutes', async () => {
  const project = await warmProject();
  expect((await upload(project.id)).checkedOut).toBeUndefined();
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

describe('an upload that is denied like a missing right', () => {
  const denied = { kind: 'error', status: 403, code: 'accessDenied' };
  const newSession = (name: string) => ({ method: 'POST', url: `${name}:/createUploadSession` });

  test.each(['Seite.aspx', ''])('is told as a rule for its type, also without bytes: %s', async (content) => {
    await settings({ blockedExtensions: ['.aspx'] });
    const project = await warmProject();
    const rejected = await upload(project.id, content, 'Seite.ASPX');
    expect(rejected).toMatchObject({ status: 422, code: 'library_rule' });
    expect(rejected.detail).toMatch(/no files that end with \.ASPX/);
    expect([await filesOf(project), await list(project.id), await leftOpen()]).toEqual([[], [], []]);
    expect((await upload(project.id)).status).toBe(201);
  });

  test('is told as one of its name, if the folder takes another one', async () => {
    const project = await warmProject();
    await service.fault(denied, newSession('Plan.pdf'));
    const rejected = await upload(project.id);
    expect(rejected).toMatchObject({ status: 403, code: 'library_access_denied' });
    expect(rejected.detail).toMatch(/not under this name/);
    expect([await filesOf(project), await leftOpen()]).toEqual([[], []]);
  });

  test('stays a missing right, if the folder takes none', async () => {
    const project = await warmProject();
    await settings({ access: { [owner.oid]: 'read' } });
    const rejected = await upload(project.id);
    expect(rejected).toMatchObject({ status: 403, code: 'library_access_denied' });
    expect(rejected.detail).toMatch(/missing API permissions/);
  });
});

test('a name that nobody here holds may be one of a file that is open in an editor', async () => {
  const project = await warmProject();
  const exists = {
    kind: 'error',
    status: 409,
    code: 'nameAlreadyExists',
    message: 'An upload session already exists for this file',
  };
  await service.fault(exists, { method: 'POST', url: 'createUploadSession', times: null });
  const rejected = await upload(project.id);
  expect(rejected).toMatchObject({ status: 409, code: 'upload_in_progress' });
  expect(rejected.detail).toMatch(/open in an editor/);
});

test('a list that goes round in a circle ends, and nothing is set aside', async () => {
  const project = await warmProject();
  await upload(project.id);
  await service.forgetRequests();
  await service.fault({ kind: 'page-repeated' }, { url: '/children', times: null });
  const { status, body } = await refresh(project.id);
  await service.admin('DELETE', '/faults');
  expect([status, body.code]).toEqual([502, 'library_error']);
  // The root and eight subfolders, all of which were being read when the first ended.
  expect((await libraryRequests()).length).toBeLessThanOrEqual(9 * 11);
  expect(await list(project.id)).toHaveLength(1);
});

test('after the move to another library, which knows none of the old ids, uploads find its folders by name', async () => {
  const project = await warmProject();
  await upload(project.id);
  const former = (await service.items()).filter(({ path }) => path.startsWith('/Projekte'));
  const root = former.find(({ path }) => path === '/Projekte');
  await service.admin('DELETE', `/items/${root!.id}`);
  const message = 'The provided item ID is not valid for the requested drive';
  for (const { id } of former)
    await service.fault(
      { kind: 'error', status: 400, code: 'invalidRequest', message },
      { url: id, times: null },
    );
  expect(await upload(project.id, 'y', 'Neu.pdf')).toMatchObject({ status: 201 });
  const { status, body } = await refresh(project.id);
  expect([status, body.missing]).toEqual([200, 1]);
  expect(await list(project.id)).toMatchObject([{ fileName: 'Neu.pdf' }]);
});

test.each([
  ['noAccess', 'locked', 'locked'],
  ['readOnly', 'seen', 'locked'],
])('/access of a site that is locked (%s)', async (siteLock, site, folders) => {
  const project = await warmProject();
  await settings({ siteLock });
  const { status, body } = await service.call('GET', `/documents/projects/${project.id}/access`);
  expect([status, body.site, body.root]).toEqual([200, site, folders]);
  expect(new Set(body.folders.map(({ state }: any) => state))).toEqual(new Set([folders]));
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

// One rejection for each row of drive rule A15, in its order: which request gets it, and what the caller is told.
const asked = {
  upload: { method: 'POST', url: 'createUploadSession' },
  fragment: { method: 'PUT', host: 'content' },
  download: { method: 'GET', host: 'graph' },
  deletion: { method: 'DELETE', host: 'graph' },
} as const;
interface Sent {
  readonly status: number;
  readonly code?: string;
  readonly inner?: readonly string[];
  readonly message?: string;
}
type Row = readonly [reason: string, request: keyof typeof asked, sent: Sent, status: number, code: string];
const rows: readonly Row[] = [
  ['unauthenticated', 'upload', { status: 401, code: 'unauthenticated' }, 401, 'sign_in_again'],
  ['locked', 'upload', { status: 403, message: 'Lock token does not match.' }, 423, 'document_locked'],
  ['siteLocked', 'download', { status: 423 }, 423, 'library_locked'],
  // Barbarur/NovaPoint#19
  [
    'siteLocked',
    'upload',
    { status: 403, code: 'accessDenied', message: 'Additions to this Web site have been blocked.' },
    423,
    'library_locked',
  ],
  ['fileOrSiteLocked', 'deletion', { status: 423 }, 423, 'document_locked'],
  ['retained', 'deletion', { status: 409, message: 'It is on hold.' }, 403, 'library_access_denied'],
  ['malware', 'download', { status: 403, code: 'malwareDetected' }, 502, 'library_error'],
  ['full', 'fragment', { status: 403, code: 'quotaLimitReached' }, 507, 'library_full'],
  ['tooLarge', 'fragment', { status: 400, code: 'maxFileSizeExceeded' }, 413, 'file_too_large'],
  ['changed', 'deletion', { status: 412 }, 502, 'library_error'],
  ['conflict', 'deletion', { status: 409 }, 502, 'library_error'],
  ['nameExists', 'upload', { status: 409, code: 'nameAlreadyExists' }, 409, 'upload_in_progress'],
  ['badRange', 'fragment', { status: 400, inner: ['fragmentLengthMismatch'] }, 502, 'library_error'],
  ['pathTooLong', 'upload', { status: 400, inner: ['pathIsTooLong'] }, 400, 'invalid_request'],
  ['badName', 'upload', { status: 400, message: 'The item name is reserved.' }, 400, 'invalid_request'],
  [
    'unlicensed',
    'upload',
    { status: 400, message: 'Tenant does not have a SPO license.' },
    403,
    'library_access_denied',
  ],
  // The upload then provisions the folders, which it does not find either.
  [
    'notFound',
    'download',
    {
      status: 400,
      code: 'invalidRequest',
      message: 'The provided item ID is not valid for the requested drive',
    },
    403,
    'library_access_denied',
  ],
  // microsoftgraph/microsoft-graph-docs#8326 and #3745
  ['moved', 'deletion', { status: 308 }, 502, 'library_error'],
  [
    'moved',
    'download',
    { status: 400, message: 'Provided id has an invalid hostname for this tenancy' },
    502,
    'library_error',
  ],
  [
    'tooManyItems',
    'upload',
    {
      status: 500,
      code: '-2147024860, Microsoft.SharePoint.SPQueryThrottledException',
      message:
        'La operación que se intentó realizar está prohibida porque supera el umbral de vista de lista.',
    },
    502,
    'library_error',
  ],
  ['rule', 'upload', { status: 400, message: 'List data validation failed.' }, 422, 'library_rule'],
  [
    'rule',
    'upload',
    { status: 400, message: 'One of the provided arguments is not acceptable.' },
    422,
    'library_rule',
  ],
  // 500 at each attempt: see "the list validates what is stored".
  ['rule', 'fragment', { status: 403, message: 'Fill out all required properties.' }, 422, 'library_rule'],
  [
    'policy',
    'fragment',
    { status: 403, code: 'notAllowed', message: 'This operation has been disabled by policy' },
    403,
    'library_access_denied',
  ],
  ['denied', 'upload', { status: 403 }, 403, 'library_access_denied'],
  ['notFound', 'download', { status: 410 }, 403, 'library_access_denied'],
  ['busy', 'upload', { status: 509 }, 503, 'library_throttled'],
  ['other', 'upload', { status: 400, code: 'UnknownError', message: '' }, 502, 'library_error'],
];

test('every rejection of drive rule A15 is told as what it means', async () => {
  const page = readFileSync(join(repositoryRoot, 'docs/drive-rules.md'), 'utf8');
  const table = /\n## A15 [^]*?\n\|---[^\n]*\n([^]*?)\n\n/.exec(page)?.[1] ?? '';
  const described = table.split('\n').map((row) => /`(\w+)` \|[^|]*\|$/.exec(row)?.[1]);
  expect(rows.map(([reason]) => reason)).toEqual(described);

  const project = await warmProject();
  const { id } = await upload(project.id);
  const told: unknown[] = [];
  for (const [reason, request, { code = 'unknown', ...sent }] of rows) {
    await service.fault({ kind: 'error', code, ...sent }, { ...asked[request], times: null });
    const isUpload = request === 'upload' || request === 'fragment';
    const { status, body } = isUpload
      ? await send(project.id, Buffer.from('x'), { name: 'Neu.pdf' })
      : request === 'download'
        ? await service.call('GET', `/documents/${id}/download`)
        : await service.call('DELETE', `/documents/${id}`);
    await service.admin('DELETE', '/faults');
    told.push([reason, request, status, body?.code]);
  }
  expect(told).toEqual(rows.map(([reason, request, , status, code]) => [reason, request, status, code]));
  expect([await list(project.id), await filesOf(project)]).toMatchObject([[{ id }], [{ size: 1 }]]);
});
