import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { StagedItem } from '../../../support/document-service.ts';
import { fieldsFor, filePart, formOf, sendRaw } from '../../../support/multipart.ts';
import { sha, stagedOnDisk, stagingDiskBytes, stagingFolder, useDocuments } from '../support/documents.ts';
import { requires } from '../../../../agent/smb/tests/support/requires.ts';

// Where files whose size is unknown until their end are staged, and what remains of them.

const MiB = 1024 * 1024;
const content = randomBytes(stagedOnDisk);

const { service, warmProject, contentOf, leftOpen, filesOf, killed } = useDocuments();

/** Sends a form with the file first, and ends it when `isComplete` resolves. */
function uploadInTwoParts(projectId: string, name: string, isComplete: Promise<unknown>) {
  const { boundary, body } = formOf([filePart(name, content), ...fieldsFor('01_Angebote', 'replace')]);
  return sendRaw(service, projectId, {
    boundary,
    headers: { 'transfer-encoding': 'chunked' },
    write: async (send) => {
      await send(body.subarray(0, body.length - 1000));
      await isComplete;
      await send(body.subarray(body.length - 1000));
    },
  });
}

const bytesOn = (place: StagedItem['place'], items: readonly StagedItem[]): number =>
  items.filter((item) => item.place === place).reduce((sum, { size }) => sum + size, 0);

async function storedWhole(response: Awaited<ReturnType<typeof sendRaw>>): Promise<void> {
  if (response === 'broken') throw new Error('the connection broke instead of a response');
  expect([response.status, response.body.size]).toEqual([201, content.length]);
  expect(sha(await contentOf(response.body.id))).toBe(sha(content));
}

describe('on the local disk', () => {
  test('a file has no name there, uses no blob, and is gone after the response', async () => {
    const project = await warmProject();
    const complete = Promise.withResolvers<void>();
    const upload = uploadInTwoParts(project.id, 'Plan.bin', complete.promise);
    await expect.poll(async () => bytesOn('disk', await service.staged())).toBeGreaterThan(0);
    expect((await service.staged()).map(({ place }) => place)).toEqual(['disk']);
    expect(await readdir(stagingFolder())).toEqual([]);
    complete.resolve();
    const response = await upload;
    expect(await service.staged()).toEqual([]);
    expect(await leftOpen()).toEqual([]);
    await storedWhole(response);
  });

  test('a killed process leaves nothing behind', async () => {
    const project = await warmProject();
    const complete = Promise.withResolvers<void>();
    const upload = uploadInTwoParts(project.id, 'Plan.bin', complete.promise);
    await expect.poll(async () => bytesOn('disk', await service.staged())).toBeGreaterThan(0);
    await killed();
    complete.resolve();
    await upload;
    expect(await readdir(stagingFolder())).toEqual([]);
    expect(await leftOpen()).toEqual([]);
    expect(await filesOf(project)).toEqual([]);
  });

  test('four files that exceed the budget: blobs hold the rest, and the budget is restored afterward', async () => {
    const project = await warmProject();
    const complete = Promise.withResolvers<void>();
    const names = Array.from({ length: 4 }, (_, index) => `Plan ${index}.bin`);
    const uploads = names.map((name) => uploadInTwoParts(project.id, name, complete.promise));
    // Each fragment of one of four uploads has 2.5 MiB.
    await expect
      .poll(async () => bytesOn('disk', await service.staged()), { timeout: 30_000 })
      .toBeGreaterThan(stagingDiskBytes - 3 * MiB);
    const blobs = async () => (await service.staged()).filter(({ place }) => place === 'blob').length;
    // The first file may fit on the disk as a whole; then little is left for the others.
    await expect.poll(blobs, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    expect(bytesOn('disk', await service.staged())).toBeLessThanOrEqual(stagingDiskBytes);
    complete.resolve();
    for (const response of await Promise.all(uploads)) await storedWhole(response);
    expect(await leftOpen()).toEqual([]);

    const completeAgain = Promise.withResolvers<void>();
    const again = uploadInTwoParts(project.id, 'Plan.bin', completeAgain.promise);
    await expect.poll(async () => bytesOn('disk', await service.staged())).toBeGreaterThan(0);
    expect(await blobs()).toBe(0);
    completeAgain.resolve();
    await storedWhole(await again);
  });

  requires('linux', 'root').test.each([
    ['full', 'size=8m', 'ENOSPC'],
    ['read-only', 'size=8m,ro', 'EROFS'],
  ])('that is %s: a blob holds the rest, and the log has the cause', async (_state, options, code) => {
    const project = await warmProject();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', stagingFolder()], { stdio: 'pipe' });
    } catch (error) {
      throw new Error('this test mounts a file system and must therefore run as root', { cause: error });
    }
    try {
      service.logs.length = 0;
      const complete = Promise.withResolvers<void>();
      const upload = uploadInTwoParts(project.id, 'Plan.bin', complete.promise);
      await expect
        .poll(async () => (await service.staged()).some(({ place }) => place === 'blob'))
        .toBe(true);
      complete.resolve();
      await storedWhole(await upload);
      const lines = () =>
        service.logs.map(({ message }) => message).filter((line) => line.includes('staging_disk_failed'));
      // The log arrives from another process, after the response on a busy machine.
      await expect.poll(lines).toHaveLength(1);
      expect(lines()[0]).toContain(`"code":"${code}"`);
      expect(await leftOpen()).toEqual([]);
    } finally {
      execFileSync('umount', [stagingFolder()]);
    }
  });
});
