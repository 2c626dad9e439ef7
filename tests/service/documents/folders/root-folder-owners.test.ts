import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { FolderMemory } from '../../../../lib/project-documents/folders/folder-memory.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';
import { below, people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, provision, upload: send, list } = useDocuments();

interface ProjectData {
  readonly number: string;
  readonly name: string;
}

const put = async (id: string, project: ProjectData): Promise<void> => {
  const { status } = await service.call('PUT', `/projects/${id}`, {
    as: people.administrator,
    json: project,
  });
  expect([200, 201]).toContain(status);
};
const projectWith = async (project: ProjectData): Promise<string> => {
  const id = randomUUID();
  await put(id, project);
  return id;
};
const remove = (id: string) => service.call('DELETE', `/projects/${id}`, { as: people.administrator });
const unusedNumber = (): string => `P-${randomUUID().slice(0, 8)}`;

const upload = (id: string, content: string) =>
  send(id, Buffer.from(content), { name: 'Plan.pdf', folder: '07_Protokolle' });
const content = async (documentId: string): Promise<string> =>
  (await service.call('GET', `/documents/${documentId}/download`)).body;

test.each([
  ['the same number and name', 'Neubau', 'Neubau'],
  ['names that are sanitized to the same', 'Neubau #1', 'Neubau %1'],
  ['names that differ by case', 'Neubau', 'NEUBAU'],
])('two projects with %s: the second is 409, and nothing of the first changes', async (_what, one, two) => {
  const number = unusedNumber();
  const [first, second] = [
    await projectWith({ number, name: one }),
    await projectWith({ number, name: two }),
  ];
  const document = (await upload(first, 'of the first')).body;

  const rejected = await upload(second, 'of the second');
  expect([rejected.status, rejected.body.code]).toEqual([409, 'root_folder_taken']);
  expect(rejected.body.detail).toContain(`${number}_`);
  const { status, body } = await provision(second);
  expect([status, body.code]).toEqual([409, 'root_folder_taken']);

  expect(await content(document.id)).toBe('of the first');
  expect(await list(second)).toEqual([]);
  await put(second, { number, name: 'Ein anderer Name' });
  expect((await provision(second)).status).toBe(200);
});

test('many concurrent provisions of two projects: one project wins, the other cannot use the folder', async () => {
  const number = unusedNumber();
  const ids = await Promise.all([1, 2].map(() => projectWith({ number, name: 'Zugleich' })));
  const responses = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const id = ids[index % 2]!;
      return { id, status: (await provision(id)).status };
    }),
  );
  const winners = new Set(responses.filter(({ status }) => status === 200).map(({ id }) => id));
  expect(winners.size).toBe(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(4);

  const [winner] = winners;
  const loser = ids.find((id) => id !== winner)!;
  expect((await upload(loser, 'of the other')).body.code).toBe('root_folder_taken');
  expect((await provision(winner!)).body).toMatchObject({ root: { created: false } });
  const roots = (await service.items()).filter(({ path }) => path.split('/').at(-1)!.startsWith(number));
  expect(roots.map(({ path }) => path.split('/').at(-1))).toEqual([`${number}_Zugleich`]);
  expect(below(await service.items(), { number }).filter(({ kind }) => kind === 'file')).toEqual([]);
});

test('a renamed project keeps its folder and its name', async () => {
  const number = unusedNumber();
  const first = await projectWith({ number, name: 'Alt' });
  const document = (await upload(first, 'of the first')).body;
  await put(first, { number, name: 'Neu' });
  const second = await projectWith({ number, name: 'Alt' });
  expect((await provision(second)).body.code).toBe('root_folder_taken');
  expect((await provision(first)).body.root).toMatchObject({ name: `${number}_Alt`, created: false });
  expect(await content(document.id)).toBe('of the first');
});

test('a project renamed to a name that another project owns keeps its folder', async () => {
  const number = unusedNumber();
  const first = await projectWith({ number, name: 'Eins' });
  const second = await projectWith({ number, name: 'Zwei' });
  const [document, other] = [await upload(first, 'of the first'), await upload(second, 'of the second')];
  await put(second, { number, name: 'Eins' });
  const { status, body } = await provision(second);
  expect([status, body.root.name]).toEqual([200, `${number}_Zwei`]);
  expect((await upload(second, 'again of the second')).body.id).toBe(other.body.id);
  expect(await content(document.body.id)).toBe('of the first');
});

test('a project without a folder owns no name', async () => {
  const number = unusedNumber();
  const first = await projectWith({ number, name: 'Vorläufig' });
  const second = await projectWith({ number, name: 'Vorläufig' });
  await service.fault({ kind: 'error', status: 403, code: 'accessDenied' }, { host: 'graph', times: null });
  expect((await provision(first)).status).toBe(403);
  await service.admin('DELETE', '/faults');
  expect((await provision(second)).status).toBe(200);
  expect((await provision(first)).body.code).toBe('root_folder_taken');
});

