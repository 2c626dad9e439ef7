import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { beforeEach, expect, test } from 'vitest';
import { inSlices } from '../../../../lib/base/slices.ts';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { documentKey } from '../../../../lib/project-documents/document-records/document-key.ts';
import {
  DocumentNames,
  nameIn,
  nameRowKey,
} from '../../../../lib/project-documents/document-records/document-names.ts';
import { DocumentRecords } from '../../../../lib/project-documents/document-records/document-records.ts';
import type { NewRecord } from '../../../../lib/project-documents/document-records/document-row.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';
import { StorageWatch } from '../../../support/storage-watch.ts';

// The packed names of a project, which follow its records in every order of events.

let watch: StorageWatch;
let table: TableClient;
let records: DocumentRecords;
/** Another instance of the service. */
let other: DocumentRecords;
beforeEach(async () => {
  const name = await newTable();
  watch = new StorageWatch();
  table = tableClient(name);
  records = new DocumentRecords(tableClient(name, { additionalPolicies: watch.policies }), systemClock);
  other = new DocumentRecords(table, systemClock);
});

const folders = ['01_Angebote', '04_Rechnungen', '07_Protokolle'] as const;
const record = (index: number, change: Partial<NewRecord> = {}): NewRecord => ({
  projectId: 'p',
  folderName: folders[index % 3]!,
  folderPath: '',
  fileName: `${index % 2 ? 'Schlussrechnung' : 'Plan'} Gerüst ${String(index).padStart(4, '0')}.pdf`,
  size: (index * 7919) % 1000,
  librarySize: 1,
  contentType: 'application/pdf',
  webUrl: 'https://example.com/',
  uploadedByUserId: 'u',
  uploadedByName: null,
  uploadedAt: new Date(Date.UTC(2026, 10, 20) + ((index * 104_729) % 100_000)).toISOString(),
  itemId: `item-${index}`,
  ...change,
});
const all = (count: number) => Array.from({ length: count }, (_, index) => record(index));
const key = (itemId: string) => nameIn(record(0, { itemId })).id;
const namesOf = async (query: Partial<Parameters<DocumentRecords['list']>[1]>, from = records) =>
  (await from.list('p', { limit: 200, ...query })).items.map(({ fileName }) => fileName);

/** As in an earlier release, which had none. */
async function removeNames(): Promise<void> {
  for await (const { partitionKey, rowKey } of table.listEntities()) {
    if (rowKey!.startsWith('names!')) await table.deleteEntity(partitionKey!, rowKey!);
  }
}

