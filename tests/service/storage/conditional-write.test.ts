import type { TableClient } from '@azure/data-tables';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { FolderMemory } from '../../../lib/project-documents/folders/folder-memory.ts';
import type { UploadIntent } from '../../../lib/project-documents/intents/upload-intent.ts';
import { UploadIntents } from '../../../lib/project-documents/intents/upload-intents.ts';
import { DocumentRecords } from '../../../lib/project-documents/document-records/document-records.ts';
import type { NewRecord } from '../../../lib/project-documents/document-records/document-row.ts';
import { contactKind, newContact } from '../../../lib/contacts/contact.ts';
import { projectKind } from '../../../lib/projects/project.ts';
import { conditionalWrite, untilSettled } from '../../../lib/storage/conditional-write.ts';
import { IdempotencyKeys } from '../../../lib/storage/idempotency-keys.ts';
import { SearchableRecords } from '../../../lib/master-data/searchable-records.ts';
import { SealedText } from '../../../lib/storage/sealed-text.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { certain } from '../../support/folder-queue.ts';
import { StorageWatch } from '../../support/storage-watch.ts';

let table: TableClient;
/** Like the service's clients, it repeats what fails, without the pauses. */
let repeating: TableClient;
let watch: StorageWatch;

beforeEach(async () => {
  const name = await newTable();
  watch = new StorageWatch();
  table = tableClient(name);
  repeating = tableClient(name, {
    retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 1 },
    additionalPolicies: watch.policies,
  });
});

/** The response to the next write or transaction, or a later one, is lost after it was written; the client repeats it. */
function loseNextResponse(after = 0): void {
  let writes = 0;
  watch.fault = ({ kind }) => {
    if (kind !== 'write' && kind !== 'transaction') return undefined;
    writes += 1;
    return writes === after + 1 ? 'lost response' : undefined;
  };
}
/** The words of the file name are written before the record. */
const loseResponseToRecord = (): void => loseNextResponse(1);

const isRepeated = (): boolean =>
  watch.calls.filter(({ kind }) => kind === 'write' || kind === 'transaction').length > 1;

describe('a write whose response is lost has the result of the write', () => {
  test('a new project and a new contact are new', async () => {
    const projects = new SearchableRecords(repeating, projectKind);
    loseNextResponse();
    expect(await projects.put('p', { number: 'P-1', name: 'Steg', externalId: null })).toMatchObject({
      isNew: true,
    });
    expect(isRepeated()).toBe(true);
    loseNextResponse();
    expect(await projects.put('p', { number: 'P-1', name: 'Halle', externalId: null })).toMatchObject({
      isNew: false,
    });
    const contacts = new SearchableRecords(repeating, contactKind);
    loseNextResponse();
    expect(await contacts.put('c', newContact.parse({ lastName: 'Muster' }))).toMatchObject({ isNew: true });
    loseNextResponse();
    await contacts.delete('c');
    expect(await contacts.find('c')).toBeNull();
  });

  test('a new document is new', async () => {
    const records = new DocumentRecords(repeating, systemClock);
    loseResponseToRecord();
    const saved = await records.save(recordOf('item-1', 'Plan.pdf'));
    expect(isRepeated()).toBe(true);
    expect(saved).toMatchObject({ before: null });
  });

  test('a corrected document and a record that is set aside', async () => {
    const records = new DocumentRecords(repeating, systemClock);
    const saved = recordOf('item-1', 'Plan.pdf');
    const { document } = await records.save(saved);
    loseResponseToRecord();
    await records.correct(saved, { name: 'Neu.pdf' });
    const record = (await records.find(document.id))!;
    expect(record).toMatchObject({ fileName: 'Neu.pdf' });
    loseNextResponse();
    await records.setAside(record);
    expect(await records.find(document.id)).toBeNull();
    const rowKeys: string[] = [];
    for await (const { rowKey = '' } of table.listEntities()) rowKeys.push(rowKey.slice(0, 6));
    // The names of both file names, without any.
    expect(rowKeys).toEqual(['aside-', 'names!', 'names!']);
  });

  test('the intent of an upload belongs to its upload, and to whoever claimed it', async () => {
    const intents = new UploadIntents({
      table: repeating,
      sealed: new SealedText(new Secret('s'), 'test'),
      clock: certain(systemClock),
    });
    loseNextResponse();
    await intents.begin({ ...intent, directUploadId: 'u' }, session);
    await expect(intents.begin({ ...intent, directUploadId: 'u' }, session)).rejects.toMatchObject({
      code: 'upload_in_progress',
    });
    const found = (await intents.find('project', 'u'))!;
    loseNextResponse();
    const claimed = await found.claim(undefined);
    expect(claimed?.isCommitting).toBe(true);
    expect(await found.claim(undefined)).toBeNull();
    // With the ETag that the lost response had.
    expect(await claimed!.endIfUnchanged()).toBe(true);
  });

  test('the intent of an upload of another project in the same partition is not found', async () => {
    const intents = new UploadIntents({
      table,
      sealed: new SealedText(new Secret('s'), 'test'),
      clock: certain(systemClock),
    });
    await intents.begin({ ...intent, directUploadId: 'u' }, session);
    const [{ partitionKey = '', rowKey = '' } = {}] = await Array.fromAsync(
      table.listEntities({ queryOptions: { filter: "RowKey eq 'upload-u'" } }),
    );
    const ofOther = JSON.stringify({ ...intent, projectId: 'other' });
    await table.updateEntity({ partitionKey, rowKey, intent: ofOther }, 'Merge');
    expect([await intents.find('project', 'u'), await intents.ofProject('project')]).toEqual([null, []]);
  });

  test('neither heartbeat nor release of a request touch the claim of the next one', async () => {
    const intents = new UploadIntents({
      table,
      sealed: new SealedText(new Secret('s'), 'test'),
      clock: certain(systemClock),
    });
    await intents.begin({ ...intent, directUploadId: 'u' }, session);
    const read = async () => (await intents.find('project', 'u'))!;
    const first = (await (await read()).claim(undefined))!;
    await first.release();
    expect((await read()).aliveAtMs).toBe(0);
    const second = (await (await read()).claim(undefined))!;
    const { aliveAtMs } = await read();
    await first.beat();
    await first.release();
    expect((await read()).aliveAtMs).toBe(aliveAtMs);
    await second.beat();
    expect((await read()).aliveAtMs).toBeGreaterThan(aliveAtMs);
  });

  test('an Idempotency-Key belongs to the upload that inserted it, or took it over', async () => {
    const keys = new IdempotencyKeys(repeating, certain(systemClock));
    const key = { userId: 'u', scope: 'p', key: 'k' };
    loseNextResponse();
    expect(await keys.claim(key, 'Plan.pdf', 'file name')).toMatchObject({ state: 'own' });
    expect(await keys.claim(key, 'Plan.pdf', 'file name')).toMatchObject({ state: 'running' });
    for await (const { rowKey = '' } of table.listEntities()) {
      const aliveAt = new Date(0);
      await table.updateEntity({ partitionKey: 'upload-keys', rowKey, aliveAt }, 'Merge');
    }
    const interrupted = await keys.claim(key, 'Plan.pdf', 'file name');
    if (interrupted.state !== 'interrupted') throw new Error(interrupted.state);
    loseNextResponse();
    expect(await interrupted.takeOver()).not.toBeNull();
    expect(await interrupted.takeOver()).toBeNull();
  });

  test('a root folder belongs to the project that claimed it', async () => {
    const memory = new FolderMemory(repeating);
    const claim = (project: string) => memory.claimRoot(project, 'P-1 Steg', async () => true);
    loseNextResponse();
    expect(await claim('a')).toBe(true);
    expect(isRepeated()).toBe(true);
    expect(await claim('b')).toBe(false);
  });
});

