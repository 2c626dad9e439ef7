import { randomBytes } from 'node:crypto';
import { Client, FileUpload, LargeFileUploadTask } from '@microsoft/microsoft-graph-client';
import { expect, test } from 'vitest';
import { DirectUploader } from '../../../support/direct-upload.ts';
import { useDocuments } from '../support/documents.ts';

// A third-party client uses the session of a direct upload: Microsoft's own upload task, unmodified.

const { service } = useDocuments();

async function begun(content: Buffer) {
  const project = await service.newProject();
  const uploads = new DirectUploader(service, project.id);
  const { body } = await uploads.begin({ fileName: 'Plan.bin', size: content.length });
  // The task gets no token, because the URL is sufficient.
  const sdk = Client.initWithMiddleware({
    authProvider: { getAccessToken: () => Promise.reject(new Error('requested a token')) },
  });
  const file = new FileUpload(new Uint8Array(content).buffer, 'Plan.bin', content.length);
  const session = { url: body.uploadUrl as string, expiry: new Date(body.expiresAt as string) };
  const task = new LargeFileUploadTask(sdk, file, session, { rangeSize: 4 * body.fragmentMultiple });
  return { uploads, uploadId: body.uploadId as string, task };
}

test('the task sends every byte and receives no item: complete creates the file', async () => {
  const content = randomBytes(3 * 1024 * 1024 + 5);
  const { uploads, uploadId, task } = await begun(content);
  await expect(task.upload()).rejects.toThrow('already completed');
  await expect(task.getStatus()).resolves.toMatchObject({ nextExpectedRanges: [] });
  const { status, body } = await uploads.complete(uploadId);
  expect([status, body.size]).toEqual([201, content.length]);
  const link = await service.call('GET', `/documents/${body.id}/link`);
  const stored = await fetch(link.body.downloadUrl);
  expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
});

test('the task cancels: complete is 503 until that is certain, and DELETE ends the upload', async () => {
  const { uploads, uploadId, task } = await begun(randomBytes(10));
  await task.cancel();
  expect((await uploads.complete(uploadId)).status).toBe(503);
  expect((await uploads.cancel(uploadId)).status).toBe(204);
  expect((await uploads.complete(uploadId)).status).toBe(404);
});
