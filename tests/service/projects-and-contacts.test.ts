import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { suggestedColumns } from '../../console/import-files/columns.ts';
import { tableIn } from '../../console/import-files/file-table.ts';
import { planOf } from '../../console/import-files/plan.ts';
import { existingRecords, sendPlan, type Call } from '../../console/import-files/send-plan.ts';
import { operations } from '../../functions/operations.ts';
import {
  applications,
  type IdentityProvider,
} from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { people } from '../../local/stand-ins/identity-provider/people.ts';
import { contact } from '../../lib/contacts/contact.ts';
import { project } from '../../lib/projects/project.ts';
import { connect, ensureTables, type Services } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { startTestIdentityProvider } from '../support/identity.ts';
import { newStorage } from '../support/shared-azurite.ts';

// A separate storage account, because the names of the service's tables are fixed.
let storage: Awaited<ReturnType<typeof newStorage>>;
let idp: IdentityProvider;
let api: Api;
let services: Services;
const tokens = {} as Record<keyof typeof people, string>;
const appTokens = {} as Record<'recordsSync' | 'noRole', string>;

const projects = [
  { id: 'c', number: '2025-0007', name: 'Brandschutz Brücken' },
  { id: 'a', number: '2026-0412', name: 'Neubau Brücke Müllerstraße' },
  { id: 'b', number: '2026-0413', name: 'Umbau Büro Mueller & Söhne' },
];
const contacts = [
  { id: randomUUID(), lastName: null, firstName: null, company: 'Abel Bau GmbH', city: 'Köln' },
  { id: randomUUID(), lastName: 'Grünwald', firstName: 'Jörg', company: 'Zander AG', city: 'Bremen' },
  { id: randomUUID(), lastName: 'Gruenwald', firstName: 'Anna', company: null, city: 'Köln' },
];

beforeAll(async () => {
  [storage, idp] = await Promise.all([newStorage(), startTestIdentityProvider()]);
  const { tenantId, clientId, clientSecret } = idp.registration;
  services = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: storage.connectionString,
      IDP_TENANT_ID: tenantId,
      IDP_API_CLIENT_ID: clientId,
      IDP_API_CLIENT_SECRET: clientSecret,
      IDP_AUTHORITY_HOST: idp.url,
      RECORDS_SYNC_CLIENT_IDS: Object.values(applications)
        .map(({ clientId }) => clientId)
        .join(', '),
    }),
  );
  await ensureTables(services);
  api = new Api(services);
  for (const [name, person] of Object.entries(people)) {
    tokens[name as keyof typeof people] = await idp.accessToken(person);
  }
  for (const name of ['recordsSync', 'noRole'] as const) {
    appTokens[name] = await idp.appToken(applications[name]);
  }
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await api.call('PUT', path, { token: tokens.administrator, body });
    expect(status).toBe(201);
  };
  await Promise.all([
    ...projects.map(({ id, ...project }) => put(`/projects/${id}`, project)),
    ...contacts.map(({ id, ...contact }) => put(`/contacts/${id}`, contact)),
  ]);
});

afterAll(async () => {
  await Promise.all([storage.stop(), idp.stop()]);
});

const get = (path: string, token: string | undefined = tokens.management): Promise<ApiResponse> =>
  api.call('GET', path, { token });

const pageOf = <T>(item: z.ZodType<T>) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

test('projects are listed by number, contacts by last name or company', async () => {
  const { items, nextCursor } = pageOf(project).parse((await get('/projects')).body);
  expect(items).toMatchObject(projects);
  expect(nextCursor).toBeNull();
  expect(Object.keys(items[0]!)).toEqual(['id', 'externalId', 'number', 'name', 'isArchived', 'updatedAt']);
  const [abel, joerg, anna] = contacts;
  const page = pageOf(contact).parse((await get('/contacts')).body);
  expect(page.items).toMatchObject([abel, anna, joerg]);
  expect(page.items[0]).toMatchObject({ lastName: null, zip: null, email: null });
});

test('a record that exists is written with 200; the set-up has received 201 for new ones', async () => {
  for (const [path, body] of [
    ['/projects/a', { number: projects[1]!.number, name: projects[1]!.name }],
    [`/contacts/${contacts[0]!.id}`, { company: contacts[0]!.company, city: contacts[0]!.city }],
  ] as const) {
    expect((await api.call('PUT', path, { token: tokens.administrator, body })).status).toBe(200);
  }
});

