import { randomBytes } from 'node:crypto';
import { TableClient, type TableServiceClientOptions } from '@azure/data-tables';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../../lib/contract/secret.ts';
import { removeAbandoned } from '../../../../lib/project-documents/intents/abandoned-uploads.ts';
import { UploadIntents } from '../../../../lib/project-documents/intents/upload-intents.ts';
import { SealedText } from '../../../../lib/storage/sealed-text.ts';
import { endSeen, sendAll } from '../../../support/direct-upload.ts';
import { certain } from '../../../support/folder-queue.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { useGatedDocuments } from '../support/documents.ts';

// The timer removes what remains of direct uploads that their callers abandoned. These tests also run the sweep in their own
// process, with a separate clock, on the table of the service.

type Policy = NonNullable<TableServiceClientOptions['additionalPolicies']>[number]['policy'];

const minute = 60_000;
const hour = 60 * minute;
// The token in an upload URL expires after 24 hours.
const due = 25 * hour + minute;

const { service, warmProject, provision, intentsOf, changeIntents, filesOf, list, age, onCall, openGate } =
  useGatedDocuments();

let gated: TableClient;
beforeAll(() => {
  gated = TableClient.fromConnectionString(service.storageConnectionString, 'ProjectDocuments', {
    allowInsecureConnection: true,
  });
});
afterEach(async () => {
  await service.admin('DELETE', '/sessions');
  for (const { partitionKey, rowKey } of await allIndexRows()) {
    await service.table('ProjectDocuments').deleteEntity(partitionKey, rowKey);
  }
});

/** The rows that lead the timer to the intents; not those that count the uploads of a user. */
const indexRows = async () => (await allIndexRows()).filter(({ rowKey }) => !rowKey.startsWith('of-'));
const allIndexRows = (): Promise<{ partitionKey: string; rowKey: string; dueAt: Date }[]> =>
  Array.fromAsync(
    service
      .table('ProjectDocuments')
      .listEntities<any>({ queryOptions: { filter: "PartitionKey eq 'direct-uploads'" } }),
  );

async function changeIndexRow(change: object): Promise<void> {
  const [row] = await indexRows();
  await service.table('ProjectDocuments').updateEntity({ ...row!, ...change }, 'Merge');
}

const intentsWith = (table: TableClient, clock: VirtualClock): UploadIntents =>
  new UploadIntents({
    table,
    sealed: new SealedText(new Secret(service.idp.registration.clientSecret), 'upload session'),
    clock: certain(clock),
  });

/** Runs the sweep as of `ms` milliseconds from now. @returns the number of intents it removed */
function sweepIn(ms: number, table: TableClient = service.table('ProjectDocuments')): Promise<number> {
  const clock = new VirtualClock({ nowMs: Date.now() + ms });
  return removeAbandoned({ table, intents: intentsWith(table, clock), clock: certain(clock) });
}

async function begun(size = 10) {
  const project = await warmProject();
  const { status, body } = await project.uploads.begin({ size });
  expect(status).toBe(201);
  return { ...project, upload: body as { uploadId: string; uploadUrl: string } };
}

