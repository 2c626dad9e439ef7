import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventLog } from '../../lib/base/event-log.ts';
import { connect, ensureTables, type Services } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import type { IdentityProvider } from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { people } from '../../local/stand-ins/identity-provider/people.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { startTestIdentityProvider } from '../support/identity.ts';
import { newStorage } from '../support/shared-azurite.ts';

const log = eventLog(console);
let storage: Awaited<ReturnType<typeof newStorage>>;
let idp: IdentityProvider;
let services: Services;
let api: Api;
let token: string;
let administrator: string;
let oid: string;

const newRecord = (projectId: string, itemId: string, fileName: string) => ({
  projectId,
  folderName: '01_Angebote' as const,
  folderPath: '',
  fileName,
  size: 1,
  librarySize: 1,
  contentType: 'text/plain',
  webUrl: 'https://library.example/file',
  uploadedByUserId: 'someone',
  uploadedByName: 'Someone',
  uploadedAt: '2026-01-01T00:00:00.000Z',
  itemId,
});

function servicesWith(secret: string): Services {
  const { tenantId, clientId } = idp.registration;
  return connect(
    readSettings({
      STORAGE_CONNECTION_STRING: storage.connectionString,
      IDP_TENANT_ID: tenantId,
      IDP_API_CLIENT_ID: clientId,
      IDP_AUTHORITY_HOST: idp.url,
      IDP_API_CLIENT_SECRET: secret,
      FOLDER_AGENT_API_KEYS: 'berlin:key-of-berlin-24-characters',
    }),
  );
}

beforeAll(async () => {
  [storage, idp] = await Promise.all([newStorage(), startTestIdentityProvider()]);
  services = servicesWith('a-secret-of-the-application');
  await ensureTables(services);
  api = new Api(services);
  token = await idp.accessToken(people.backOffice);
  administrator = await idp.accessToken(people.administrator);
  ({ oid } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { oid: string });
  for (let at = 0; at < 3; at += 1) {
    for (const requestedByUserId of [oid, 'another user'])
      await services.folderRequests.create({ targetPath: `folder-${at}`, requestedByUserId }, log);
    for (const id of ['mine', 'another'])
      await services.documentRecords.add([newRecord(id, `item-${id}-${at}`, `Angebot ${at}.txt`)]);
    const name = { number: `N${at}`, name: 'Angebot', externalId: null };
    await services.projects.put(at === 0 ? 'mine' : `project-${at}`, name);
  }
  await services.projects.put('another', { number: 'N9', name: 'Archiv', externalId: null });
});
afterAll(() => Promise.all([storage.stop(), idp.stop()]));

const get = (path: string, as = token): Promise<ApiResponse> => api.call('GET', path, { token: as });

interface List {
  readonly path: string;
  /** Which the cursor is not valid for. */
  readonly filter: string;
  /** The list as the service reads it, behind the decryption. */
  readonly read: (
    cursor?: string,
  ) => Promise<{ readonly items: readonly object[]; nextCursor: string | null }>;
  /** Keys that look like a place of the list, and what is behind them. */
  readonly alike?: readonly string[];
  readonly isOwn: (item: any) => boolean;
}

const lists: Readonly<Record<string, List>> = {
  'folder requests': {
    path: '/folder-requests?requestedBy=me&limit=1',
    filter: 'status=FAILED',
    read: (cursor) => services.folderRequests.list({ requestedBy: oid, limit: 1, cursor }),
    isOwn: ({ requestedByUserId }) => requestedByUserId === oid,
  },
  'documents of a project': {
    path: '/documents/projects/mine?limit=1',
    filter: 'folderName=01_Angebote',
    read: (cursor) => services.documentRecords.list('mine', { limit: 1, cursor }),
    isOwn: ({ projectId }) => projectId === 'mine',
  },
  'documents by name': {
    path: '/documents/projects/mine?sort=name&limit=1',
    filter: 'search=Angebot',
    read: (cursor) => services.documentRecords.list('mine', { sort: 'name', limit: 1, cursor }),
    alike: [`${'0'.repeat(40)}' or RowKey ge '`, '~'.repeat(40)],
    isOwn: ({ projectId }) => projectId === 'mine',
  },
  'documents of all projects': {
    path: '/documents?search=angebot&limit=1',
    filter: 'search=angebote',
    read: (cursor) => services.documentRecords.search({ search: 'angebot', limit: 1, cursor }),
    alike: ["W!angebot' or RowKey ge '", 'W!angebot', 'W!angebot~'],
    isOwn: ({ fileName }) => fileName.startsWith('Angebot'),
  },
  projects: {
    path: '/projects?search=angebot&limit=1',
    filter: 'search=ange',
    read: (cursor) => services.projects.list({ search: 'angebot', limit: 1, cursor }),
    alike: ["W!angebot' or RowKey ge '", 'W!angebot', 'W!angebot~'],
    isOwn: ({ name }) => name === 'Angebot',
  },
};

