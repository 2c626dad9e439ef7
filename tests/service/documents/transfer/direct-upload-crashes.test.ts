import { afterEach, expect, test } from 'vitest';
import { endSeen } from '../../../support/direct-upload.ts';
import { type TableCall } from '../../../support/storage-gate.ts';
import { isRecord, useGatedDocuments } from '../support/documents.ts';

// The process dies between two steps of a direct upload, or the storage fails at a step.

const { service, warmProject, provision, filesOf, list, intentsOf, changeIntents, onCall, held, killed } =
  useGatedDocuments({ maxCrashes: 100 });
afterEach(() => service.admin('DELETE', '/sessions'));

/** Kills the worker while it waits for the response to this storage call, which never arrives. */
async function dieAt(isTarget: (call: TableCall) => boolean, work: () => Promise<unknown>): Promise<void> {
  const { reached } = held(isTarget);
  const response = work();
  await reached;
  await killed(response);
}

/** As if the process that was completing them had died `seconds` ago. */
const silent = (projectId: string, seconds = 21) =>
  changeIntents(projectId, { aliveAt: new Date(Date.now() - seconds * 1000) });

const isIntent = ({ url, method }: TableCall): boolean => url.includes('upload-') && method !== 'GET';
const isClaim = (call: TableCall): boolean => isIntent(call) && call.body.includes('"isCommitting":true');
const isOutcome = ({ url, body }: TableCall): boolean =>
  url.includes('upload-keys') && body.includes('"outcome"');
const isEnd = (call: TableCall): boolean => isIntent(call) && call.method === 'DELETE';

const content = Buffer.from('mine');

test('before the intent: only the library’s session remains', async () => {
  const project = await warmProject();
  await dieAt(
    ({ body }) => body.includes('directUploadId'),
    () => project.uploads.begin(),
  );
  expect(await intentsOf(project.id)).toEqual([]);
  expect(await service.openSessions()).toHaveLength(1);
});

test.each([
  ['before a request has claimed the intent', isClaim, 201, 'replace'],
  ['between file and record', isRecord, 200, 'replace'],
  ['between record and outcome', isOutcome, 200, 'replace'],
  ['between outcome and the end of the intent', isEnd, 200, 'replace'],
  ['between file and record', isRecord, 200, 'rename'],
  ['between record and outcome', isOutcome, 200, 'rename'],
  ['between record and outcome', isOutcome, 200, 'fail'],
] as const)('%s: complete continues', async (_, step, status, conflictBehavior) => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content, { conflictBehavior });
  await dieAt(step, () => project.uploads.complete(uploadId));
  // Simulates an earlier death of the process.
  await silent(project.id);
  const completed = await project.uploads.complete(uploadId);
  expect(completed).toMatchObject({ status, body: { size: 4 } });
  expect(await list(project.id)).toEqual([completed.body]);
  expect(await filesOf(project)).toHaveLength(1);
  expect(await service.openSessions()).toEqual([]);
  expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: completed.body });
});

test('between claim and file: complete continues, or the session expires and nothing is left', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  const died = { isCommitting: true, aliveAt: new Date(Date.now() - 21_000) };
  await changeIntents(project.id, died);
  expect((await project.uploads.complete(uploadId)).status).toBe(201);

  const expired = await warmProject();
  const other = await expired.uploads.sent(content);
  await changeIntents(expired.id, { ...died, ...endSeen(), aliveAt: new Date(Date.now() - 3_600_000) });
  await service.admin('DELETE', '/sessions');
  const { status, body } = await expired.uploads.complete(other);
  expect([status, body.code]).toEqual([404, 'upload_not_found']);
  expect(await intentsOf(expired.id)).toEqual([]);
  expect(await filesOf(expired)).toEqual([]);
});

test('a second click waits while the first request is alive, and takes over when it has died', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  await dieAt(isRecord, () => project.uploads.complete(uploadId));
  // Two seconds before it counts as dead.
  await silent(project.id, 18);
  expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: { size: 4 } });
  expect(await list(project.id)).toHaveLength(1);
});

test('between file and record, and complete is not repeated: the next request in the project writes the record', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  await dieAt(isRecord, () => project.uploads.complete(uploadId));
  expect(await list(project.id)).toEqual([]);
  await silent(project.id);
  await provision(project.id);
  const [document] = await list(project.id);
  expect(document).toMatchObject({ fileName: 'Plan.bin', size: 4 });
  expect(await project.uploads.complete(uploadId)).toMatchObject({ status: 200, body: document });
});

test('between file and record, and the upload is then canceled: the file remains and gets its record', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  await dieAt(isRecord, () => project.uploads.complete(uploadId));
  const early = await project.uploads.cancel(uploadId);
  expect([early.status, early.body.code]).toEqual([409, 'upload_in_progress']);
  await silent(project.id);
  expect((await project.uploads.cancel(uploadId)).status).toBe(204);
  expect(await list(project.id)).toHaveLength(1);
});

test('an empty file: between the end of its session and the creation of the file', async () => {
  const project = await warmProject();
  const { body } = await project.uploads.begin({ size: 0 });
  await changeIntents(project.id, { isCommitting: true, aliveAt: new Date(Date.now() - 21_000) });
  await service.admin('DELETE', '/sessions');
  const completed = await project.uploads.complete(body.uploadId);
  expect(completed).toMatchObject({ status: 201, body: { size: 0 } });
  expect(await filesOf(project)).toHaveLength(1);
});

test('the record cannot be written: 503, the file remains, and complete continues', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  onCall(async (call) => (isRecord(call) ? 503 : undefined));
  const { status, body } = await project.uploads.complete(uploadId);
  expect([status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(await filesOf(project)).toHaveLength(1);
  onCall(async () => undefined);
  const completed = await project.uploads.complete(uploadId);
  expect(completed).toMatchObject({ status: 200, body: { size: 4 } });
  expect(await list(project.id)).toEqual([completed.body]);
});

test('the intent cannot be written: no session is left', async () => {
  const project = await warmProject();
  onCall(async ({ body }) => (body.includes('directUploadId') ? 503 : undefined));
  const { status, body } = await project.uploads.begin();
  expect([status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(await service.openSessions()).toEqual([]);
});

test('the outcome of an upload is kept for a day', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(content);
  const { body } = await project.uploads.complete(uploadId);
  const outcome = { partitionKey: 'upload-keys', rowKey: uploadId };
  const aged = async (hours: number) => {
    const createdAt = new Date(Date.now() - hours * 3_600_000);
    await service.table('ProjectDocuments').updateEntity({ ...outcome, createdAt }, 'Merge');
    return project.uploads.complete(uploadId);
  };
  expect(await aged(23)).toMatchObject({ status: 200, body });
  expect((await aged(25)).status).toBe(404);
  expect(await list(project.id)).toHaveLength(1);
});