test('the old name of a folder that was renamed in the library is free, whatever the name of its project', async () => {
  const number = unusedNumber();
  const first = await projectWith({ number, name: 'Alt' });
  const { root } = (await provision(first)).body;
  await service.admin('PATCH', `/items/${root.id}`, { name: `${number}_Alt (abgeschlossen)` });
  const second = await projectWith({ number, name: 'Alt' });
  expect((await provision(second)).body.root).toMatchObject({ name: `${number}_Alt`, created: true });
  expect((await provision(first)).body.root.id).toBe(root.id);
  const documents = [await upload(first, 'of the first'), await upload(second, 'of the second')];
  expect(await Promise.all(documents.map(({ body }) => content(body.id)))).toEqual([
    'of the first',
    'of the second',
  ]);
});

test('a project that was deleted without documents, lost its folder to another and returns: 409', async () => {
  const data = { number: unusedNumber(), name: 'Leer' };
  const first = await projectWith(data);
  expect((await provision(first)).status).toBe(200);
  await remove(first);
  const second = await projectWith(data);
  expect((await upload(second, 'of the second')).status).toBe(201);
  await put(first, data);
  expect((await upload(first, 'of the first')).body.code).toBe('root_folder_taken');
});

test('a deleted project: its folder is released without documents, and kept with documents', async () => {
  const empty = { number: unusedNumber(), name: 'Leer' };
  const first = await projectWith(empty);
  expect((await provision(first)).status).toBe(200);
  await remove(first);
  expect((await provision(await projectWith(empty))).status).toBe(200);

  const full = { number: unusedNumber(), name: 'Voll' };
  const second = await projectWith(full);
  const document = (await upload(second, 'of the deleted one')).body;
  await remove(second);
  const third = await projectWith(full);
  expect((await upload(third, 'of the third')).body.code).toBe('root_folder_taken');
  expect(await content(document.id)).toBe('of the deleted one');
  // The system of record restores the project under its id, and the project has its folder again.
  await put(second, full);
  expect((await upload(second, 'restored')).body.id).toBe(document.id);
});

test.each(['vti_x', 'a _vti_ b', '_VTI_'])('a project named %j has folders', async (name) => {
  expect((await provision(await projectWith({ number: unusedNumber(), name }))).status).toBe(200);
});

test('a project whose own root is another folder keeps it when its former root gets another owner', async () => {
  const memory = new FolderMemory(tableClient(await newTable()));
  const claim = (project: string, root: string) => memory.claimRoot(project, root, async () => true);
  const foldersIn = (rootId: string) => ({
    rootId,
    subfolderIds: {},
    webUrls: { root: { webUrl: '' }, folders: [] },
  });
  expect([await claim('first', 'old'), await claim('first', 'new')]).toEqual([true, true]);
  await memory.remember('first', foldersIn('new'));
  expect([await claim('second', 'old'), await claim('second', 'new')]).toEqual([true, false]);
  expect(await memory.find('first')).toEqual(foldersIn('new'));
});

test('of two projects that take over the folder of a deleted project at once, one owns it', async () => {
  const memory = new FolderMemory(tableClient(await newTable()));
  expect(await memory.claimRoot('deleted', 'root', async () => true)).toBe(true);
  const bothHaveReadTheOwner = Promise.withResolvers<void>();
  let asked = 0;
  const needsFolders = async (owner: string): Promise<boolean> => {
    if (owner !== 'deleted') return true;
    asked += 1;
    if (asked === 2) bothHaveReadTheOwner.resolve();
    await bothHaveReadTheOwner.promise;
    return false;
  };
  const claims = ['one', 'other'].map((project) => memory.claimRoot(project, 'root', needsFolders));
  expect(new Set(await Promise.all(claims))).toEqual(new Set([true, false]));
});

test('a row of folders or of an owner in which a tool has made a number of the id is still that of the project', async () => {
  const table = tableClient(await newTable());
  const memory = new FolderMemory(table);
  const folders = { rootId: 'root', subfolderIds: {}, webUrls: { root: { webUrl: '' }, folders: [] } };
  await memory.remember('4711', folders);
  await memory.refreshed('4711', { at: new Date(0), nestedFolders: [] });
  expect(await memory.claimRoot('4711', 'root', async () => true)).toBe(true);
  for await (const { partitionKey = '', rowKey = '' } of table.listEntities())
    await table.updateEntity({ partitionKey, rowKey, projectId: 4711 }, 'Merge');
  expect(await memory.find('4711')).toEqual(folders);
  expect(await memory.lastRefresh('4711')).toMatchObject({ at: new Date(0) });
  expect(await memory.ownerOf('root')).toBe('4711');
  expect(await memory.claimRoot('4711', 'root', async () => true)).toBe(true);
  expect(await memory.claimRoot('other', 'root', async () => true)).toBe(false);
});
