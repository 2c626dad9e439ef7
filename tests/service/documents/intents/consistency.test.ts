import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments, fragment } from '../support/documents.ts';

const { service, warmProject, provision, upload, filesOf, list, intentsOf, age, killed } = useDocuments({
  maxCrashes: 100,
});

test.each(['replace', 'rename'])(
  'a process that dies between the file and its record: the next provision writes the record (%s)',
  async (behavior) => {
    const project = await warmProject();
    if (behavior === 'rename') await upload(project.id, randomBytes(10));
    const before = (await list(project.id)).length;
    // The file is finished, its response is lost, and the status request has to wait. The process dies at that point.
    await service.fault({ kind: 'lost-response' }, fragment);
    await service.fault(
      { kind: 'throttled', retryAfter: '14' },
      { host: 'content', method: 'GET', times: null },
    );
    const response = upload(project.id, randomBytes(5000), { behavior });
    await expect.poll(async () => (await filesOf(project)).length, { timeout: 20_000 }).toBe(before + 1);
    await killed(response);
    expect(await list(project.id)).toHaveLength(before);
    expect(await intentsOf(project.id)).toHaveLength(1);

    // The upload may still be running, so its intent is left unchanged.
    await provision(project.id);
    expect(await list(project.id)).toHaveLength(before);
    await age(project.id, 36);
    expect((await provision(project.id)).status).toBe(200);
    const [document] = await list(project.id);
    expect(await list(project.id)).toHaveLength(before + 1);
    expect(document).toMatchObject({
      fileName: behavior === 'rename' ? 'Plan 1.bin' : 'Plan.bin',
      size: 5000,
      uploadedByUserId: people.projectManager.oid,
    });
    expect(await intentsOf(project.id)).toEqual([]);
    const { status } = await service.call('GET', `/documents/${document.id}/download`);
    expect(status).toBe(200);
  },
);

test('a process that dies before the file is finished: there is no record, and the intent is removed after a day', async () => {
  const project = await warmProject();
  await service.fault({ kind: 'throttled', retryAfter: '14' }, { ...fragment, times: null });
  const response = upload(project.id, randomBytes(5000));
  await expect.poll(async () => (await intentsOf(project.id)).length, { timeout: 20_000 }).toBe(1);
  await killed(response);
  await age(project.id, 36);
  await provision(project.id);
  expect(await list(project.id)).toEqual([]);
  expect(await intentsOf(project.id)).toHaveLength(1);
  await age(project.id, 26 * 60);
  await provision(project.id);
  expect(await intentsOf(project.id)).toEqual([]);
});
