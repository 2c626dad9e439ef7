import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { DocumentRecords } from '../../../../lib/project-documents/document-records/document-records.ts';
import type { NewRecord } from '../../../../lib/project-documents/document-records/document-row.ts';
import { searchDocuments } from '../../../../lib/project-documents/document-search.ts';
import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { projectKind } from '../../../../lib/projects/project.ts';
import { SearchableRecords } from '../../../../lib/master-data/searchable-records.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';
import { StorageWatch } from '../../../support/storage-watch.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

// Finding documents by name, in a project and across projects, and the URLs of the folders.

const { service, provision, refresh, upload } = useDocuments();

let records: DocumentRecords;
beforeAll(() => {
  records = new DocumentRecords(service.table('ProjectDocuments'), systemClock);
});

const get = (path: string, as = people.projectManager) => service.call('GET', `/documents${path}`, { as });
const namesOf = ({ body }: { body: { items: { fileName: string }[] } }) =>
  body.items.map(({ fileName }) => fileName);

const record = (projectId: string, fileName: string, change: Partial<NewRecord> = {}): NewRecord => ({
  projectId,
  folderName: '01_Angebote',
  folderPath: '',
  fileName,
  size: fileName.length,
  librarySize: fileName.length,
  contentType: 'application/pdf',
  webUrl: `https://example.com/${fileName}`,
  uploadedByUserId: people.projectManager.oid,
  uploadedByName: null,
  uploadedAt: '2026-11-20T10:00:00.000Z',
  itemId: `${projectId}/${fileName}`,
  ...change,
});

/** All pages of a list, with two documents each. */
async function pagesOf(path: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ''; ;) {
    const page = await get(`${path}&limit=2${cursor}`);
    expect(page.status).toBe(200);
    names.push(...namesOf(page));
    if (page.body.nextCursor === null) return names;
    cursor = `&cursor=${page.body.nextCursor}`;
  }
}

async function uploaded(projectId: string, name: string) {
  const { status, body } = await upload(projectId, Buffer.from(name), { name, folder: '02_Aufträge' });
  expect(status).toBe(201);
  return body as { id: string; itemId: string; size: number };
}

test('in a project: sorted by name, time, size, and person, in both directions, page by page', async () => {
  const { id } = await service.newProject();
  const files = ['Plan 10.pdf', 'Äpfel.pdf', 'plan 2.pdf', 'Zaun.pdf', 'Bau.pdf'];
  const uploaders = ['Özlem Berg', 'Anna 10', null, 'anna 9', 'Özlem Berg'];
  for (const [index, name] of files.entries()) {
    const change = {
      size: 10 ** (index % 3),
      uploadedAt: `2026-11-2${index}T10:00:00.000Z`,
      uploadedByUserId: `u ${uploaders[index]}`,
      uploadedByName: uploaders[index]!,
    };
    await records.save(record(id, name, change));
  }
  const byName = ['Äpfel.pdf', 'Bau.pdf', 'plan 2.pdf', 'Plan 10.pdf', 'Zaun.pdf'];
  const of = (query: string) => pagesOf(`/projects/${id}?${query}`);
  expect(await of('sort=name')).toEqual(byName);
  expect(await of('sort=-name')).toEqual(byName.toReversed());
  expect(await of('sort=uploadedAt')).toEqual(files);
  expect(await of('sort=-uploadedAt')).toEqual(files.toReversed());
  const sizes = (await of('sort=size')).map((name) => files.indexOf(name) % 3);
  expect(sizes).toEqual([0, 0, 1, 1, 2]);
  expect(await of('sort=-size')).toEqual((await of('sort=size')).toReversed());
  // Whose name is not known comes first; the documents of one person are in the order of their times.
  const byPerson = ['plan 2.pdf', 'Zaun.pdf', 'Äpfel.pdf', 'Plan 10.pdf', 'Bau.pdf'];
  expect(await of('sort=uploadedBy')).toEqual(byPerson);
  expect(await of('sort=-uploadedBy')).toEqual(byPerson.toReversed());
  expect((await get(`/projects/${id}/folders`)).body.people).toEqual([
    { userId: 'u anna 9', name: 'anna 9', documentCount: 1 },
    { userId: 'u Anna 10', name: 'Anna 10', documentCount: 1 },
    { userId: 'u Özlem Berg', name: 'Özlem Berg', documentCount: 2 },
  ]);
  expect(await of('search=PLAN')).toEqual(['plan 2.pdf', 'Plan 10.pdf']);
  expect(await of('search=pla 10')).toEqual(['Plan 10.pdf']);
  expect(await of('search=lan')).toEqual(['plan 2.pdf', 'Plan 10.pdf']);
  expect(await of('search=aep')).toEqual(['Äpfel.pdf']);
  expect(await of('search=lanx')).toEqual([]);
  expect(await of('search=pdf&sort=name&folderName=01_Angebote')).toEqual(byName);
  expect(await of('search=pdf&sort=name&folderName=07_Protokolle')).toEqual([]);
  const { body } = await get(`/projects/${id}?sort=name&limit=1`);
  for (const other of ['sort=-name', 'sort=name&search=plan', 'limit=1']) {
    const response = await get(`/projects/${id}?${other}&cursor=${body.nextCursor}`);
    expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
  }
});

