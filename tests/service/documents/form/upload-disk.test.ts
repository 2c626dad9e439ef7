import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { fieldsFor, filePart, formOf, sendRaw } from '../../../support/multipart.ts';
import { sha, temporaryFolder, twoFragments, useDocuments } from '../support/documents.ts';
import { requires } from '../../../../agent/smb/tests/support/requires.ts';

// An upload is on the local disk until the library has it.

const content = randomBytes(twoFragments);

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

const onDisk = async (): Promise<number> =>
  (await service.temporaryFiles()).reduce((sum, { size }) => sum + size, 0);

async function storedWhole(response: Awaited<ReturnType<typeof sendRaw>>): Promise<void> {
  if (response === 'broken') throw new Error('the connection broke instead of a response');
  expect([response.status, response.body.size]).toEqual([201, content.length]);
  expect(sha(await contentOf(response.body.id))).toBe(sha(content));
}

describe('on the local disk', () => {
  test('a file has no name there, and is gone after the response', async () => {
    const project = await warmProject();
    const complete = Promise.withResolvers<void>();
    const upload = uploadInTwoParts(project.id, 'Plan.bin', complete.promise);
    await expect.poll(onDisk).toBeGreaterThan(0);
    expect(await readdir(temporaryFolder())).toEqual([]);
    complete.resolve();
    const response = await upload;
    expect(await service.temporaryFiles()).toEqual([]);
    expect(await leftOpen()).toEqual([]);
    await storedWhole(response);
  });

  test('a killed process leaves nothing behind', async () => {
    const project = await warmProject();
    const complete = Promise.withResolvers<void>();
    const upload = uploadInTwoParts(project.id, 'Plan.bin', complete.promise);
    await expect.poll(onDisk).toBeGreaterThan(0);
    await killed();
    complete.resolve();
    await upload;
    expect(await readdir(temporaryFolder())).toEqual([]);
    expect(await leftOpen()).toEqual([]);
    expect(await filesOf(project)).toEqual([]);
  });

  test('four files that exceed the budget: three are stored, and one is 503 that says when to try again', async () => {
    const project = await warmProject();
    const complete = Promise.withResolvers<void>();
    const uploads = [0, 1, 2].map((index) =>
      uploadInTwoParts(project.id, `Plan ${index}.bin`, complete.promise),
    );
    await expect.poll(onDisk, { timeout: 30_000 }).toBeGreaterThan(3 * (content.length - 100_000));
    const rejected = await uploadInTwoParts(project.id, 'Plan 3.bin', Promise.resolve());
    if (rejected === 'broken') throw new Error('the connection broke instead of a response');
    expect([rejected.status, rejected.body.code]).toEqual([503, 'storage_unavailable']);
    complete.resolve();
    for (const response of await Promise.all(uploads)) await storedWhole(response);
    expect(await leftOpen()).toEqual([]);
    await storedWhole(await uploadInTwoParts(project.id, 'Plan 3.bin', Promise.resolve()));
  });

  requires('mount').test.each([
    ['full', 'size=8m', 'ENOSPC'],
    ['read-only', 'size=8m,ro', 'EROFS'],
  ])('that is %s: 503, and the log has the cause', async (_state, options, code) => {
    const project = await warmProject();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', temporaryFolder()], { stdio: 'pipe' });
    } catch (error) {
      throw new Error('this test mounts a file system and must therefore run as root', { cause: error });
    }
    try {
      service.logs.length = 0;
      const response = await uploadInTwoParts(project.id, 'Plan.bin', Promise.resolve());
      if (response === 'broken') throw new Error('the connection broke instead of a response');
      expect([response.status, response.body.code]).toEqual([503, 'storage_unavailable']);
      const lines = () =>
        service.logs.map(({ message }) => message).filter((line) => line.includes('upload_disk_full'));
      // The log arrives from another process, after the response on a busy machine.
      await expect.poll(lines).toHaveLength(1);
      expect(lines()[0]).toContain(`"code":"${code}"`);
      expect(await leftOpen()).toEqual([]);
    } finally {
      execFileSync('umount', [temporaryFolder()]);
    }
  });
});
