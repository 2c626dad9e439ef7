import { randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventLog } from '../../lib/base/event-log.ts';
import { people, type Person } from '../../local/stand-ins/identity-provider/people.ts';
import { erasePerson, personDataIn, whoIn } from '../../tools/people/person-data.ts';
import { Api } from '../support/api.ts';
import { formOf } from '../support/multipart.ts';
import { newStorage } from '../support/shared-azurite.ts';
import { World } from './activities/world.ts';

const roles = ['Administrator', 'BackOffice', 'canCreateActivities'];
const named = (givenName: string, familyName: string): Person => ({
  ...people.administrator,
  oid: randomUUID(),
  name: `${givenName} ${familyName}`,
  givenName,
  familyName,
  email: `${givenName}.${familyName}@firma.example`.toLowerCase(),
  roles,
});
const former = named('Gisela', 'Grünspan');
const colleague = named('Konrad', 'Kupfer');
const agentKey = 'k'.repeat(32);

interface Row {
  readonly partitionKey: string;
  readonly rowKey: string;
}

let storage: Awaited<ReturnType<typeof newStorage>>;
let world: World;
let api: Api;
let service: Awaited<ReturnType<World['service']>>;
let contactId: string;

beforeAll(async () => {
  storage = await newStorage();
  world = await World.start(storage.connectionString);
  service = await world.service({
    FOLDER_AGENT_API_KEYS: `berlin:${agentKey}`,
    DOCLIB_SITE_ID: world.drive.siteId,
    DOCLIB_DRIVE_ID: world.drive.driveId,
  });
  api = new Api(service.services);
  contactId = await service.contact({ email: 'ANNA.weber@example.com', lastName: 'Grünspan-Weber' });
});
afterAll(async () => {
  await world.close();
  await storage.stop();
});

async function call(method: string, path: string, person: Person, body?: unknown, headers = {}) {
  const token = await world.identity.accessToken(person);
  const response = await api.call(method, path, { token, body, headers });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response.body;
}

/** Everything that the service stores of a person. @returns what it is found by */
async function work(person: Person, projectId: string) {
  const key = { 'idempotency-key': randomUUID() };
  const { body, boundary } = formOf([
    { name: 'folderName', value: '07_Protokolle' },
    { name: 'file', fileName: `Plan ${person.familyName}.pdf`, content: Buffer.from('x') },
  ]);
  const form = { ...key, 'content-type': `multipart/form-data; boundary=${boundary}` };
  const document = await call('POST', `/documents/projects/${projectId}/upload`, person, body, form);
  const upload = { folderName: '01_Angebote', fileName: `Angebot ${person.familyName}.pdf`, size: 1 };
  await call('POST', `/documents/projects/${projectId}/uploads`, person, upload);
  const server = randomUUID();
  const targetPath = `\\\\${server}\\projects\\Ordner ${person.familyName}`;
  const { id } = await call('POST', '/folder-requests', person, { targetPath }, key);
  const { body: claim } = await api.call('POST', '/folder-requests/claim', {
    agentKey,
    body: { servers: [server] },
  });
  const report = { status: 'FAILED', errorMessage: 'no', claimToken: claim.claimToken };
  await api.call('PATCH', `/folder-requests/${claim.id}/status`, { agentKey, body: report });
  await call('POST', `/folder-requests/${id}/requeue`, person, {});
  const order = { activityType: 'Email', contactId, description: 'Wir verschieben die Abnahme.' };
  await call('POST', '/activities/generate', person, order, key);
  return { documentId: String(document.id), requestId: String(id) };
}

/** All rows, also packed ones, and names of blobs as one text, as far as they are readable. */
async function everythingStored(): Promise<string> {
  const texts: string[] = [];
  for (const table of service.services.tables)
    for await (const row of table.listEntities()) {
      texts.push(JSON.stringify(row));
      for (const value of Object.values(row))
        if (value instanceof Uint8Array) texts.push(inflateRawSync(value).toString());
    }
  const blobs = BlobServiceClient.fromConnectionString(storage.connectionString);
  for await (const { name } of blobs.listContainers()) {
    const container = blobs.getContainerClient(name);
    for await (const blob of container.listBlobsFlat({ includeUncommitedBlobs: true, includeMetadata: true }))
      texts.push(JSON.stringify(blob));
  }
  return texts.join('\n');
}