test('across projects: by each word of the name, with number and name of the project', async () => {
  const projects = [await service.newProject(), await service.newProject()];
  const word = `qx${Date.now()}`;
  const documents = await Promise.all(projects.map(({ id }) => uploaded(id, `Nachtrag_${word} Süd.txt`)));
  const { status, body } = await get(`?search=${word}`);
  expect(status).toBe(200);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  const expected = documents.map((document, index) => {
    const { number: projectNumber, name: projectName } = projects[index]!;
    return { ...document, projectNumber, projectName };
  });
  expect((body.items as { id: string }[]).toSorted(byId)).toEqual(expected.toSorted(byId));
  expect(namesOf(await get(`?search=sued ${word.slice(0, 10)}`))).toHaveLength(2);
  const inside = await get(`?search=${word.slice(1)}`);
  expect([namesOf(inside).length, inside.body.match]).toEqual([2, 'anywhere']);
  await uploaded(projects[1]!.id, `${word}.txt`);
  // More than a page.
  expect(await pagesOf(`?search=${word}`)).toHaveLength(3);

  await service.call('DELETE', `/projects/${projects[0]!.id}`, { as: people.administrator });
  const after = await get(`?search=${word}`);
  const numbers = after.body.items.map(({ projectNumber }: { projectNumber: string }) => projectNumber);
  expect(new Set(numbers)).toEqual(new Set([null, projects[1]!.number]));
});

test('a document is found under its present name only, and not after its deletion', async () => {
  const project = await service.newProject();
  const word = `qy${Date.now()}`;
  const { id } = await uploaded(project.id, `${word}alt.txt`);
  const rows = async () => {
    const filter = `PartitionKey eq 'document-words' and id eq '${id}'`;
    const found = await Array.fromAsync(
      service.table('ProjectDocuments').listEntities({ queryOptions: { filter } }),
    );
    return found.map(({ rowKey = '' }) => rowKey);
  };
  expect(await rows()).toEqual([`W!${word}alt-txt!${id}`, `W!txt!${id}`]);
  const record = (await records.find(id))!;
  await records.correct(record, { name: `${word}neu.txt` });
  expect(namesOf(await get(`?search=${word}`))).toEqual([`${word}neu.txt`]);
  expect(await rows()).toEqual([`W!${word}neu-txt!${id}`, `W!txt!${id}`]);
  await records.setAside((await records.find(id))!);
  expect(await rows()).toEqual([]);
  await records.save((await records.findSetAside(id))!);
  expect(await rows()).toEqual([`W!${word}neu-txt!${id}`, `W!txt!${id}`]);
  expect((await service.call('DELETE', `/documents/${id}`)).status).toBe(204);
  expect(namesOf(await get(`?search=${word}`))).toEqual([]);
  expect(await rows()).toEqual([]);
});

