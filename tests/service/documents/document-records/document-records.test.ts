import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DocumentIndex } from '../../../../lib/project-documents/document-records/document-index.ts';
import { DocumentRecords } from '../../../../lib/project-documents/document-records/document-records.ts';
import type { NewRecord } from '../../../../lib/project-documents/document-records/document-row.ts';
import { startAzurite, type Azurite } from '../../../../local/stand-ins/azurite.ts';
import { newTable, newTableName, tableClient } from '../../../support/azurite.ts';
import { StorageWatch } from '../../../support/storage-watch.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const clock = new VirtualClock({ nowMs: Date.now() });
let table: TableClient;
let records: DocumentRecords;
beforeEach(async () => {
  table = tableClient(await newTable());
  records = new DocumentRecords(table, clock);
});

const record = (itemId: string, change: Partial<NewRecord> = {}): NewRecord => ({
  projectId: 'p',
  folderName: '01_Angebote',
  folderPath: '',
  fileName: 'Plan.pdf',
  size: 1,
  librarySize: 1,
  contentType: 'text/plain',
  webUrl: 'https://example.com/',
  uploadedByUserId: 'u',
  uploadedByName: null,
  uploadedAt: '2026-11-20T10:00:00.000Z',
  itemId,
  ...change,
});
const listed = async () => (await records.list('p', { limit: 50 })).items;

test('a record that an upload has rewritten since it was read is not set aside', async () => {
  await records.save(record('item'));
  const read = await records.findByItem('p', 'item');
  const { document } = await records.save(record('item', { uploadedAt: '2026-11-20T10:00:01.000Z' }));
  await records.setAside(read!);
  expect(await listed()).toEqual([document]);
  expect(await records.findSetAside(document.id)).toBeNull();

  await records.setAside((await records.findByItem('p', 'item'))!);
  expect(await listed()).toEqual([]);
  const setAsideAt = new Date(clock.now()).toISOString();
  expect(await records.findSetAside(document.id)).toMatchObject({ setAsideAt });
});

test('writing a record that is set aside returns it to the list, as one that is not new', async () => {
  const { document } = await records.save(record('item'));
  await records.setAside((await records.find(document.id))!);
  expect(await records.save(record('item'))).toMatchObject({ document, before: { id: document.id } });
  expect(await records.findSetAside(document.id)).toBeNull();
});

test('a record that is set aside is neither corrected nor set aside again', async () => {
  const { document } = await records.save(record('item'));
  const read = (await records.find(document.id))!;
  await records.setAside(read);
  const setAside = await records.findSetAside(document.id);
  clock.advance(60_000);
  await records.setAside(read);
  await records.correct(read, { name: 'Neu.pdf' });
  expect(await records.findSetAside(document.id)).toEqual(setAside);
  expect(await listed()).toEqual([]);
});

test('a correction of a record that an upload rewrites in between keeps the data of the upload', async () => {
  const name = await newTable();
  const watch = new StorageWatch();
  const other = new DocumentRecords(tableClient(name), clock);
  records = new DocumentRecords(tableClient(name, { additionalPolicies: watch.policies }), clock);
  await records.save(record('item'));
  const read = (await records.findByItem('p', 'item'))!;
  watch.reset();
  const later = { uploadedAt: '2026-11-20T10:00:01.000Z', size: 2, librarySize: 2 };
  watch.gate = async ({ kind }) => {
    // The words of the name are written first.
    if (kind !== 'transaction' || watch.calls.filter((call) => call.kind === kind).length !== 2) return;
    await other.save(record('item', later));
  };
  await records.correct(read, { name: 'Neu.pdf' });
  const { uploadedAt, size } = later;
  expect(await listed()).toMatchObject([{ uploadedAt, size, fileName: 'Neu.pdf' }]);
});

test('eight concurrent writers of one record leave one record, listed once', async () => {
  // Eight attempts each suffice for eight writers, because each round settles at least one.
  const time = (index: number) => new Date(1_800_000_000_000 + index * 1000).toISOString();
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => records.save(record('item', { uploadedAt: time(index) }))),
  );
  const [document, ...others] = await listed();
  expect(others).toEqual([]);
  expect(await records.find(document!.id)).toMatchObject({ ...document, itemId: 'item' });
  await Promise.all([1, 2, 3].map(() => records.remove(document!.id)));
  expect(await listed()).toEqual([]);
});

test('a page is one request, regardless of the number of other projects and documents', async () => {
  const watch = new StorageWatch();
  records = new DocumentRecords(tableClient(await newTable(), { additionalPolicies: watch.policies }), clock);
  for (let index = 0; index < 30; index += 1) {
    await records.save(record(`item ${index}`, { projectId: `${index % 10}`, fileName: `${index}.txt` }));
  }
  watch.reset();
  const { items, nextCursor } = await records.list('3', { limit: 2 });
  expect(watch.calls.map(({ kind }) => kind)).toEqual(['query']);
  const rest = await records.list('3', { limit: 2, cursor: nextCursor ?? undefined });
  expect([...items, ...rest.items].map(({ fileName }) => fileName).toSorted()).toEqual([
    '13.txt',
    '23.txt',
    '3.txt',
  ]);
  expect(watch.calls).toHaveLength(2);
  await records.find(items[0]!.id);
  expect(watch.calls).toHaveLength(3);
});

test('removing a record that is set aside removes it, and no other', async () => {
  const { document } = await records.save(record('item'));
  const other = await records.save(record('other'));
  for (const { id } of [document, other.document]) await records.setAside((await records.find(id))!);
  await records.remove(document.id);
  expect((await records.expireSetAside('p')).map(({ itemId }) => itemId)).toEqual(['other']);
});

