import { beforeEach, describe, expect, test } from 'vitest';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// Permissions differ between users: a file that is hidden from one user may be visible to others.

const { service, upload: send, warmProject, filesOf, provision, refresh, putByHand, list } = useDocuments();

const owner = people.projectManager;
const other = people.backOffice;

async function upload(project: { id: string }, name = 'Plan.pdf', content = 'x') {
  const { status, body } = await send(project.id, Buffer.from(content), { name, folder: '07_Protokolle' });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
}

async function uploaded() {
  const project = await warmProject();
  const document = await upload(project);
  const [item] = await filesOf(project);
  return {
    project,
    document,
    item: item!,
    folder: { id: project.folder('07_Protokolle') },
    root: project.root,
  };
}

const listed = (project: { id: string }) => list(project.id);
const refreshed = async ({ id }: { id: string }, as = other) => (await refresh(id, as)).body;
const download = async (document: { id: string }, as = other) => {
  const { status, body } = await service.call('GET', `/documents/${document.id}/download`, { as });
  return [status, body.code];
};
const remove = async (document: { id: string }, as = other) => {
  const { status, body } = await service.call('DELETE', `/documents/${document.id}`, { as });
  return [status, body.code];
};
const mark = (item: { id: string }, marks: object) => service.admin('PATCH', `/items/${item.id}`, marks);

/** A library whose `folder.childCount` counts only what the caller sees. */
const trimmed = () => service.admin('PATCH', '/settings', { childCount: 'visible' });

describe.each(['07_Protokolle', 'the root folder'])(
  '%s is hidden from a user (broken inheritance)',
  (which) => {
    test('download and deletion by this user are 403, nothing changes, and others are not affected', async () => {
      const { project, document, folder, root } = await uploaded();
      await mark(which === '07_Protokolle' ? folder : root, { hiddenFrom: [other.oid] });
      expect(await download(document)).toEqual([403, 'library_access_denied']);
      expect(await remove(document)).toEqual([403, 'library_access_denied']);
      expect(await listed(project)).toEqual([document]);
      expect(await download(document, owner)).toEqual([200, undefined]);
      expect(await remove(document, owner)).toEqual([204, undefined]);
    });
  },
);

test('consent is revoked: 403 consent_missing, and nothing changes', async () => {
  const { project, document } = await uploaded();
  const { registration } = service.idp;
  const consented = registration.consentedScopes;
  try {
    registration.consentedScopes = [];
    // After a new sign-in, for which no token for the library is cached.
    const headers = { authorization: `Bearer ${await service.token(other)}` };
    for (const [method, path] of [
      ['GET', `/documents/${document.id}/download`],
      ['DELETE', `/documents/${document.id}`],
    ] as const) {
      const { status, body } = await service.call(method, path, { headers });
      expect([status, body.code]).toEqual([403, 'consent_missing']);
    }
  } finally {
    registration.consentedScopes = consented;
  }
  expect(await listed(project)).toEqual([document]);
});

describe.each([
  ['hidden from a user', { hiddenFrom: [other.oid] }],
  ['checked out to its author, never checked in', { checkedOutTo: owner.oid }],
])('a file is %s', (_what, hide) => {
  test('a download and a deletion by another user are 403, and nothing changes for anyone', async () => {
    const { project, document, item } = await uploaded();
    await mark(item, hide);
    expect(await download(document)).toEqual([403, 'library_access_denied']);
    expect(await remove(document)).toEqual([403, 'library_access_denied']);
    expect(await listed(project)).toEqual([document]);
    expect(await download(document, owner)).toEqual([200, undefined]);
    // What is really gone is gone for a caller who sees everything in the folder.
    await service.admin('DELETE', `/items/${item.id}`);
    expect(await download(document)).toEqual([404, 'document_gone']);
    expect(await listed(project)).toEqual([]);
  });
});