test('rows that a crash has left behind are ignored', async () => {
  const project = await service.newProject();
  const word = `qz${Date.now()}`;
  const { id } = await uploaded(project.id, 'Plan.txt');
  for (const [of, name] of [
    [id, `${word}.txt`],
    ['00000000-0000-8000-8000-000000000000', `${word}.txt`],
  ] as const) {
    const key = { partitionKey: 'document-words', rowKey: `W!${word}-txt!${of}` };
    await service.table('ProjectDocuments').createEntity({ ...key, id: of, fileName: name });
  }
  expect((await get(`?search=${word}`)).body).toEqual({
    items: [],
    nextCursor: null,
    match: 'anywhere',
    searchedProjects: expect.any(Number),
  });
});

test('files that a refresh finds are found by search', async () => {
  const project = await service.newProject();
  const word = `qr${Date.now()}`;
  await uploaded(project.id, `${word}.txt`);
  for (const { id } of (await get(`/projects/${project.id}`)).body.items) await records.remove(id);
  expect(namesOf(await get(`?search=${word}`))).toEqual([]);
  expect((await refresh(project.id)).body.added).toBe(1);
  expect(namesOf(await get(`?search=${word}`))).toEqual([`${word}.txt`]);
});

test('the list has the URLs of the folders from the first provision on, and follows a new name', async () => {
  const project = await service.newProject();
  expect(await get(`/projects/${project.id}`)).toMatchObject({ body: { items: [] } });
  for (const rename of [false, true]) {
    const { root } = (await provision(project.id)).body;
    if (rename) await service.admin('PATCH', `/items/${root.id}`, { name: `${root.name} (abgeschlossen)` });
    const { root: now, folders } = (await provision(project.id)).body;
    const { body } = await get(`/projects/${project.id}`);
    expect(body.root).toEqual({ webUrl: now.webUrl });
    expect(body.folders).toEqual(
      folders.map(({ name, webUrl }: { name: string; webUrl: string }) => ({ name, webUrl })),
    );
    expect(decodeURIComponent(body.root.webUrl).includes('(abgeschlossen)')).toBe(rename);
  }
});

test.each(['', '?search=', '?search=x&limit=0', '?search=x&cursor=abc', '?search=x&sort=name'])(
  'GET /documents%s is 400',
  async (query) => {
    const { status, body } = await get(query);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  },
);

test('each of the four roles can search, and no other role can', async () => {
  for (const as of [people.backOffice, people.management, people.projectManager, people.administrator]) {
    expect((await get('?search=x', as)).status).toBe(200);
  }
  for (const as of [people.noRole, people.activityAuthor])
    expect((await get('?search=x', as)).status).toBe(403);
});

test('2,000 documents: the requests of a page in any order, of a search, and of one in all projects', async () => {
  const watch = new StorageWatch();
  const table = tableClient(await newTable(), { additionalPolicies: watch.policies });
  const counted = new DocumentRecords(table, systemClock);
  await counted.readAll('p');
  watch.reset();
  await counted.add(Array.from({ length: 2000 }, (_, index) => record('p', `${index}`)));
  // 48 records in a transaction; names and words are a few more.
  expect(watch.calls.length).toBeLessThan(2000 / 48 + 15);
  const requests = async (work: () => Promise<unknown>): Promise<number> => {
    watch.reset();
    await work();
    return watch.calls.length;
  };
  const sorted = await counted.list('p', { sort: '-name', limit: 20 });
  expect(sorted.items.map(({ fileName }) => fileName).slice(0, 2)).toEqual(['1999', '1998']);
  expect(await requests(() => counted.list('p', { sort: '-name', limit: 20 }))).toBe(22);
  expect(watch.rowsRead).toBeLessThanOrEqual(565);
  const { items } = await counted.list('p', { search: '1321', limit: 200 });
  expect(items.map(({ fileName }) => fileName)).toEqual(['1321']);
  expect(await requests(() => counted.list('p', { search: '1321', limit: 200 }))).toBe(3);
  const found = await counted.search({ search: '1321', limit: 50 });
  expect(found).toEqual({ items, nextCursor: null });
  expect(await requests(() => counted.search({ search: '1321', limit: 50 }))).toBe(3);
}, 180_000);