test('a record of another project in the same partition, which is a part of its digest, is not listed', async () => {
  await records.save(record('item'));
  for await (const { partitionKey = '', rowKey = '' } of table.listEntities()) {
    await table.updateEntity({ partitionKey, rowKey, projectId: 'q' }, 'Merge');
  }
  expect(await listed()).toEqual([]);
});

test('a record of which a tool has retyped columns is found, and has the types of the contract', async () => {
  const given = record('item', { projectId: '4711', fileName: '2026', uploadedByName: '17' });
  const { document } = await records.save(given);
  const retyped = {
    projectId: 4711,
    fileName: 2026,
    uploadedByName: { value: '17', type: 'Double' },
    size: { value: String(given.size), type: 'Int64' },
    librarySize: String(given.librarySize),
  };
  for await (const { partitionKey = '', rowKey = '' } of table.listEntities())
    if (rowKey.startsWith('file-')) await table.updateEntity({ partitionKey, rowKey, ...retyped }, 'Merge');
  const found = (await records.find(document.id))!;
  expect(found).toMatchObject(given);
  expect(found.id).toBe(document.id);
  await records.correct(found, { name: 'Plan.pdf' });
  expect(await records.find(document.id)).toMatchObject({ ...given, fileName: 'Plan.pdf' });
});

test('other records of the same name in the same folder', async () => {
  const { document } = await records.save(record('item'));
  await records.save(record('same', { uploadedAt: '2026-11-20T10:00:01.000Z' }));
  await records.save(record('elsewhere', { folderName: '07_Protokolle' }));
  await records.save(record('longer', { fileName: 'Plan.pdf.pdf' }));
  await records.save(record('foreign', { projectId: 'q' }));
  expect((await records.namesakesOf(document)).map(({ itemId }) => itemId)).toEqual(['same']);
});

describe('requests to the storage', () => {
  const watch = new StorageWatch();
  const kinds = () => watch.calls.map(({ kind }) => kind);
  /** The rows of the record and the name row, beside which the words are added; then the record. */
  const ofSave = ['point read', 'point read', 'point read', 'transaction', 'transaction'];
  beforeEach(async () => {
    watch.fault = () => undefined;
    table = tableClient(await newTable(), { additionalPolicies: watch.policies });
    records = new DocumentRecords(table, clock);
    await records.save(record('item'));
    watch.reset();
  });

  test('a record that is written again has its words: none more for them', async () => {
    await records.save(record('item', { size: 2 }));
    expect(kinds().toSorted()).toEqual(ofSave);
    const name = { id: 'a', fileName: 'Plan.pdf' };
    expect(await new DocumentIndex(table).remove(name, { ...name, fileName: 'plan.PDF' })).toBe(false);
  });

  test('words that the storage does not remove remain, and the record is written', async () => {
    // The former name and the new one have a row each.
    watch.fault = ({ kind }) =>
      kind === 'transaction' && kinds().filter((each) => each === kind).length === 3 ? 500 : undefined;
    await records.save(record('item', { fileName: 'Neu.pdf' }));
    expect(kinds().toSorted()).toEqual(['point read', ...ofSave, 'transaction']);
    expect(await listed()).toMatchObject([{ fileName: 'Neu.pdf' }]);
  });

  test('records that the storage does not accept are not written again one by one', async () => {
    watch.fault = ({ kind, partition }) =>
      kind === 'transaction' && partition !== 'document-words' ? 500 : undefined;
    const added = ['a', 'b'].map((itemId) => record(itemId));
    await expect(records.add(added)).rejects.toThrow('injected 500');
    expect(kinds()).toEqual(['transaction', 'query', 'transaction']);
  });

  test('up to 500 documents are counted, and listed in any order, with one', async () => {
    expect(await records.count('p')).toMatchObject({ people: [{ userId: 'u', documentCount: 1 }] });
    expect(kinds()).toEqual(['query']);
    expect((await records.list('p', { sort: 'name', limit: 50 })).items).toHaveLength(1);
    expect(kinds()).toEqual(['query', 'query']);
  });

  test('a search of parts writes nothing into a project without documents', async () => {
    const query = { search: 'plan', limit: 50 };
    expect(await records.searchParts('empty', query)).toEqual({ items: [], nextCursor: null });
    expect(kinds()).toEqual(['query', 'query']);
  });
});

describe('records of the same name among 300: the table scans no others', () => {
  let azurite: Azurite;
  beforeAll(async () => {
    azurite = await startAzurite({ scannedRowsPerSecond: 10_000_000 });
  });
  afterAll(() => azurite.stop());

  test.each(['Plan-#.pdf', 'Rechnung #.pdf', '# Protokoll.docx'])('such as %s', async (names) => {
    const options = { allowInsecureConnection: true };
    const table = TableClient.fromConnectionString(azurite.connectionString, newTableName(), options);
    await table.createTable();
    const large = new DocumentRecords(table, clock);
    const nameOf = (at: number) => ({ fileName: names.replace('#', String(at)) });
    await large.add(Array.from({ length: 300 }, (_, at) => record(`item-${at}`, nameOf(at))));
    const { document } = await large.save(record('new', nameOf(42)));
    // The first time, all names are read.
    expect(await large.namesakesOf(document)).toHaveLength(1);
    const before = await azurite.scannedRows();
    expect((await large.namesakesOf(document)).map(({ itemId }) => itemId)).toEqual(['item-42']);
    expect((await azurite.scannedRows()) - before).toBe(0);
  });
});