test('after the erasure of a former employee no row or blob has id or name, and the work of others is as it was', async () => {
  const projectId = await service.project('2026-1', 'Neubau');
  const erased = await work(former, projectId);
  const kept = await work(colleague, projectId);
  const { tables } = service.services;
  const contacts = tables.find(({ tableName }) => tableName === 'Contacts')!;
  const before = await everythingStored();
  for (const text of [former.oid, former.name]) expect(before).toContain(text);
  const ofColleague = await personDataIn(tables, whoIn(colleague.oid));

  const { names, own, mentions } = await personDataIn(tables, whoIn(former.oid.toUpperCase()));
  expect(names).toEqual([former.name]);
  expect(new Set(own.map(({ table }) => table))).toEqual(new Set(['FolderRequests', 'ProjectDocuments']));
  // Only the whole name; the family name is part of the name of a contact, and of a file.
  expect(mentions).toEqual([]);
  expect(await everythingStored(), 'a dry run changes nothing').toBe(before);

  expect(await erasePerson(tables, whoIn(former.oid), contacts)).toBe(own.length);
  const after = await everythingStored();
  for (const text of [former.oid, former.name]) expect(after).not.toContain(text);
  expect(await personDataIn(tables, whoIn(colleague.oid))).toEqual(ofColleague);

  const list = await call('GET', `/documents/projects/${projectId}`, colleague);
  const uploaders = new Map(
    list.items.map((item: any) => [item.id, [item.uploadedByUserId, item.uploadedByName]]),
  );
  expect(uploaders.get(erased.documentId)).toEqual(['erased', 'erased']);
  expect(uploaders.get(kept.documentId)).toEqual([colleague.oid, colleague.name]);
  const request = await call('GET', `/folder-requests/${erased.requestId}`, colleague);
  expect(request).toMatchObject({
    requestedByUserId: 'erased',
    requestedByName: 'erased',
    status: 'PENDING',
  });
  expect(request.history).toMatchObject([
    { event: 'created', userId: 'erased' },
    { event: 'claimed' },
    { event: 'failed' },
    { event: 'requeued', userId: 'erased', userName: 'erased' },
  ]);

  // What follows from the rows still works.
  await service.services.documents().sweep();
  await service.services.folderRequests.maintenance.run(eventLog(console));
  await call('DELETE', `/folder-requests/${erased.requestId}`, colleague);
  await call('POST', `/documents/projects/${projectId}/provision`, colleague);
  await call('DELETE', `/documents/${erased.documentId}`, colleague);
  expect(await erasePerson(tables, whoIn(former.oid), contacts)).toBe(0);
});

test('a contact is found by the address and deleted with its index', async () => {
  const { tables } = service.services;
  const contacts = tables.find(({ tableName }) => tableName === 'Contacts')!;
  const who = whoIn('anna.weber@EXAMPLE.com');
  const other = await service.contact({ email: 'other@example.com' });
  const { own } = await personDataIn(tables, who);
  expect(own.map(({ rowKey }) => rowKey)).toContain(`R!${contactId}`);
  expect(await erasePerson(tables, who, contacts)).toBe(1);
  expect((await personDataIn(tables, who)).own).toEqual([]);
  expect(await everythingStored()).not.toContain(contactId);
  expect(await service.services.contacts.find(other)).not.toBeNull();
});

/** The queue, in which the service writes between the list and each write of the erasure. */
function racingWith(write: (requests: TableClient, row: Row) => Promise<unknown>): TableClient {
  const requests = service.services.tables.find(({ tableName }) => tableName === 'FolderRequests')!;
  const original = requests.updateEntity.bind(requests);
  return Object.assign(Object.create(requests) as TableClient, {
    async updateEntity(...args: Parameters<typeof original>) {
      const { partitionKey, rowKey } = args[0];
      await write(requests, { partitionKey, rowKey });
      return original(...args);
    },
  });
}

const touch = (requests: TableClient, row: Row) => requests.updateEntity({ ...row, touched: 'x' }, 'Merge');

test('a row that the service writes during the erasure is read again', async () => {
  const contacts = service.services.tables.find(({ tableName }) => tableName === 'Contacts')!;
  const busy = named('Emil', 'Eile');
  const { id } = await call('POST', '/folder-requests', busy, { targetPath: 'Ordner Eile' });
  let writes = 0;
  const racing = racingWith(async (requests, row) => {
    writes += 1;
    if (writes === 1) await touch(requests, row);
  });
  await erasePerson([racing], whoIn(busy.oid), contacts);
  expect(await everythingStored()).not.toContain(busy.oid);
  expect(await call('GET', `/folder-requests/${id}`, colleague)).toMatchObject({ requestedByName: 'erased' });
});

test('a row that the service keeps writing, or writes anew, ends the erasure with a sentence', async () => {
  const contacts = service.services.tables.find(({ tableName }) => tableName === 'Contacts')!;
  const busy = named('Ida', 'Immerda');
  await call('POST', '/folder-requests', busy, { targetPath: 'Ordner Immerda' });
  let touched = 0;
  const always = racingWith(async (...row) => {
    touched += 1;
    if (touched < 20) await touch(...row);
  });
  await expect(erasePerson([always], whoIn(busy.oid), contacts)).rejects.toThrow(
    /^The row .+ kept changing; run the command again\.$/,
  );
  // Before all others, which are listed already.
  const anew = racingWith((requests, { partitionKey }) =>
    requests.upsertEntity({ partitionKey, rowKey: '!', requestedByUserId: busy.oid }),
  );
  await expect(erasePerson([anew], whoIn(busy.oid), contacts)).rejects.toThrow(
    /^\d+ rows changed or deleted, and 1 written meanwhile: run it again\.$/,
  );
  expect(await erasePerson(service.services.tables, whoIn(busy.oid), contacts)).toBe(1);
});

test.each(['', 'Erika Muster', '7', 'a@b@c'])('%j is neither an object id nor an address', (text) => {
  expect(() => whoIn(text)).toThrow('neither an object id nor an email address');
});