test('in all projects: parts of words and names of people, page by page, each once; the highest number first, archived projects last', async () => {
  const watch = new StorageWatch();
  const names = [await newTable(), await newTable()] as const;
  const documentRecords = new DocumentRecords(tableClient(names[0]), systemClock);
  const projects = new SearchableRecords(tableClient(names[1]), projectKind);
  const number = (index: number) => `2026-${String(index).padStart(4, '0')}`;
  await projects.write(
    Array.from({ length: 130 }, (_, index) => ({
      id: `p${index}`,
      record: { number: number(index), name: 'Haus', externalId: null },
      isArchived: index === 129,
    })),
  );
  const by = (uploadedByName: string) => ({ uploadedByUserId: uploadedByName, uploadedByName });
  // More than 500: from the packed names.
  const many = Array.from({ length: 510 }, (_, at) =>
    record('p7', at < 5 ? `Teilrechnung ${at}.pdf` : `Plan ${at}.pdf`, by('Özlem Berg')),
  );
  await documentRecords.readAll('p7');
  await documentRecords.add(many);
  const newer = { uploadedAt: '2026-11-21T10:00:00.000Z' };
  await documentRecords.save(record('p3', 'Schlußrechnung Süd.pdf', { ...by('Anna Ahlers'), ...newer }));
  await documentRecords.save(record('p3', 'Zwischenrechnung.pdf', by('Anna Ahlers')));
  await documentRecords.save(record('p120', 'Bauentwurf.pdf', by('Anna Ahlers')));
  await documentRecords.save(record('p129', 'Abrechnung.pdf', by('Bernd Anders')));
  await documentRecords.save(record('p5', 'Rechnung 1.pdf', by('Bernd Anders')));

  const parts = { documentRecords, projects, clock: systemClock };
  const pagesFor = async (search: string, limit: number) => {
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = await searchDocuments(parts, { search, limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      pages.push(page);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return pages;
  };
  const found = async (search: string, limit: number) =>
    (await pagesFor(search, limit)).flatMap(({ items }) => items.map(({ fileName }) => fileName));
  const partial = ['Teilrechnung 0.pdf', 'Teilrechnung 1.pdf', 'Teilrechnung 2.pdf', 'Teilrechnung 3.pdf'];
  for (const limit of [1, 2, 3, 50]) {
    const all = await found('rechnung', limit);
    expect([all[0], all.slice(1, 6).toSorted(), all.slice(6)]).toEqual([
      'Rechnung 1.pdf',
      [...partial, 'Teilrechnung 4.pdf'],
      ['Schlußrechnung Süd.pdf', 'Zwischenrechnung.pdf', 'Abrechnung.pdf'],
    ]);
  }
  const pages = await pagesFor('rechnung', 50);
  expect(pages.map(({ match, searchedProjects }) => [match, searchedProjects])).toEqual([
    ['wordStart', 0],
    ['anywhere', 100],
    ['anywhere', 130],
  ]);
  expect(await found('entwurf', 50)).toEqual(['Bauentwurf.pdf']);
  expect(await found('ahlers', 50)).toEqual([
    'Bauentwurf.pdf',
    'Schlußrechnung Süd.pdf',
    'Zwischenrechnung.pdf',
  ]);
  expect(await found('anders rechn', 50)).toEqual(['Rechnung 1.pdf', 'Abrechnung.pdf']);
  expect(await found('ahlers rechnung sued', 50)).toEqual(['Schlußrechnung Süd.pdf']);
  expect(await found('oezlem 509', 1)).toEqual(['Plan 509.pdf']);
  expect(await found('gibtesnicht', 50)).toEqual([]);

  const counted = new DocumentRecords(
    tableClient(names[0], { additionalPolicies: watch.policies }),
    systemClock,
  );
  const search = { search: 'gibtesnicht', limit: 50 };
  await searchDocuments({ ...parts, documentRecords: counted }, search);
  // The index, and two for each project.
  expect(watch.calls.length).toBeLessThanOrEqual(2 + 2 * 130);
  expect(
    (await Array.fromAsync(tableClient(names[0]).listEntities())).map(({ partitionKey }) => partitionKey),
  )
    // A search writes nothing for a project without documents.
    .not.toContain(partitionOf('p1'));
  for (const cursor of ['~', '~{}', '~{"isArchived":false,"searchedProjects":0,"list":"R!p1"}'])
    await expect(searchDocuments(parts, { search: 'x', limit: 1, cursor })).rejects.toMatchObject({
      code: 'invalid_request',
    });
}, 60_000);

test('in all projects: the next page repeats no project if the one where the page ended is deleted or another is added, and a page ends after five seconds', async () => {
  const documentRecords = new DocumentRecords(tableClient(await newTable()), systemClock);
  const projects = new SearchableRecords(tableClient(await newTable()), projectKind);
  const put = (number: number) =>
    projects.put(`p${number}`, { number: `2026-${number}`, name: 'Haus', externalId: null });
  const numbers = Array.from({ length: 40 }, (_, index) => 100 + index);
  await Promise.all(numbers.map(put));
  for (const number of [101, 105, 110]) {
    for (const part of ['a', 'b']) {
      await documentRecords.save(record(`p${number}`, `Schlussrechnung ${number}${part}.pdf`));
    }
  }
  const parts = { documentRecords, projects, clock: systemClock };
  const page = (limit: number, cursor?: string | null) =>
    searchDocuments(parts, { search: 'rechnung', limit, cursor: cursor ?? undefined });
  const namesIn = ({ items }: { items: readonly { fileName: string }[] }) =>
    items.map(({ fileName }) => fileName.replace('Schlussrechnung ', '')).toSorted();
  // The page ends within a project, and after one.
  for (const limit of [1, 2]) {
    const first = await page(limit);
    expect(namesIn(first).map((name) => name.slice(0, 3))).toEqual(Array(limit).fill('110'));
    await Promise.all([105, 106, 110].map((number) => projects.delete(`p${number}`)));
    await projects.put('p200', { number: '2026-105-1', name: 'Neu', externalId: null });
    const second = await page(50, first.nextCursor);
    expect(namesIn(second)).toEqual(['101a.pdf', '101b.pdf']);
    expect(second.searchedProjects).toBeLessThanOrEqual(41);
    await Promise.all([105, 106, 110].map(put));
    await projects.delete('p200');
  }

  // Each look at the clock is two seconds later.
  let nowMs = 0;
  const slow = { ...parts, clock: { now: () => (nowMs += 2000) } };
  const searched: number[] = [];
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const each = await searchDocuments(slow, { search: 'rechnung', limit: 50, cursor });
    searched.push(each.searchedProjects);
    found.push(...namesIn(each));
    cursor = each.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect([searched, found.length]).toEqual([[24, 40], 6]);
}, 60_000);

test('in all projects: documents that were added together, page by page, each once', async () => {
  const table = tableClient(await newTable());
  const own = new DocumentRecords(table, systemClock);
  const namesOfAll = async (search: string, limit: number) => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await own.search({ search, limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      names.push(...page.items.map(({ fileName }) => fileName));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return names.toSorted(new Intl.Collator('de', { numeric: true }).compare);
  };
  const nameAt = (index: number) => `Plan 5${index} 5 Größe.pdf`;
  const indexes = [...Array.from({ length: 30 }).keys()];
  await own.add(indexes.map((index) => record('p', nameAt(index))));
  await own.add(indexes.map((index) => record('q', nameAt(index))));
  const expected = indexes.flatMap((index) => [nameAt(index), nameAt(index)]);
  for (const limit of [7, 30, 60, 200]) expect(await namesOfAll('groesse plan', limit)).toEqual(expected);
  // A word of one letter, which is in several rows.
  expect(await namesOfAll('5', 7)).toEqual(expected);
  expect(await namesOfAll('529', 7)).toEqual([nameAt(29), nameAt(29)]);
  expect(await namesOfAll('röße', 7)).toEqual([]);
  // Written again, renamed, and removed: rows of its own, or none.
  const first = (await own.findByItem('p', `p/${nameAt(0)}`))!;
  await own.save({ ...first, uploadedAt: '2026-11-21T10:00:00.000Z' });
  const second = (await own.findByItem('p', `p/${nameAt(1)}`))!;
  await own.correct(second, { name: 'Umbenannt Größe.pdf' });
  await own.remove((await own.findByItem('p', `p/${nameAt(2)}`))!.id);
  const now = expected.toSpliced(2, 1).toSpliced(3, 1);
  for (const limit of [7, 58, 200]) expect(await namesOfAll('groesse plan', limit)).toEqual(now);
  expect(await namesOfAll('umbenannt', 7)).toEqual(['Umbenannt Größe.pdf']);
}, 60_000);
