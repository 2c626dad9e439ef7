import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventLog } from '../../lib/base/event-log.ts';
import { connect, ensureTables, type Services } from '../../lib/services.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { cursorAfterRow } from '../../lib/storage/cursor.ts';
import type { IdentityProvider } from '../../local/stand-ins/identity-provider/identity-provider.ts';
import { people } from '../../local/stand-ins/identity-provider/people.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { startTestIdentityProvider } from '../support/identity.ts';
import { newStorage } from '../support/shared-azurite.ts';

const forgedPerList = 100;
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

beforeAll(async () => {
  [storage, idp] = await Promise.all([newStorage(), startTestIdentityProvider()]);
  const { tenantId, clientId } = idp.registration;
  services = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: storage.connectionString,
      IDP_TENANT_ID: tenantId,
      IDP_API_CLIENT_ID: clientId,
      IDP_AUTHORITY_HOST: idp.url,
      IDP_API_CLIENT_SECRET: 'a-secret-of-the-application',
    }),
  );
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
  /** What a cursor inside the service is valid for. */
  readonly name: () => string;
  /** The list as the service reads it, behind the decryption. */
  readonly read: (cursor: string) => Promise<{ readonly items: readonly object[] }>;
  readonly isOwn: (item: any) => boolean;
}

const lists: Readonly<Record<string, List>> = {
  'folder requests': {
    path: '/folder-requests?requestedBy=me&limit=1',
    name: () => `folder-requests ${JSON.stringify({ requestedBy: oid })}`,
    read: (cursor) => services.folderRequests.list({ requestedBy: oid, limit: 5, cursor }),
    isOwn: ({ requestedByUserId }) => requestedByUserId === oid,
  },
  'documents of a project': {
    path: '/documents/projects/mine?limit=1',
    name: () => 'documents mine',
    read: (cursor) => services.documentRecords.list('mine', { limit: 5, cursor }),
    isOwn: ({ projectId }) => projectId === 'mine',
  },
  'documents by name': {
    path: '/documents/projects/mine?sort=name&limit=1',
    name: () => 'documents mine name',
    read: (cursor) => services.documentRecords.list('mine', { sort: 'name', limit: 5, cursor }),
    isOwn: ({ projectId }) => projectId === 'mine',
  },
  'documents of all projects': {
    path: '/documents?search=angebot&limit=1',
    name: () => 'file name angebot',
    read: (cursor) => services.documentRecords.search({ search: 'angebot', limit: 5, cursor }),
    isOwn: ({ fileName }) => fileName.startsWith('Angebot'),
  },
  projects: {
    path: '/projects?search=angebot&limit=1',
    name: () => 'project angebot',
    read: (cursor) => services.projects.list({ search: 'angebot', limit: 5, cursor }),
    isOwn: ({ name }) => name === 'Angebot',
  },
};

const rowKeys = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    "'",
    "' or RowKey ge 'J_",
    "' or claimToken ge 'a",
    "x' or PartitionKey ne '",
    'aside-',
    'a',
    '',
  ),
  fc
    .tuple(
      fc.constantFrom(
        'J_',
        'Q_',
        'B_',
        'K_',
        'aside-',
        'file-',
        'list-',
        'L!',
        'W!',
        'R!',
        'A!L!',
        '\0',
        "'",
      ),
      fc.string(),
    )
    .map(([prefix, rest]) => prefix + rest),
  fc.string({ unit: fc.constantFrom("'", '"', '(', 'f', '0'), minLength: 32, maxLength: 32 }),
);

/** Runs the property over one list of `forgedPerList` values. */
const forEachForged = async <T>(
  values: fc.Arbitrary<T>,
  check: (value: T) => Promise<void>,
): Promise<void> => {
  for (const value of fc.sample(values, { numRuns: forgedPerList, seed: 20_261_124 })) await check(value);
};

describe.each(Object.entries(lists))('%s', (_, { path, name, read, isOwn }) => {
  const next = async (cursor: string, at = path, as = token) =>
    get(`${at}&cursor=${encodeURIComponent(cursor)}`, as);
  const foreign = { status: 400, body: { code: 'invalid_request', errors: [{ code: 'foreign_cursor' }] } };

  test('a forged cursor is rejected', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 });
    const forged = fc.oneof(
      rowKeys.map((key) => cursorAfterRow(key, name())),
      bytes.map((some) => Buffer.from(some).toString('base64url')),
      rowKeys,
      fc.integer({ min: 2_000, max: 5_000 }).map((length) => 'A'.repeat(length)),
    );
    await forEachForged(forged, async (cursor) => expect(await next(cursor)).toMatchObject(foreign));
  });

  test('behind the decryption, a place that is not of the list is rejected or shows the own rows', async () => {
    await forEachForged(rowKeys, async (key) => {
      const result = await read(cursorAfterRow(key, name())).catch((error: unknown) => error);
      if (result instanceof Error) expect(result).toMatchObject({ code: 'invalid_request' });
      else expect((result as { items: object[] }).items.every(isOwn)).toBe(true);
    });
  });

  test('a cursor is valid for its caller, list, and filters, whatever the limit is', async () => {
    const first = await get(path);
    const cursor = first.body.nextCursor as string;
    expect(await next(cursor, path.replace('limit=1', 'limit=2'))).toMatchObject({ status: 200 });
    expect(await next(cursor, path, administrator)).toMatchObject(foreign);
    for (const other of Object.values(lists)) {
      if (other.path !== path) expect(await next(cursor, other.path)).toMatchObject(foreign);
    }
    const middle = Math.floor(cursor.length / 2);
    const changed = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1);
    expect(await next(changed)).toMatchObject(foreign);
    expect(await next(`${cursor}*`)).toMatchObject(foreign);
  });
});
