import { describe, expect, test } from 'vitest';
import { subfolders } from '../../../../lib/contract/subfolders.ts';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { below, people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, provision, warmProject, refresh, upload, putByHand, list } = useDocuments();

const graphRequests = async () =>
  (await service.requests()).filter(({ host, inBatch }) => host === 'graph' && !inBatch);

test('creates the root and the eight subfolders, and returns them in the order of the specification', async () => {
  const project = await service.newProject('Neubau "Brücke" #1');
  const { status, body } = await provision(project.id);
  expect(status).toBe(200);
  const rootPath = `/Projekte/${project.number}_Neubau _Brücke_ _1`;
  expect(body).toMatchObject({
    projectId: project.id,
    root: { name: rootPath.split('/')[2], path: rootPath, created: true },
  });
  expect(body.folders.map((folder: any) => folder.name)).toEqual([...subfolders]);
  expect(body.folders.map((folder: any) => folder.path)).toEqual(
    subfolders.map((name) => `${rootPath}/${name}`),
  );
  expect(body.folders.every((folder: any) => folder.created)).toBe(true);
  for (const folder of [body.root, ...body.folders]) {
    expect(folder.id).toMatch(/^\w+$/);
    expect(folder.webUrl).toMatch(/^https:/);
  }
  expect(
    below(await service.items(), project)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual([rootPath, ...subfolders.map((name) => `${rootPath}/${name}`)].toSorted());
});

test('a repetition changes nothing and reports that nothing was created', async () => {
  const project = await service.newProject();
  const first = await provision(project.id);
  const second = await provision(project.id);
  expect(second.body.root).toEqual({ ...first.body.root, created: false });
  expect(second.body.folders).toEqual(
    first.body.folders.map((folder: any) => ({ ...folder, created: false })),
  );
});

test('ten concurrent callers: each folder is created once, and all responses have the same folders', async () => {
  const project = await service.newProject();
  const users = [people.projectManager, people.backOffice, people.management, people.administrator];
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) => provision(project.id, users[index % users.length])),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  const ids = responses.map(({ body }) =>
    [body.root.id, ...body.folders.map((folder: any) => folder.id)].join(),
  );
  expect(new Set(ids).size).toBe(1);
  const created = responses
    .flatMap(({ body }) => [body.root, ...body.folders])
    .filter((folder) => folder.created)
    .map((folder): string => folder.name);
  expect(new Set(created).size).toBe(created.length);
  expect(below(await service.items(), project)).toHaveLength(9);
});

test.each(['a subfolder', 'the root'])('%s that was deleted is created again', async (what) => {
  const project = await service.newProject();
  const before = (await provision(project.id)).body;
  const target = what === 'the root' ? before.root : before.folders[2];
  await service.admin('DELETE', `/items/${target.id}`);
  const { status, body } = await provision(project.id);
  expect(status).toBe(200);
  const after = what === 'the root' ? body.root : body.folders[2];
  expect(after).toMatchObject({ name: target.name, path: target.path, created: true });
  expect(after.id).not.toBe(target.id);
});

/** Moves an item as a person who works in the library. */
async function move(itemId: string, parentId: string, name?: string) {
  const { status } = await service.library('PATCH', `/items/${itemId}`, {
    as: people.management,
    json: { parentReference: { id: parentId }, ...(name !== undefined && { name }) },
  });
  expect(status).toBe(200);
}
const createIn = async (parentId: string, name: string): Promise<string> => {
  const { status, body } = await service.library('POST', `/items/${parentId}/children`, {
    json: { name, folder: {}, '@microsoft.graph.conflictBehavior': 'rename' },
  });
  expect(status).toBe(201);
  return body.id;
};