describe.each([
  ['hidden from a user', { hiddenFrom: [other.oid] }, { hiddenFrom: [] }],
  ['checked out to its author, never checked in', { checkedOutTo: owner.oid }, { checkedOutTo: null }],
])('childCount is trimmed to the caller, and a file is %s', (_what, hide, show) => {
  beforeEach(() => trimmed());

  test.each(['download', 'deletion'])(
    'a %s by another user sets the record aside; a download by a user who can see the file restores it',
    async (what) => {
      const { project, document, item } = await uploaded();
      await mark(item, hide);
      if (what === 'download') expect(await download(document)).toEqual([404, 'document_gone']);
      else expect(await remove(document)).toEqual([204, undefined]);
      expect((await service.items()).some(({ id }) => id === item.id)).toBe(true);
      expect(await listed(project)).toEqual([]);
      expect(await download(document)).toEqual([404, 'document_not_found']);
      expect(await remove(document)).toEqual([404, 'document_not_found']);

      expect(await download(document, owner)).toEqual([200, undefined]);
      expect(await listed(project)).toEqual([document]);
      await mark(item, show);
      expect(await download(document)).toEqual([200, undefined]);
    },
  );

  test('a refresh by a user who can see the file restores the record', async () => {
    const { project, document, item } = await uploaded();
    await mark(item, hide);
    expect(await download(document)).toEqual([404, 'document_gone']);
    expect(await refreshed(project, owner)).toMatchObject({ added: 1 });
    expect(await listed(project)).toEqual([document]);
  });

  test('its owner replaces it: the same document id, one record', async () => {
    const { project, document, item } = await uploaded();
    await mark(item, hide);
    expect(await download(document)).toEqual([404, 'document_gone']);
    const replaced = await upload(project, 'Plan.pdf', 'other');
    expect(replaced.id).toBe(document.id);
    expect(await listed(project)).toEqual([replaced]);
    await provision(project.id, owner);
    expect(await listed(project)).toEqual([replaced]);
  });

  test('its owner deletes it by the old id: 204, the file is gone, and no record returns', async () => {
    const { project, document, item } = await uploaded();
    await mark(item, hide);
    expect(await download(document)).toEqual([404, 'document_gone']);
    expect(await remove(document, owner)).toEqual([204, undefined]);
    expect((await service.items()).some(({ id }) => id === item.id)).toBe(false);
    expect(await download(document, owner)).toEqual([404, 'document_not_found']);
    expect(await listed(project)).toEqual([]);
  });
});

test('a record that was set aside is removed after 30 days', async () => {
  await trimmed();
  const { project, document, item } = await uploaded();
  await mark(item, { hiddenFrom: [other.oid] });
  expect(await download(document)).toEqual([404, 'document_gone']);
  const table = service.table('ProjectDocuments');
  const setAside = async () => {
    const filter = `projectId eq '${project.id}' and RowKey gt 'aside-' and RowKey lt 'aside.'`;
    return Array.fromAsync(table.listEntities<any>({ queryOptions: { filter } }));
  };
  const [row] = await setAside();
  const days = (count: number) => new Date(Date.parse(row.setAsideAt) - count * 86_400_000).toISOString();
  const age = (setAsideAt: string) => table.updateEntity({ ...row, setAsideAt }, 'Merge');
  await age(days(29));
  await refreshed(project, other);
  expect(await setAside()).toHaveLength(1);
  await age(days(31));
  expect(await download(document, owner)).toEqual([404, 'document_not_found']);
  await refreshed(project, other);
  expect(await listed(project)).toEqual([]);
  expect(await setAside()).toEqual([]);
});

test('the folder is not found while its children are listed: 403, and nothing changes', async () => {
  const { project, document, item } = await uploaded();
  await service.admin('DELETE', `/items/${item.id}`);
  await service.fault(
    { kind: 'error', status: 404, code: 'itemNotFound' },
    { url: '/children?', method: 'GET', userId: other.oid, times: 2 },
  );
  expect(await download(document)).toEqual([403, 'library_access_denied']);
  expect(await listed(project)).toEqual([document]);
});

test.each(['added before', 'removed after'])(
  'a file is hidden, and another one is %s the list is read: it cannot stand in for the hidden one',
  async (when) => {
    const { project, document, item, folder } = await uploaded();
    await mark(item, { hiddenFrom: [other.oid] });
    const change =
      when === 'added before'
        ? () => putByHand(folder.id, 'Neu.txt')
        : async (added: { id: string }) => service.admin('DELETE', `/items/${added.id}`);
    const added = when === 'added before' ? item : await putByHand(folder.id, 'Neu.txt');
    // The folder is read, then its children, then the folder again.
    const place =
      when === 'added before'
        ? { url: `/items/${folder.id}/children` }
        : { url: `/items/${folder.id}`, skip: 2 };
    await service.fault({ kind: 'throttled', retryAfter: '2' }, { ...place, userId: other.oid, times: 1 });
    await service.forgetRequests();
    const downloaded = download(document);
    await expect.poll(() => service.admin('GET', '/faults')).toEqual([]);
    await change(added);
    expect(await downloaded).toEqual([403, 'library_access_denied']);
    expect(await listed(project)).toEqual([document]);
  },
);

