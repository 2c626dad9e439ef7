import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { DocumentRecords } from '../../../../lib/project-documents/records/document-records.ts';
import type { NewRecord } from '../../../../lib/project-documents/records/document-row.ts';
import { SetAsideRecords } from '../../../../lib/project-documents/records/set-aside-records.ts';
import { newTable, tableClient } from '../../../support/azurite.ts';

let records: DocumentRecords;
let setAside: SetAsideRecords;
beforeEach(async () => {
  const table = tableClient(await newTable());
  records = new DocumentRecords(table);
  setAside = new SetAsideRecords(table, systemClock);
});

const record = (itemId: string, change: Partial<NewRecord> = {}): NewRecord => ({
  projectId: 'p',
  folderName: '01_Angebote',
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
  await records.setAside(read!, new Date());
  expect(await listed()).toEqual([document]);
  expect(await setAside.find(document.id)).toBeNull();

  const now = new Date();
  await records.setAside((await records.findByItem('p', 'item'))!, now);
  expect(await listed()).toEqual([]);
  expect(await setAside.find(document.id)).toMatchObject({ setAsideAt: now.toISOString() });
});

test('a name that belongs to another record remains when a record that had it is removed', async () => {
  const first = (await records.save(record('first'))).document;
  const second = await records.save(record('second'));
  expect(second.displaced?.documentId).toBe(first.id);
  await records.remove(first.id);
  expect((await records.save(record('third'))).displaced?.documentId).toBe(second.document.id);
});

test('a name that belongs to another record remains when a record that had it is renamed', async () => {
  const first = (await records.save(record('first'))).document;
  const second = await records.save(record('second'));
  await records.correct(first.id, { fileName: 'Plan 2.pdf' });
  expect((await records.save(record('third'))).displaced?.documentId).toBe(second.document.id);
});

test('a name is free after the record that had it is removed', async () => {
  const { document } = await records.save(record('first'));
  await records.remove(document.id);
  expect((await records.save(record('second'))).displaced).toBeNull();
});
