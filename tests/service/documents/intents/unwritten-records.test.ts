import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useGatedDocuments, isRecord } from '../support/documents.ts';

// The file is in the library, but its record cannot be written.

const {
  service,
  onCall,
  openGate,
  held,
  warmProject,
  provision,
  upload,
  list,
  left,
  filesOf,
  intentsOf,
  contentOf,
  age,
} = useGatedDocuments();

test('a new file is deleted again: 503, and nothing is left', async () => {
  const project = await warmProject();
  await onCall(async (call) => (isRecord(call) ? 503 : undefined));
  const { status, body } = await upload(project.id, randomBytes(1000));
  expect([status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(await left(project)).toEqual([]);
});

test('a file that replaced another remains, and the repair writes its record', async () => {
  const project = await warmProject();
  const first = await upload(project.id, randomBytes(1000));
  // A status that is not retried.
  await onCall(async (call) => (isRecord(call) ? 400 : undefined));
  const [content, sent] = [randomBytes(2000), { headers: { 'idempotency-key': randomUUID() } }];
  expect((await upload(project.id, content, sent)).status).toBe(500);
  openGate();
  // Its outcome is unknown, so its key is not free for another try.
  expect((await upload(project.id, content, sent)).status).toBe(409);
  expect((await filesOf(project)).map(({ size }) => size)).toEqual([2000]);
  expect(await list(project.id)).toEqual([first.body]);
  // Simulates that the upload and everything before it happened earlier.
  await age(project.id, 40);
  const earlier = (time: string) => new Date(Date.parse(time) - 40 * 60_000).toISOString();
  const documents = service.table('ProjectDocuments');
  const rowKey = `file-${first.body.id.slice(19).replace('-', '')}`;
  const key = { partitionKey: partitionOf(project.id), rowKey };
  await documents.updateEntity({ ...key, uploadedAt: earlier(earlier(first.body.uploadedAt)) }, 'Merge');
  await provision(project.id);
  expect(await list(project.id)).toMatchObject([{ id: first.body.id, size: 2000 }]);
  expect(await intentsOf(project.id)).toEqual([]);
});

test('a new file whose content another user has replaced is not deleted', async () => {
  const project = await warmProject();
  const { reached, resume } = await held(isRecord);
  const failing = upload(project.id, randomBytes(1000));
  await reached;
  const other = await upload(project.id, Buffer.from('theirs'), { as: people.backOffice });
  expect(other.status).toBe(201);
  resume(400);
  expect((await failing).status).toBe(500);
  expect((await filesOf(project)).map(({ size }) => size)).toEqual([6]);
  // It replaced the file of the failed upload, which had no record yet.
  const { replacedUnrecorded, ...document } = other.body;
  expect(replacedUnrecorded).toBe(true);
  expect(await list(project.id)).toEqual([document]);
  expect(Buffer.from(await contentOf(other.body.id)).toString()).toBe('theirs');
  expect(await intentsOf(project.id)).toHaveLength(1);
});

test('the file of a direct upload remains: 503, and complete continues', async () => {
  const project = await warmProject();
  const uploadId = await project.uploads.sent(Buffer.from('mine'));
  await onCall(async (call) => (isRecord(call) ? 503 : undefined));
  const { status, body } = await project.uploads.complete(uploadId);
  expect([status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(await filesOf(project)).toHaveLength(1);
  openGate();
  const completed = await project.uploads.complete(uploadId);
  expect(completed).toMatchObject({ status: 200, body: { size: 4 } });
  expect(await list(project.id)).toEqual([completed.body]);
});

test('a direct upload whose intent cannot be written: 503, and no session is left', async () => {
  const project = await warmProject();
  await onCall(async ({ body }) => (body.includes('directUploadId') ? 503 : undefined));
  const { status, body } = await project.uploads.begin();
  expect([status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(await service.openSessions()).toEqual([]);
});