test.each(['07_Protokolle', 'the root folder', 'the folder of all projects'])(
  '%s was really deleted: as missing as /access says, and the record leaves the list',
  async (which) => {
    // From others, earlier tests have hidden folders.
    const as = people.management;
    for (const how of ['download', 'deletion', 'refresh']) {
      const { project, document, item, folder, root } = await uploaded();
      const all = (await service.items()).find(({ path }) => path === '/Projekte')!;
      const deleted = { '07_Protokolle': folder, 'the root folder': root }[which] ?? all;
      await service.admin('DELETE', `/items/${deleted.id}`);
      const access = (await service.call('GET', `/documents/projects/${project.id}/access`, { as })).body;
      expect(access.folders.find(({ name }: { name: string }) => name === '07_Protokolle')).toMatchObject({
        state: 'missing',
      });
      if (how === 'download') expect(await download(document, as)).toEqual([404, 'document_gone']);
      if (how === 'deletion') expect(await remove(document, as)).toEqual([204, undefined]);
      if (how === 'refresh') {
        expect(await refreshed(project, as)).toEqual({
          added: 0,
          updated: 0,
          missing: 1,
          incompleteFolders: [],
          secondFolders: [],
        });
      }
      expect(await listed(project)).toEqual([]);
      expect((await service.items()).some(({ id }) => id === item.id)).toBe(false);
    }
  },
);

test('the download of a file that was renamed or changed in the library corrects its record', async () => {
  const { project, document, item, folder } = await uploaded();
  await mark(item, { name: 'Plan neu.pdf' });
  await putByHand(folder.id, 'Plan neu.pdf', 'longer than before', owner);
  const { headers, status } = await service.call('GET', `/documents/${document.id}/download`);
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toContain('Plan neu.pdf');
  const [corrected] = await listed(project);
  expect(corrected).toEqual({
    ...document,
    fileName: 'Plan neu.pdf',
    size: 18,
    webUrl: expect.stringContaining('Plan%20neu.pdf'),
  });
  // The record is found by its name, so a replacement under this name is the same document.
  const replaced = await upload(project, 'Plan neu.pdf', 'again');
  expect(replaced.id).toBe(document.id);
  expect(await listed(project)).toEqual([replaced]);
});

test('an upload replaces the file while another request restores its record: the upload stays', async () => {
  await trimmed();
  const { project, document, item } = await uploaded();
  await mark(item, { hiddenFrom: [other.oid] });
  expect(await download(document)).toEqual([404, 'document_gone']);
  await service.fault({ kind: 'throttled', retryAfter: '2' }, { method: 'GET', url: `/items/${item.id}` });
  const restored = download(document, owner);
  await expect.poll(() => service.admin('GET', '/faults')).toEqual([]);
  const replaced = await upload(project, 'Plan.pdf', 'other');
  expect(await restored).toEqual([200, undefined]);
  expect(await listed(project)).toEqual([replaced]);
});

test('the folders of a project that nobody has provisioned again are missing', async () => {
  const { project, document, item } = await uploaded();
  await service.table('ProjectDocuments').deleteEntity(partitionOf(project.id), 'folders');
  await service.admin('DELETE', `/items/${item.id}`);
  expect(await download(document)).toEqual([404, 'document_gone']);
  expect(await listed(project)).toEqual([]);
});

describe('folders that exist but are hidden from the caller', () => {
  const provisioned = async (project: { id: string }) => {
    const { status, body } = await provision(project.id, other);
    return [status, body.code];
  };

  test('a root folder: provision and upload are 403', async () => {
    const { project, root } = await uploaded();
    await mark(root, { hiddenFrom: [other.oid] });
    expect(await provisioned(project)).toEqual([403, 'library_access_denied']);
    const { status, body } = await send(project.id, Buffer.from('a'), { as: other, folder: '07_Protokolle' });
    expect([status, body.code]).toEqual([403, 'library_access_denied']);
  });

  test('a subfolder: provision is 403', async () => {
    const { project, folder } = await uploaded();
    await mark(folder, { hiddenFrom: [other.oid] });
    expect(await provisioned(project)).toEqual([403, 'library_access_denied']);
  });

  test('the folder of all projects: provision of a new one is 403', async () => {
    await uploaded();
    const all = (await service.items()).find(({ path }) => path === '/Projekte')!;
    await mark(all, { hiddenFrom: [other.oid] });
    expect(await provisioned(await service.newProject())).toEqual([403, 'library_access_denied']);
    await mark(all, { hiddenFrom: [] });
  });
});