test.each([
  ['/projects', { number: '2020-0001', name: 'Abriss' }],
  ['/contacts', { lastName: 'Weg' }],
])('%s: a record that is deleted is gone', async (path, body) => {
  const record = `${path}/${randomUUID()}`;
  const call = (method: 'PUT' | 'GET' | 'DELETE', given: object = {}) =>
    api.call(method, record, { token: tokens.administrator, ...given });
  await call('PUT', { body });
  expect([(await call('DELETE')).status, (await call('GET')).status]).toEqual([204, 404]);
});

test('a page ends at its limit, and its cursor returns the next page', async () => {
  const first = pageOf(project).parse((await get('/projects?limit=2')).body);
  expect(first.items).toMatchObject(projects.slice(0, 2));
  const cursor = encodeURIComponent(first.nextCursor!);
  const second = pageOf(project).parse((await get(`/projects?limit=2&cursor=${cursor}`)).body);
  expect(second).toMatchObject({ items: projects.slice(2), nextCursor: null });
});

test('projects are listed from the highest number, page by page', async () => {
  for (const limit of [1, 2, 3, 50]) {
    const ids: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await get(`/projects?sort=-number&limit=${limit}${cursor}`);
      expect([status, body.items.length > 0]).toEqual([200, true]);
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor === null ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`;
    } while (cursor !== '');
    expect(ids).toEqual(projects.map(({ id }) => id).toReversed());
  }
});

test.each([
  ['/projects', 'MÜLLER 2026', ['b', 'a']],
  ['/projects', 'ücke', []],
  ['/contacts', 'j gruenw', [contacts[1]!.id]],
  ['/contacts', 'zander ag', [contacts[1]!.id]],
])('%s searched for %j', async (path, search, found) => {
  const { status, body } = await get(`${path}?search=${encodeURIComponent(search)}`);
  expect([status, body.items.map(({ id }: { id: string }) => id)]).toEqual([200, found]);
});

describe.each(['/projects', '/contacts'])('GET %s', (path) => {
  test.each([
    ['limit=0', 'query.limit'],
    ['limit=201', 'query.limit'],
    ['search=', 'query.search'],
    ['search=%26', 'query.search'],
    [`search=${'x'.repeat(101)}`, 'query.search'],
    ['cursor=eyJhIjoxfQ', 'query.cursor'],
    ['name=x', 'query.name'],
  ])('rejects ?%s', async (query, fault) => {
    const { status, body } = await get(`${path}?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([fault]);
  });

  test.each(['backOffice', 'management', 'projectManager', 'administrator', 'activityAuthor'] as const)(
    'is open to %s, also one by one',
    async (name) => {
      const { status, body } = await get(path, tokens[name]);
      expect(status).toBe(200);
      expect(await get(`${path}/${body.items[0].id}`, tokens[name])).toMatchObject({
        status: 200,
        body: body.items[0],
      });
    },
  );

  test('is written and deleted by administrators only', async () => {
    for (const name of ['management', 'activityAuthor'] as const) {
      const body = { number: '2026-0001', name: 'x' };
      expect((await api.call('PUT', `${path}/new`, { token: tokens[name], body })).status).toBe(403);
      expect((await api.call('DELETE', `${path}/new`, { token: tokens[name] })).status).toBe(403);
    }
  });

  test('is denied to others', async () => {
    expect((await api.call('GET', path)).status).toBe(401);
    expect((await get(path, tokens.noRole)).status).toBe(403);
  });
});

test('the cursor of one list is rejected by another', async () => {
  const { body } = await get('/projects?limit=1');
  const cursor = encodeURIComponent(body.nextCursor);
  expect((await get(`/contacts?cursor=${cursor}`)).body.code).toBe('invalid_request');
  expect((await get(`/projects?search=bau&cursor=${cursor}`)).body.code).toBe('invalid_request');
});

