import { odata, TableServiceClient } from '@azure/data-tables';
import { expect, test } from 'vitest';
import { rowKeys as recordKeys } from '../../../../lib/master-data/row-keys.ts';
import { rowKeys as documentKeys } from '../../../../lib/project-documents/folders/row-keys.ts';
import { people } from '../../../support/document-service.ts';
import { useDocuments } from '../support/documents.ts';

const { service, upload, warmProject } = useDocuments();

const prefixes = [...Object.values(documentKeys), ...Object.values(recordKeys)].map(({ prefix }) => prefix);
const foreignKeys = [...new Set(prefixes.flatMap((prefix) => [`${prefix}0x`, `${prefix}zx`]))];

test('rows that the service never writes, in each partition and range, stop no call, and stay', async () => {
  const call = async (method: string, path: string) => {
    const { status, body } = await service.call(method, path, { as: people.administrator });
    expect([path, status, body?.code]).toEqual([path, method === 'DELETE' ? 204 : 200, undefined]);
    return body;
  };
  const project = await warmProject();
  for (const name of ['Plan.pdf', 'Skizze.pdf'])
    expect((await upload(project.id, Buffer.from('x'), { name })).status).toBe(201);
  const options = { allowInsecureConnection: true };
  const tables = TableServiceClient.fromConnectionString(service.storageConnectionString, options);
  const partitions: [table: string, partitionKey: string][] = [['ProjectDocuments', 'direct-uploads']];
  for await (const { name = '' } of tables.listTables()) {
    const rows = await Array.fromAsync(service.table(name).listEntities());
    for (const partitionKey of new Set(rows.map((row) => row.partitionKey!)))
      partitions.push([name, partitionKey]);
  }
  for (const [name, partitionKey] of partitions)
    await service
      .table(name)
      .submitTransaction(foreignKeys.map((rowKey) => ['create', { partitionKey, rowKey, note: 'typed' }]));

  const documents = `/documents/projects/${project.id}`;
  const names = async (path: string) =>
    (await call('GET', path)).items.map(({ fileName }: { fileName: string }) => fileName);
  expect(await names(`${documents}?sort=name`)).toEqual(['Plan.pdf', 'Skizze.pdf']);
  expect(await names(documents)).toEqual(['Skizze.pdf', 'Plan.pdf']);
  expect(await names(`${documents}?search=plan`)).toEqual(['Plan.pdf']);
  expect(await names('/documents?search=plan')).toEqual(['Plan.pdf']);
  service.logs.length = 0;
  await call('POST', `${documents}/refresh`);
  const lines = service.logs.map(({ message }) => JSON.parse(message));
  expect(lines.filter(({ event }) => event === 'upload_intent_unreadable')).toMatchObject(
    ['0x', 'zx'].map((end) => ({ projectId: project.id, row: `${documentKeys.upload.prefix}${end}` })),
  );
  for (const query of ['', `?search=${project.number}`])
    expect((await call('GET', `/projects${query}`)).items).toMatchObject([{ id: project.id }]);
  const { status, body } = await service.call('GET', '/projects/0x', { as: people.administrator });
  expect([status, body.code]).toEqual([404, 'project_not_found']);
  const { body: document } = await upload(project.id, Buffer.from('y'), { name: 'Neu.pdf' });
  await call('DELETE', `/documents/${document.id}`);
  expect(await names(documents)).toEqual(['Skizze.pdf', 'Plan.pdf']);
  service.logs.length = 0;
  for (const timer of ['maintain-folder-queue', 'maintain-uploads']) await service.host.runTimer?.(timer);
  expect(service.logs.filter(({ message }) => message.includes('_failed'))).toEqual([]);
  for (const [name, partitionKey] of partitions) {
    const filter = odata`PartitionKey eq ${partitionKey} and note eq 'typed'`;
    const rows = await Array.fromAsync(service.table(name).listEntities({ queryOptions: { filter } }));
    expect(rows.map(({ rowKey }) => rowKey)).toEqual(foreignKeys.toSorted());
  }
});
