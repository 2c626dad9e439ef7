import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { people } from '../../../support/document-service.ts';
import { useDocuments, fragment, twoFragments } from '../support/documents.ts';

// An upload whose process has died leaves its session in the library, which rejects other uploads of that name until the
// session ends, about 15 minutes later.

const { service, warmProject, upload, filesOf, list, intentsOf, changeIntents, silence, killed } =
  useDocuments({
    maxCrashes: 100,
  });

const sessions = () => service.openSessions() as Promise<{ received: number }[]>;

/** Kills the process between the first and the second fragment of a file, after `lost` requests without effect. */
async function interrupted(behavior = 'replace', lost = 0) {
  const project = await warmProject();
  await service.fault({ kind: 'throttled', retryAfter: '14' }, { ...fragment, skip: 1 + lost, times: null });
  const response = upload(project.id, randomBytes(twoFragments), { behavior });
  await expect.poll(async () => (await sessions()).map(({ received }) => received > 0)).toEqual([true]);
  await killed(response);
  return project;
}

describe.each(['replace', 'fail'])('a process dies in the middle of an upload (%s)', (behavior) => {
  test('the name is free as soon as the process counts as dead: its session is canceled', async () => {
    const project = await interrupted(behavior);
    const early = await upload(project.id, Buffer.from('early'), { behavior, as: people.backOffice });
    expect([early.status, early.body.code]).toEqual([409, 'upload_in_progress']);
    const retryAfter = Number(early.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(20);

    await silence(project.id, 21);
    const { status, body } = await upload(project.id, Buffer.from('again'), {
      behavior,
      as: people.backOffice,
    });
    expect([status, body.size]).toEqual([201, 5]);
    expect(await sessions()).toEqual([]);
    expect(await intentsOf(project.id)).toEqual([]);
    expect((await filesOf(project)).map(({ size }) => size)).toEqual([5]);
    expect(await list(project.id)).toEqual([body]);
  });
});

test('a process dies in the second session of an upload: the name is free too', async () => {
  await service.fault({ kind: 'session-vanishes' });
  const project = await interrupted('replace', 1);
  await silence(project.id, 21);
  const { status, body } = await upload(project.id, Buffer.from('again'));
  expect([status, body.size]).toEqual([201, 5]);
  expect(await sessions()).toEqual([]);
});

test('if the session cannot be canceled: 409 until it ends', async () => {
  const project = await interrupted();
  await silence(project.id, 21);
  await service.fault({ kind: 'html-unavailable' }, { host: 'content', method: 'DELETE', times: null });
  const { status, body, headers } = await upload(project.id, Buffer.from('again'));
  expect([status, body.code]).toEqual([409, 'upload_in_progress']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
  await service.admin('DELETE', '/faults');
  expect((await upload(project.id, Buffer.from('again'))).status).toBe(201);
});

test('the URL of the session is encrypted in the table; if it cannot be decrypted, the session has to expire', async () => {
  const project = await interrupted();
  const [row] = await intentsOf(project.id);
  expect(row).toMatchObject({ uploadUrl: expect.any(String), sessionExpiresAt: expect.any(Date) });
  expect(JSON.stringify(row)).not.toMatch(/https?:|tempauth|uploadSession/);
  // As after a change of the secret.
  await changeIntents(project.id, { uploadUrl: randomBytes(400).toString('base64') });
  await silence(project.id, 21);
  const { status, headers } = await upload(project.id, Buffer.from('again'));
  expect(status).toBe(409);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
  await service.admin('DELETE', '/sessions');
});

test('the intent of a running upload knows until when its last fragment has extended the session', async () => {
  const project = await warmProject();
  const rowsOf = async () => (await intentsOf(project.id)).map((row) => row['sessionExpiresAt'] as Date);
  // The first fragment waits too, so that its acceptance is later than the session.
  await service.fault({ kind: 'throttled', retryAfter: '2' }, { ...fragment, times: 1 });
  await service.fault({ kind: 'throttled', retryAfter: '14' }, { ...fragment, skip: 1, times: 1 });
  const response = upload(project.id, randomBytes(twoFragments));
  await expect.poll(rowsOf).toHaveLength(1);
  const [opened] = await rowsOf();
  await expect
    .poll(async () => (await rowsOf())[0]!.getTime(), { timeout: 30_000 })
    .toBeGreaterThan(opened!.getTime());
  expect((await response).status).toBe(201);
});

test('a running upload is not interrupted, regardless of how long it takes', async () => {
  const project = await warmProject();
  await service.fault({ kind: 'throttled', retryAfter: '14' }, { ...fragment, times: 1 });
  const content = randomBytes(1000);
  const first = upload(project.id, content);
  await expect.poll(async () => (await intentsOf(project.id)).length).toBe(1);
  // Simulates a long upload, which would count as dead without another heartbeat.
  await silence(project.id);
  const aliveAt = async () => (await intentsOf(project.id)).map((row) => (row['aliveAt'] as Date).getTime());
  const [silent = 0] = await aliveAt();
  await expect.poll(async () => (await aliveAt())[0]).toBeGreaterThan(silent + 20_000);
  const second = await upload(project.id, Buffer.from('second'));
  expect([second.status, second.body.code]).toEqual([409, 'upload_in_progress']);
  expect(Number(second.headers.get('retry-after'))).toBeLessThanOrEqual(20);
  const { status, body } = await first;
  expect(status).toBe(201);
  expect((await filesOf(project)).map(({ size }) => size)).toEqual([content.length]);
  expect(await list(project.id)).toEqual([body]);
});