describe('a batch', () => {
  const post = (path: string, body: object, token = appTokens.recordsSync): Promise<ApiResponse> =>
    api.call('POST', path, { token, body });

  test('has the outcome or the faults of each item, and repeating it changes nothing', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    const items = [
      { id, lastName: 'Stapel', externalId: 'K-1' },
      { externalId: 'K-2', lastName: 'Stapel' },
      { id: other, lastName: 'Stapel', email: 'keine Adresse', fax: '1' },
      { id: id.toUpperCase(), lastName: 'Doppelt' },
      { lastName: 'Ohne Schlüssel' },
      'kein Kontakt',
      { id: '4711', lastName: 'Falsche Id' },
      { externalId: 'K-1', lastName: 'Doppelt' },
    ];
    const faults = [
      {
        index: 2,
        id: other,
        outcome: 'fault',
        errors: [
          { path: 'body.items.2.email', code: 'not_email' },
          { path: 'body.items.2.fax', code: 'unknown_field' },
        ],
      },
      { index: 3, id, errors: [{ path: 'body.items.3', code: 'same_record', params: { index: 0 } }] },
      { index: 4, id: null, errors: [{ path: 'body.items.4', code: 'id_or_external_id_required' }] },
      { index: 5, id: null, errors: [{ path: 'body.items.5' }] },
      { index: 6, id: null, errors: [{ path: 'body.items.6.id', code: 'not_uuid' }] },
      { index: 7, id, errors: [{ path: 'body.items.7', code: 'same_record' }] },
    ];
    const first = await post('/contacts/batch', { items });
    expect(first).toMatchObject({ status: 200, body: { created: 2, updated: 0, unchanged: 0, faults: 6 } });
    expect(first.body.items.slice(2)).toMatchObject(faults);
    const again = await post('/contacts/batch', { items });
    expect(again.body).toMatchObject({ created: 0, updated: 0, unchanged: 2, faults: 6 });
    expect((await get('/contacts?externalId=K-2')).body.items).toMatchObject([
      { id: first.body.items[1].id, externalId: 'K-2', lastName: 'Stapel' },
    ]);
    expect((await get('/contacts?externalId=K-3')).body).toEqual({ items: [], nextCursor: null });
  });

  test.each([
    ['/contacts?externalId=', 'query.externalId'],
    ['/contacts?externalId=K&search=x', 'query.externalId'],
    ['/contacts?isArchived=true', 'query.isArchived'],
    ['/projects?isArchived=yes', 'query.isArchived'],
    ['/projects?externalId=K&isArchived=false', 'query.externalId'],
    ['/projects?externalId=K&sort=number', 'query.externalId'],
    ['/projects?search=x&sort=-number', 'query.sort'],
    ['/contacts?sort=-number', 'query.sort'],
  ])('GET %s is rejected', async (path, fault) => {
    const { status, body } = await get(path);
    expect([status, body.errors?.map((each: { path: string }) => each.path)]).toEqual([400, [fault]]);
  });

  test('has 1 to 1,000 items and at most 1 MiB', async () => {
    const items = Array.from({ length: 1001 }, () => ({ externalId: 'x', lastName: 'x' }));
    for (const wrong of [{ items }, { items: [] }, { items: [{}], more: 1 }]) {
      expect((await post('/contacts/batch', wrong)).status).toBe(400);
    }
    const large = { items: [{ externalId: 'x', lastName: 'x'.repeat(900_000) }] };
    expect((await post('/contacts/batch', large)).body).toMatchObject({ faults: 1 });
    const tooLarge = await post('/contacts/batch', { items: [{ lastName: 'x'.repeat(1024 * 1024) }] });
    expect(tooLarge.body.errors).toMatchObject([{ path: 'body', params: { max: 1024 * 1024 } }]);
  });

  test('is denied to users who cannot write', async () => {
    expect((await post('/contacts/batch', { items: [] }, tokens.backOffice)).status).toBe(403);
  });

  test('is what a file becomes, and the same file changes nothing the second time', async () => {
    const send: Call = async (method, path, body) => {
      const { status, body: result } = await api.call(method, path, { token: appTokens.recordsSync, body });
      expect(status).toBe(200);
      return result;
    };
    const table = tableIn(Buffer.from('Projektnummer;Bezeichnung\nD-1;Datei Süd\nD-2;Datei\nD 3;Fehler\n'));
    const columns = suggestedColumns('projects', table);
    const plan = async () => planOf('projects', table, columns, await existingRecords('projects', send));
    const result = await sendPlan('projects', await plan(), send, () => undefined);
    expect(result).toEqual({ created: 2, updated: 0, faults: [] });
    expect((await get('/projects?search=datei%20sued')).body.items).toMatchObject([{ number: 'D-1' }]);
    const again = await plan();
    expect(again.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
    expect(again.faults).toMatchObject([{ line: 4, column: 'Projektnummer' }]);
  });

  test('belongs to a complete synchronization, whose end keeps faulty items and projects with folders', async () => {
    const own = await newStorage();
    const settings = { ...services.settings.values, STORAGE_CONNECTION_STRING: own.connectionString };
    services = connect(
      readSettings({
        STORAGE_CONNECTION_STRING: own.connectionString,
        IDP_TENANT_ID: settings.IDP_TENANT_ID,
        IDP_API_CLIENT_ID: settings.IDP_API_CLIENT_ID,
        IDP_API_CLIENT_SECRET: settings.IDP_API_CLIENT_SECRET?.reveal(),
        IDP_AUTHORITY_HOST: settings.IDP_AUTHORITY_HOST,
        RECORDS_SYNC_CLIENT_IDS: settings.RECORDS_SYNC_CLIENT_IDS?.join(','),
        RECORDS_SYNC_MAX_MISSING_PERCENT: '25',
      }),
    );
    await ensureTables(services);
    api = new Api(services);
    const items = ['a', 'b', 'c', 'd'].map((id) => ({ id, number: `P-${id}`, name: 'Halle' }));
    const former = await post('/projects/syncs', {});
    await post('/projects/batch', { items, syncId: former.body.id });
    const webUrls = { root: { webUrl: '' }, folders: [] };
    await services.folderMemory.remember('c', { rootId: 'r', subfolderIds: {}, webUrls });
    const begun = await post('/projects/syncs', {});
    expect(begun.status).toBe(201);
    const syncId: string = begun.body.id;
    const batch = { syncId, items: [items[0]!, { ...items[1]!, number: 'falsch!' }] };
    expect((await post('/projects/batch', batch)).body).toMatchObject({ unchanged: 1, faults: 1 });
    const tooMany = await post(`/projects/syncs/${syncId}/finish`, {});
    expect(tooMany).toMatchObject({
      status: 409,
      body: { code: 'too_many_missing', missing: 2, missingIds: ['c', 'd'] },
    });
    expect(tooMany.body.detail).toContain('2 of 4 projects');
    const end = await post(`/projects/syncs/${syncId}/finish`, { confirm: 2 });
    expect(end).toMatchObject({
      status: 200,
      body: { isFinished: true, deleted: 1, archived: 1, others: 0 },
    });
    expect((await get('/projects')).body.items).toMatchObject([
      { id: 'a', isArchived: false },
      { id: 'b', number: 'P-b' },
    ]);
    expect((await get('/projects?isArchived=true')).body.items).toMatchObject([{ id: 'c' }]);
    expect((await get('/projects/c')).body).toMatchObject({ isArchived: true });
    expect((await post('/projects/batch', batch)).body.code).toBe('sync_closed');
    expect((await post(`/projects/syncs/${randomUUID()}/finish`, {})).body.code).toBe('sync_not_found');
    await own.stop();
  });
});