describe.each(['renamed', 'moved', 'moved and renamed'])('a root folder is %s in the library', (how) => {
  const after = async () => {
    const project = await warmProject();
    const document = (await upload(project.id, Buffer.from('x'), { name: 'Alt.pdf' })).body;
    const archive = await createIn('root', 'Archiv 100 %');
    const closed = `${project.root.name} (abgeschlossen)`;
    const name = how === 'moved' ? project.root.name : closed;
    if (how === 'renamed') await service.admin('PATCH', `/items/${project.root.id}`, { name });
    else await move(project.root.id, archive, name);
    const { path } = (await service.items()).find(({ id }) => id === project.root.id)!;
    return { project, document, name, path };
  };

  test('uploads, refreshes and provisions follow it, and no second root is created', async () => {
    const { project, document, name, path } = await after();
    const second = await upload(project.id, Buffer.from('y'), { name: 'Neu.pdf' });
    expect(second.status).toBe(201);
    const { body } = await refresh(project.id);
    expect(body).toMatchObject({ added: 0, missing: 0, incompleteFolders: [] });
    expect((await list(project.id)).map(({ id }) => id)).toEqual([second.body.id, document.id]);
    const { body: folders } = await provision(project.id);
    expect(folders.root).toMatchObject({ id: project.root.id, name, path, created: false });
    expect(folders.folders[0]).toMatchObject({
      id: project.folderId,
      path: `${path}/01_Angebote`,
      created: false,
    });
    expect(folders.renamedSince).toEqual(how === 'moved' ? undefined : { expectedName: project.root.name });
    const roots = (await service.items()).filter((item) =>
      item.path.split('/').at(-1)?.startsWith(project.number),
    );
    expect(roots.map(({ id }) => id)).toEqual([project.root.id]);
  });

  test('and then deleted: it is created again under the name of the project', async () => {
    const { project } = await after();
    await service.admin('DELETE', `/items/${project.root.id}`);
    expect((await upload(project.id, Buffer.from('y'))).status).toBe(201);
    const { body } = await provision(project.id);
    expect(body.root).toMatchObject({ name: project.root.name, path: `/Projekte/${project.root.name}` });
    expect(body.root.id).not.toBe(project.root.id);
    expect(body).not.toHaveProperty('renamedSince');
  });
});

test('a root folder is renamed and hidden from a user: 403 for this user, and no second root', async () => {
  const project = await warmProject();
  await service.admin('PATCH', `/items/${project.root.id}`, {
    name: `${project.root.name} (abgeschlossen)`,
    hiddenFrom: [people.backOffice.oid],
  });
  const as = people.backOffice;
  const uploaded = await upload(project.id, Buffer.from('y'), { as });
  expect([uploaded.status, uploaded.body.code]).toEqual([403, 'library_access_denied']);
  const provisioned = await provision(project.id, as);
  expect([provisioned.status, provisioned.body.code]).toEqual([403, 'library_access_denied']);
  expect(below(await service.items(), project)).toHaveLength(9);
  expect((await upload(project.id, Buffer.from('y'))).status).toBe(201);
});

test('a subfolder that was renamed, or moved out of the root, is followed', async () => {
  const project = await warmProject();
  const [renamed, moved] = [project.folder('01_Angebote'), project.folder('05_Verträge')];
  await service.admin('PATCH', `/items/${renamed}`, { name: '01_Angebote alt' });
  await move(moved, await createIn('root', 'Rechtsabteilung'));
  // Not the project's: it only has the name.
  await createIn(project.root.id, '01_Angebote');
  for (const folder of ['01_Angebote', '05_Verträge']) {
    expect((await upload(project.id, Buffer.from('y'), { folder })).status).toBe(201);
  }
  const { body } = await provision(project.id);
  expect(body.folders[0]).toMatchObject({
    id: renamed,
    name: '01_Angebote alt',
    path: `${body.root.path}/01_Angebote alt`,
    created: false,
  });
  expect(body.folders[4]).toMatchObject({ id: moved, path: '/Rechtsabteilung/05_Verträge', created: false });
  expect((await refresh(project.id)).body).toMatchObject({ added: 0, missing: 0 });
  expect(await list(project.id)).toHaveLength(2);
});

test('a subfolder is renamed to the name of another one that was deleted: 409 that names both', async () => {
  const project = await warmProject();
  await service.admin('DELETE', `/items/${project.folder('01_Angebote')}`);
  await service.admin('PATCH', `/items/${project.folder('02_Aufträge')}`, { name: '01_Angebote' });
  const { status, body } = await provision(project.id);
  expect([status, body.code]).toEqual([409, 'folder_name_taken']);
  expect(body.detail).toContain('The folder 02_Aufträge was renamed to 01_Angebote');
  const toSecond = await upload(project.id, Buffer.from('y'), { folder: '02_Aufträge' });
  expect(toSecond.status).toBe(201);
  expect((await upload(project.id, Buffer.from('y'))).body.code).toBe('folder_name_taken');
});

test('a subfolder is renamed and hidden from a user, and another has its name: 403 for this user', async () => {
  const project = await warmProject();
  const id = project.folder('01_Angebote');
  await service.admin('PATCH', `/items/${id}`, { name: 'alt', hiddenFrom: [people.backOffice.oid] });
  await createIn(project.root.id, '01_Angebote');
  const { status, body } = await provision(project.id, people.backOffice);
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  expect((await provision(project.id)).body.folders[0].id).toBe(id);
});

