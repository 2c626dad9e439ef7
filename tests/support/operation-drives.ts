import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  beginDirectUpload,
  begunSync,
  claimed,
  newContact,
  newFolderRequest,
  newProject,
  report,
  spare,
  upload,
} from './api-entities.ts';
import type { OperationClient } from './operation-client.ts';
import { paragraphsOf } from './word-file.ts';

const subfolders = [
  '01_Angebote',
  '02_Aufträge',
  '03_Auftragsbestätigungen',
  '04_Rechnungen',
  '05_Verträge',
  '06_Subunternehmer',
  '07_Protokolle',
  '08_Ausschreibungen_Vergaben',
];

/**
 * For each operation of the API, by its id, a run with a real body that creates what it needs and checks the outcome.
 * An operation without a run fails the unit tests.
 */
export const drives: Readonly<Record<string, (client: OperationClient) => Promise<void>>> = {
  async 'check-health'(client) {
    const { body } = await client.call('check-health');
    expect(body).toMatchObject({ status: 'ok' });
  },

  async 'check-parts'(client) {
    const { body } = await client.call('check-parts', { as: 'administrator' });
    expect(body.parts.map(({ part, state }: { part: string; state: string }) => [part, state])).toEqual([
      ['library', 'ok'],
      ['wordTemplates', 'ok'],
      ['aiModel', 'ok'],
    ]);
  },

  async 'describe-api'(client) {
    const { body } = await client.call('describe-api');
    expect(body).toMatchObject({ openapi: '3.0.3' });
  },

  async 'get-me'(client) {
    const { body } = await client.call('get-me', { as: 'activityAuthor' });
    expect(body).toMatchObject({ name: expect.any(String), permissions: ['canCreateActivities'] });
    expect(body.operations).toContain('generate-activity');
    const nobody = await client.call('get-me', { as: 'noRole' });
    expect(nobody.body).toMatchObject({ roles: [], permissions: [] });
  },

  async 'put-project'(client) {
    const id = randomUUID();
    const project = { number: `P-${id.slice(0, 8)}`, name: 'Neubau Brücke' };
    const put = (json: object) =>
      client.call('put-project', { as: 'administrator', params: { projectId: id }, json });
    expect(await put(project)).toMatchObject({ status: 201, body: { id, ...project } });
    const renamed = { ...project, name: 'Neubau Steg' };
    expect(await put(renamed)).toMatchObject({ status: 200, body: { id, ...renamed } });
  },

  async 'get-project'(client) {
    const project = await newProject(client);
    const { body } = await client.call('get-project', {
      as: 'projectManager',
      params: { projectId: project.id },
    });
    expect(body).toMatchObject(project);
  },

  async 'list-projects'(client) {
    const project = await newProject(client);
    const list = (query: Record<string, string>) => client.call('list-projects', { as: 'backOffice', query });
    expect((await list({ limit: '1' })).body.items).toHaveLength(1);
    expect((await list({ search: `${project.number} bruecke` })).body).toMatchObject({
      items: [project],
      nextCursor: null,
    });
  },

  async 'delete-project'(client) {
    const { id } = await newProject(client);
    await client.call('delete-project', { as: 'administrator', params: { projectId: id } });
    expect(await statusOf(client, `projects/${id}`)).toBe(404);
  },

  async 'put-contact'(client) {
    const id = randomUUID();
    const contact = { lastName: 'Grünwald', email: 'j.gruenwald@example.com' };
    const put = (json: object) =>
      client.call('put-contact', { as: 'administrator', params: { contactId: id }, json });
    expect(await put(contact)).toMatchObject({ status: 201, body: { id, ...contact } });
    const married = { ...contact, lastName: 'Grünwald-Ähren' };
    expect(await put(married)).toMatchObject({ status: 200, body: { id, ...married } });
  },

  async 'get-contact'(client) {
    const contact = await newContact(client);
    const { body } = await client.call('get-contact', {
      as: 'backOffice',
      params: { contactId: contact.id },
    });
    expect(body).toMatchObject(contact);
  },

  async 'list-contacts'(client) {
    const contact = await newContact(client);
    const list = (query: Record<string, string>) => client.call('list-contacts', { as: 'management', query });
    expect((await list({ limit: '1' })).body.items).toHaveLength(1);
    const { items } = (await list({ search: contact.lastName.toUpperCase(), limit: '200' })).body;
    expect(items).toContainEqual(expect.objectContaining(contact));
  },

  async 'delete-contact'(client) {
    const { id } = await newContact(client);
    await client.call('delete-contact', { as: 'administrator', params: { contactId: id } });
    expect(await statusOf(client, `contacts/${id}`)).toBe(404);
  },

  async 'batch-projects'(client) {
    const item = { id: randomUUID(), number: `B-${Date.now()}`, name: 'Stapel' };
    const send = () => client.call('batch-projects', { as: 'recordsSync', json: { items: [item] } });
    expect((await send()).body).toMatchObject({ created: 1, items: [{ index: 0, id: item.id }] });
    expect((await send()).body).toMatchObject({ unchanged: 1 });
  },

  async 'batch-contacts'(client) {
    const items = [{ externalId: randomUUID(), lastName: 'Stapel' }, { lastName: 'Ohne Schlüssel' }];
    const { body } = await client.call('batch-contacts', { as: 'recordsSync', json: { items } });
    expect(body).toMatchObject({ created: 1, faults: 1 });
    const { externalId } = items[0]!;
    const found = await client.call('list-contacts', {
      as: 'recordsSync',
      query: { externalId: externalId! },
    });
    expect(found.body.items).toEqual([expect.objectContaining({ id: body.items[0].id, externalId })]);
  },

  'begin-projects-sync': (client) => synchronized(client, 'projects', newProject),
  'finish-projects-sync': (client) => synchronized(client, 'projects', newProject),
  'begin-contacts-sync': (client) => synchronized(client, 'contacts', newContact),
  'finish-contacts-sync': (client) => synchronized(client, 'contacts', newContact),

  async 'provision-project-folders'(client) {
    const { id, number } = await newProject(client);
    const provision = () =>
      client.call('provision-project-folders', { as: 'projectManager', params: { projectId: id } });
    const { body } = await provision();
    expect(body).toMatchObject({
      root: { name: `${number}_Neubau Brücke`, created: true },
      folders: subfolders.map((name) => ({ name, created: true })),
    });
    expect((await provision()).body).toMatchObject({
      root: { id: body.root.id, created: false },
      folders: subfolders.map((name) => ({ name, created: false })),
    });
  },

  async 'upload-project-document'(client) {
    const { id } = await newProject(client);
    // More than one fragment of an upload session.
    const content = randomBytes(12 * 1024 * 1024);
    const whole = await upload(client, id, 'Plan Übersicht.pdf', content);
    expect(whole).toMatchObject({ fileName: 'Plan Übersicht.pdf', size: content.length, projectId: id });
    const chunked = await upload(client, id, 'Plan chunked.pdf', content, { isChunked: true });
    expect(chunked).toMatchObject({ fileName: 'Plan chunked.pdf', size: content.length });
    for (const document of [whole, chunked]) {
      expect((await download(client, document.id)).bytes.equals(content), document.fileName).toBe(true);
    }
  },

  async 'search-documents'(client) {
    const { id } = await newProject(client);
    const name = `qs${Date.now()}.txt`;
    const document = await upload(client, id, name, Buffer.from('da'));
    const { body } = await client.call('search-documents', { as: 'management', query: { search: name } });
    expect(body.items).toEqual([expect.objectContaining({ ...document, projectName: expect.any(String) })]);
  },

  async 'list-direct-uploads'(client) {
    const { id } = await newProject(client);
    const { body } = await client.call('list-direct-uploads', {
      as: 'management',
      params: { projectId: id },
    });
    expect(body).toEqual({ items: [] });
  },

  async 'list-project-documents'(client) {
    const { id } = await newProject(client);
    const first = await upload(client, id, 'Erstes.txt', Buffer.from('eins'));
    const second = await upload(client, id, 'Zweites.txt', Buffer.from('zwei'));
    const list = (query: Record<string, string>) =>
      client.call('list-project-documents', { as: 'management', params: { projectId: id }, query });
    const { body } = await list({ limit: '1' });
    expect(body.items).toEqual([second]);
    expect((await list({ limit: '1', cursor: body.nextCursor })).body).toMatchObject({
      items: [first],
      nextCursor: null,
      root: { webUrl: expect.stringMatching(/^http/) },
    });
    expect((await list({ search: 'erst', sort: 'name' })).body.items).toEqual([first]);
  },

  async 'read-refresh-progress'(client) {
    const { id } = await newProject(client);
    const call = { as: 'projectManager', params: { projectId: id } } as const;
    const { body } = await client.call('read-refresh-progress', call);
    expect(body).toEqual({ isRunning: false, files: 0, added: 0, startedAt: null });
  },

  async 'refresh-project-documents'(client) {
    const { id } = await newProject(client);
    const document = await upload(client, id, 'Bleibt.txt', Buffer.from('bleibt'));
    const { body } = await client.call('refresh-project-documents', {
      as: 'projectManager',
      params: { projectId: id },
    });
    expect(body).toEqual({ added: 0, updated: 0, missing: 0, incompleteFolders: [] });
    const list = await client.call('list-project-documents', {
      as: 'projectManager',
      params: { projectId: id },
      query: { folderName: '07_Protokolle' },
    });
    expect(list.body.items).toEqual([document]);
  },

  async 'check-library-access'(client) {
    const { id } = await newProject(client);
    await upload(client, id, 'Sichtbar.txt', Buffer.from('da'));
    const { body } = await client.call('check-library-access', {
      as: 'management',
      params: { projectId: id },
    });
    expect(body).toMatchObject({ site: 'seen', library: 'seen', root: 'seen' });
    expect(body.folders).toContainEqual({ name: '07_Protokolle', access: 'seen' });
  },

  async 'begin-direct-upload'(client) {
    const { id } = await newProject(client);
    const begun = await beginDirectUpload(client, id, 'Begonnen.bin', 10);
    expect(begun).toMatchObject({ fragmentMultiple: 327_680, uploadUrl: expect.stringMatching(/^https?:/) });
    expect(Date.parse(begun.expiresAt)).toBeGreaterThan(Date.now());
  },

  async 'complete-direct-upload'(client) {
    const { id } = await newProject(client);
    const content = randomBytes(400_000);
    const { uploadId, uploadUrl } = await beginDirectUpload(client, id, 'Direkt.bin', content.length);
    for (const [start, end] of [
      [0, 327_680],
      [327_680, content.length],
    ] as const) {
      const { status } = await fetch(uploadUrl, {
        method: 'PUT',
        headers: { 'content-range': `bytes ${start}-${end - 1}/${content.length}` },
        body: content.subarray(start, end),
      });
      expect(status).toBe(202);
    }
    const complete = () =>
      client.call('complete-direct-upload', { as: 'projectManager', params: { projectId: id, uploadId } });
    const { status, body } = await complete();
    expect([status, body.fileName, body.size]).toEqual([201, 'Direkt.bin', content.length]);
    expect(await complete()).toMatchObject({ status: 200, body });
    expect((await download(client, body.id)).bytes.equals(content)).toBe(true);
  },

  async 'cancel-direct-upload'(client) {
    const { id } = await newProject(client);
    const { uploadId, uploadUrl } = await beginDirectUpload(client, id, 'Doch nicht.bin', 10);
    await client.call('cancel-direct-upload', { as: 'projectManager', params: { projectId: id, uploadId } });
    expect((await fetch(uploadUrl)).status).toBe(404);
  },

  async 'link-document'(client) {
    const { id } = await newProject(client);
    const content = randomBytes(1000);
    const document = await upload(client, id, 'Verlinkt.bin', content);
    const { body } = await client.call('link-document', {
      as: 'backOffice',
      params: { documentId: document.id },
    });
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    const file = await fetch(body.downloadUrl);
    expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
  },

  async 'download-document'(client) {
    const { id } = await newProject(client);
    const content = randomBytes(300_000);
    const document = await upload(client, id, 'Größen.bin', content);
    const whole = await download(client, document.id);
    expect(whole.status).toBe(200);
    expect(whole.bytes.equals(content)).toBe(true);
    expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''Gr%C3%B6%C3%9Fen.bin");
    const part = await download(client, document.id, { range: 'bytes=1000-1999' });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(content.subarray(1000, 2000))).toBe(true);
  },

  async 'delete-document'(client) {
    const { id } = await newProject(client);
    const document = await upload(client, id, 'Entwurf.txt', Buffer.from('weg damit'));
    await client.call('delete-document', { as: 'backOffice', params: { documentId: document.id } });
    const { body } = await client.call('list-project-documents', {
      as: 'backOffice',
      params: { projectId: id },
    });
    expect(body.items).toEqual([]);
  },

  async 'request-folder'(client) {
    const targetPath = `Anforderung ${randomUUID()}\\Bauphase 1`;
    const request = () =>
      client.call('request-folder', {
        as: 'backOffice',
        headers: { 'idempotency-key': targetPath.slice(12, 48) },
        json: { targetPath },
      });
    const first = await request();
    expect(first).toMatchObject({ status: 201, body: { targetPath, status: 'PENDING' } });
    expect(await request()).toMatchObject({ status: 200, body: first.body });
  },

  async 'list-folder-requests'(client) {
    const entry = await newFolderRequest(client);
    const { body } = await client.call('list-folder-requests', {
      as: 'administrator',
      query: { status: 'PENDING', limit: '1' },
    });
    expect(body.items).toEqual([entry]);
  },

  async 'get-folder-request'(client) {
    const entry = await newFolderRequest(client);
    const { body } = await client.call('get-folder-request', {
      as: 'backOffice',
      params: { id: entry.id },
    });
    expect(body).toMatchObject(entry);
  },

  async 'claim-folder-request'(client) {
    const entry = await newFolderRequest(client);
    expect(await claimed(client, entry.id)).toMatchObject({ id: entry.id, status: 'PROCESSING' });
    // It was the newest request, so none is left.
    expect(await client.call('claim-folder-request', { agent: spare(client) })).toMatchObject({
      status: 204,
    });
  },

  async 'heartbeat-folder-request'(client) {
    const { id, claimToken, leaseExpiresAt } = await claimed(client);
    const { body } = await client.call('heartbeat-folder-request', {
      agent: spare(client),
      params: { id },
      json: { claimToken },
    });
    expect(Date.parse(body.leaseExpiresAt)).toBeGreaterThanOrEqual(Date.parse(leaseExpiresAt));
  },

  async 'release-folder-request'(client) {
    const { id, claimToken } = await claimed(client);
    const { body } = await client.call('release-folder-request', {
      agent: spare(client),
      params: { id },
      json: { claimToken, reason: 'hält an' },
    });
    expect(body).toMatchObject({ id, status: 'PENDING', agentId: null });
  },

  async 'withdraw-folder-request'(client) {
    const entry = await newFolderRequest(client);
    await client.call('withdraw-folder-request', { as: 'backOffice', params: { id: entry.id } });
  },

  async 'report-folder-request'(client) {
    const { id, claimToken } = await claimed(client);
    const { body } = await report(client, id, { status: 'FULFILLED', claimToken });
    expect(body).toMatchObject({ id, status: 'FULFILLED', errorMessage: null });
  },

  async 'requeue-folder-request'(client) {
    const { id, claimToken } = await claimed(client);
    const errorMessage = 'Die Freigabe ist voll.';
    const failed = await report(client, id, { status: 'FAILED', errorMessage, claimToken });
    expect(failed.body).toMatchObject({ status: 'FAILED', errorMessage });
    const { body } = await client.call('requeue-folder-request', { as: 'administrator', params: { id } });
    expect(body).toMatchObject({ id, status: 'PENDING', errorMessage: null, attempts: 1 });
  },

  async 'list-agents'(client) {
    const { id } = await claimed(client);
    // The row of an agent is written in parallel with its call.
    await expect
      .poll(async () => (await client.call('list-agents', { as: 'administrator' })).body.items)
      .toContainEqual(
        expect.objectContaining({ id: spare(client).id, state: 'working', folderRequestId: id }),
      );
  },

  async 'change-agent'(client) {
    await claimed(client);
    const { id } = spare(client);
    const agents = async () => (await client.call('list-agents', { as: 'administrator' })).body.items;
    await expect.poll(agents).toContainEqual(expect.objectContaining({ id }));
    // Other runs use the agent at the same time, so it is not paused.
    const json = { isPaused: false };
    const { body } = await client.call('change-agent', { as: 'administrator', params: { id }, json });
    expect(body).toMatchObject({ id, isPaused: false });
  },

  async 'get-folder-request-statistics'(client) {
    const statistics = async () =>
      (
        await client.call('get-folder-request-statistics', {
          as: 'administrator',
          query: { hours: '2' },
        })
      ).body;
    const total = ({ hours }: { hours: { fulfilled: number }[] }): number =>
      hours.reduce((sum, { fulfilled }) => sum + fulfilled, 0);
    const before = await statistics();
    expect(before.hours).toHaveLength(2);
    const { id, claimToken } = await claimed(client);
    await report(client, id, { status: 'FULFILLED', claimToken });
    expect(total(await statistics())).toBe(total(before) + 1);
  },

  async 'generate-activity'(client) {
    const project = await newProject(client);
    const contact = await newContact(client);
    const generate = (activityType: string) =>
      client.call('generate-activity', {
        as: 'activityAuthor',
        json: {
          activityType,
          contactId: contact.id,
          projectId: project.id,
          description: 'Der Baubeginn verschiebt sich um eine Woche.',
        },
      });
    const email = (await generate('Email')).body;
    expect(email.mailtoLink).toMatch(/^mailto:j\.gruenwald@example\.com\?subject=aai%23/);
    const letter = (await generate('Document')).body;
    const file = await fetch(letter.downloadUrl);
    expect(file.status).toBe(200);
    const paragraphs = paragraphsOf(Buffer.from(await file.arrayBuffer()));
    expect(paragraphs).toContain(letter.subject);
    expect(paragraphs.join('\n')).toContain(contact.lastName);
  },

  async 'list-templates'(client) {
    const { body } = await client.call('list-templates', { as: 'activityAuthor' });
    expect(body.items).toContainEqual(expect.objectContaining({ isDefault: true }));
  },

  async 'create-email'(client) {
    const contact = await newContact(client);
    const json = { contactId: contact.id, subject: 'Baubeginn', content: 'Der Baubeginn verschiebt sich.' };
    const { body } = await client.call('create-email', { as: 'activityAuthor', json });
    expect(body.mailtoLink).toMatch(/^mailto:j\.gruenwald@example\.com\?subject=aai%23.*Baubeginn/);
    const draft = await client.call('create-email', { as: 'activityAuthor', json: { ...json, draft: true } });
    expect(draft.body.webLink).toMatch(/^https:/);
  },

  async 'create-letter'(client) {
    const contact = await newContact(client);
    const project = await newProject(client);
    const json = { contactId: contact.id, subject: 'Baubeginn', content: 'Der Baubeginn verschiebt sich.' };
    const wishes = { projectId: project.id, fileIn: '07_Protokolle', pdf: true };
    const { body } = await client.call('create-letter', {
      as: 'assistant',
      json: { ...json, ...wishes },
    });
    expect((await fetch(body.pdfUrl)).status).toBe(200);
    const file = await fetch(body.downloadUrl);
    expect(file.status).toBe(200);
    expect(paragraphsOf(Buffer.from(await file.arrayBuffer()))).toContain('Baubeginn');
    const { letterId, letterTag, copy } = body;
    const replaces = { letterId, letterTag, documentId: copy.id };
    const { body: next } = await client.call('create-letter', {
      as: 'assistant',
      json: { ...json, ...wishes, replaces },
    });
    expect(next).toMatchObject({ hasReplaced: true, letterId, copy: { id: copy.id } });
  },
};

async function statusOf({ description }: OperationClient, path: string): Promise<number> {
  const response = await fetch(`${description.baseUrl}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${description.tokens.administrator}` },
  });
  await response.body?.cancel();
  return response.status;
}

async function synchronized(
  client: OperationClient,
  kind: 'projects' | 'contacts',
  newRecord: (client: OperationClient) => Promise<{ id: string }>,
): Promise<void> {
  const { id } = await newRecord(client);
  const params = { syncId: await begunSync(client, kind) };
  const end = await client.call(`finish-${kind}-sync`, { as: 'recordsSync', params });
  expect(end.body).toEqual({ isFinished: true, deleted: 0, archived: 0, others: 0 });
  expect(await statusOf(client, `${kind}/${id}`)).toBe(200);
}

const download = (client: OperationClient, documentId: string, headers: Record<string, string> = {}) =>
  client.call('download-document', { as: 'management', params: { documentId }, headers });
