import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { DocumentRecords } from '../../../../lib/project-documents/records/document-records.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';
import { below, people } from '../../../support/document-service.ts';
import { fieldsFor, filePart, formOf, sendForm } from '../../../support/multipart.ts';
import { useDocuments } from '../support/documents.ts';

const { service, provision, list, intentsOf, age } = useDocuments({ maxCrashes: 100 });

test.each(['replace', 'rename'])(
  'a process that dies between the file and its record: the next provision writes the record (%s)',
  async (behavior) => {
    const project = await service.newProject();
    await provision(project.id);
    if (behavior === 'rename') {
      await sendForm(
        service,
        project.id,
        formOf([...fieldsFor('01_Angebote', 'replace'), filePart('Plan.bin', randomBytes(10))]),
      );
    }
    const before = (await list(project.id)).length;
    // The file is finished, its response is lost, and the status request has to wait. The process dies at that point.
    await service.fault({ kind: 'lost-response' }, { host: 'content', method: 'PUT' });
    await service.fault(
      { kind: 'throttled', retryAfter: '14' },
      { host: 'content', method: 'GET', times: null },
    );
    const form = formOf([...fieldsFor('01_Angebote', behavior), filePart('Plan.bin', randomBytes(5000))]);
    const upload = sendForm(service, project.id, form).catch(() => undefined);
    const files = async () => below(await service.items(), project).filter(({ kind }) => kind === 'file');
    await expect.poll(async () => (await files()).length, { timeout: 20_000 }).toBe(before + 1);
    process.kill(service.host.workerPid, 'SIGKILL');
    await upload;
    await service.admin('DELETE', '/faults');
    await expect
      .poll(async () => (await service.call('GET', '/health')).status, { timeout: 30_000 })
      .toBe(200);
    expect(await list(project.id)).toHaveLength(before);
    expect(await intentsOf(project.id)).toHaveLength(1);

    // The upload may still be running, so its intent is left unchanged.
    await provision(project.id);
    expect(await list(project.id)).toHaveLength(before);
    await age(project.id, 36);
    expect((await provision(project.id)).status).toBe(200);
    const [document] = await list(project.id);
    expect(await list(project.id)).toHaveLength(before + 1);
    expect(document).toMatchObject({
      fileName: behavior === 'rename' ? 'Plan 1.bin' : 'Plan.bin',
      size: 5000,
      uploadedByUserId: people.projectManager.oid,
    });
    expect(await intentsOf(project.id)).toEqual([]);
    const { status } = await service.call('GET', `/documents/${document.id}/download`);
    expect(status).toBe(200);
  },
);

test('a process that dies before the file is finished: there is no record, and the intent is removed after a day', async () => {
  const project = await service.newProject();
  await provision(project.id);
  await service.fault(
    { kind: 'throttled', retryAfter: '14' },
    { host: 'content', method: 'PUT', times: null },
  );
  const form = formOf([...fieldsFor('01_Angebote', 'replace'), filePart('Plan.bin', randomBytes(5000))]);
  const upload = sendForm(service, project.id, form).catch(() => undefined);
  await expect.poll(async () => (await intentsOf(project.id)).length, { timeout: 20_000 }).toBe(1);
  process.kill(service.host.workerPid, 'SIGKILL');
  await upload;
  await service.admin('DELETE', '/faults');
  await expect.poll(async () => (await service.call('GET', '/health')).status, { timeout: 30_000 }).toBe(200);
  await age(project.id, 36);
  await provision(project.id);
  expect(await list(project.id)).toEqual([]);
  expect(await intentsOf(project.id)).toHaveLength(1);
  await age(project.id, 26 * 60);
  await provision(project.id);
  expect(await intentsOf(project.id)).toEqual([]);
});

test('eight concurrent writers of one record leave one record, listed once', async () => {
  const records = new DocumentRecords(tableClient(await newTable()), systemClock);
  const record = (size: number) => ({
    projectId: 'p',
    folderName: '01_Angebote' as const,
    fileName: 'a.txt',
    size,
    librarySize: size,
    contentType: 'text/plain',
    webUrl: 'https://example.com/',
    uploadedByUserId: 'u',
    uploadedByName: null,
    uploadedAt: new Date(1_800_000_000_000 + size * 1000).toISOString(),
    itemId: 'item',
  });
  // Eight attempts each suffice for eight writers, because each round settles at least one.
  await Promise.all(Array.from({ length: 8 }, (_, index) => records.save(record(index))));
  const { items } = await records.list('p', { limit: 50 });
  expect(items).toHaveLength(1);
  expect(await records.find(items[0]!.id)).toMatchObject({ ...items[0], itemId: 'item' });
  await Promise.all([1, 2, 3].map(() => records.remove(items[0]!.id)));
  expect((await records.list('p', { limit: 50 })).items).toEqual([]);
});

test('a page is one request, regardless of the number of other projects and documents', async () => {
  const requests: string[] = [];
  const name = await newTable();
  const policy = {
    name: 'count',
    sendRequest: (request: any, next: any) => {
      requests.push(request.method);
      return next(request);
    },
  };
  const records = new DocumentRecords(
    tableClient(name, { additionalPolicies: [{ policy, position: 'perCall' }] }),
    systemClock,
  );
  for (let index = 0; index < 30; index += 1) {
    await records.save({
      projectId: `project ${index % 10}`,
      folderName: '01_Angebote',
      fileName: `${index}.txt`,
      size: 1,
      librarySize: 1,
      contentType: 'text/plain',
      webUrl: 'https://example.com/',
      uploadedByUserId: 'u',
      uploadedByName: null,
      uploadedAt: new Date(1_800_000_000_000 + index).toISOString(),
      itemId: `item ${index}`,
    });
  }
  requests.length = 0;
  const { items, nextCursor } = await records.list('project 3', { limit: 2 });
  expect(items.map(({ fileName }) => fileName)).toEqual(['23.txt', '13.txt']);
  expect(requests).toEqual(['GET']);
  const rest = await records.list('project 3', { limit: 2, cursor: nextCursor ?? undefined });
  expect(rest.items.map(({ fileName }) => fileName)).toEqual(['3.txt']);
  expect(requests).toHaveLength(2);
  await records.find(items[0]!.id);
  expect(requests).toHaveLength(3);
});
