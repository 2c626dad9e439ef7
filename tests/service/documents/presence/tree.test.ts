import { describe, expect, test } from 'vitest';
import { subfolders } from '../../../../lib/contract/subfolders.ts';
import { FolderMemory } from '../../../../lib/project-documents/folders/folder-memory.ts';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// A project is everything below its subfolders: a file in a folder of a subfolder belongs to it like any other.

const { service, upload: send, warmProject, list, refresh, filesOf } = useDocuments();
const owner = people.projectManager;
const other = people.backOffice;

type Project = Awaited<ReturnType<typeof warmProject>>;

const upload = async (projectId: string, name: string, content = 'x', folder = '04_Rechnungen') => {
  const { status, body } = await send(projectId, Buffer.from(content), { name, folder });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
/** The list as people see it, in a fixed order. */
const shown = async (id: string): Promise<string[]> =>
  (await list(id))
    .map(({ folderName, folderPath, fileName }: any) => [folderName, folderPath, fileName].join(' | '))
    .toSorted();
const addFolder = async (parentId: string, name: string): Promise<string> =>
  (await service.admin('POST', `/items/${parentId}`, { names: [name], kind: 'folder' }))[0].id;
const addFiles = (parentId: string, names: readonly string[]): Promise<any[]> =>
  service.admin('POST', `/items/${parentId}`, { names });
const change = (id: string, by: object) => service.admin('PATCH', `/items/${id}`, by);
const call = (method: string, path: string, as = owner) => service.call(method, `/documents/${path}`, { as });
const outcome = async (method: string, path: string, as = owner) => {
  const { status, body } = await call(method, path, as);
  return [status, body?.code ?? body?.reason];
};
const counts = (changed: object = {}) => ({
  added: 0,
  updated: 0,
  missing: 0,
  incompleteFolders: [],
  secondFolders: [],
  ...changed,
});
const exists = async (itemId: string): Promise<boolean> =>
  (await service.items()).some(({ id }) => id === itemId);

/** Three invoices that an office has sorted into a folder of the year; no one has looked since. */
async function sorted() {
  const project = await warmProject();
  const documents: any[] = [];
  for (const number of [1, 2, 3]) documents.push(await upload(project.id, `RE-${number}.pdf`));
  const year = await addFolder(project.folder('04_Rechnungen'), '2026');
  const files = await filesOf(project);
  const itemOf = (document: any): string =>
    files.find(({ path }) => path.endsWith(`/${document.fileName}`))!.id;
  for (const document of documents) await change(itemOf(document), { parentId: year });
  return { project, documents, year, itemOf };
}

describe('files that were sorted into a folder by year', () => {
  test('download and link find them and correct the list; a refresh corrects the rest', async () => {
    const { project, documents } = await sorted();
    expect(await outcome('GET', `${documents[0].id}/download`)).toEqual([200, undefined]);
    expect(await outcome('GET', `${documents[1].id}/link`)).toEqual([200, undefined]);
    expect(await shown(project.id)).toEqual(
      [
        '04_Rechnungen | 2026 | RE-1.pdf',
        '04_Rechnungen | 2026 | RE-2.pdf',
        '04_Rechnungen |  | RE-3.pdf',
      ].toSorted(),
    );
    expect((await refresh(project.id, other)).body).toEqual(counts({ updated: 1 }));
    expect(await shown(project.id)).toEqual(
      [1, 2, 3].map((number) => `04_Rechnungen | 2026 | RE-${number}.pdf`),
    );
  });

  test('are found by search, folder and path', async () => {
    const { project } = await sorted();
    await refresh(project.id);
    await upload(project.id, 'RE-4.pdf');
    const found = async (query: string): Promise<string[]> => {
      const { status, body } = await call('GET', `projects/${project.id}?${query}`);
      expect(status).toBe(200);
      return body.items.map(({ fileName }: any) => fileName).toSorted();
    };
    expect(await found('search=RE-2')).toEqual(['RE-2.pdf']);
    expect(await found('folderName=04_Rechnungen')).toHaveLength(4);
    expect(await found('folderName=04_Rechnungen&folderPath=2026')).toHaveLength(3);
    expect(await found('folderPath=')).toEqual(['RE-4.pdf']);
    expect(await found('folderPath=2025')).toEqual([]);
    expect(await found(`uploadedBy=${owner.oid}`)).toHaveLength(4);
    expect(await found(`uploadedBy=${other.oid}`)).toEqual([]);
  });

  test('are deleted where they are', async () => {
    const { project, documents, itemOf } = await sorted();
    expect(await outcome('DELETE', documents[0].id)).toEqual([204, undefined]);
    expect(await exists(itemOf(documents[0]))).toBe(false);
    expect(await shown(project.id)).toHaveLength(2);
  });

  test('lose nothing when they are deleted with their folder by hand, and the refresh is of another user', async () => {
    const { project, documents, year, itemOf } = await sorted();
    await refresh(project.id);
    await service.library('DELETE', `/items/${itemOf(documents[0])}`, { as: owner });
    expect(await outcome('GET', `${documents[0].id}/download`, other)).toEqual([404, 'document_gone']);
    await service.library('DELETE', `/items/${year}`, { as: owner });
    expect(await outcome('GET', `${documents[1].id}/download`, other)).toEqual([404, 'document_gone']);
    expect((await refresh(project.id, other)).body).toEqual(counts({ missing: 1 }));
    expect(await shown(project.id)).toEqual([]);
  });
});

test('folders made by hand appear with their files, at any depth; a renamed one is followed', async () => {
  const project = await warmProject();
  const quarter = await addFolder(await addFolder(project.folder('04_Rechnungen'), '2026'), 'Q1');
  const deep = await addFolder(quarter, 'Müller & Söhne #1 50%');
  await addFiles(deep, ['A.pdf', 'B.pdf']);
  await addFolder(quarter, 'leer');
  expect((await refresh(project.id)).body).toEqual(counts({ added: 2 }));
  const path = '2026/Q1/Müller & Söhne #1 50%';
  expect(await shown(project.id)).toEqual(['A', 'B'].map((name) => `04_Rechnungen | ${path} | ${name}.pdf`));
  await change(deep, { name: 'Meier' });
  const [a] = await list(project.id);
  expect(await outcome('GET', `${a.id}/download`)).toEqual([200, undefined]);
  expect((await refresh(project.id)).body).toEqual(counts({ updated: 1 }));
  expect(await shown(project.id)).toEqual(
    ['A', 'B'].map((name) => `04_Rechnungen | 2026/Q1/Meier | ${name}.pdf`),
  );
});

test('a nested folder in another subfolder, and one in a subfolder that was moved out of the root', async () => {
  const { project, documents, year } = await sorted();
  await change(year, { parentId: project.folder('05_Verträge') });
  expect(await outcome('GET', `${documents[0].id}/download`)).toEqual([200, undefined]);
  const [archive] = await service.admin(
    'POST',
    `/items/${(await service.items()).find(({ path }) => path === '/')!.id}`,
    {
      names: [`Archiv ${crypto.randomUUID()}`],
      kind: 'folder',
    },
  );
  await change(project.folder('05_Verträge'), { parentId: archive.id });
  expect(await outcome('GET', `${documents[1].id}/download`)).toEqual([200, undefined]);
  expect((await refresh(project.id)).body).toMatchObject({ updated: 2, missing: 0 });
  expect(await shown(project.id)).toEqual([1, 2, 3].map((number) => `05_Verträge | 2026 | RE-${number}.pdf`));
});

test('the folder of a file that is not found: 403, and nothing changes', async () => {
  const { project, documents, year } = await sorted();
  for (const [method, path] of [
    ['GET', `${documents[0].id}/download`],
    ['DELETE', documents[0].id],
  ] as const) {
    await service.fault(
      { kind: 'error', status: 404, code: 'itemNotFound' },
      { method: 'GET', url: `/items/${year}` },
    );
    expect(await outcome(method, path)).toEqual([403, 'library_access_denied']);
  }
  expect(await shown(project.id)).toHaveLength(3);
  expect(await outcome('GET', `${documents[0].id}/download`)).toEqual([200, undefined]);
});

test('a file below more folders than SharePoint has room for: 403, and nothing changes', async () => {
  const { project, documents, year, itemOf } = await sorted();
  let folder = year;
  for (let depth = 1; depth < 65; depth += 1) folder = await addFolder(folder, 'a');
  await change(itemOf(documents[0]), { parentId: folder });
  for (const [method, path] of [
    ['GET', `${documents[0].id}/download`],
    ['DELETE', documents[0].id],
  ] as const) {
    expect(await outcome(method, path)).toEqual([403, 'library_access_denied']);
  }
  expect(await shown(project.id)).toHaveLength(3);
});

test('a nested folder that is hidden from one user: nothing is set aside, and nothing is deleted', async () => {
  const { project, documents, year, itemOf } = await sorted();
  await refresh(project.id);
  await change(year, { hiddenFrom: [other.oid] });
  expect((await refresh(project.id, other)).body).toEqual(counts({ incompleteFolders: ['04_Rechnungen'] }));
  expect(await outcome('GET', `${documents[0].id}/download`, other)).toEqual([403, 'library_access_denied']);
  expect(await outcome('DELETE', documents[0].id, other)).toEqual([403, 'library_access_denied']);
  expect(await shown(project.id)).toHaveLength(3);
  // A file that one user cannot see, in a folder that this user sees.
  await change(year, { hiddenFrom: [], name: '2026 alt' });
  await change(itemOf(documents[0]), { hiddenFrom: [other.oid] });
  expect(await outcome('GET', `${documents[0].id}/download`, other)).toEqual([403, 'library_access_denied']);
  expect((await refresh(project.id, other)).body).toEqual(
    counts({ updated: 2, incompleteFolders: ['04_Rechnungen'] }),
  );
  expect(await shown(project.id)).toHaveLength(3);
});

test('a folder that is listed but cannot be read: 403 or 404, and nothing below it is set aside', async () => {
  const { project, year } = await sorted();
  await refresh(project.id);
  for (const [status, code] of [
    [403, 'accessDenied'],
    [404, 'itemNotFound'],
  ] as const) {
    await service.fault({ kind: 'error', status, code }, { url: `/items/${year}/children`, times: 1 });
    expect((await refresh(project.id, other)).body).toEqual(counts({ incompleteFolders: ['04_Rechnungen'] }));
    expect(await shown(project.id)).toHaveLength(3);
  }
});

describe('a nested folder that was moved into another project', () => {
  async function movedFolder() {
    const sortedFiles = await sorted();
    await refresh(sortedFiles.project.id);
    const elsewhere = await warmProject();
    await change(sortedFiles.year, { parentId: elsewhere.folder('05_Verträge') });
    return { ...sortedFiles, elsewhere };
  }

  test('takes its files along: the deletion in the old project leaves them', async () => {
    const { project, documents, elsewhere, itemOf } = await movedFolder();
    expect(await outcome('DELETE', documents[0].id)).toEqual([200, 'other_project']);
    expect(await exists(itemOf(documents[0]))).toBe(true);
    expect((await refresh(elsewhere.id)).body).toEqual(counts({ added: 3 }));
    expect((await refresh(project.id)).body).toEqual(counts({ missing: 2 }));
    expect([await shown(project.id), await shown(elsewhere.id)]).toEqual([
      [],
      [1, 2, 3].map((number) => `05_Verträge | 2026 | RE-${number}.pdf`),
    ]);
  });

  test('while a throttled deletion waits: the file keeps its tag, and remains', async () => {
    const { project, documents, year, itemOf } = await sorted();
    await refresh(project.id);
    const elsewhere = await warmProject();
    await service.fault({ kind: 'throttled', retryAfter: '2' }, { method: 'DELETE', times: 1 });
    await service.forgetRequests();
    const removed = outcome('DELETE', documents[0].id);
    await expect
      .poll(async () => (await service.requests()).some(({ method }) => method === 'DELETE'))
      .toBe(true);
    await change(year, { parentId: elsewhere.folder('05_Verträge') });
    expect(await removed).toEqual([200, 'other_project']);
    expect(await exists(itemOf(documents[0]))).toBe(true);
  });
});

describe.each(['package', 'shortcut'])('a %s', (kind) => {
  const added = async ({ folder }: Project, name: string): Promise<string> =>
    (await service.admin('POST', `/items/${folder('07_Protokolle')}`, { names: [name], kind }))[0].id;

  test('is no document, and not read as a folder', async () => {
    const project = await warmProject();
    const id = await added(project, 'Notizbuch');
    await service.admin('POST', `/items/${id}`, { names: ['Abschnitt.one'] });
    expect((await refresh(project.id)).body).toEqual(counts());
    expect(await shown(project.id)).toEqual([]);
  });

  test.each(['refresh', 'DELETE', 'download', 'link'])(
    'that 1.0.0 has listed leaves the list by %s, and remains in the library',
    async (how) => {
      const project = await warmProject();
      const document = await upload(project.id, 'Notizbuch', 'x', '07_Protokolle');
      const [file] = await filesOf(project);
      // As if the file of the record had always been that.
      await service.admin('PATCH', `/items/${file!.id}`, { special: kind });
      if (how === 'refresh') expect((await refresh(project.id)).body).toEqual(counts({ missing: 1 }));
      else if (how === 'DELETE') expect(await outcome('DELETE', document.id)).toEqual([200, 'outside']);
      else expect(await outcome('GET', `${document.id}/${how}`)).toEqual([404, 'document_gone']);
      expect(await shown(project.id)).toEqual([]);
      expect(await exists(file!.id)).toBe(true);
    },
  );
});

test('a second folder with the name of one that was renamed is said; its files are not listed', async () => {
  const project = await warmProject();
  await upload(project.id, 'RE.pdf');
  await change(project.folder('04_Rechnungen'), { name: '04_Rechnungen alt' });
  await addFiles(await addFolder(project.root.id, '04_Rechnungen'), ['Neu.pdf']);
  expect((await refresh(project.id)).body).toMatchObject({ added: 0, secondFolders: ['04_Rechnungen'] });
  expect(await shown(project.id)).toEqual(['04_Rechnungen |  | RE.pdf']);
});

test('rows of 1.0.0 are read as directly in their subfolder, and not written again', async () => {
  const project = await warmProject();
  await upload(project.id, 'Alt.pdf');
  const table = service.table('ProjectDocuments');
  const filter = `PartitionKey eq '${partitionOf(project.id)}' and itemId ne ''`;
  for await (const { folderPath: _, parentId: __, ...row } of table.listEntities<any>({
    queryOptions: { filter },
  })) {
    await table.updateEntity(row, 'Replace');
  }
  expect(await shown(project.id)).toEqual(['04_Rechnungen |  | Alt.pdf']);
  expect((await refresh(project.id)).body).toEqual(counts());
  const [file] = await filesOf(project);
  await service.library('DELETE', `/items/${file!.id}`, { as: owner });
  expect((await refresh(project.id)).body).toEqual(counts({ missing: 1 }));
});

describe('the list says when it was last true', () => {
  const refreshedAt = async (id: string) => (await call('GET', `projects/${id}`)).body.refreshedAt;

  test('null before, then the begin of the last refresh that saw everything', async () => {
    const { project, year } = await sorted();
    expect(await refreshedAt(project.id)).toBe(null);
    const before = Date.now();
    await refresh(project.id);
    const first = Date.parse(await refreshedAt(project.id));
    // Times of the storage have whole seconds.
    expect(first).toBeGreaterThan(before - 2000);
    await change(year, { hiddenFrom: [other.oid] });
    await refresh(project.id, other);
    expect(Date.parse(await refreshedAt(project.id))).toBe(first);
  });

  test('of persons who ask for it at once, none is skipped', async () => {
    const memory = new FolderMemory(service.table('ProjectDocuments'));
    const id = crypto.randomUUID();
    const begun = await Promise.all([1, 2, 3, 4].map(() => memory.beginRefresh(id, Date.now())));
    expect(begun).toEqual([true, true, true, true]);
  });

  test('of those who look within a minute, one refreshes, and a person who asks for it', async () => {
    const project = await warmProject();
    const look = async (query = '') =>
      (await service.call('POST', `/documents/projects/${project.id}/refresh${query}`)).body;
    const looks = await Promise.all([1, 2, 3].map(() => look('?maxAgeSeconds=60')));
    expect(looks.filter(({ isSkipped }) => isSkipped)).toHaveLength(2);
    await service.forgetRequests();
    expect(await look('?maxAgeSeconds=60')).toEqual(counts({ isSkipped: true }));
    expect(await service.requests()).toEqual([]);
    expect(await look()).toEqual(counts());
    const tooOld = await service.call('POST', `/documents/projects/${project.id}/refresh?maxAgeSeconds=0`);
    expect([tooOld.status, tooOld.body.errors[0].path]).toEqual([400, 'query.maxAgeSeconds']);
  });
});

test('requests to the library: 9 for 8 folders, 49 for 8 and 40 nested ones, one more for a nested download', async () => {
  const requestsOf = async (run: () => Promise<unknown>) => {
    await service.forgetRequests();
    await run();
    return (await service.requests()).filter(({ host }) => host === 'graph');
  };
  const project = await warmProject();
  await upload(project.id, 'RE.pdf');
  expect(await requestsOf(() => refresh(project.id))).toHaveLength(9);
  const top = await list(project.id);
  expect(await requestsOf(() => call('GET', `${top[0].id}/download`))).toHaveLength(1);
  for (let number = 0; number < 40; number += 1) {
    const parent = project.folder(number % 2 ? '04_Rechnungen' : '07_Protokolle');
    await addFiles(await addFolder(parent, String(2000 + number)), ['RE.pdf']);
  }
  expect(await requestsOf(() => refresh(project.id))).toHaveLength(49);
  const nested = (await list(project.id)).find(({ folderPath }: any) => folderPath === '2001');
  // Exceeds the time that a busy machine needs to send the parallel requests.
  await service.admin('PATCH', '/settings', { responseDelayMs: 500 });
  const download = await requestsOf(() => call('GET', `${nested.id}/download`));
  await service.admin('PATCH', '/settings', { responseDelayMs: 0 });
  expect(download.map(({ depth }) => depth)).toEqual([1, 1]);
  expect(await requestsOf(() => call('DELETE', nested.id))).toHaveLength(3);
  expect(await requestsOf(() => call('DELETE', top[0].id))).toHaveLength(2);
});

describe('the list of folders', () => {
  const foldersOf = async (id: string): Promise<string[]> => {
    const { status, body } = await call('GET', `projects/${id}/folders`, other);
    expect(status).toBe(200);
    return body.items.map(
      ({ folderName, folderPath, documentCount }: any) => `${folderName} | ${folderPath} | ${documentCount}`,
    );
  };

  test('has the subfolders, folders with documents, those above them, and empty ones after a refresh', async () => {
    const project = await warmProject();
    const top = project.folder('04_Rechnungen');
    const year = await addFolder(top, '2026');
    await addFiles(await addFolder(year, 'Q10'), ['A.pdf', 'B.pdf']);
    await addFolder(year, 'Q2');
    // Sorts between `2026` and `2026/Q2` as a text, and behind both as a folder.
    await addFiles(await addFolder(top, '2026 alt'), ['C.pdf']);
    await addFiles(top, ['D.pdf']);
    const empty = subfolders.map((name) => `${name} |  | 0`);
    expect(await foldersOf(project.id)).toEqual(empty);
    await refresh(project.id);
    await service.forgetRequests();
    const listed = await foldersOf(project.id);
    expect(await service.requests()).toEqual([]);
    expect(listed.slice(3, 9)).toEqual([
      '04_Rechnungen |  | 1',
      '04_Rechnungen | 2026 | 0',
      '04_Rechnungen | 2026/Q2 | 0',
      '04_Rechnungen | 2026/Q10 | 2',
      '04_Rechnungen | 2026 alt | 1',
      '05_Verträge |  | 0',
    ]);
    expect(listed).toHaveLength(12);
    const { body } = await call('GET', `projects/${project.id}/folders`);
    expect(body.refreshedAt).toBe((await call('GET', `projects/${project.id}`)).body.refreshedAt);
  });

  test('of an unknown project is 404, and of one that nobody has refreshed has what was uploaded', async () => {
    expect(await outcome('GET', `projects/${crypto.randomUUID()}/folders`)).toEqual([
      404,
      'project_not_found',
    ]);
    const { project } = await sorted();
    expect(await foldersOf(project.id)).toContain('04_Rechnungen |  | 3');
  });
});
