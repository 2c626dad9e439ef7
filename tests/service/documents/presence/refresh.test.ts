import { expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, upload: send, warmProject, insertIntent, age } = useDocuments();

const upload = async (id: string, folderName: string, name: string, content = 'x') => {
  const { status, body } = await send(id, Buffer.from(content), { name, folder: folderName });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
const refresh = async (id: string, as = people.backOffice) => {
  const { status, body } = await service.call('POST', `/documents/projects/${id}/refresh`, { as });
  return { status, body };
};
const listed = async (id: string, query = '?limit=200'): Promise<any[]> =>
  (await service.call('GET', `/documents/projects/${id}${query}`)).body.items;

async function provisioned() {
  const { folder, root, ...project } = await warmProject();
  return { project, folder, root };
}
/** Adds a file in SharePoint itself. */
const put = async (folderId: string, name: string, content = 'x', as = people.management) => {
  const path = `/items/${folderId}:/${encodeURIComponent(name)}:/content`;
  const { status, body } = await service.library('PUT', path, { as, body: content });
  expect([200, 201]).toContain(status);
  return body;
};

test('a file added in the library appears, with its creator and creation time', async () => {
  const { project, folder } = await provisioned();
  const item = await put(folder('04_Rechnungen'), 'Rechnung 1.pdf', 'a bill');
  expect(await listed(project.id)).toEqual([]);
  expect(await refresh(project.id)).toEqual({
    status: 200,
    body: { added: 1, updated: 0, missing: 0, incompleteFolders: [] },
  });
  const [document] = await listed(project.id);
  expect(document).toEqual({
    id: expect.any(String),
    projectId: project.id,
    folderName: '04_Rechnungen',
    fileName: 'Rechnung 1.pdf',
    size: 6,
    contentType: 'application/pdf',
    webUrl: item.webUrl,
    uploadedByUserId: people.management.oid,
    uploadedByName: people.management.name,
    uploadedAt: new Date(item.createdDateTime).toISOString(),
  });
  const { body } = await service.call('GET', `/documents/${document.id}/download`);
  expect(body).toBe('a bill');
  expect((await refresh(project.id)).body).toEqual({
    added: 0,
    updated: 0,
    missing: 0,
    incompleteFolders: [],
  });
});

test('renamed, changed, moved and deleted files', async () => {
  const { project, folder } = await provisioned();
  const names = ['renamed.txt', 'changed.txt', 'moved.txt', 'deleted.txt', 'kept.txt'];
  const documents = new Map<string, any>();
  for (const name of names) documents.set(name, await upload(project.id, '01_Angebote', name));
  const children = (await service.library('GET', `/items/${folder('01_Angebote')}/children`)).body.value;
  const itemId = (name: string): string => children.find((child: any) => child.name === name).id;
  await service.admin('PATCH', `/items/${itemId('renamed.txt')}`, { name: 'neu.txt' });
  await put(folder('01_Angebote'), 'changed.txt', 'longer');
  await service.admin('DELETE', `/items/${itemId('deleted.txt')}`);
  const move = await fetch(
    `${service.drive.url}/v1.0/drives/${service.drive.driveId}/items/${itemId('moved.txt')}`,
    {
      method: 'PATCH',
      headers: { authorization: `Bearer ${await service.graphToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ parentReference: { id: folder('05_Verträge') } }),
    },
  );
  expect(move.status).toBe(200);

  expect((await refresh(project.id)).body).toEqual({
    added: 0,
    updated: 3,
    missing: 1,
    incompleteFolders: [],
  });
  const after = new Map((await listed(project.id)).map((document) => [document.id, document]));
  const now = (name: string) => after.get(documents.get(name).id);
  expect(after.size).toBe(4);
  expect(now('renamed.txt')).toMatchObject({ fileName: 'neu.txt' });
  expect(now('changed.txt')).toMatchObject({ fileName: 'changed.txt', size: 6 });
  expect(now('moved.txt')).toMatchObject({ folderName: '05_Verträge', fileName: 'moved.txt' });
  expect(now('kept.txt')).toEqual(documents.get('kept.txt'));
  expect(now('deleted.txt')).toBeUndefined();
  const inFolder = await listed(project.id, `?folderName=${encodeURIComponent('05_Verträge')}`);
  expect(inFolder.map(({ fileName }) => fileName)).toEqual(['moved.txt']);
});

test('a folder hidden from the caller is skipped with its records; if all are hidden, 403', async () => {
  const { project, folder, root } = await provisioned();
  const document = await upload(project.id, '04_Rechnungen', 'secret.txt');
  await put(folder('07_Protokolle'), 'open.txt');
  await service.admin('PATCH', `/items/${folder('04_Rechnungen')}`, { hiddenFrom: [people.backOffice.oid] });
  expect((await refresh(project.id)).body).toEqual({
    added: 1,
    updated: 0,
    missing: 0,
    incompleteFolders: ['04_Rechnungen'],
  });
  expect(await listed(project.id, `?folderName=04_Rechnungen`)).toEqual([document]);
  await service.admin('PATCH', `/items/${root.id}`, { hiddenFrom: [people.backOffice.oid] });
  const { status, body } = await refresh(project.id);
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  expect(await listed(project.id)).toHaveLength(2);
});

test('childCount trimmed to the caller: a record that was set aside by a caller without permission returns with its id', async () => {
  await service.admin('PATCH', '/settings', { childCount: 'visible' });
  const { project, folder } = await provisioned();
  const document = await upload(project.id, '04_Rechnungen', 'own.txt');
  const [item] = (await service.library('GET', `/items/${folder('04_Rechnungen')}/children`)).body.value;
  await service.admin('PATCH', `/items/${item.id}`, { hiddenFrom: [people.backOffice.oid] });
  expect((await refresh(project.id)).body).toEqual({
    added: 0,
    updated: 0,
    missing: 1,
    incompleteFolders: [],
  });
  expect(await listed(project.id)).toEqual([]);
  expect((await refresh(project.id, people.management)).body).toEqual({
    added: 1,
    updated: 0,
    missing: 0,
    incompleteFolders: [],
  });
  expect(await listed(project.id)).toEqual([document]);
});

test('30 of 31 files are hidden from a user: the refresh by this user names the folder and removes nothing', async () => {
  const { project, folder } = await provisioned();
  for (let index = 0; index < 31; index += 1) await upload(project.id, '04_Rechnungen', `${index}.txt`);
  const before = await listed(project.id);
  const children = (await service.library('GET', `/items/${folder('04_Rechnungen')}/children`)).body.value;
  const hide = (hiddenFrom: string[]) =>
    Promise.all(
      children.slice(1).map(({ id }: any) => service.admin('PATCH', `/items/${id}`, { hiddenFrom })),
    );
  await hide([people.backOffice.oid]);
  expect((await refresh(project.id)).body).toEqual({
    added: 0,
    updated: 0,
    missing: 0,
    incompleteFolders: ['04_Rechnungen'],
  });
  expect(await listed(project.id)).toEqual(before);
  // What is really gone leaves the list with a caller who sees everything.
  await service.admin('DELETE', `/items/${children[1].id}`);
  expect((await refresh(project.id)).body).toMatchObject({
    missing: 0,
    incompleteFolders: ['04_Rechnungen'],
  });
  expect((await refresh(project.id, people.management)).body).toEqual({
    added: 0,
    updated: 0,
    missing: 1,
    incompleteFolders: [],
  });
  expect(await listed(project.id)).toHaveLength(30);
});

test('a folder that hides a file without a record is named, too', async () => {
  const { project, folder } = await provisioned();
  await upload(project.id, '04_Rechnungen', 'seen.txt');
  const { id } = await put(folder('04_Rechnungen'), 'hidden.txt');
  await service.admin('PATCH', `/items/${id}`, { hiddenFrom: [people.backOffice.oid] });
  expect((await refresh(project.id)).body).toEqual({
    added: 0,
    updated: 0,
    missing: 0,
    incompleteFolders: ['04_Rechnungen'],
  });
});

test('a subfolder deleted and created again in the library is read under its new id', async () => {
  const { project, folder, root } = await provisioned();
  await upload(project.id, '04_Rechnungen', 'old.txt');
  await service.admin('DELETE', `/items/${folder('04_Rechnungen')}`);
  const made = await service.library('PUT', `/items/${root.id}:/04_Rechnungen/new.txt:/content`, {
    body: 'x',
  });
  expect(made.status).toBe(201);
  expect((await refresh(project.id)).body).toEqual({
    added: 1,
    updated: 0,
    missing: 1,
    incompleteFolders: [],
  });
  expect((await listed(project.id)).map(({ fileName }) => fileName)).toEqual(['new.txt']);
});

test('the file of a running upload is left to that upload', async () => {
  const { project, folder } = await provisioned();
  const folderId = folder('01_Angebote');
  const startedAt = new Date();
  const before = { at: startedAt.toISOString(), contentTag: null };
  await insertIntent(
    { ...project, folderId },
    { fileName: 'Plan.pdf', size: 4, startedAt, before, conflictBehavior: 'replace' },
  );
  await put(folderId, 'Plan.pdf', 'sent', people.projectManager);
  await put(folderId, 'Anderer Plan.pdf', 'sent', people.projectManager);
  expect((await refresh(project.id)).body).toMatchObject({ added: 1 });
  expect((await listed(project.id)).map(({ fileName }) => fileName)).toEqual(['Anderer Plan.pdf']);
  await age(project.id, 36);
  expect((await refresh(project.id)).body).toMatchObject({ added: 0 });
  expect(await listed(project.id)).toHaveLength(2);
});

test('a project without folders gets them; an unknown project is 404', async () => {
  const project = await service.newProject();
  expect(await refresh(project.id)).toEqual({
    status: 200,
    body: { added: 0, updated: 0, missing: 0, incompleteFolders: [] },
  });
  const { status, body } = await refresh('no-such-project');
  expect([status, body.code]).toEqual([404, 'project_not_found']);
});

test('replacing a file without a record is reported, once', async () => {
  const { project, folder } = await provisioned();
  await put(folder('01_Angebote'), 'by-hand.txt', 'of a colleague');
  const first = await upload(project.id, '01_Angebote', 'by-hand.txt', 'mine');
  expect(first.replacedUnrecorded).toBe(true);
  const second = await upload(project.id, '01_Angebote', 'by-hand.txt', 'mine again');
  expect(second.id).toBe(first.id);
  expect(second).not.toHaveProperty('replacedUnrecorded');
  expect(await upload(project.id, '01_Angebote', 'new.txt')).not.toHaveProperty('replacedUnrecorded');
  expect((await listed(project.id))[0]).not.toHaveProperty('replacedUnrecorded');
});

test('2,000 files: pages of 500, the eight folders in parallel, every file once', async () => {
  const { project, folder } = await provisioned();
  const folderId = folder('08_Ausschreibungen_Vergaben');
  const names = Array.from({ length: 2000 }, (_, index) => `${index}.txt`);
  await service.admin('POST', `/items/${folderId}`, { names });
  await refresh((await service.newProject()).id);
  // Exceeds the time that a busy machine needs to send the parallel requests.
  await service.admin('PATCH', '/settings', { responseDelayMs: 500 });
  await service.forgetRequests();
  expect((await refresh(project.id)).body).toEqual({
    added: 2000,
    updated: 0,
    missing: 0,
    incompleteFolders: [],
  });
  await service.admin('PATCH', '/settings', { responseDelayMs: 0 });
  const requests = (await service.requests()).filter(({ host }) => host === 'graph');
  // Four pages of the full folder, one page of each other folder, and one of the root.
  expect(requests).toHaveLength(12);
  expect(Math.max(...requests.map(({ depth }) => depth))).toBe(4);
  const ids = new Set<string>();
  let cursor = '';
  do {
    const { body } = await service.call('GET', `/documents/projects/${project.id}?limit=200${cursor}`);
    for (const { id } of body.items) ids.add(id);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  expect(ids.size).toBe(2000);
  expect((await refresh(project.id)).body).toEqual({
    added: 0,
    updated: 0,
    missing: 0,
    incompleteFolders: [],
  });
});

test('the list of one subfolder, page by page; an unknown one is 400', async () => {
  const { project } = await provisioned();
  for (let index = 0; index < 6; index += 1) {
    await upload(project.id, index % 2 ? '01_Angebote' : '05_Verträge', `${index}.txt`);
  }
  const path = `/documents/projects/${project.id}?limit=2&folderName=${encodeURIComponent('05_Verträge')}`;
  const first = (await service.call('GET', path)).body;
  expect(first.items.map(({ fileName }: any) => fileName)).toEqual(['4.txt', '2.txt']);
  const second = (await service.call('GET', `${path}&cursor=${first.nextCursor}`)).body;
  expect(second.items.map(({ fileName }: any) => fileName)).toEqual(['0.txt']);
  expect(second.nextCursor).toBeNull();
  const { status, body } = await service.call('GET', `/documents/projects/${project.id}?folderName=x`);
  expect([status, body.errors[0].path]).toEqual([400, 'query.folderName']);
});
