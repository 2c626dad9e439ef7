import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventLog } from '../../../../lib/base/event-log.ts';
import { systemClock } from '../../../../lib/contract/clock.ts';
import { StagingBlobs } from '../../../../lib/project-documents/form/staging-blobs.ts';
import { fieldsFor, filePart, formOf, sendRaw } from '../../../support/multipart.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { sha, useDocuments } from '../support/documents.ts';

// Where files whose size is unknown until their end are staged, and what remains of them.

const MiB = 1024 * 1024;
// A single upload holds 18.75 MiB of its file. Beyond that, the file is staged.
const content = randomBytes(24 * MiB);

const { service, warmProject, contentOf, leftOpen } = useDocuments();

test('a large file whose fields follow it is staged in a blob, which is gone before the response', async () => {
  const project = await warmProject();
  const { boundary, body } = formOf([filePart('Plan.bin', content), ...fieldsFor('01_Angebote', 'replace')]);
  const response = await sendRaw(service, project.id, {
    boundary,
    headers: { 'transfer-encoding': 'chunked' },
    write: async (send) => {
      await send(body.subarray(0, body.length - 1000));
      await expect.poll(() => service.staged()).toHaveLength(1);
      await send(body.subarray(body.length - 1000));
    },
  });
  expect(await leftOpen()).toEqual([]);
  if (response === 'broken') throw new Error('the connection broke instead of a response');
  expect([response.status, response.body.size]).toEqual([201, content.length]);
  expect(sha(await contentOf(response.body.id))).toBe(sha(content));
});

test('blobs that a crash left behind are swept after a day, and not before', async () => {
  const { blobs } = service;
  const container = blobs.getContainerClient('upload-staging');
  await container.createIfNotExists();
  const name = () => `${new Date().toISOString()}-${randomUUID()}`;
  const orphans = [container.getBlockBlobClient(name()), container.getBlockBlobClient(name())];
  await orphans[0]!.uploadData(Buffer.from('left behind'));
  // The process died before it had committed a single block.
  await orphans[1]!.stageBlock(Buffer.from('1').toString('base64'), 'left', 4);
  const left = async () => {
    const names = new Set(await service.staged());
    return orphans.filter((each) => names.has(each.name)).length;
  };
  const lines: string[] = [];
  const collect = (line: string) => void lines.push(line);
  const log = eventLog({ info: collect, warn: collect, error: collect });
  await new StagingBlobs(async () => blobs, systemClock).sweep(log);
  expect(await left()).toBe(2);
  const aDayLater = new VirtualClock({ nowMs: Date.now() + 25 * 60 * 60_000 });
  await new StagingBlobs(async () => blobs, aDayLater).sweep(log);
  expect(await left()).toBe(0);
  expect(lines.join()).toContain('staged_uploads_swept');
});
