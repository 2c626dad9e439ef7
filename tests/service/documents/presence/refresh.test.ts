import { expect, test } from 'vitest';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { DocumentRecords } from '../../../../lib/project-documents/document-records/document-records.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, upload: send, warmProject, refresh, putByHand, insertIntent, age, list } = useDocuments();

const upload = async (id: string, folderName: string, name: string, content = 'x') => {
  const { status, body } = await send(id, Buffer.from(content), { name, folder: folderName });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
/** What a refresh reports, as a user who has uploaded nothing. */
const refreshed = async (id: string, as = people.backOffice) => {
  const { status, body } = await refresh(id, as);
  expect(status).toBe(200);
  return body;
};
const counts = (changed: object = {}) => ({
  added: 0,
  updated: 0,
  missing: 0,
  incompleteFolders: [],
  secondFolders: [],
  ...changed,
});
const inFolder = async (id: string, name: string): Promise<any[]> =>
  (await service.call('GET', `/documents/projects/${id}?folderName=${encodeURIComponent(name)}`)).body.items;
const itemsIn = async (folderId: string): Promise<{ id: string; name: string }[]> =>
  (await service.library('GET', `/items/${folderId}/children`)).body.value;
const hide = (itemId: string) =>
  service.admin('PATCH', `/items/${itemId}`, { hiddenFrom: [people.backOffice.oid] });

test('a file added in the library appears, with its creator and creation time', async () => {
  const { folder, ...project } = await warmProject();
  const item = await putByHand(folder('04_Rechnungen'), 'Rechnung 1.pdf', 'a bill', people.management);
  expect(await list(project.id)).toEqual([]);
  expect(await refreshed(project.id)).toEqual(counts({ added: 1 }));
  const [document] = await list(project.id);
  expect(document).toEqual({
    id: expect.any(String),
    projectId: project.id,
    folderName: '04_Rechnungen',
    folderPath: '',
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
  expect(await refreshed(project.id)).toEqual(counts());
});

test('renamed, changed, moved and deleted files', async () => {
  const { folder, ...project } = await warmProject();
  const names = ['renamed.txt', 'changed.txt', 'moved.txt', 'deleted.txt', 'kept.txt'];
  const documents = new Map<string, any>();
  for (const name of names) documents.set(name, await upload(project.id, '01_Angebote', name));
  const children = await itemsIn(folder('01_Angebote'));
  const itemId = (name: string): string => children.find((child) => child.name === name)!.id;
  await service.admin('PATCH', `/items/${itemId('renamed.txt')}`, { name: 'neu.txt' });
  await putByHand(folder('01_Angebote'), 'changed.txt', 'longer');
  await service.admin('DELETE', `/items/${itemId('deleted.txt')}`);
  const json = { parentReference: { id: folder('05_Verträge') } };
  expect((await service.library('PATCH', `/items/${itemId('moved.txt')}`, { json })).status).toBe(200);

  expect(await refreshed(project.id)).toEqual(counts({ updated: 3, missing: 1 }));
  const after = new Map((await list(project.id)).map((document) => [document.id, document]));
  const now = (name: string) => after.get(documents.get(name).id);
  expect(after.size).toBe(4);
  expect(now('renamed.txt')).toMatchObject({ fileName: 'neu.txt' });
  expect(now('changed.txt')).toMatchObject({ fileName: 'changed.txt', size: 6 });
  expect(now('moved.txt')).toMatchObject({ folderName: '05_Verträge', fileName: 'moved.txt' });
  expect(now('kept.txt')).toEqual(documents.get('kept.txt'));
  expect(now('deleted.txt')).toBeUndefined();
  const moved = await inFolder(project.id, '05_Verträge');
  expect(moved.map(({ fileName }) => fileName)).toEqual(['moved.txt']);
});

test('a file that is back when its folder is read for the second time is not missing', async () => {
  const [{ folder, ...project }, other] = [await warmProject(), await warmProject()];
  const document = await upload(project.id, '01_Angebote', 'Plan.pdf');
  const [item] = await itemsIn(folder('01_Angebote'));
  const moveTo = (id: string) =>
    service.library('PATCH', `/items/${item!.id}`, { json: { parentReference: { id } } });
  await moveTo(other.folder('01_Angebote'));
  await service.fault(
    { kind: 'throttled', retryAfter: '2' },
    { url: `/items/${folder('01_Angebote')}/children`, skip: 1, times: 1 },
  );
  const counted = refreshed(project.id);
  await expect.poll(() => service.admin('GET', '/faults')).toEqual([]);
  await moveTo(folder('01_Angebote'));
  expect(await counted).toEqual(counts({}));
  expect(await list(project.id)).toEqual([document]);
});

test('a file that was deleted, and another one under its name, are two documents', async () => {
  const { folder, ...project } = await warmProject();
  const document = await upload(project.id, '01_Angebote', 'Plan.pdf');
  const [item] = await itemsIn(folder('01_Angebote'));
  await service.admin('DELETE', `/items/${item!.id}`);
  await putByHand(folder('01_Angebote'), 'Plan.pdf');
  expect(await refreshed(project.id)).toEqual(counts({ added: 1, missing: 1 }));
  const [other, ...others] = await list(project.id);
  expect([other.fileName, others]).toEqual(['Plan.pdf', []]);
  expect(other.id).not.toBe(document.id);
});

test('a folder hidden from the caller is skipped with its records; if all are hidden, 403', async () => {
  const { folder, root, ...project } = await warmProject();
  const document = await upload(project.id, '04_Rechnungen', 'secret.txt');
  await putByHand(folder('07_Protokolle'), 'open.txt');
  await hide(folder('04_Rechnungen'));
  expect(await refreshed(project.id)).toEqual(counts({ added: 1, incompleteFolders: ['04_Rechnungen'] }));
  expect(await inFolder(project.id, '04_Rechnungen')).toEqual([document]);
  await hide(root.id);
  const { status, body } = await refresh(project.id, people.backOffice);
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  expect(await list(project.id)).toHaveLength(2);
});

test('childCount trimmed to the caller: a record that was set aside by a caller without permission returns with its id', async () => {
  await service.admin('PATCH', '/settings', { childCount: 'visible' });
  const { folder, ...project } = await warmProject();
  const document = await upload(project.id, '04_Rechnungen', 'own.txt');
  const [item] = await itemsIn(folder('04_Rechnungen'));
  await hide(item!.id);
  expect(await refreshed(project.id)).toEqual(counts({ missing: 1 }));
  expect(await list(project.id)).toEqual([]);
  expect(await refreshed(project.id, people.management)).toEqual(counts({ added: 1 }));
  expect(await list(project.id)).toEqual([document]);
});

test('30 of 31 files are hidden from a user: the refresh by this user names the folder and removes nothing', async () => {
  const { folder, ...project } = await warmProject();
  for (let index = 0; index < 31; index += 1) await upload(project.id, '04_Rechnungen', `${index}.txt`);
  const before = await list(project.id);
  const children = await itemsIn(folder('04_Rechnungen'));
  await Promise.all(children.slice(1).map(({ id }) => hide(id)));
  expect(await refreshed(project.id)).toEqual(counts({ incompleteFolders: ['04_Rechnungen'] }));
  expect(await list(project.id)).toEqual(before);
  // What is really gone leaves the list with a caller who sees everything.
  await service.admin('DELETE', `/items/${children[1]!.id}`);
  expect(await refreshed(project.id)).toMatchObject({
    missing: 0,
    incompleteFolders: ['04_Rechnungen'],
  });
  expect(await refreshed(project.id, people.management)).toEqual(counts({ missing: 1 }));
  expect(await list(project.id)).toHaveLength(30);
});

test('a folder that hides a file without a record is named, too', async () => {
  const { folder, ...project } = await warmProject();
  await upload(project.id, '04_Rechnungen', 'seen.txt');
  const { id } = await putByHand(folder('04_Rechnungen'), 'hidden.txt');
  await hide(id);
  expect(await refreshed(project.id)).toEqual(counts({ incompleteFolders: ['04_Rechnungen'] }));
});

test('a subfolder deleted and created again in the library is read under its new id', async () => {
  const { folder, root, ...project } = await warmProject();
  await upload(project.id, '04_Rechnungen', 'old.txt');
  await service.admin('DELETE', `/items/${folder('04_Rechnungen')}`);
  const { body: made } = await service.library('POST', `/items/${root.id}/children`, {
    json: { name: '04_Rechnungen', folder: {} },
  });
  await putByHand(made.id, 'new.txt');
  expect(await refreshed(project.id)).toEqual(counts({ added: 1, missing: 1 }));
  expect((await list(project.id)).map(({ fileName }) => fileName)).toEqual(['new.txt']);
});

test('the file of a running upload is left to that upload', async () => {
  const { folder, ...project } = await warmProject();
  const folderId = folder('01_Angebote');
  const startedAt = new Date();
  const before = { at: startedAt.toISOString(), contentTag: null };
  await insertIntent(
    { ...project, folderId },
    { fileName: 'Plan.pdf', size: 4, startedAt, before, conflictBehavior: 'replace' },
  );
  await putByHand(folderId, 'Plan.pdf', 'sent', people.projectManager);
  await putByHand(folderId, 'Anderer Plan.pdf', 'sent', people.projectManager);
  expect(await refreshed(project.id)).toMatchObject({ added: 1 });
  expect((await list(project.id)).map(({ fileName }) => fileName)).toEqual(['Anderer Plan.pdf']);
  await age(project.id, 36);
  expect(await refreshed(project.id)).toMatchObject({ added: 0 });
  expect(await list(project.id)).toHaveLength(2);
});

test('a project without folders gets them; an unknown project is 404', async () => {
  const project = await service.newProject();
  expect(await refreshed(project.id)).toEqual(counts());
  const { status, body } = await refresh('no-such-project');
  expect([status, body.code]).toEqual([404, 'project_not_found']);
});

test('replacing a file without a record is reported, once', async () => {
  const { folder, ...project } = await warmProject();
  await putByHand(folder('01_Angebote'), 'by-hand.txt', 'of a colleague');
  const first = await upload(project.id, '01_Angebote', 'by-hand.txt', 'mine');
  expect(first.replacedUnrecorded).toBe(true);
  const second = await upload(project.id, '01_Angebote', 'by-hand.txt', 'mine again');
  expect(second.id).toBe(first.id);
  expect(second).not.toHaveProperty('replacedUnrecorded');
  expect(await upload(project.id, '01_Angebote', 'new.txt')).not.toHaveProperty('replacedUnrecorded');
  expect((await list(project.id))[0]).not.toHaveProperty('replacedUnrecorded');
});

test('2,500 files: pages of 500, the eight folders in parallel, every file once', async () => {
  const { folder, ...project } = await warmProject();
  const folderId = folder('08_Ausschreibungen_Vergaben');
  const names = Array.from({ length: 2500 }, (_, index) => `${index}.txt`);
  await service.admin('POST', `/items/${folderId}`, { names });
  await refreshed((await service.newProject()).id);
  // Exceeds the time that a busy machine needs to send the parallel requests.
  await service.admin('PATCH', '/settings', { responseDelayMs: 500 });
  await service.forgetRequests();
  expect(await refreshed(project.id)).toEqual(counts({ added: 2500 }));
  await service.admin('PATCH', '/settings', { responseDelayMs: 0 });
  const requests = (await service.requests()).filter(({ host }) => host === 'graph');
  // Five pages of the full folder, one page of each other folder, and one of the root.
  expect(requests).toHaveLength(13);
  expect(Math.max(...requests.map(({ depth }) => depth))).toBe(5);
  expect(
    await new DocumentRecords(service.table('ProjectDocuments'), systemClock).readAll(project.id),
  ).toHaveLength(2500);
  expect(await refreshed(project.id)).toEqual(counts());
});
