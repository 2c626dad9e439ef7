import { beforeAll, expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, upload } = useDocuments();

let project: { id: string };
const names = Array.from({ length: 7 }, (_, index) => `File ${index}.txt`);
const add = async (projectId: string, name: string, folder?: string) =>
  expect((await upload(projectId, Buffer.from(name), { name, ...(folder && { folder }) })).status).toBe(201);

beforeAll(async () => {
  project = await service.newProject();
  for (const name of names) await add(project.id, name);
});

const list = (query = '', id = project.id) => service.call('GET', `/documents/projects/${id}${query}`);
const namesOf = (body: { items: { fileName: string }[] }) => body.items.map(({ fileName }) => fileName);

test('newest first, page by page: every document once; the last page has no cursor', async () => {
  const seen: string[] = [];
  const sizes: number[] = [];
  let cursor = '';
  do {
    const { body } = await list(`?limit=3${cursor}`);
    seen.push(...namesOf(body));
    sizes.push(body.items.length);
    cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  expect(seen).toEqual(names.toReversed());
  expect(sizes).toEqual([3, 3, 1]);
});

test('the list of one subfolder, page by page', async () => {
  const { id } = await service.newProject();
  for (let index = 0; index < 6; index += 1) {
    await add(id, `${index}.txt`, index % 2 ? '01_Angebote' : '05_Verträge');
  }
  const query = `?limit=2&folderName=${encodeURIComponent('05_Verträge')}`;
  const first = await list(query, id);
  const second = await list(`${query}&cursor=${first.body.nextCursor}`, id);
  expect([namesOf(first.body), namesOf(second.body)]).toEqual([['4.txt', '2.txt'], ['0.txt']]);
  expect(second.body.nextCursor).toBeNull();
  expect((await list('?folderName=x', id)).body.code).toBe('unknown_folder');
});

test('a page that ends exactly with the list has no cursor', async () => {
  expect((await list('?limit=7')).body.nextCursor).toBeNull();
});

test('listing sends no request to the library', async () => {
  await service.forgetRequests();
  await list();
  expect(await service.requests()).toEqual([]);
});

test('a new document does not affect a client that is reading page by page', async () => {
  const other = await service.newProject();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await add(other.id, name);
  const first = await list('?limit=2', other.id);
  await add(other.id, 'd.txt');
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`, other.id);
  expect([...namesOf(first.body), ...namesOf(second.body)]).toEqual(['c.txt', 'b.txt', 'a.txt']);
});

test.each([
  'limit=0',
  'limit=201',
  'limit=x',
  'limit=1.5',
  'limit=1&limit=2',
  'cursor=',
  'cursor=abc',
  'sort=name&cursor=abc',
  'sort=date',
  'search=',
  'search=.',
  'page=2',
])('%s is 400', async (query) => {
  const { status, body } = await list(`?${query}`);
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.errors[0].path).toMatch(/^query\./);
});

test('a cursor of another project is 400', async () => {
  const { body } = await list('?limit=1');
  const other = await service.newProject();
  const response = await list(`?cursor=${body.nextCursor}`, other.id);
  expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
});

test('no documents: an empty page; no project: 404', async () => {
  const empty = await service.newProject();
  expect((await list('', empty.id)).body).toEqual({ items: [], nextCursor: null, refreshedAt: null });
  const found = await list('?search=x&sort=name', empty.id);
  expect(found.body).toEqual({ items: [], nextCursor: null, match: 'anywhere', refreshedAt: null });
  const unknown = await list('', 'unknown');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'project_not_found']);
});

test('each of the four roles can list documents, and no other role can', async () => {
  for (const as of [people.backOffice, people.management, people.projectManager, people.administrator]) {
    expect((await service.call('GET', `/documents/projects/${project.id}`, { as })).status).toBe(200);
  }
  for (const as of [people.noRole, people.activityAuthor]) {
    const { status, body } = await service.call('GET', `/documents/projects/${project.id}`, { as });
    expect([status, body.code]).toEqual([403, 'forbidden']);
  }
});
