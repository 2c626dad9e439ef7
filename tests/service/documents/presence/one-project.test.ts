import { expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// A file has one project: the one in whose subfolder it lies, whoever looks first.

const { service, upload: send, warmProject, list } = useDocuments();

const upload = async (projectId: string, name = 'Plan.pdf') => {
  const { status, body } = await send(projectId, Buffer.from('x'), { name });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
const refresh = async (projectId: string) => {
  const { status, body } = await service.call('POST', `/documents/projects/${projectId}/refresh`);
  expect(status).toBe(200);
  return body;
};
const call = async (method: string, path: string, as = people.projectManager) => {
  const { status, body } = await service.call(method, `/documents/${path}`, { as });
  return [status, body?.code];
};
/** A deletion, with what its response says of a file that remains. */
const remove = async (documentId: string) => {
  const { status, body } = await service.call('DELETE', `/documents/${documentId}`);
  return [status, body];
};
const exists = async (itemId: string): Promise<boolean> =>
  (await service.items()).some(({ id }) => id === itemId);

/** A request to SharePoint itself. */
const inLibrary = async (method: string, path: string, json: object): Promise<{ id: string }> => {
  const { status, body } = await service.library(method, path, { as: people.projectManager, json });
  expect(status).toBeLessThan(300);
  return body;
};
const move = (itemId: string, parentId: string) =>
  inLibrary('PATCH', `/items/${itemId}`, { parentReference: { id: parentId } });
const newFolder = async (parentId: string, name: string): Promise<string> =>
  (await inLibrary('POST', `/items/${parentId}/children`, { name, folder: {} })).id;

async function twoProjects() {
  const [a, b] = [await warmProject(), await warmProject()];
  const document = await upload(a.id);
  const { body } = await service.library('GET', `/items/${a.folder('01_Angebote')}/children`);
  return { a, b, document, itemId: body.value[0].id as string };
}
type Projects = Awaited<ReturnType<typeof twoProjects>>;

const places: Record<string, (projects: Projects) => string | Promise<string>> = {
  "another project's subfolder": ({ b }) => b.folder('05_Verträge'),
  'the root folder': ({ a }) => a.root.id,
  'a folder beside the subfolders': ({ a }) => newFolder(a.root.id, 'Sonstiges'),
  'an archive beside the projects': () => newFolder('root', `Archiv ${crypto.randomUUID()}`),
};

for (const [place, placeIn] of Object.entries(places)) {
  const isOther = place.startsWith('another');

  async function moved() {
    const projects = await twoProjects();
    await move(projects.itemId, await placeIn(projects));
    return projects;
  }
  const expectLeft = async ({ a, b, itemId }: Projects, others: readonly string[] = []) => {
    expect((await list(a.id)).map(({ fileName }) => fileName)).toEqual(others);
    expect((await list(b.id)).map(({ fileName }) => fileName)).toEqual(isOther ? ['Plan.pdf'] : []);
    expect(await exists(itemId)).toBe(true);
  };

  test.each([
    ['old project first', ['a', 'b']],
    ['new project first', ['b', 'a']],
  ] as const)(`a file moved into ${place}, refreshed in the %s`, async (_, order) => {
    const projects = await moved();
    for (const which of order) await refresh(projects[which].id);
    await expectLeft(projects);
    // Neither an upload nor a second refresh returns it.
    await upload(projects.a.id, 'Anderes.pdf');
    for (const which of order) await refresh(projects[which].id);
    await expectLeft(projects, ['Anderes.pdf']);
    expect(await call('GET', `${projects.document.id}/download`)).toEqual([404, 'document_not_found']);
    expect(await call('DELETE', projects.document.id)).toEqual([404, 'document_not_found']);
    await expectLeft(projects, ['Anderes.pdf']);
  });

  test(`a file moved into ${place}: its download and its link are 404, and it leaves the list`, async () => {
    const projects = await moved();
    if (isOther) await refresh(projects.b.id);
    expect(await call('GET', `${projects.document.id}/link`)).toEqual([404, 'document_gone']);
    expect(await call('GET', `${projects.document.id}/download`)).toEqual([404, 'document_not_found']);
    await expectLeft(projects);
  });

  test(`a file moved into ${place}: its deletion removes the record and never the file`, async () => {
    const projects = await moved();
    if (isOther) await refresh(projects.b.id);
    expect(await remove(projects.document.id)).toEqual([
      200,
      { file: 'remains', reason: isOther ? 'other_project' : 'outside' },
    ]);
    await refresh(projects.a.id);
    await expectLeft(projects);
  });

  test(`a file moved into ${place} and back is the same document`, async () => {
    const { a, b, document, itemId } = await moved();
    await Promise.all([refresh(a.id), refresh(b.id)]);
    await move(itemId, a.folder('02_Aufträge'));
    expect(await call('GET', `${document.id}/download`)).toEqual([200, undefined]);
    await Promise.all([refresh(a.id), refresh(b.id)]);
    expect(await list(a.id)).toEqual([{ ...document, folderName: '02_Aufträge', webUrl: expect.anything() }]);
    expect(await list(b.id)).toEqual([]);
  });
}

test('old and new project refreshed at once, again and again: one of them lists the file', async () => {
  const { a, b, itemId } = await twoProjects();
  for (let round = 0; round < 4; round += 1) {
    const [from, to] = round % 2 ? [b, a] : [a, b];
    await move(itemId, to.folder('01_Angebote'));
    await Promise.all([refresh(a.id), refresh(b.id), refresh(a.id), refresh(b.id)]);
    expect([await list(from.id), (await list(to.id)).length]).toEqual([[], 1]);
  }
});

test('two instances at once: wherever a file is moved, one project at most lists it, and no deletion takes it', async () => {
  const { a, b, document, itemId } = await twoProjects();
  const other = await service.anotherInstance();
  const one: typeof other = (...call) => service.call(...call);
  const refreshBy = async (call: typeof other, { id }: { id: string }) => {
    const { status } = await call('POST', `/documents/projects/${id}/refresh`);
    expect(status).toBe(200);
  };
  const settled = () => Promise.all([one, other].flatMap((call) => [refreshBy(call, a), refreshBy(call, b)]));
  const namesOf = async (project: { id: string }) => (await list(project.id)).map(({ fileName }) => fileName);
  const moves = [
    [b.folder('01_Angebote'), [], ['Plan.pdf']],
    [await newFolder(a.folder('01_Angebote'), 'Alt'), ['Plan.pdf'], []],
    [a.folder('02_Aufträge'), ['Plan.pdf'], []],
    [a.root.id, [], []],
    [b.folder('05_Verträge'), [], ['Plan.pdf']],
    [await newFolder('root', `Archiv ${crypto.randomUUID()}`), [], []],
    [a.folder('01_Angebote'), ['Plan.pdf'], []],
    [b.folder('01_Angebote'), [], ['Plan.pdf']],
  ] as const;
  for (const [place, inA, inB] of moves) {
    await move(itemId, place);
    await settled();
    expect([await namesOf(a), await namesOf(b)]).toEqual([inA, inB]);
  }
  const path = `/documents/${document.id}`;
  const [, , one1, other1, download] = await Promise.all([
    refreshBy(one, b),
    refreshBy(other, a),
    service.call('DELETE', path),
    other('DELETE', path),
    other('GET', `${path}/download`),
  ]);
  // The first deletion removes the record, the others find none.
  for (const { status } of [one1, other1]) expect([200, 404]).toContain(status);
  expect(download.status).toBe(404);
  await settled();
  expect([await exists(itemId), await namesOf(a), await namesOf(b)]).toEqual([true, [], ['Plan.pdf']]);
});

test('a file in its project is deleted, and nothing says that it remains', async () => {
  const { document, itemId } = await twoProjects();
  expect(await remove(document.id)).toEqual([204, '']);
  expect(await exists(itemId)).toBe(false);
});

test('a file is moved between the check and its deletion: the file remains', async () => {
  const { a, b, document, itemId } = await twoProjects();
  await service.fault({ kind: 'throttled', retryAfter: '2' }, { method: 'DELETE', times: 1 });
  await service.forgetRequests();
  const removed = remove(document.id);
  await expect
    .poll(async () => (await service.requests()).some(({ method }) => method === 'DELETE'))
    .toBe(true);
  await move(itemId, b.folder('01_Angebote'));
  expect(await removed).toEqual([200, { file: 'remains', reason: 'other_project' }]);
  await refresh(b.id);
  expect([(await list(a.id)).length, (await list(b.id)).length]).toEqual([0, 1]);
  expect(await exists(itemId)).toBe(true);
});

test('a new file under the name of one that was moved away: the old record leaves the list', async () => {
  const { a, b, itemId } = await twoProjects();
  await move(itemId, b.folder('01_Angebote'));
  const second = await upload(a.id);
  expect(await list(a.id)).toEqual([second]);
});

test('after 20 deletions in SharePoint, an upload asks the library for none of them', async () => {
  const { a, itemId } = await twoProjects();
  for (let index = 0; index < 4; index += 1) await upload(a.id, `${index}.txt`);
  const { body } = await service.library('GET', `/items/${a.folder('01_Angebote')}/children`);
  const ids = body.value.map(({ id }: { id: string }) => id) as string[];
  expect(ids).toContain(itemId);
  for (const id of ids) await service.admin('DELETE', `/items/${id}`);
  expect(await refresh(a.id)).toMatchObject({ missing: 5 });
  await service.forgetRequests();
  await upload(a.id, 'neu.txt');
  const requests = await service.requests();
  expect(requests.filter(({ path }) => ids.some((id) => path.includes(id)))).toEqual([]);
  expect(requests.filter(({ host }) => host === 'graph')).toHaveLength(2);
});
