import { randomBytes } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../../lib/contract/secret.ts';
import { DirectUploadIndex } from '../../../../lib/project-documents/intents/direct-upload-index.ts';
import { sweepDirectUploads } from '../../../../lib/project-documents/intents/direct-upload-sweep.ts';
import { UploadIntents } from '../../../../lib/project-documents/intents/upload-intents.ts';
import { SealedText } from '../../../../lib/storage/sealed-text.ts';
import { DirectUploader, sendAll } from '../../../support/direct-upload.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { useGatedDocuments } from '../support/documents.ts';

// The timer removes what remains of direct uploads that their callers abandoned. These tests also run the sweep in their own
// process, with a separate clock, on the table of the service.

const minute = 60_000;
const day = 24 * 60 * minute;

const { service, warmProject, intentsOf, filesOf, list, onCall, connectionString } = useGatedDocuments();

let gated: TableClient;
beforeAll(() => {
  gated = TableClient.fromConnectionString(connectionString(), 'ProjectDocuments', {
    allowInsecureConnection: true,
  });
});
afterEach(async () => {
  await service.admin('DELETE', '/sessions');
  for (const { partitionKey, rowKey } of await indexRows()) {
    await service.table('ProjectDocuments').deleteEntity(partitionKey, rowKey);
  }
});

const indexRows = (): Promise<{ partitionKey: string; rowKey: string; dueAt: Date }[]> =>
  Array.fromAsync(
    service
      .table('ProjectDocuments')
      .listEntities<any>({ queryOptions: { filter: "PartitionKey eq 'direct-uploads'" } }),
  );

/** Runs the sweep as of `ms` milliseconds from now. @returns the number of intents it removed */
function sweepIn(ms: number, table: TableClient = service.table('ProjectDocuments')): Promise<number> {
  const clock = new VirtualClock({ nowMs: Date.now() + ms });
  const sealed = new SealedText(new Secret(service.idp.registration.clientSecret), 'upload session');
  const intents = new UploadIntents({ table, sealed, clock });
  return sweepDirectUploads({ index: new DirectUploadIndex(table), intents, clock });
}

async function begun(size = 10) {
  const project = await warmProject();
  const uploads = new DirectUploader(service, project.id);
  const { status, body } = await uploads.begin({ size });
  expect(status).toBe(201);
  return { ...project, uploads, upload: body as { uploadId: string; uploadUrl: string } };
}