/** Whether the names are exactly those of the records, in complete rows. */
async function expectNamesOfRecords(): Promise<void> {
  const { rows, isComplete } = await new DocumentNames(table).ofProject('p');
  expect(isComplete).toBe(true);
  const listed = table.listEntities<NewRecord>({
    queryOptions: { filter: "PartitionKey ne 'document-words' and RowKey gt 'list-' and RowKey lt 'list.'" },
  });
  const expected = (await Array.fromAsync(listed)).map(nameIn);
  const found = [...rows].flatMap(([rowKey, { names }]) => names!.map((name) => ({ rowKey, ...name })));
  expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
    expected
      .map((name) => ({ rowKey: nameRowKey('p', name.fileName), ...name }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
}

// All orders are in finding.test.ts.
test('600 documents: an order, folder, or search as from the records, in few rows', async () => {
  // Each document of a page is a request: few in one folder.
  const few = '05_Verträge' as const;
  const documents = all(600).map((each, index) => ({
    ...each,
    ...(index % 25 === 3 && { folderName: few }),
    uploadedByUserId: `u${index % 4}`,
    uploadedByName: ['Özlem', 'Anna', 'Bernd', 'Zoë'][index % 4]!,
  }));
  await records.readAll('p');
  await records.add(documents);
  const expected = (sort: string, some: readonly NewRecord[]) => {
    const collator = new Intl.Collator('de', { numeric: true });
    const property = sort.replace('-', '') as 'name' | 'size' | 'uploadedAt' | 'uploadedBy';
    const valueOf = (each: NewRecord): string => {
      if (property === 'name') return each.fileName;
      return property === 'uploadedBy' ? `${each.uploadedByName} ${each.uploadedAt}` : String(each[property]);
    };
    const ascending = some
      .map((each) => ({ name: each.fileName, id: key(each.itemId), value: valueOf(each) }))
      .toSorted((a, b) => collator.compare(a.value, b.value) || (a.id < b.id ? -1 : 1))
      .map(({ name }) => name);
    return sort.startsWith('-') ? ascending.toReversed() : ascending;
  };
  for (const sort of ['name', 'uploadedAt', '-size', 'uploadedBy'] as const) {
    for (const query of sort === 'name' ? [{ folderName: few }, { search: '055' }] : [{ folderName: few }]) {
      const some = documents.filter(
        ({ folderName, fileName }) =>
          (query.folderName === undefined || folderName === query.folderName) &&
          (query.search === undefined || fileName.toLowerCase().includes(query.search)),
      );
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        watch.reset();
        const page = await records.list('p', { ...query, sort, limit: 15, cursor });
        names.push(...page.items.map(({ fileName }) => fileName));
        cursor = page.nextCursor ?? undefined;
        // The newest 500, the names, and one read for each document of the page.
        expect(watch.calls).toHaveLength(2 + page.items.length);
        expect(watch.rowsRead).toBeLessThanOrEqual(500 + 65);
      } while (cursor !== undefined);
      expect(names).toEqual(expected(sort, some));
    }
  }
  watch.reset();
  const counted = (await records.count('p')).folders;
  expect(watch.calls).toHaveLength(2);
  const byFolder = Map.groupBy(documents, ({ folderName }) => folderName as string);
  expect(counted.every(({ folderPath }) => folderPath === '')).toBe(true);
  expect(new Map(counted.map((each) => [each.folderName, each.documentCount]))).toEqual(
    new Map([...byFolder].map(([name, its]) => [name, its.length])),
  );
  expect((await records.count('p')).people).toEqual(
    expect.arrayContaining([{ userId: 'u1', name: 'Anna', documentCount: 150 }]),
  );
}, 120_000);

test('the names follow uploads, renamed and moved files, records that are set aside, and deletions', async () => {
  await records.readAll('p');
  await records.add(all(520));
  await records.save(record(600, { fileName: 'Neu.pdf' }));
  // Of the same time and user, whose name is now known.
  await records.save(record(10, { uploadedByName: 'Anna Beispiel' }));
  const renamed = (await records.findByItem('p', 'item-7'))!;
  await records.correct(
    renamed,
    { name: 'Umbenannt.pdf', size: 9 },
    { folderName: '02_Aufträge', folderPath: '' },
  );
  await records.setAside((await records.findByItem('p', 'item-8'))!);
  await records.remove(key('item-9'));
  await expectNamesOfRecords();
  await records.save((await records.findSetAside(key('item-8')))!);
  await expectNamesOfRecords();
  watch.reset();
  expect(await namesOf({ search: 'umbenannt' })).toEqual(['Umbenannt.pdf']);
  expect(await namesOf({ search: 'gerüst 0009' })).toEqual([]);
  // Nothing was read again.
  expect(watch.calls.filter(({ kind }) => kind === 'query')).toHaveLength(4);
}, 60_000);

test('documents of an earlier release are found, once by reading all of them', async () => {
  await records.add(all(600));
  await removeNames();
  await other.save(record(600, { fileName: 'Danach.pdf' }));
  expect(await namesOf({ search: 'gerüst 0599' })).toEqual(['Schlussrechnung Gerüst 0599.pdf']);
  await expectNamesOfRecords();
  watch.reset();
  expect(await namesOf({ search: 'danach' })).toEqual(['Danach.pdf']);
  expect(watch.calls).toHaveLength(3);
}, 60_000);

test('documents of an earlier release behind 500 newer ones are found', async () => {
  await records.add(all(20));
  await removeNames();
  const newer = Array.from({ length: 500 }, (_, index) =>
    record(index + 1000, { uploadedAt: '2026-12-01T10:00:00.000Z' }),
  );
  await other.add(newer);
  expect(await namesOf({ search: 'gerüst 0007' })).toEqual(['Schlussrechnung Gerüst 0007.pdf']);
  await expectNamesOfRecords();
}, 60_000);

test('files that another refresh has added are not written one by one', async () => {
  await other.add(all(90));
  watch.reset();
  await records.add(all(90));
  expect(watch.calls.length).toBeLessThan(90);
  await records.readAll('p');
  await expectNamesOfRecords();
}, 60_000);

test('what a release without names has added, renamed, and deleted in the meantime is listed as it is', async () => {
  await records.readAll('p');
  await records.add(all(600));
  /** The name rows as that release has left them: as they were. */
  const withoutNames = async (work: () => Promise<unknown>) => {
    const filter = `RowKey ge 'names!' and RowKey lt 'names"'`;
    const before = await Array.fromAsync(table.listEntities({ queryOptions: { filter } }));
    expect(before).toHaveLength(65);
    await work();
    const actions = before.map((row): TransactionAction => ['upsert', row as never, 'Replace']);
    await table.submitTransaction(actions);
  };
  await withoutNames(() =>
    other.save(record(700, { fileName: 'Zwischendurch.pdf', uploadedAt: '2026-12-01T10:00:00.000Z' })),
  );
  expect(await namesOf({ search: 'zwischen' })).toEqual(['Zwischendurch.pdf']);
  await expectNamesOfRecords();
  // Among the oldest, which are not read with the newest.
  const [oldest, next] = (await other.list('p', { sort: 'uploadedAt', limit: 2 })).items;
  const found = (await other.find(oldest!.id))!;
  await withoutNames(() => other.correct(found, { name: 'Anders.pdf' }));
  expect(await namesOf({ sort: 'uploadedAt', limit: 1 })).toEqual(['Anders.pdf']);
  await expectNamesOfRecords();
  await withoutNames(() => other.remove(next!.id));
  expect(await namesOf({ sort: 'uploadedAt', limit: 2 })).not.toContain(next!.fileName);
  await expectNamesOfRecords();
}, 60_000);

test.each(['repaired', 'written for the first time'])(
  'an upload of another instance while the names are %s is not lost',
  async (what) => {
    await records.add(all(600));
    if (what !== 'repaired') await removeNames();
    let isDone = false;
    watch.gate = async ({ kind }) => {
      if (kind !== 'transaction' || isDone) return;
      isDone = true;
      await other.save(record(800, { fileName: 'Plan Gerüst 0000.pdf' }));
    };
    expect(await namesOf({ search: 'gerüst 0000' })).toEqual(['Plan Gerüst 0000.pdf']);
    watch.gate = () => undefined;
    // Its row was not written, so the names are not complete before the next search.
    const { isComplete } = await new DocumentNames(table).ofProject('p');
    expect(isComplete).toBe(what === 'repaired');
    expect(await namesOf({ search: 'gerüst 0000' })).toEqual([
      'Plan Gerüst 0000.pdf',
      'Plan Gerüst 0000.pdf',
    ]);
    await expectNamesOfRecords();
  },
  60_000,
);

test('two instances at once, with lost responses: the names are those of the records', async () => {
  await records.readAll('p');
  await records.add(all(40));
  watch.fault = ({ kind, index }) =>
    kind === 'transaction' && index % 11 === 0 ? 'lost response' : undefined;
  const change = async (from: DocumentRecords, index: number): Promise<unknown> => {
    const itemId = `item-${index % 30}`;
    const read = await from.findByItem('p', itemId);
    if (index % 5 === 0 || !read)
      return from.save(record(index % 30, { uploadedAt: new Date().toISOString() }));
    if (index % 5 === 1) return from.remove(read.id);
    if (index % 5 === 2) return from.setAside(read);
    return from.correct(read, { name: `Neu ${index % 7}.pdf`, size: index });
  };
  for (let round = 0; round < 4; round += 1) {
    const indexes = Array.from({ length: 20 }, (_, at) => round * 37 + at * 3);
    // A response that was lost is an error of the call, of which the names know nothing.
    await Promise.allSettled(indexes.map((index, at) => change(at % 2 ? records : other, index)));
    await expectNamesOfRecords();
  }
}, 120_000);

test('two refreshes that add the same files at once, beside uploads: every record and name once', async () => {
  await records.readAll('p');
  const uploads = Array.from({ length: 10 }, (_, index) => other.save(record(index * 9)));
  await Promise.all([records.add(all(90)), other.add(all(90).toReversed()), ...uploads]);
  expect(await namesOf({ sort: 'name' })).toHaveLength(90);
  expect(await records.readAll('p')).toHaveLength(90);
  await expectNamesOfRecords();
}, 120_000);

test('20 uploads of one name at once, by two instances', async () => {
  await records.readAll('p');
  const uploads = Array.from({ length: 20 }, (_, index) =>
    (index % 2 ? records : other).save(record(index, { fileName: 'Plan.pdf' })),
  );
  await Promise.all(uploads);
  await expectNamesOfRecords();
}, 60_000);

test('a row that was damaged by hand: uploads succeed, and a search repairs it', async () => {
  await records.readAll('p');
  await records.add(all(600));
  const fileName = 'Plan Gerüst 0000.pdf';
  const { partitionKey } = documentKey('p', '');
  const rowKey = nameRowKey('p', fileName);
  for (const packed of [Buffer.from('x'), deflateRawSync('[[1]]')]) {
    await table.upsertEntity({ partitionKey, rowKey, packed }, 'Replace');
    await records.save(record(0, { uploadedAt: new Date().toISOString() }));
    expect(await namesOf({ search: 'gerüst 0000' })).toEqual([fileName]);
    await expectNamesOfRecords();
  }
}, 60_000);

test('a damaged row without any of the newest documents is repaired', async () => {
  await records.readAll('p');
  const newer = Array.from({ length: 500 }, (_, index) =>
    record(index, { fileName: 'Plan.pdf', uploadedAt: '2026-12-01T10:00:00.000Z' }),
  );
  await records.add([...newer, record(600, { fileName: 'Alt.pdf' })]);
  const rowKey = nameRowKey('p', 'Alt.pdf');
  expect(rowKey).not.toBe(nameRowKey('p', 'Plan.pdf'));
  const { partitionKey } = documentKey('p', '');
  await table.upsertEntity({ partitionKey, rowKey, packed: Buffer.from('x') }, 'Replace');
  expect(await namesOf({ search: 'alt' })).toEqual(['Alt.pdf']);
  await expectNamesOfRecords();
}, 60_000);

test('a row of 1.0.0 without any of the newest documents: who has uploaded its documents is found', async () => {
  await records.readAll('p');
  const newer = Array.from({ length: 10 }, (_, index) =>
    record(index, { fileName: 'Plan.pdf', uploadedAt: '2026-12-01T10:00:00.000Z' }),
  );
  await records.add([...newer, record(600, { fileName: 'Alt.pdf', uploadedByName: 'Anna Beispiel' })]);
  const { partitionKey } = documentKey('p', '');
  const rowKey = nameRowKey('p', 'Alt.pdf');
  const { packed } = await table.getEntity<{ packed: Uint8Array }>(partitionKey, rowKey);
  const names = JSON.parse(inflateRawSync(packed).toString()) as unknown[][];
  const shorter = deflateRawSync(JSON.stringify(names.map((name) => name.slice(0, 7))));
  await table.upsertEntity({ partitionKey, rowKey, packed: shorter }, 'Replace');
  expect(await records.searchParts('p', { search: 'eispiel', limit: 50 })).toMatchObject({
    items: [key('item-600')],
  });
  await expectNamesOfRecords();
});

test('more names than a row can have: the records are read, and uploads succeed', async () => {
  await records.readAll('p');
  const rowKey = nameRowKey('p', 'a');
  // A digest cannot be packed.
  const digits = (index: number) =>
    Array.from({ length: 36 }, (_, at) => Math.imul(index + 1, 2_654_435_761 + at * 97).toString(36)).join(
      '',
    );
  const inRow = Array.from({ length: 380 }, (_, index) => {
    const start = digits(index);
    for (let suffix = 0; ; suffix += 1) {
      const fileName = `${start}${suffix}.pdf`;
      if (nameRowKey('p', fileName) === rowKey) return record(index, { fileName });
    }
  });
  await records.add(inRow);
  expect((await new DocumentNames(table).ofProject('p')).isOverfull).toBe(true);
  await records.save(record(1_000_000, { fileName: 'a' }));
  expect(await namesOf({ search: inRow[0]!.fileName })).toEqual([inRow[0]!.fileName]);
  expect(await namesOf({ sort: 'name', limit: 1 })).toEqual([
    [...inRow.map(({ fileName }) => fileName), 'a'].toSorted(
      new Intl.Collator('de', { numeric: true }).compare,
    )[0],
  ]);
  await inSlices(inRow.slice(0, 20), 20, ({ itemId }) => records.remove(key(itemId)));
  await records.readAll('p');
  await expectNamesOfRecords();
}, 120_000);
