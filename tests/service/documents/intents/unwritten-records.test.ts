import { partitionOf } from '../../../../lib/project-documents/folders/project-partition.ts';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { conflictBehaviors } from '../../../../lib/document-library/conflict-behavior.ts';
import { people } from '../../../support/document-service.ts';
import { useGatedDocuments, isRecord } from '../support/documents.ts';

// The file is in the library, but its record cannot be written.

const { service, onCall, warmProject, upload, list, filesOf, intentsOf, age } = useGatedDocuments();

test.each(conflictBehaviors)(
  'a new file is deleted again: 503, and nothing is left (%s)',
  async (behavior) => {
    const project = await warmProject();
    onCall(async (call) => (isRecord(call) ? 503 : undefined));
    const { status, body } = await upload(project.id, randomBytes(1000), { behavior });
    expect([status, body.code]).toEqual([503, 'storage_unavailable']);
    expect(await filesOf(project)).toEqual([]);
    expect(await list(project.id)).toEqual([]);
    expect(await intentsOf(project.id)).toEqual([]);
    expect(await service.openSessions()).toEqual([]);
  },
);

test('a file that replaced another remains, and the repair writes its record', async () => {
  const project = await warmProject();
  const first = await upload(project.id, randomBytes(1000));
  onCall(async (call) => (isRecord(call) ? 503 : undefined));
  expect((await upload(project.id, randomBytes(2000))).status).toBe(503);
  onCall(async () => undefined);
  expect((await filesOf(project)).map(({ size }) => size)).toEqual([2000]);
  expect(await list(project.id)).toEqual([first.body]);
  // Simulates that the upload and everything before it happened earlier.
  await age(project.id, 40);
  const earlier = (time: string) => new Date(Date.parse(time) - 40 * 60_000).toISOString();
  const documents = service.table('ProjectDocuments');
  const rowKey = `file-${first.body.id.slice(19).replace('-', '')}`;
  const key = { partitionKey: partitionOf(project.id), rowKey };
  await documents.updateEntity({ ...key, uploadedAt: earlier(earlier(first.body.uploadedAt)) }, 'Merge');
  await service.call('POST', `/documents/projects/${project.id}/provision`);
  expect(await list(project.id)).toMatchObject([{ id: first.body.id, size: 2000 }]);
  expect(await intentsOf(project.id)).toEqual([]);
});

test('a new file whose content another user has replaced is not deleted', async () => {
  const project = await warmProject();
  let reached: () => void = () => undefined;
  const atTheGate = new Promise<void>((resolve) => (reached = resolve));
  let reject: (status: number) => void = () => undefined;
  const rejection = new Promise<number>((resolve) => (reject = resolve));
  let isFirst = true;
  onCall(async (call) => {
    if (!isRecord(call) || !isFirst) return undefined;
    isFirst = false;
    reached();
    return rejection;
  });
  const failing = upload(project.id, randomBytes(1000));
  await atTheGate;
  const other = await upload(project.id, Buffer.from('theirs'), { as: people.backOffice });
  expect(other.status).toBe(201);
  reject(400);
  expect((await failing).status).toBe(500);
  expect((await filesOf(project)).map(({ size }) => size)).toEqual([6]);
  // It replaced the file of the failed upload, which had no record yet.
  const { replacedUnrecorded, ...document } = other.body;
  expect(replacedUnrecorded).toBe(true);
  expect(await list(project.id)).toEqual([document]);
  const { body } = await service.call('GET', `/documents/${other.body.id}/download`);
  expect(body).toBe('theirs');
  expect(await intentsOf(project.id)).toHaveLength(1);
});