describe('an abandoned upload', () => {
  test('is removed when it can no longer be finished, without a request in its project', async () => {
    const { id } = await begun();
    await service.admin('DELETE', '/sessions');
    expect(await sweepIn(24 * hour)).toBe(0);
    expect(await sweepIn(due)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    expect(await sweepIn(due + minute)).toBe(1);
    expect(await intentsOf(id)).toEqual([]);
    expect(await indexRows()).toEqual([]);
  });

  test('is removed by the timer of the service', async () => {
    const { id } = await begun();
    await service.admin('DELETE', '/sessions');
    await age(id, 26 * 60);
    await changeIntents(id, endSeen());
    // As the rows of release 1.0.0 are.
    const past = new Date(Date.now() - hour);
    await changeIndexRow({ dueAt: past, endedAt: past });
    await service.host.runTimer!('maintain-uploads');
    expect(await intentsOf(id)).toEqual([]);
    expect(await indexRows()).toEqual([]);
  });

  test('is removed only once by two concurrent sweeps', async () => {
    const { id } = await begun();
    await service.admin('DELETE', '/sessions');
    await changeIntents(id, endSeen());
    const removed = await Promise.all([sweepIn(due), sweepIn(due)]);
    expect(removed.toSorted((a, b) => a - b)).toEqual([0, 1]);
    await sweepIn(due);
    expect(await intentsOf(id)).toEqual([]);
    expect(await indexRows()).toEqual([]);
  });

  test('whose URL can no longer be decrypted is removed too', async () => {
    const { id } = await begun();
    await changeIntents(id, { uploadUrl: randomBytes(400).toString('base64') });
    expect(await sweepIn(due)).toBe(1);
    expect(await intentsOf(id)).toEqual([]);
  });

  test('whose begin failed leaves at most a row of the index, which is removed', async () => {
    const { id, uploads } = await begun();
    expect((await uploads.begin()).body.code).toBe('upload_in_progress');
    expect(await indexRows()).toHaveLength(1);
    // A status that is not retried.
    await onCall(async ({ body }) => (body.includes('directUploadId') ? 400 : undefined));
    expect((await uploads.begin({ fileName: 'Other.bin' })).status).toBe(500);
    expect(await indexRows()).toHaveLength(2);
    expect(await sweepIn(due)).toBe(0);
    expect(await indexRows()).toHaveLength(1);
    expect(await intentsOf(id)).toHaveLength(1);
  });
});

describe('an upload that continues', () => {
  test('is kept when the clock jumps ahead by days, and can be completed', async () => {
    const content = randomBytes(10);
    const { id, uploads, upload } = await begun(content.length);
    for (const ahead of [due, 2 * due, 3 * due]) expect(await sweepIn(ahead)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    await sendAll(upload.uploadUrl, content);
    const { status, body } = await uploads.complete(upload.uploadId);
    expect([status, body.size]).toEqual([201, 10]);
  });

  test('is kept although the library reports that its session has ended, before it can have ended', async () => {
    const { id } = await begun();
    const gone = { kind: 'error', status: 404, code: 'itemNotFound' };
    await service.fault(gone, { host: 'content', method: 'GET', times: null });
    // As if its row had been due earlier, as in release 1.0.0.
    await changeIndexRow({ dueAt: new Date(Date.now() - hour) });
    for (const ahead of [0, hour, 24 * hour]) expect(await sweepIn(ahead)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('is kept if it has begun again under the same key', async () => {
    const { id, uploads } = await warmProject();
    await uploads.begin({ key: 'again' });
    await service.admin('DELETE', '/sessions');
    await age(id, 26 * 60);
    await changeIntents(id, endSeen());
    await changeIndexRow({ dueAt: new Date(Date.now() - hour) });
    expect((await uploads.begin({ key: 'again' })).status).toBe(201);
    expect(await sweepIn(0)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    expect(await indexRows()).toHaveLength(1);
  });

  test('keeps its row if it begins again while the sweep removes the row', async () => {
    const { id, uploads } = await warmProject();
    expect((await uploads.begin({ key: 'again' })).status).toBe(201);
    await service.admin('DELETE', '/sessions');
    const [intent] = await intentsOf(id);
    await service.table('ProjectDocuments').deleteEntity(intent!.partitionKey, intent!.rowKey);
    let isAgain = false;
    await onCall(async ({ method, url }) => {
      if (method === 'DELETE' && url.includes('direct-uploads') && !url.includes('of-')) {
        openGate();
        isAgain = (await uploads.begin({ key: 'again' })).status === 201;
      }
      return undefined;
    });
    expect(await sweepIn(due, gated)).toBe(0);
    expect(isAgain).toBe(true);
    expect(await indexRows()).toHaveLength(1);
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('survives a library that does not respond', async () => {
    const { id } = await begun();
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'GET', times: 2 });
    expect(await sweepIn(due)).toBe(0);
    expect(await sweepIn(due + hour)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('keeps its document if it is completed while the sweep removes it', async () => {
    const content = randomBytes(10);
    const { id, uploads, upload } = await begun(content.length);
    await sendAll(upload.uploadUrl, content);
    await changeIntents(id, endSeen());
    await service.fault(
      { kind: 'error', status: 404, code: 'itemNotFound' },
      { host: 'content', method: 'GET' },
    );
    let completed: Awaited<ReturnType<typeof uploads.complete>> | undefined;
    await onCall(async ({ method, url }) => {
      if (method === 'DELETE' && url.includes(`upload-${upload.uploadId}`)) {
        openGate();
        completed = await uploads.complete(upload.uploadId);
      }
      return undefined;
    });
    expect(await sweepIn(due, gated)).toBe(0);
    expect(completed).toMatchObject({ status: 201, body: { size: 10 } });
    expect(await list(id)).toEqual([completed!.body]);
    expect((await uploads.complete(upload.uploadId)).status).toBe(200);
  });

  test('is left to the next caller of the project if a process died while completing it', async () => {
    const { id, upload, ...project } = await begun(4);
    await sendAll(upload.uploadUrl, Buffer.from('mine'));
    await changeIntents(id, { isCommitting: true, aliveAt: new Date(Date.now() - hour) });
    // The file exists, but its record does not.
    await fetch(upload.uploadUrl, { method: 'POST', headers: { 'content-length': '0' } });
    expect(await filesOf(project)).toHaveLength(1);
    for (const ms of [due, due + minute]) expect(await sweepIn(ms)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    await provision(id);
    expect(await list(id)).toHaveLength(1);
  });
});

test('a heartbeat does nothing once another request has claimed the upload', async () => {
  const { id, upload } = await begun();
  const clock = new VirtualClock({ nowMs: Date.now() });
  const intents = intentsWith(service.table('ProjectDocuments'), clock);
  const claim = async () => {
    const found = await intents.find(id, upload.uploadId);
    return (await found?.claim(undefined))!;
  };
  const aliveAtMs = async () => (await intents.find(id, upload.uploadId))?.aliveAtMs;
  const [slow, other] = [await claim(), await claim()];
  const claimedAtMs = clock.now();
  clock.advance(5000);
  await slow.beat();
  expect(await aliveAtMs()).toBe(claimedAtMs);
  await slow.release();
  expect(await aliveAtMs()).toBe(claimedAtMs);
  await other.beat();
  expect(await aliveAtMs()).toBe(claimedAtMs + 5000);
});

test('what release 1.0.0 kept of a completed upload still leads to its document', async () => {
  const { id, uploads, upload } = await begun(4);
  const [intent] = await intentsOf(id);
  await sendAll(upload.uploadUrl, Buffer.from('mine'));
  const { body: document } = await uploads.complete(upload.uploadId);
  const rows = service.table('ProjectDocuments');
  await rows.deleteEntity('upload-keys', upload.uploadId);
  const { partitionKey, rowKey } = intent!;
  const kept = { intent: intent!.intent, completedAt: new Date(), documentId: document.id };
  await rows.createEntity({ partitionKey, rowKey, ...kept, replacedUnrecorded: false });
  expect(await uploads.complete(upload.uploadId)).toMatchObject({ status: 200, body: document });
  expect(await intentsOf(id)).toEqual([]);
});

test('a run costs one storage request, and two and then four for each upload that is due', async () => {
  const calls: string[] = [];
  // Not those of the service, whose timers run every minute.
  const policy: Policy = {
    name: 'counting',
    sendRequest(request, next) {
      calls.push(request.method);
      return next(request);
    },
  };
  const own = TableClient.fromConnectionString(service.storageConnectionString, 'ProjectDocuments', {
    allowInsecureConnection: true,
    additionalPolicies: [{ position: 'perRetry', policy }],
  });
  const counted = async (ms: number) => {
    calls.length = 0;
    await sweepIn(ms, own);
    return calls.toSorted((a, b) => a.localeCompare(b)).join(' ');
  };
  expect(await counted(0)).toBe('GET');
  await begun();
  await service.admin('DELETE', '/sessions');
  expect(await counted(24 * hour)).toBe('GET');
  expect(await counted(due)).toBe('GET GET PATCH');
  expect(await counted(due + minute)).toBe('DELETE DELETE DELETE GET GET');
  expect(await counted(due)).toBe('GET');
});