test.each([
  ['lacks one, as of a release with fewer', (ids: object) => ({ ...ids, '07_Protokolle': undefined })],
  ['was broken by hand', () => 'none'],
])('the root is renamed, and the row with the subfolders %s: all are found in it', async (_what, edited) => {
  const project = await warmProject();
  await service.admin('PATCH', `/items/${project.root.id}`, { name: `${project.number} umbenannt` });
  const table = service.table('ProjectDocuments');
  const key = [partitionOf(project.id), 'folders'] as const;
  const { subfolderIds } = await table.getEntity<{ subfolderIds: string }>(...key);
  const [partitionKey, rowKey] = key;
  const broken = JSON.stringify(edited(JSON.parse(subfolderIds) as object));
  await table.updateEntity({ partitionKey, rowKey, subfolderIds: broken }, 'Merge');
  const stored = await upload(project.id, Buffer.from('y'), { folder: '07_Protokolle' });
  expect([stored.status, stored.body.folderName]).toEqual([201, '07_Protokolle']);
  expect(await table.getEntity(...key)).toMatchObject({ rootId: project.root.id, subfolderIds });
  expect((await refresh(project.id)).body).toMatchObject({ added: 0, missing: 0 });
});

test('a renamed project keeps its folder, and is told so; a new folder is created only when the old one is gone', async () => {
  const project = await service.newProject('Alt');
  const first = (await provision(project.id)).body;
  expect(first).not.toHaveProperty('renamedSince');
  await service.call('PUT', `/projects/${project.id}`, {
    as: people.administrator,
    json: { number: project.number, name: 'Neu' },
  });
  const second = (await provision(project.id)).body;
  expect(second.root).toEqual({ ...first.root, created: false });
  expect(second.renamedSince).toEqual({ expectedName: `${project.number}_Neu` });
  await service.admin('DELETE', `/items/${first.root.id}`);
  const third = (await provision(project.id)).body;
  expect(third.root).toMatchObject({ name: `${project.number}_Neu`, created: true });
  expect(third).not.toHaveProperty('renamedSince');
});

test('a file in the way of a subfolder is an error that names it', async () => {
  const project = await service.newProject();
  const { root, folders } = (await provision(project.id)).body;
  await service.admin('DELETE', `/items/${folders[0].id}`);
  await putByHand(root.id, '01_Angebote');
  const { status, body } = await provision(project.id);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'folder_name_taken' });
  expect(body.detail).toContain(`${root.path}/01_Angebote`);
});

test('cold: three round trips deep; warm: one; when a subfolder is missing: three', async () => {
  // The library's token and the parents of the root exist; the project's own folders do not.
  await provision((await service.newProject()).id);
  const project = await service.newProject();
  await service.admin('PATCH', '/settings', { responseDelayMs: 1000 });
  const depth = async () => Math.max(...(await service.requests()).map((each) => each.depth));
  await service.forgetRequests();
  const { folders } = (await provision(project.id)).body;
  const cold = await graphRequests();
  // The check (root and parents) in parallel, the root, the eight subfolders in parallel.
  expect(await depth()).toBe(3);
  expect(cold.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(3);
  expect(cold.filter(({ method }) => method === 'POST').length).toBe(9);
  await service.forgetRequests();
  await provision(project.id);
  const warm = await graphRequests();
  expect(await depth()).toBe(1);
  expect(warm.every(({ method }) => method === 'GET')).toBe(true);
  expect(warm.length).toBeLessThanOrEqual(3);
  await service.admin('DELETE', `/items/${folders[3].id}`);
  await service.forgetRequests();
  await provision(project.id);
  // The check, whether the folder is really gone, and its creation.
  expect(await depth()).toBe(3);
});

test('the library keeps reporting that the parent of a new folder does not exist: 503', async () => {
  const fault = { kind: 'error', status: 404, code: 'itemNotFound' } as const;
  await service.fault(fault, { url: '/children', method: 'POST', times: 6 });
  const { status, body } = await provision((await service.newProject()).id);
  expect([status, body.code]).toEqual([503, 'library_throttled']);
});

test('a user who may only read: 403, after one attempt to create a folder', async () => {
  // Its parent exists.
  await warmProject();
  await service.admin('PATCH', '/settings', { access: { [people.backOffice.oid]: 'read' } });
  const project = await service.newProject();
  await service.forgetRequests();
  const { status, body } = await provision(project.id, people.backOffice);
  expect([status, body.code]).toEqual([403, 'library_access_denied']);
  expect((await service.requests()).filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a listing whose first page is empty finds the same folders', async () => {
  const project = await service.newProject();
  const first = (await provision(project.id)).body;
  await service.fault({ kind: 'empty-page' }, { url: '/children' });
  const { status, body } = await provision(project.id);
  expect(status).toBe(200);
  expect(body.folders).toEqual(first.folders.map((folder: any) => ({ ...folder, created: false })));
  expect(below(await service.items(), project)).toHaveLength(9);
});

test('an unknown project is 404', async () => {
  const { status, body } = await provision('no-such-project');
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'project_not_found' });
});
