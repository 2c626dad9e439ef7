import { expect, test } from 'vitest';
import { subfolders } from '../../../lib/project-documents/subfolders.ts';
import { below, people } from '../../support/document-service.ts';
import { useDocuments } from './support/documents.ts';

const { service, provision } = useDocuments();

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

test.each(['a deleted subfolder', 'a renamed subfolder', 'a deleted root', 'a renamed root'])(
  '%s is created again, and a renamed folder is kept',
  async (what) => {
    const project = await service.newProject();
    const before = (await provision(project.id)).body;
    const target = what.includes('root') ? before.root : before.folders[2];
    if (what.includes('deleted')) await service.admin('DELETE', `/items/${target.id}`);
    else await service.admin('PATCH', `/items/${target.id}`, { name: `${target.name} alt` });
    const { status, body } = await provision(project.id);
    expect(status).toBe(200);
    const after = what.includes('root') ? body.root : body.folders[2];
    expect(after).toMatchObject({ name: target.name, created: true });
    expect(after.id).not.toBe(target.id);
    const paths = below(await service.items(), project).map(({ path }) => path);
    expect(paths).toContain(target.path);
    expect(paths.includes(`${target.path} alt`)).toBe(what.includes('renamed'));
  },
);

test('a renamed project keeps its folder; a new folder is created only when the old one is gone', async () => {
  const project = await service.newProject('Alt');
  const first = (await provision(project.id)).body;
  await service.call('PUT', `/projects/${project.id}`, {
    as: people.administrator,
    json: { number: project.number, name: 'Neu' },
  });
  const second = (await provision(project.id)).body;
  expect(second.root).toEqual({ ...first.root, created: false });
  await service.admin('DELETE', `/items/${first.root.id}`);
  const third = (await provision(project.id)).body;
  expect(third.root).toMatchObject({ name: `${project.number}_Neu`, created: true });
});

test('a file in the way of a subfolder is an error that names it', async () => {
  const project = await service.newProject();
  const { root, folders } = (await provision(project.id)).body;
  await service.admin('DELETE', `/items/${folders[0].id}`);
  const put = await service.library('PUT', `/items/${root.id}:/01_Angebote:/content`, { body: 'a file' });
  expect(put.status).toBe(201);
  const { status, body } = await provision(project.id);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'folder_name_taken' });
  expect(body.detail).toContain(`${root.path}/01_Angebote`);
});

test('cold: three round trips deep; warm: one; when a subfolder is missing: two', async () => {
  // The library's token and the parents of the root exist; the project's own folders do not.
  await provision((await service.newProject()).id);
  const project = await service.newProject();
  await service.admin('PATCH', '/settings', { responseDelayMs: 1000 });
  const depth = async () => Math.max(...(await service.requests()).map((each) => each.depth));
  await service.forgetRequests();
  const { folders } = (await provision(project.id)).body;
  const cold = await graphRequests();
  // The check (root, children, parents) in parallel, the root, the eight subfolders in parallel.
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
  expect(await depth()).toBe(2);
});

test('a listing whose first page is empty and whose next link leads to the root finds the same folders', async () => {
  const project = await service.newProject();
  const first = (await provision(project.id)).body;
  // By path and, because that is incomplete, by id: both start with an empty page.
  await service.fault({ kind: 'next-link-root' }, { url: '/children' });
  await service.fault({ kind: 'empty-page' }, { url: '/children', times: 2 });
  const { status, body } = await provision(project.id);
  expect(status).toBe(200);
  expect(body.folders).toEqual(first.folders.map((folder: any) => ({ ...folder, created: false })));
  expect(await service.admin('DELETE', '/faults')).toEqual([]);
  expect(below(await service.items(), project)).toHaveLength(9);
});

test('folders behind hundreds of others are found on a later page', async () => {
  const project = await service.newProject();
  const { root, folders } = (await provision(project.id)).body;
  // The list is ordered by name: all of these precede the folders.
  const put = (index: number) =>
    service.library('PUT', `/items/${root.id}:/00_${index}.txt:/content`, { body: 'x' });
  for (let from = 0; from < 510; from += 30) {
    await Promise.all(Array.from({ length: 30 }, (_, index) => put(from + index)));
  }
  const { status, body } = await provision(project.id);
  expect(status).toBe(200);
  expect(body.folders).toEqual(folders.map((folder: any) => ({ ...folder, created: false })));
});

test('an unknown project is 404', async () => {
  const { status, body } = await provision('no-such-project');
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'project_not_found' });
});