describe('an abandoned upload', () => {
  test('is removed once two checks have found its session ended, without a request in its project', async () => {
    const { id } = await begun();
    await service.admin('DELETE', '/sessions');
    expect(await sweepIn(14 * minute)).toBe(0);
    expect(await sweepIn(16 * minute)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    // The previous check was a minute ago.
    expect(await sweepIn(17 * minute)).toBe(0);
    expect(await sweepIn(32 * minute)).toBe(1);
    expect(await intentsOf(id)).toEqual([]);
    expect(await indexRows()).toEqual([]);
  });

  test('is removed by the timer of the service', async () => {
    const { id } = await begun();
    await service.admin('DELETE', '/sessions');
    const [row] = await indexRows();
    const past = new Date(Date.now() - day);
    const due = { ...row!, dueAt: past, endedAt: past };
    await service.table('ProjectDocuments').updateEntity(due, 'Merge');
    const [intent] = await intentsOf(id);
    const ended = { partitionKey: intent!.partitionKey, rowKey: intent!.rowKey, sessionExpiresAt: past };
    await service.table('ProjectDocuments').updateEntity(ended, 'Merge');
    await service.host.runTimer!('maintain-uploads');
    expect(await intentsOf(id)).toEqual([]);
    expect(await indexRows()).toEqual([]);
    expect(service.logs.map(({ message }) => message).join()).toContain('direct_uploads_removed');
  });

  test('is removed only once by two concurrent sweeps', async () => {
    const { id } = await begun();
    await service.admin('DELETE', '/sessions');
    expect(await sweepIn(16 * minute)).toBe(0);
    const removed = await Promise.all([sweepIn(32 * minute), sweepIn(32 * minute)]);
    expect(removed.toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(await intentsOf(id)).toEqual([]);
    expect(await indexRows()).toEqual([]);
  });

  test('whose begin failed leaves only a row of the index, which is removed', async () => {
    const { id, uploads } = await begun();
    expect((await uploads.begin()).body.code).toBe('upload_in_progress');
    expect(await indexRows()).toHaveLength(2);
    expect(await sweepIn(16 * minute)).toBe(0);
    expect(await indexRows()).toHaveLength(1);
    expect(await intentsOf(id)).toHaveLength(1);
  });
});

describe('an upload that continues', () => {
  test('is kept when the clock jumps ahead by a day, and can be completed', async () => {
    const content = randomBytes(10);
    const { id, uploads, upload } = await begun(content.length);
    for (const ahead of [day, day + 16 * minute, day + 40 * minute]) expect(await sweepIn(ahead)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    await sendAll(upload.uploadUrl, content);
    const { status, body } = await uploads.complete(upload.uploadId);
    expect([status, body.size]).toEqual([201, 10]);
  });

  test('survives one wrong 404 for its session', async () => {
    const { id } = await begun();
    await service.fault(
      { kind: 'error', status: 404, code: 'itemNotFound' },
      { host: 'content', method: 'GET' },
    );
    expect(await sweepIn(16 * minute)).toBe(0);
    expect(await sweepIn(32 * minute)).toBe(0);
    // The check in between found the session open, so another 404 counts as the first one.
    await service.fault(
      { kind: 'error', status: 404, code: 'itemNotFound' },
      { host: 'content', method: 'GET' },
    );
    expect(await sweepIn(64 * minute)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('survives a library that does not respond', async () => {
    const { id } = await begun();
    await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'GET', times: 2 });
    expect(await sweepIn(16 * minute)).toBe(0);
    expect(await sweepIn(80 * minute)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('keeps its document if it is completed while the sweep removes it', async () => {
    const content = randomBytes(10);
    const { id, uploads, upload } = await begun(content.length);
    await sendAll(upload.uploadUrl, content);
    await service.fault(
      { kind: 'error', status: 404, code: 'itemNotFound' },
      { host: 'content', method: 'GET', times: 2 },
    );
    expect(await sweepIn(16 * minute)).toBe(0);
    let completed: Awaited<ReturnType<typeof uploads.complete>> | undefined;
    onCall(async ({ method, url }) => {
      if (method === 'DELETE' && url.includes(`upload-${upload.uploadId}`)) {
        onCall(async () => undefined);
        completed = await uploads.complete(upload.uploadId);
      }
      return undefined;
    });
    expect(await sweepIn(32 * minute, gated)).toBe(0);
    expect(completed).toMatchObject({ status: 201, body: { size: 10 } });
    expect(await list(id)).toEqual([completed!.body]);
    expect((await uploads.complete(upload.uploadId)).status).toBe(200);
  });

  test('is left to the next caller of the project if a process died while completing it', async () => {
    const { id, upload, ...project } = await begun(4);
    await sendAll(upload.uploadUrl, Buffer.from('mine'));
    const [{ partitionKey, rowKey } = { partitionKey: '', rowKey: '' }] = await intentsOf(id);
    const died = { partitionKey, rowKey, isCommitting: true, aliveAt: new Date(Date.now() - 60 * minute) };
    await service.table('ProjectDocuments').updateEntity(died, 'Merge');
    // The file exists, but its record does not.
    await fetch(upload.uploadUrl, { method: 'POST', headers: { 'content-length': '0' } });
    expect(await filesOf(project)).toHaveLength(1);
    expect(await sweepIn(16 * minute)).toBe(0);
    expect(await sweepIn(26 * 60 * minute)).toBe(0);
    expect(await intentsOf(id)).toHaveLength(1);
    await service.call('POST', `/documents/projects/${id}/provision`);
    expect(await list(id)).toHaveLength(1);
  });
});

test('the outcome of a completed upload is kept for a day and then removed', async () => {
  const { id, uploads, upload } = await begun(4);
  await sendAll(upload.uploadUrl, Buffer.from('mine'));
  expect((await uploads.complete(upload.uploadId)).status).toBe(201);
  expect(await sweepIn(16 * minute)).toBe(0);
  expect((await uploads.complete(upload.uploadId)).status).toBe(200);
  expect(await sweepIn(day + minute)).toBe(1);
  expect(await intentsOf(id)).toEqual([]);
  expect(await indexRows()).toEqual([]);
  expect(await list(id)).toHaveLength(1);
});

test('a run costs one storage request, and at most three for each upload that is due', async () => {
  const calls: string[] = [];
  onCall(async ({ method }) => {
    calls.push(method);
    return undefined;
  });
  const counted = async (ms: number) => {
    calls.length = 0;
    await sweepIn(ms, gated);
    return calls.toSorted((a, b) => a.localeCompare(b)).join(' ');
  };
  expect(await counted(0)).toBe('GET');
  await begun();
  await service.admin('DELETE', '/sessions');
  expect(await counted(14 * minute)).toBe('GET');
  expect(await counted(16 * minute)).toBe('GET GET PUT');
  expect(await counted(32 * minute)).toBe('DELETE DELETE GET GET');
  expect(await counted(day)).toBe('GET');
});