describe('an application without a user', () => {
  const called = async (name: keyof typeof appTokens): Promise<Map<string, number>> => {
    const statuses = new Map<string, number>();
    for (const { id, method, route, access } of operations(services, '0')) {
      if (access.kind !== 'user') continue;
      const path = route.slice('v1'.length).replaceAll(/\{\w+\}/g, randomUUID());
      statuses.set(id, (await api.call(method, path, { token: appTokens[name] })).status);
    }
    return statuses;
  };

  test('with Records.Sync is accepted for projects and contacts only', async () => {
    const statuses = await called('recordsSync');
    const accepted = [...statuses].filter(([, status]) => status !== 401).map(([id]) => id);
    const ofRecords = operations(services, '0').filter(({ tag }) => tag === 'projects' || tag === 'contacts');
    expect(accepted.toSorted()).toEqual(ofRecords.map(({ id }) => id).toSorted());
    expect([...statuses.values()]).not.toContain(403);
    expect(statuses.get('list-contacts')).toBe(200);
    expect(api.lines.join('\n')).toContain(
      `"caller":"${applications.recordsSync.clientId}","callerKind":"application"`,
    );
  });

  test('without Records.Sync is accepted nowhere', async () => {
    expect(new Set((await called('noRole')).values())).toEqual(new Set([401]));
  });
});