/** Of other lists and tables, and with a part of a filter. */
const foreignKeys = [
  '',
  'a',
  "'",
  "' or RowKey ge 'J_",
  "' or claimToken ge 'a",
  "x' or PartitionKey ne '",
  'aside-',
  'file-0',
  "list-1234567890123-'",
  'R!mine',
  'A!L!a',
  "'".repeat(32),
];

const foreign = { status: 400, body: { code: 'invalid_request', errors: [{ code: 'foreign_cursor' }] } };

describe.each(Object.entries(lists))('%s', (_, { path, filter, read, isOwn, alike = [] }) => {
  const next = async (cursor: string, at = path, as = token) =>
    get(`${at}&cursor=${encodeURIComponent(cursor)}`, as);

  test('a forged cursor is rejected, even if it is the one behind the decryption', async () => {
    const { nextCursor } = await read();
    for (const cursor of [
      nextCursor!,
      Buffer.from(nextCursor!).toString('base64url'),
      randomBytes(60).toString('base64url'),
      "' or RowKey ge 'J_",
      'A'.repeat(5_000),
    ]) {
      expect(await next(cursor)).toMatchObject(foreign);
    }
  });

  test.each(foreignKeys)('behind the decryption, the key %j is not a place of the list', async (key) => {
    await expect(read(key)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test.each(alike)('behind the key %j are own rows only', async (key) => {
    const { items } = await read(key);
    expect(items.every(isOwn)).toBe(true);
  });

  test('a cursor is valid for its caller, list, and filters, whatever the limit is', async () => {
    const first = await get(path);
    const cursor = first.body.nextCursor as string;
    expect(await next(cursor, path.replace('limit=1', 'limit=2'))).toMatchObject({ status: 200 });
    expect(await next(cursor, path, administrator)).toMatchObject(foreign);
    for (const other of Object.values(lists)) {
      if (other.path !== path) expect(await next(cursor, other.path)).toMatchObject(foreign);
    }
    expect(await next(cursor, `${path.replace(/search=\w+&/, '')}&${filter}`)).toMatchObject(foreign);
    const middle = Math.floor(cursor.length / 2);
    const changed = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1);
    expect(await next(changed)).toMatchObject(foreign);
    expect(await next(`${cursor}*`)).toMatchObject(foreign);
  });
});

test.each(['', 'B!a', "B!a!b!0001!'", 'W!angebot!a!0001!2'])(
  'behind the decryption, the key %j is not a place of the words that documents share',
  async (key) => {
    const cursor = `.${key}`;
    const read = services.documentRecords.search({ search: 'angebot', limit: 1, cursor });
    await expect(read).rejects.toMatchObject({ code: 'invalid_request' });
  },
);

test('every instance with the secret opens a cursor; with another it is foreign, and without one no list begins', async () => {
  const path = '/projects?limit=1';
  const { nextCursor } = (await get(path)).body as { nextCursor: string };
  const nextOf = (secret: string) =>
    new Api(servicesWith(secret)).call('GET', `${path}&cursor=${nextCursor}`, { token });
  expect(await nextOf('a-secret-of-the-application')).toMatchObject({ status: 200 });
  expect(await nextOf('its successor')).toMatchObject(foreign);
  // Neither the storage's key nor the agents' take its place.
  const without = new Api(servicesWith(''));
  expect(await without.call('GET', path, { token })).toMatchObject({
    status: 503,
    body: { code: 'not_configured', detail: expect.stringMatching(/: IDP_API_CLIENT_SECRET\.$/) },
  });
  expect(await without.call('GET', '/projects/mine', { token })).toMatchObject({ status: 200 });
});