test('a conflict is a write of another request, a missing table is an error', async () => {
  const row = { partitionKey: 'p', rowKey: 'r' };
  await table.createEntity(row);
  expect(await conditionalWrite(table.createEntity(row))).toBeNull();
  expect(await conditionalWrite(table.updateEntity(row, 'Merge', { etag: 'W/"other"' }))).toBeNull();
  expect(await conditionalWrite(table.submitTransaction([['delete', { ...row, rowKey: 's' }]]))).toBeNull();
  const missing = tableClient('missing');
  await expect(conditionalWrite(missing.createEntity(row))).rejects.toMatchObject({ statusCode: 404 });
  await expect(conditionalWrite(missing.submitTransaction([['create', row]]))).rejects.toMatchObject({
    statusCode: 404,
  });
});

test('a record that keeps changing is reported with a time to try again', async () => {
  let attempts = 0;
  const settled = untilSettled('project', async () => {
    attempts += 1;
    return null;
  });
  await expect(settled).rejects.toMatchObject({
    code: 'storage_unavailable',
    facts: { detail: 'The project kept changing; try again.', retryAfterSeconds: 1 },
  });
  expect(attempts).toBe(8);
});

const recordOf = (itemId: string, fileName: string): NewRecord => ({
  projectId: 'project',
  folderName: '01_Angebote',
  folderPath: '',
  fileName,
  size: 1,
  librarySize: 1,
  contentType: 'application/pdf',
  webUrl: 'https://library.example/Plan.pdf',
  uploadedByUserId: 'user',
  uploadedByName: null,
  uploadedAt: new Date().toISOString(),
  itemId,
});

const intent: UploadIntent = {
  projectId: 'project',
  folderName: '01_Angebote',
  folderId: 'folder',
  fileName: 'Plan.pdf',
  conflictBehavior: 'rename',
  size: 1,
  contentType: null,
  uploadedByUserId: 'user',
  uploadedByName: null,
  startedAt: new Date().toISOString(),
  before: { at: new Date().toISOString(), contentTag: null },
};

const session = {
  uploadUrl: 'https://library.example/session',
  expiresAt: new Date(Date.now() + 60_000).toISOString(),
};
